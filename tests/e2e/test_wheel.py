"""The package as it is installed: built without a network, used from an empty folder."""

import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

import attention_viz as av
from attention_viz.models import places

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.e2e


def test_the_wheel_has_every_file_and_no_other(wheel):
    folders = {"attention_viz": "attention_viz", "assets": "attention_viz/shipped/assets"}
    expected = {"attention_viz/shipped/app.py", "attention_viz/shipped/.streamlit/config.toml"}
    for folder, place in folders.items():
        files = (path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("*.*"))
        expected |= {
            f"{place}/{path.as_posix()}" for path in files if "__pycache__" not in path.parts
        }
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == expected


def test_the_extra_asks_for_what_the_requirements_name():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "requirements-models.txt").read_text().splitlines()
    assert extras["optional-dependencies"]["models"] == [
        line for line in lines if not line.startswith(("#", "-r"))
    ]


def test_each_says_how_models_are_added_there(installed):
    _, place = installed
    asked = [sys.executable, "-c", "from attention_viz.models import places; print(places.ADD)"]
    shown = subprocess.run(asked, **place, check=True, capture_output=True, text=True)
    assert shown.stdout == 'pip install "attention-viz[models]"\n'
    assert places.ADD == "pip install -r requirements-models.txt"


def test_the_command_shows(installed):
    command, place = installed
    asked = [command, "show", "the cat sat. the cat", "--head", "induction", "--json"]
    shown = subprocess.run(asked, **place, check=True, capture_output=True, text=True)
    tokens = json.loads(shown.stdout)["tokens"]
    assert tokens == list(av.tokenize("the cat sat. the cat").pieces)


def test_the_command_exports(installed, tmp_path):
    command, place = installed
    file = tmp_path / "good.csv"
    subprocess.run([command, "export", "I am good", "-o", file], **place, check=True)
    assert "good" in file.read_text("utf-8")


def test_the_command_serves_the_pages_as_configured(installed, serve, browser):
    command, place = installed
    dark = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["theme"]["dark"]
    red, green, blue = bytes.fromhex(dark["backgroundColor"].removeprefix("#"))
    with serve([command, "app", "--port"], **place) as app:
        page = browser.new_page(color_scheme="dark")
        page.goto(app.address)
        weights = page.get_by_role("table", name="Attention weights", exact=True)
        expect(weights.locator("td").first).to_be_attached()
        background = f"rgb({red}, {green}, {blue})"
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", background)
        page.goto(f"{app.address}/steps")
        expect(page.get_by_role("group", name="Scaled dot-product attention")).to_be_visible()
        page.goto(f"{app.address}/words")
        expect(page.get_by_role("heading", name="Words")).to_be_visible()
        page.close()

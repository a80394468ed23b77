"""Explore and the exported page in Debian's Firefox, which here prefers dark colours."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

import attention_viz as av
from attention_viz.colours import DARK
from attention_viz.scenes import scene_of, view_of
from tests.e2e.conftest import comes_to, lacks
from tests.e2e.test_journey import d_k, drag, reading, size, weights
from tests.e2e.test_stage import assert_tables

pytestmark = pytest.mark.e2e
SHADES = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""
BACKGROUND = "element => getComputedStyle(element).backgroundColor"


@pytest.fixture(scope="module")
def browser(playwright):
    """Firefox, for what this module visits."""
    if shutil.which("firefox-esr") is None:
        lacks("Firefox is missing: apt-get install firefox-esr")
    firefox = playwright.firefox.launch(
        channel="moz-firefox",
        executable_path=Path(__file__).with_name("firefox.py"),
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        firefox_user_prefs={"layout.css.prefers-color-scheme.content-override": 0},
    )
    yield firefox
    firefox.close()


def assert_painted(page):
    maps = page.locator(".map:visible canvas.cells")
    comes_to(lambda: [canvas.evaluate(SHADES) > 2 for canvas in maps.all()], [True] * 4)


def assert_dark(page, element):
    red, green, blue = bytes.fromhex(DARK.paper.removeprefix("#"))
    comes_to(lambda: page.locator(element).evaluate(BACKGROUND), f"rgb({red}, {green}, {blue})")


def test_d_k_moves_the_weights_live(visit):
    page = visit()
    assert_painted(page)
    assert_dark(page, "[data-testid=stApp]")
    before = reading(page).inner_text()
    drag(page, 0.1, 0.61)
    expect(size(page)).to_have_text("Head size d_k = 64")
    expect(reading(page)).not_to_have_text(before)
    page.mouse.up()
    expect(page).to_have_url(re.compile("d_k=64(&|$)"))
    d_k(page).press("ArrowRight")
    expect(page).to_have_url(re.compile("d_k=80(&|$)"))
    run = av.run("Wie geht es dir", av.random_head(256, 80, seed=25), seed=25)
    said = av.read_row(run.tokens, run.trace.weights, run.trace.mask, 0)
    expect(reading(page)).to_have_text(f"Random head, no meaning: {said}")


def test_a_copied_link_opens_the_same_picture(visit):
    page = visit("?d_k=16&divisor=1&row=2")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    shown = weights(page)
    box = page.get_by_label("Sentence")
    box.fill("")
    box.press("ControlOrMeta+v")
    expect(box).to_have_value(re.compile("text=Wie.*d_k=16&divisor=1&row=2"))
    link = box.input_value()
    other = visit(link[link.index("?") :])
    comes_to(lambda: weights(other), shown)
    expect(reading(other)).to_contain_text("“\u2068es\u2069” focuses")


def test_an_exported_page_on_disk(browser, tmp_path):
    run = av.run("Wie geht es dir", av.random_head(256, 64, seed=25), seed=25)
    path = tmp_path / "page.html"
    av.to_html(run, path)
    page, faults = browser.new_page(), []
    page.on("console", lambda m: m.type == "error" and faults.append(m.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda r: r.url.startswith(("file:", "data:")) or faults.append(r.url))
    page.goto(path.as_uri())
    assert_painted(page)
    assert_dark(page, "body")
    told = page.get_by_role("status")  # speaks when a movement is over and the tables are new
    d_k(page).press("ArrowRight")
    expect(told).to_contain_text("d_k 80.")
    assert_tables(page, scene_of(run, view_of(run)), 80, "sqrt")
    page.close()
    assert not faults

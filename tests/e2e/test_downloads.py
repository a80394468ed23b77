"""Files as a person gets them: clicked in Chromium, then opened."""

import csv
import struct

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import comes_to, numbers

pytestmark = pytest.mark.e2e


def save(page, name, folder):
    with page.expect_download() as started:
        page.get_by_role("button", name=name, exact=True).click()
    path = folder / started.value.suggested_filename
    started.value.save_as(path)
    return path


def test_what_is_on_explore_leaves_it(visit, browser, tmp_path):
    page = visit("?text=I+am+good&d_k=64")
    page.get_by_role("radio", name="Download").click()
    table = save(page, "CSV", tmp_path)
    assert table.name == "i-am-good_dk64_seed25.csv"
    with table.open(encoding="utf-8-sig", newline="") as file:
        cells = [row["value"] for row in csv.DictReader(file) if row["matrix"] == "weights"]
    shown = page.get_by_role("table", name="Attention weights", exact=True)
    comes_to(lambda: numbers(shown), pytest.approx([float(cell) for cell in cells], rel=1e-6))
    document = save(page, "Interactive page", tmp_path)
    context = browser.new_context(offline=True)
    offline = context.new_page()
    offline.goto(document.as_uri())
    expect(offline.get_by_role("slider", name="d_k")).to_be_visible()
    expect(offline.get_by_role("table", name="Attention weights", exact=True)).to_be_attached()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_chart_is_saved_and_its_button_covers_nothing(visit, tmp_path, width, scheme):
    page = visit("softmax", width=width, color_scheme=scheme)
    chart = page.locator(".js-plotly-plot")
    button = page.get_by_role("button", name="Download plot as a PNG")
    expect(button).to_be_visible()
    bar, drawn = button.bounding_box(), chart.locator(".main-svg").first.bounding_box()
    assert bar["y"] + bar["height"] <= drawn["y"]
    assert bar["x"] + bar["width"] <= width
    below = page.get_by_text("Order is kept in").bounding_box()
    assert drawn["y"] + drawn["height"] <= below["y"]
    png = save(page, "Download plot as a PNG", tmp_path)
    assert png.name == "softmax-bars_2_1_0.1.png"
    (pixels,) = struct.unpack(">I", png.read_bytes()[16:20])
    assert pixels == pytest.approx(3 * drawn["width"], abs=3)

"""Step by step in a browser: keys, clicks, pointers, a blank, the links, and every screen."""

import re

import pytest
from playwright.sync_api import expect

from attention_viz import lessons
from tests.e2e.conftest import settle

pytestmark = pytest.mark.e2e
TITLES = [part.title for part in lessons.read_by_key("steps").values()]


def title(page, step):
    return page.get_by_role("heading", name=f"{step}. {TITLES[step - 1]}")


def part(page, name):
    return page.locator(f"svg [data-part={name}]")


def test_from_the_first_step_by_keys_clicks_and_an_address(visit):
    page = visit("steps")
    expect(title(page, 1)).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(title(page, 2)).to_be_visible()
    expect(page).to_have_url(re.compile("step=2"))
    page.keyboard.press("ArrowRight")
    expect(title(page, 3)).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(title(page, 2)).to_be_visible()
    part(page, "softmax").click()
    expect(title(page, 8)).to_be_visible()
    expect(part(page, "softmax")).to_have_attribute("aria-current", "step")
    expect(part(page, "inputs")).not_to_have_attribute("aria-current", "step")
    page.reload()
    expect(title(page, 8)).to_be_visible()
    part(page, "inputs").focus()
    page.keyboard.press("Enter")
    expect(title(page, 4)).to_be_visible()
    expect(page.get_by_role("button", name="inputs X, 4 × 256: go to step 4")).to_be_visible()


def test_arrow_keys_in_a_field_stay_there(visit):
    page = visit("steps?step=4")
    box = page.get_by_label("How many numbers is that in all?")
    box.fill("1000")
    box.press("ArrowLeft")
    box.press("Enter")
    expect(page.get_by_text("Not yet. Rows times columns.")).to_be_visible()
    box.fill("1024")
    box.press("Enter")
    expect(page.get_by_text("Right: 1024.")).to_be_visible()
    expect(title(page, 4)).to_be_visible()


def test_a_part_lights_up_in_drawing_formula_and_picture(visit):
    page = visit("steps?step=7")
    formula = page.locator(".formula [data-part=scale]")
    expect(formula).to_have_class(re.compile(r"\blit\b"))
    part(page, "softmax").hover()
    expect(page.locator(".formula [data-part=softmax]")).to_have_class(re.compile("pointed"))
    page.locator(".formula [data-part=query]").hover()
    expect(part(page, "query")).to_have_class(re.compile("pointed"))
    expect(part(page, "softmax")).not_to_have_class(re.compile("pointed"))
    picture = page.locator(".st-key-steps_picture")
    part(page, "scale").focus()
    expect(picture).to_have_css("outline-style", "solid")
    part(page, "mask").focus()
    expect(picture).to_have_css("outline-style", "none")
    picture.hover()
    expect(page.locator(".mechanism")).to_have_class(re.compile("looked"))


def test_links_show_what_their_text_promises(visit):
    page = visit("steps")
    page.get_by_role("link", name="Do it in the Softmax lab").click()
    expect(page.get_by_text("to all: nothing changes. Each exp")).to_be_visible()
    page = visit("steps?step=3")
    page.get_by_role("link", name="Open the Scaling lab").click()
    expect(page.get_by_role("slider", name="Head size d_k")).to_be_visible()
    page = visit("steps?step=7&text=I%20am%20good&d_k=16")
    page.get_by_role("link", name="Divide by 1 in Explore").click()
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value("I am good")
    expect(page).to_have_url(re.compile("divisor=1"))
    page = visit("steps?step=10")
    page.get_by_role("link", name="Open By hand").click()
    expect(page.get_by_text("Weights into scores")).to_be_visible()


@pytest.mark.parametrize("step", range(1, 11))
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_every_step_fits_its_screen(visit, step, width, height):
    page = visit(f"steps?step={step}", width=width, height=height)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("one => one.scrollWidth <= one.clientWidth")
    expect(page.locator("[data-testid=stException]")).to_have_count(0)
    box = page.locator(".mechanism svg").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    settle(page)

"""Step by step in a browser: keys, clicks, pointers, a blank, the links, and every screen."""

import re
from functools import partial

import pytest
import torch
from playwright.sync_api import expect

import attention_viz as av
from attention_viz import lessons, walkthrough
from tests.e2e.conftest import PLOT, arrive, comes_to, enter, numbers, settle

pytestmark = pytest.mark.e2e
TITLES = [part.title for part in lessons.read_by_key("steps").values()]


def title(page, step):
    return page.get_by_role("heading", name=f"{step}. {TITLES[step - 1]}")


def part(page, name):
    return page.locator(f"svg [data-part={name}]")


def expect_step(page, step):
    """The step is drawn, and the address has followed: from there the keys and Back go on."""
    expect(title(page, step)).to_be_visible()
    expect(page).to_have_url(re.compile(f"[?&]step={step}(&|$)"))


def test_from_the_first_step_by_keys_clicks_and_an_address(visit):
    page = visit("steps")
    expect_step(page, 1)
    page.keyboard.press("ArrowRight")
    expect_step(page, 2)
    page.keyboard.press("ArrowRight")
    expect_step(page, 3)
    page.keyboard.press("ArrowLeft")
    expect_step(page, 2)
    part(page, "softmax").click()
    expect_step(page, 8)
    expect(part(page, "softmax")).to_have_attribute("aria-current", "step")
    expect(part(page, "inputs")).not_to_have_attribute("aria-current", "step")
    page.reload()
    arrive(page)
    expect_step(page, 8)
    part(page, "inputs").focus()
    page.keyboard.press("Enter")
    expect_step(page, 4)
    expect(page.get_by_role("button", name="inputs X, 4 × 256: go to step 4")).to_be_visible()


def test_of_quick_presses_each_counts_and_back_retraces_them(visit):
    page = visit("steps")
    expect_step(page, 1)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect_step(page, 6)
    for step in (5, 4):
        page.go_back()
        expect_step(page, step)
    page.go_forward()
    expect_step(page, 5)
    page.evaluate("history.go(-3)")
    expect_step(page, 2)
    page.get_by_role("button", name="Next", exact=True).click()
    expect_step(page, 3)
    page.get_by_role("radio", name="9").click()
    expect_step(page, 9)
    page.keyboard.press("ArrowLeft")
    expect_step(page, 8)
    for step in (9, 3, 2):
        page.go_back()
        expect_step(page, step)


def test_back_to_a_step_keeps_the_sentence_in_the_address_too(visit):
    page = visit("steps?step=1&text=I+am+good&seed=4")
    page.keyboard.press("ArrowRight")
    expect_step(page, 2)
    enter(page.get_by_role("textbox", name="Sentence"), "a b c d e")
    expect(page).to_have_url(re.compile("text=a.b.c.d.e(&|$)"))
    page.go_back()
    expect_step(page, 1)
    expect(page).to_have_url(re.compile("text=a.b.c.d.e(&|$)"))
    page.reload()
    expect_step(page, 1)
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value("a b c d e")


def test_arrow_keys_in_a_field_stay_there_and_what_was_typed_is_kept(visit):
    page = visit("steps?step=4")
    box = page.get_by_label("How many numbers is that in all?")
    box.fill("1000")
    box.press("ArrowLeft")
    box.press("Enter")
    expect(page.get_by_text("Not yet. Rows times columns.")).to_be_visible()
    enter(box, "1024,0")
    expect(page.get_by_text("Right: 1024.")).to_be_visible()
    expect_step(page, 4)
    page.get_by_role("button", name="Next", exact=True).click()
    expect_step(page, 5)
    page.go_back()
    expect_step(page, 4)
    expect(box).to_have_value("1024,0")
    expect(page.get_by_text("Right: 1024.")).to_be_visible()


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
    page.get_by_role("link", name="Open these scores in the Softmax lab").click()
    add = page.get_by_role("button", name=f"+{walkthrough.say(walkthrough.SHIFT)} to all?")
    expect(add).to_be_visible()
    expect(page.get_by_text("to all: no weight changes. Each exp")).to_have_count(0)
    add.click()
    expect(page.get_by_text("to all: no weight changes. Each exp")).to_be_visible()
    page = visit("steps?step=3")
    page.get_by_role("link", name="Open the Scaling lab at d_k 4").click()
    expect(page.get_by_role("slider", name="Head size d_k")).to_have_attribute(
        "aria-valuetext", "4"
    )


def test_explore_opens_in_the_state_that_a_step_speaks_of(visit):
    page = visit("steps?step=7&text=I%20am%20good&d_k=16&row=2")
    page.get_by_role("link", name="See both in Explore").click()
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value("I am good")
    expect(page.get_by_role("slider", name="d_k")).to_have_attribute("aria-valuetext", "16")
    run = av.run("I am good", av.random_head(256, 16, seed=25), seed=25)
    weights = run.trace.weights[2]
    unscaled = torch.softmax(run.trace.scores[2], 0)
    for name, row in (
        ("Attention weights", weights),
        ("Attention weights without scaling", unscaled),
    ):
        table = page.get_by_role("table", name=name, exact=True)
        third = partial(numbers, table, "tbody tr:nth-child(3)")
        comes_to(third, pytest.approx(row.tolist(), rel=1e-4))


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_every_step_fits_its_screen(visit, width, height):
    page = visit("steps", width=width, height=height)
    places = page.get_by_role("radio", name=re.compile(r"^\d+$"))
    for step in range(1, 11):
        expect_step(page, step)
        settle(page)
        expect(page.locator(PLOT).first).to_be_visible()
        main = page.locator("[data-testid=stMain]")
        assert main.evaluate("one => one.scrollWidth <= one.clientWidth"), step
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
        for shown in (page.locator(".mechanism svg"), *places.all()):
            box = shown.bounding_box()
            assert box["x"] >= 0, step
            assert box["x"] + box["width"] <= width, step
        page.keyboard.press("ArrowRight")

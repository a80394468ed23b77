"""Presenter view in a browser: its keys, three sizes, and letters that a thumbnail still shows."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import arrive, settle

pytestmark = pytest.mark.e2e
SIZES = [(1280, 720), (1920, 1080), (390, 844)]


def test_keys_alone(visit):
    page = visit("?d_k=4&row=0")
    page.get_by_role("button", name="Present").click()
    question = page.locator(".question")
    expect(question).to_have_text(re.compile("Which one is softer"))
    expect(page.get_by_label("Sentence")).to_be_hidden()
    page.keyboard.press("n")
    expect(question).to_have_text(re.compile("d_k grows from 4 to 64"))
    page.keyboard.press("a")
    expect(question).to_have_text(re.compile("at d_k 64 its largest weights average 1.00"))
    expect(page.locator(".words").first).to_have_text("Head size d_k = 64")
    page.keyboard.press("d")
    expect(page.locator(".words").nth(1)).to_contain_text("Divisor = 1, a temperature")
    # The answer spoke of another picture, and the question of two maps.
    expect(question).to_have_text(re.compile("nothing is scaled"))
    page.keyboard.press("d")
    expect(page.locator(".words").nth(1)).to_have_text("Divisor = √64 = 8")
    expect(question).to_have_text(re.compile("d_k grows from 4 to 64"))
    expect(page.locator(".reading")).to_be_hidden()
    page.keyboard.press("r")
    expect(page.locator(".reading")).to_have_text(re.compile("geht.* focuses 58"))
    expect(page).to_have_url(re.compile("row=1"))
    expect(page).to_have_url(re.compile("present=1"))
    expect(page).to_have_url(re.compile("question=2"))
    page.reload()
    arrive(page)
    expect(page.locator(".words").first).to_have_text("Head size d_k = 64")
    expect(question).to_have_text(re.compile("d_k grows from 4 to 64"))
    page.get_by_role("slider", name="d_k").focus()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Sentence")).to_be_visible()
    expect(question).to_be_hidden()
    expect(page).not_to_have_url(re.compile("present|question"))
    page.get_by_role("button", name="Present").click()
    expect(question).to_be_visible()
    page.get_by_role("button", name="End · Esc").click()
    expect(question).to_be_hidden()


def test_letters_typed_into_the_sentence_are_no_keys(visit):
    page = visit()
    page.get_by_label("Sentence").fill("a n d r")
    expect(page.locator(".question")).to_be_hidden()
    expect(page.locator(".words").first).to_have_text("Head size d_k = 4")


@pytest.mark.parametrize("text", ["", "word " * 200])
def test_escape_ends_it_where_there_is_no_stage(visit, text):
    page = visit(f"?present=1&text={text}")
    expect(page.get_by_text("There is nothing to ask a room here.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_label("Sentence")).to_be_visible()


def test_a_question_about_two_maps_waits_until_there_are_two(visit):
    page = visit("?present=1&divisor=1&d_k=16")
    question = page.locator(".question")
    expect(question).to_have_text(re.compile("The divisor is 1, so nothing is scaled"))
    page.keyboard.press("d")
    expect(question).to_have_text(re.compile("Which one is softer"))
    page.get_by_role("slider", name="d_k").press("Home")
    expect(question).to_have_text(re.compile("The divisor is 1, so nothing is scaled"))
    page.keyboard.press("a")
    expect(question).to_have_text(re.compile("The scaled one"))


TEXTS = {
    4: "Wie geht es dir",
    5: "Donaudampfschifffahrtsgesellschaft internationalization is a word",
    7: "seven little words make a whole sentence",
    20: " ".join(f"token{place}" for place in range(20)),
}


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_is_light(visit, server, width, height, scheme):
    page = visit("words", width=width, height=height, color_scheme=scheme)
    # The dark theme changes no size.
    for count, text in TEXTS.items() if scheme == "light" else [(4, TEXTS[4])]:
        page.goto(f"{server}/?present=1&d_k=64&row=1&text={text}")
        expect(page.locator(".question")).to_be_visible()
        settle(page)
        page.keyboard.press("a")
        expect(page.locator(".map.unscaled .columns .tick")).not_to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        stage = page.locator(".stage")
        style = stage.evaluate(
            "e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]"
        )
        assert style == ["rgb(255, 255, 255)", "rgb(28, 27, 34)"]
        for part in (".question", ".map.weights", ".map.unscaled"):
            box = page.locator(part).bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height
        # Every token is named, or a sentence says that there is no room for it.
        named = page.locator(".map.weights .rows .tick").count() == count
        assert named != page.locator(".named").is_visible()
        assert named or width < 400
        cells = page.locator(".map.weights .numbers")
        assert (cells.evaluate("canvas => canvas.width") > 0) == (count <= 8)


def test_letters_are_large_enough_for_a_thumbnail_of_a_quarter(visit):
    """Seven pixels high at a quarter of 1280 × 720: question, sliders, titles and tokens."""
    page = visit("?present=1&d_k=64", width=1280, height=720)
    for part in (".question", ".words", ".map.weights .title", ".map.weights .tick"):
        size = page.locator(part).first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
        assert size >= 28, part

"""Questions in a browser: predict, try, read; every link into Explore; three sizes."""

import re

import pytest
from playwright.sync_api import expect

from attention_viz.codes import encode
from attention_viz.questions import outlines, question
from tests.e2e.conftest import arrive, expect_fit, settle

pytestmark = pytest.mark.e2e
SIZES = [(1280, 800), (1920, 1080), (390, 844)]
COUNT = len(outlines())
STAGED = [
    pytest.param(place, i, id=f"{question(place).key}-{i}")
    for place in range(COUNT)
    for i, link in enumerate(question(place).links)
    if link.page in {"explore", "hand"}
]


def answered(place):
    choices = [None] * COUNT
    choices[place] = question(place).right
    return f"questions?question={place + 1}&question_answers={encode(choices)}"


def test_predict_then_try_then_read(visit):
    page = visit("questions?question=2")
    asked = question(1)
    expect(page.get_by_text(asked.answer)).to_have_count(0)
    page.get_by_text(asked.options[2]).click()
    page.get_by_role("button", name="Commit to it").click()
    expect(page.get_by_text("You predicted C.")).to_be_visible()
    page.get_by_role("link", name="Try it: Explore").click()
    expect(page.locator(".reading")).to_contain_text(asked.shows[0])
    page.get_by_role("link", name="Questions", exact=True).click()
    expect(page.get_by_text("You predicted C.")).to_be_visible()
    page.get_by_text("Show the answer").click()
    expect(page.get_by_text(asked.answer)).to_be_visible()
    expect(page).to_have_url(re.compile("question_read=1"))
    page.reload()
    arrive(page)
    expect(page.get_by_text(asked.answer)).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text(question(2).predict)).to_be_visible()
    expect(page).not_to_have_url(re.compile("question_read"))


def test_arrow_keys_turn_and_each_press_counts(visit):
    page = visit("questions?question=2")
    expect(page.locator(".turning")).not_to_be_empty()  # it listens to the keys
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_text(question(6).predict)).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text(question(5).predict)).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text(question(6).predict)).to_be_visible()
    expect(page).to_have_url(re.compile("question=7"))  # from here the keys go on
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(question(7).predict)).to_be_visible()
    settle(page)  # above the options, which are still those of the question before
    # Among options the arrow keys choose, as everywhere.
    page.get_by_role("radiogroup", name="Your prediction").get_by_role("radio").first.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Commit to it").click()
    expect(page.get_by_text("You predicted")).to_be_visible()
    expect(page.get_by_text(question(7).predict)).to_be_visible()


@pytest.mark.parametrize(("place", "which"), STAGED)
def test_a_link_to_a_stage_shows_what_its_text_promises(visit, place, which):
    page = visit(answered(place))
    page.get_by_role("link", name=["Try it", "And then"][which]).click()
    expect(page.locator(".reading")).to_contain_text(question(place).shows[which])


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_nothing_is_wider_than_the_window(visit, width, height):
    page = visit(f"{answered(14)}&question_read=1", width=width, height=height)
    expect(page.get_by_text("Often said")).to_be_visible()
    expect_fit(page)

"""A term is explained where it stands: to a pointer that rests on it, and to a keyboard."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import arrive

pytestmark = pytest.mark.e2e


def test_a_pointer_that_rests_on_a_term_reads_what_it_means(visit):
    page = visit()
    tip = page.get_by_role("tooltip")
    page.locator(".map.weights .title").hover()
    expect(tip).to_contain_text("Attention weights: what softmax gives.")
    page.mouse.move(2, 2)
    expect(tip).to_be_hidden()
    page.goto(page.url.partition("?")[0] + "softmax")
    arrive(page)
    page.get_by_text("What does softmax do?").hover(position={"x": 110, "y": 12})
    expect(tip).to_contain_text("Softmax: exp of each scaled score, divided by the sum of its row.")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_the_focus_of_a_keyboard_reads_it_too(visit):
    page = visit()
    page.locator(".map.raw .surface").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("tooltip")).to_contain_text("Raw scores: the dot product")

"""What a person chose is there, and believed, when its widget comes back."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import enter, settle

pytestmark = pytest.mark.e2e

CHOSEN = {
    "d_k": "16",
    "divisor": "1",
    "row": "2",
    "seed": "7",
    "d_model": "32",
    "start": "torch",
    "mask": "causal",
    "positions": "true",
}


def choose_head(page, name):
    page.get_by_role("combobox", name="Head", exact=True).click()
    page.get_by_role("option", name=name).click()
    settle(page)


@pytest.mark.parametrize("other", ["A file of your own", "A language model", "Trained: induction"])
def test_a_random_head_is_the_same_after_another_one(visit, other):
    page = visit(f"?{urlencode(CHOSEN)}")
    drawn = page.locator(".reading").text_content()
    choose_head(page, other)
    expect(page.get_by_role("spinbutton", name="Seed")).to_have_count(0)
    page.get_by_role("link", name="Heads").click()
    expect(page.get_by_text("What do heads look at?")).to_be_visible()
    settle(page)
    page.get_by_role("link", name="Explore").first.click()
    expect(page.locator(".reading")).to_be_visible()
    settle(page)
    choose_head(page, "Random")
    expect(page.get_by_role("spinbutton", name="Seed")).to_have_value("7")
    expect(page.get_by_role("combobox", name="d_model")).to_have_value("32")
    expect(page.locator(".reading")).to_have_text(drawn)
    enter(page.get_by_label("Sentence"), "I am fine")  # the next run takes what the widgets say
    expect(page.locator(".reading")).to_contain_text("fine")
    settle(page)
    kept = parse_qs(urlsplit(page.url).query)
    assert {name: kept[name] for name in CHOSEN} == {k: [v] for k, v in CHOSEN.items()}


def test_what_was_moved_goes_along_to_another_page_at_once(visit):
    page = visit("?d_k=16")
    slider = page.get_by_role("slider", name="d_k")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "28")
    page.get_by_role("link", name="Step by step").first.click(delay=60)  # as long as a hand presses
    expect(page.locator("svg [data-part=query]")).to_contain_text("4 × 28")
    settle(page)
    page.get_by_role("link", name="Explore").first.click()
    expect(slider).to_have_attribute("aria-valuetext", "28")


def test_what_changes_at_the_instant_of_a_movement_is_on_the_whole_page(visit):
    """Streamlit sends both at once then, and runs the part of the page that the stage is in."""
    page = visit()
    page.get_by_role("slider", name="d_k").press("ArrowRight")
    page.get_by_role("radio", name="I am good").evaluate(
        """(pill) => {
          dispatchEvent(new PointerEvent("pointerdown"));
          pill.click();
        }"""
    )
    expect(page.locator(".reading")).to_contain_text("good")
    expect(page.get_by_label("Sentence")).to_have_value("I am good")
    settle(page)
    kept = parse_qs(urlsplit(page.url).query)
    assert (kept["d_k"], kept["text"]) == (["5"], ["I am good"])

"""Scores by hand, by keyboard and by mouse."""

import re

import pytest
from playwright.sync_api import expect

from attention_viz.byhand import TEXTBOOK_TEXT
from tests.e2e.conftest import comes_to, enter, numbers, settle

pytestmark = pytest.mark.e2e


def open_hand(visit):
    page = visit("?seed=7&d_k=64")
    page.get_by_role("link", name="By hand").click()
    # Until then it may be the stage of Explore that is seen.
    expect(page.locator(".reading")).to_contain_text("Invented")
    settle(page)
    return page


def table(page, name, row=None):
    """The numbers of a table, or of one of its rows."""
    rows = "tbody tr" if row is None else f"tbody tr:nth-child({row + 1})"
    return numbers(page.get_by_role("table", name=name, exact=True), rows)


def score(page, place):
    return page.get_by_role("table", name="Scores", exact=True).locator("td").nth(place)


def test_the_textbook_example_is_read_aloud(visit):
    page = open_hand(visit)
    expect(page.locator(".reading")).to_have_text(
        "Invented, as textbooks do: “\u2068I\u2069” focuses 90\u00a0% on itself, 7\u00a0% on "
        "“\u2068am\u2069” and 3\u00a0% on “\u2068good\u2069”."
    )
    expect(page.locator(".words").first).to_have_text("Head size d_k: none")
    expect(page.get_by_role("slider", name="d_k")).to_be_disabled()


def test_a_challenge_by_keyboard_alone(visit):
    page = open_hand(visit)
    expect(page.get_by_text(re.compile("Make ..good.. give ..I.. 99"))).to_be_visible()
    page.get_by_role("application", name=re.compile("^Scores\\.")).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    expect(page.get_by_text("above each of the others is enough")).to_be_visible()
    expect(page.locator(".reading")).to_contain_text("over\u00a099\u00a0% on “\u2068I\u2069”")
    comes_to(lambda: table(page, "Attention weights", 2), pytest.approx([1, 0, 0], abs=1e-4))
    expect(score(page, 6)).to_have_text("12")


def test_escape_keeps_the_score_and_letters_are_no_number(visit):
    page = open_hand(visit)
    before = table(page, "Scores")
    surface = page.get_by_role("application", name=re.compile("^Scores\\."))
    surface.focus()
    page.keyboard.type("5")
    page.keyboard.press("Escape")
    page.keyboard.type("-x")
    page.keyboard.press("Enter")
    expect(page.locator(".typed")).to_be_hidden()
    comes_to(lambda: table(page, "Scores"), before)


def test_a_cell_is_dragged(visit):
    page = open_hand(visit)
    surface = page.locator(".map.raw .surface")
    surface.hover()  # once it rests
    box = surface.bounding_box()
    x, y = box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.17
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 100, steps=5)
    page.mouse.up()
    # 100 pixels are 5: ln 0.07 + 5 = 2.34, as float32 holds it.
    expect(page.locator(".map.raw tbody td").nth(1)).to_have_text(re.compile(r"^2\.3(39|4)"))


def test_weights_become_scores(visit):
    page = open_hand(visit)
    box = page.get_by_label("Its weights, with blanks between")
    enter(box, "0.5, 0.3")
    expect(page.get_by_text("a row must have 3 weights")).to_be_visible()
    enter(box, "0.5, 0.3, 0.2")
    expect(page.get_by_text("Any constant added to all is as good")).to_be_visible()
    page.get_by_role("button", name="Put them into the row").click()
    expect(page.locator(".reading")).to_contain_text("By hand:")
    comes_to(lambda: table(page, "Attention weights", 0), pytest.approx([0.5, 0.3, 0.2], abs=1e-6))


def test_a_sentence_of_ones_own_and_one_that_is_too_long(visit):
    page = open_hand(visit)
    box = page.get_by_label("Sentence, up to 8 tokens")
    enter(box, "one two three four five six seven eight nine")
    expect(page.get_by_text("at most 8 tokens; got 9")).to_be_visible()
    expect(page.locator(".reading")).to_contain_text("Invented")
    enter(box, "two words")
    expect(page.locator(".reading")).to_contain_text("50\u00a0% on")
    comes_to(lambda: table(page, "Attention weights"), [0.5] * 4)
    expect(page.get_by_text("Done:")).to_have_count(0)


def test_what_was_made_survives_a_page_change_and_can_be_made_again(visit):
    page = open_hand(visit)
    solve(page)
    page.get_by_role("link", name="Words").click()
    expect(page.get_by_role("heading", name="Words")).to_be_visible()
    page.get_by_role("link", name="By hand").click()
    expect(page.get_by_text("above each of the others is enough")).to_be_visible()
    expect(score(page, 6)).to_have_text("12")
    page.get_by_role("button", name="The textbook example").click()
    expect(page.get_by_text("above each of the others is enough")).to_have_count(0)
    expect(page.locator(".reading")).to_contain_text("Invented")
    solve(page)
    expect(page.locator(".reading")).not_to_contain_text("Invented")


def test_weights_put_into_whole_scores_are_those_typed(visit):
    page = open_hand(visit)
    page.get_by_role("button", name="All scores 0").click()
    expect(page.locator(".reading")).to_contain_text("33\u00a0% on")
    page.get_by_role("application", name=re.compile("^Scores\\.")).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    box = page.get_by_label("Its weights, with blanks between")
    enter(box, "0.5 0.3 0.2")
    page.get_by_role("button", name="Put them into the row").click()
    expect(page.locator(".map.weights tbody td").first).to_have_text(re.compile("^0.(5|49999)"))
    comes_to(lambda: table(page, "Attention weights", 0), pytest.approx([0.5, 0.3, 0.2], abs=1e-6))


def solve(page):
    page.get_by_role("application", name=re.compile("^Scores\\.")).focus()
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    expect(page.get_by_text("above each of the others is enough")).to_be_visible()


def test_the_other_pages_keep_what_was_chosen(visit):
    page = open_hand(visit)
    page.get_by_role("button", name="The textbook example").click()
    expect(page.locator(".reading")).to_contain_text("Invented")
    page.get_by_role("link", name="Explore").click()
    expect(page.locator(".words").first).to_have_text("Head size d_k = 64")
    expect(page.get_by_label("Seed", exact=True)).to_have_value("7")


def test_a_button_at_the_instant_of_a_score_changes_the_whole_page(visit):
    """Streamlit sends both at once then, and runs the part of the page that the stage is in."""
    page = open_hand(visit)
    box = page.get_by_label("Sentence, up to 8 tokens")
    enter(box, "two words")
    expect(page.locator(".reading")).to_contain_text("50\u00a0% on")
    page.get_by_role("application", name=re.compile("^Scores\\.")).focus()
    page.keyboard.type("5")
    page.get_by_role("button", name="The textbook example").evaluate(
        """(button, field) => {
          field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
          dispatchEvent(new PointerEvent("pointerdown"));
          button.click();
        }""",
        page.locator(".typed").element_handle(),
    )
    expect(page.locator(".reading")).to_contain_text("Invented")
    expect(box).to_have_value(TEXTBOOK_TEXT)

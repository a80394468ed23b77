"""What is done just before another page is opened, on a server that has not heard of it by then."""

import re
import sys

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import APP, DRAWN, ROOT, arrive, settle
from tests.e2e.runs import watch

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def slow(serve):
    command = [sys.executable, "-m", "tests.e2e.late", "hears", *APP[APP.index("run") :]]
    with serve(command, cwd=ROOT) as app:
        yield app.address


@pytest.fixture
def visit_slow(browser, slow):
    """Open a page of the slow server."""
    contexts = []

    def open_page(query=""):
        contexts.append(browser.new_context())
        page = contexts[-1].new_page()
        watch(page)
        page.goto(f"{slow}/{query}")
        settle(page)
        return page

    yield open_page
    for context in contexts:
        context.close()


def leave(page):
    """Turn to another page, at once."""
    turn_to(page, "Words")
    expect(page.get_by_role("heading", name="Words")).to_be_visible()
    settle(page)
    expect(page.get_by_role("alert")).to_have_count(0)


def turn_to(page, name):
    page.get_by_role("link", name=name).first.click(delay=60)  # as long as a hand presses


def test_a_movement(visit_slow):
    page = visit_slow()
    arrive(page)
    slider = page.get_by_role("slider", name="d_k")
    slider.press("ArrowRight")
    leave(page)
    turn_to(page, "Explore")
    expect(slider).to_have_attribute("aria-valuetext", "5")


def test_a_movement_before_the_curves_are_opened(visit_slow):
    page = visit_slow()
    arrive(page)
    slider = page.get_by_role("slider", name="d_k")
    slider.press("ArrowRight")
    page.get_by_text("Entropy against d_k").click(delay=60)
    leave(page)
    turn_to(page, "Explore")
    expect(slider).to_have_attribute("aria-valuetext", "5")


def test_a_score_that_was_dragged(visit_slow):
    page = visit_slow("softmax")
    arrive(page)
    slider = page.get_by_role("slider", name="score 1", exact=True)
    slider.press("ArrowRight")
    leave(page)
    turn_to(page, "Softmax lab")
    expect(slider).to_have_value("2.1")


def test_a_score_by_hand(visit_slow):
    page = visit_slow("hand")
    expect(page.locator(".reading")).to_contain_text("Invented")
    page.get_by_role("application", name=re.compile(r"^Scores\.")).focus()
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    leave(page)
    turn_to(page, "By hand")
    table = page.get_by_role("table", name="Scores", exact=True)
    expect(table.locator("td").first).to_have_text("9")


def test_a_button_beside_a_sentence(visit_slow):
    page = visit_slow("hand")
    expect(page.locator(".reading")).to_contain_text("Invented")
    page.get_by_role("button", name="All scores 0").click()
    leave(page)
    turn_to(page, "By hand")
    table = page.get_by_role("table", name="Scores", exact=True)
    expect(table.locator("td").first).to_have_text("0")


@pytest.mark.parametrize("way", ["key", "drawing"])
def test_a_step_that_was_turned_to(visit_slow, way):
    page = visit_slow("steps")
    arrive(page)
    if way == "key":
        page.keyboard.press("ArrowRight")
    else:
        page.locator(".mechanism [role=button]").last.click()
    leave(page)
    turn_to(page, "Step by step")
    expect(page).to_have_url(re.compile("step=2" if way == "key" else r"step=\d"))


def test_a_head_that_was_opened_does_not_lead_away_later(visit_slow):
    reader = visit_slow("heads")
    # Until a model is read the page asks for it again and again: with that a click is heard.
    expect(reader.locator(DRAWN["heads"]).first).to_be_visible()
    reader.context.close()
    page = visit_slow("heads")
    arrive(page)
    page.locator(".tile").first.click()
    leave(page)
    turn_to(page, "Heads")
    arrive(page)
    expect(page.get_by_text("What do heads look at?")).to_be_visible()

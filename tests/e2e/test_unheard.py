"""What is done just before another page is opened, on a server that has not heard of it by then."""

import re
import sys

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import APP, ROOT, arrive, settle

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def slow(serve):
    command = [sys.executable, "-m", "tests.e2e.late", "hears", *APP[APP.index("run") :]]
    with serve(command, cwd=ROOT) as app:
        yield app.address


@pytest.fixture
def open_slow(window, slow):
    """Open a page of the slow server."""

    def open_page(query):
        page = window().new_page()
        page.goto(f"{slow}/{query}")
        arrive(page)
        return page

    return open_page


def leave(page):
    """Turn to another page, at once."""
    page.get_by_role("link", name="Words").click(delay=60)  # as long as a hand presses
    expect(page.get_by_role("heading", name="Words")).to_be_visible()
    settle(page)
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize(
    ("query", "name", "slider"),
    [("", "Explore", "d_k"), ("softmax", "Softmax lab", "score 1")],
)
def test_what_was_moved_is_there_on_the_way_back(open_slow, query, name, slider):
    page = open_slow(query)
    moved = page.get_by_role("slider", name=slider, exact=True)
    before = float(moved.input_value())
    moved.press("ArrowRight")
    leave(page)
    page.get_by_role("link", name=name).first.click()
    arrive(page)
    assert float(moved.input_value()) > before


def test_a_score_by_hand_is_there_on_the_way_back(open_slow):
    page = open_slow("")
    page.get_by_role("link", name="By hand").click()
    expect(page.locator(".reading")).to_contain_text("Invented")
    settle(page)
    page.get_by_role("application", name=re.compile(r"^Scores\.")).focus()
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    leave(page)
    page.get_by_role("link", name="By hand").click()
    table = page.get_by_role("table", name="Scores", exact=True)
    expect(table.locator("td").first).to_have_text("9")


def test_a_page_of_a_lesson_that_was_turned(open_slow):
    page = open_slow("steps")
    page.keyboard.press("ArrowRight")
    leave(page)


def test_a_head_that_was_opened_does_not_lead_away_later(open_slow):
    page = open_slow("heads")
    page.locator(".tile").first.click()
    leave(page)
    page.get_by_role("link", name="Heads").first.click()
    arrive(page)
    expect(page.get_by_text("What do heads look at?")).to_be_visible()

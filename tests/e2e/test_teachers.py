"""Teachers in a browser: a moment opened, a worksheet taken home, codes read back, three sizes."""

import re

import pytest
from playwright.sync_api import expect

from attention_viz.codes import encode
from attention_viz.notes import moments
from attention_viz.questions import outlines, question
from attention_viz.ui.teaching import PARTS
from tests.e2e.conftest import enter, expect_fit, expect_word, settle

pytestmark = pytest.mark.e2e
SIZES = [(1280, 800), (1920, 1080), (390, 844)]


def test_a_moment_opens_before_the_room(visit):
    page = visit("teachers")
    moment = next(one for one in moments("short") if "present" in one.link.query)
    expect(page.get_by_text(moment.say)).to_be_visible()
    page.get_by_role("link", name="Explore").nth(2).click()
    expect(page.locator(".question")).to_be_visible()
    expect(page).to_have_url(re.compile("present=1"))


def test_the_worksheet_opens_from_disk_without_a_network(visit, browser, tmp_path):
    page = visit("teachers?teachers_part=class")
    with page.expect_download() as started:
        page.get_by_role("button", name="Worksheet with answers").click()
    path = tmp_path / started.value.suggested_filename
    started.value.save_as(path)
    assert path.name == "attention-questions-answers.html"
    context = browser.new_context(offline=True)
    sheet = context.new_page()
    sheet.goto(path.as_uri())
    expect(sheet.get_by_role("heading", level=2)).to_have_count(len(outlines()))
    expect(sheet.get_by_text(question(0).answer)).to_be_visible()
    context.close()


def test_codes_are_read_back(visit):
    page = visit("teachers?teachers_part=class")
    code = encode([outline.right for outline in outlines()])
    box = page.get_by_label("Codes of your students")
    enter(box, f"Anna {code}", "Control+Enter")
    expect(page.get_by_role("cell", name="Anna")).to_be_visible()
    expect(page.get_by_role("table").first).to_contain_text(str(len(outlines())))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_nothing_is_wider_than_the_window(visit, width, height):
    page = visit("teachers", width=width, height=height)
    for part, name in PARTS.items():
        page.get_by_role("radio", name=name).click()
        expect_word(page, "teachers_part", part, "short")
        settle(page)
        expect_fit(page)

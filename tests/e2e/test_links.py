"""Links of the lessons: where each leads when it is copied, and in a new tab."""

from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

from attention_viz.codes import encode
from attention_viz.lessons import parse_link
from attention_viz.notes import mistakes, moments
from attention_viz.questions import outlines, question
from attention_viz.ui.steps.place import steps

pytestmark = pytest.mark.e2e
LINKS = "[data-testid=stMain] [data-testid=stPageLink-NavLink]"
ANSWERS = encode([0] * len(outlines()))
LESSONS = {  # each address, and the links that its text writes
    "teachers": [one.link for one in moments("short")],
    "teachers?teachers_part=long": [one.link for one in moments("long")],
    "teachers?teachers_part=mistakes": [one.link for one in mistakes()],
} | {
    f"questions?question={place + 1}&question_answers={ANSWERS}": question(place).links
    for place in range(len(outlines()))
}
STEPS = {  # each step that leads elsewhere, and the page that it leads to
    f"steps?step={place}": parse_link(part.fields["go"]).page
    for place, part in enumerate(steps().values(), 1)
    if parse_link(part.fields["go"]).page != "steps"
}


def test_each_link_names_its_page_and_its_picture(visit, server):
    page = visit("teachers")

    def copied(address, count):
        page.goto(f"{server}/{address}")
        expect(page.locator(LINKS)).to_have_count(count)
        hrefs = page.locator(LINKS).evaluate_all("links => links.map(link => link.href)")
        parts = [href.removeprefix(f"{server}/").partition("?") for href in hrefs]
        return sorted((name or "explore", sorted(parse_qsl(query))) for name, _, query in parts)

    for address, links in LESSONS.items():
        wanted = sorted((link.page, sorted(link.query.items())) for link in links)
        assert copied(address, len(links)) == wanted
    for address, name in STEPS.items():
        assert [one for one, _ in copied(address, 1)] == [name]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_new_tab_shows_what_a_click_shows(visit, place):
    page = visit("teachers")
    link = page.locator(LINKS).nth(place)
    shown = ["[data-testid=stMain] li", ".stage .reading", ".stage .question"][place]
    with page.context.expect_page() as opened:
        link.click(button="middle")
    tab = opened.value
    expect(tab.locator(shown).first).to_be_visible()
    link.click()
    expect(page.locator(shown).first).to_have_text(tab.locator(shown).first.inner_text())

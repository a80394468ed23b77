"""Teachers: two lessons with a link for each moment, what students get wrong, and the class."""

import streamlit as st

from attention_viz import notes
from attention_viz.places import PAGES
from attention_viz.ui import browser, classroom, links, show, teaching


def page() -> None:
    """The whole page."""
    teaching.enter()
    intro, link = st.columns([6, 1], vertical_alignment="center")
    with intro:
        show.question(notes.title())
    if teaching.notice():
        show.notice(teaching.notice())
    show.text(notes.introduction())
    st.segmented_control(
        "Part",
        list(teaching.PARTS),
        key=teaching.KEY,
        format_func=teaching.PARTS.__getitem__,
        required=True,
        label_visibility="collapsed",
    )
    part = teaching.now()
    if part == "mistakes":
        mistakes()
    elif part == "class":
        the_class()
    else:
        lesson(part)
    with link:
        browser.link_words({teaching.KEY: part}, {teaching.KEY: teaching.DEFAULT})


def lesson(name: str) -> None:
    """The moments of a lesson."""
    for moment in notes.moments(name):
        with st.container(border=True):
            show.heading(f"{moment.begin}–{moment.end} min: {moment.title}")
            show.text(moment.say)
            if moment.ask:
                show.says(f"Ask: {moment.ask}")
            links.draw(PAGES[moment.link.page], moment.link.page, moment.link.query)


def mistakes() -> None:
    """What students get wrong, in two columns."""
    columns = st.columns(2, gap="large")
    for place, mistake in enumerate(notes.mistakes()):
        with columns[place % 2]:
            show.heading(mistake.title)
            show.text(mistake.text)
            label = f"See it: {PAGES[mistake.link.page]}"
            links.draw(label, mistake.link.page, mistake.link.query)


def the_class() -> None:
    """What to print, what comes back, and how to put the app into a page of a course."""
    show.heading("Ten questions and five surprises on paper")
    classroom.draw_worksheets()
    show.heading("What the class predicted")
    classroom.draw_codes()
    show.heading("In a page of your course")
    st.code(teaching.snippet(), language=None, wrap_lines=True)
    show.fact("Any link of this app can stand in place of the address; keep embed=true.")


page()

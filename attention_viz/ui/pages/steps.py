"""Step by step: from three scores to a mix, then the whole way on the person's own sentence."""

import streamlit as st

from attention_viz.errors import AttentionVizError
from attention_viz.pipeline import Run
from attention_viz.ui import browser, cache, loaded, show, state, turning
from attention_viz.ui.state import Settings
from attention_viz.ui.steps import lesson, mechanism, place


def page() -> None:
    """The whole page."""
    place.enter()
    question, link = st.columns([6, 1], vertical_alignment="center")
    with question:
        show.question("What happens between a sentence and its context vectors?")
    if place.notice():
        show.notice(place.notice())
    steps()
    try:
        tokens = loaded.tokens(loaded.in_place(state.settings()))
        size = loaded.size(loaded.in_place(state.settings()))
        settings = loaded.in_place(state.fit(tokens.n, size))
        run = cache.run(settings)
        loaded.shown(settings)
        draw(run, settings)
    except AttentionVizError as error:
        show.problem(error)
    with link:
        words, default = (state.to_address(s) for s in (state.settings(), state.DEFAULTS))
        browser.link_words(words, default, theirs=[place.ADDRESS])


def steps() -> None:
    """The ways to the other steps."""
    now, last = place.now(), len(place.steps())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Previous", key="steps_previous", on_click=place.move, args=(-1,), disabled=now == 1
        )
        st.button("Next", key="steps_next", on_click=place.move, args=(1,), disabled=now == last)
        st.segmented_control(
            "Step",
            range(1, last + 1),
            key=place.KEY,
            required=True,
            label_visibility="collapsed",
        )
        turning.draw(place.ADDRESS, group=place.KEY, at=now, last=last, go=place.go)


def draw(run: Run, settings: Settings) -> None:
    """The step beside the drawing."""
    step, drawing = st.columns([3, 2], gap="large")
    with step:
        lesson.draw(run, settings)
    with drawing:
        mechanism.draw(run, place.steps()[place.name()].fields["lit"].split())


page()

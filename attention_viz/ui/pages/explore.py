"""Explore: one sentence, one head, every step as a heatmap that moves with the sliders."""

import streamlit as st

from attention_viz.errors import AttentionVizError
from attention_viz.stage import MOST_TOKENS
from attention_viz.tokens import Tokens, tokenize
from attention_viz.ui import browser, live, loaded, panels, show, state, still

_QUESTIONS = {
    True: "Drag d_k to 64. Which of the two weight maps changes its character?",
    False: "What does this head look at, and does it need its divisor?",
}


def page() -> None:
    """The whole page."""
    question, link = st.columns([6, 1], vertical_alignment="center")
    with question:
        show.question(_QUESTIONS[loaded.in_place(state.settings()).head == state.RANDOM_HEAD])
    staged = False
    try:
        tokens = tokenize(state.settings().text)
    except AttentionVizError as error:
        show.problem(error)
    else:
        staged = tokens.n <= MOST_TOKENS
        # With the stage, one fragment holds it and all that follows it: nothing else runs again.
        (st.fragment(explore) if staged else explore)(tokens, staged=staged)
    if not staged:
        state.stage_ended()
    with link:
        browser.link(state.settings(), staged=staged)


def explore(tokens: Tokens, *, staged: bool) -> None:
    """The maps, and the panel below them."""
    again = False
    try:
        d_k = loaded.size(loaded.in_place(state.settings()))
        settings = loaded.in_place(state.fit(tokens.n, d_k))
        if staged:
            live.draw(settings)
        else:
            settings = still.draw(tokens, settings)
        panels.choose(settings)
        if staged and live.wants_band(settings):
            live.draw_band(settings)
            again = True
    except AttentionVizError as error:
        show.problem(error)
    if again:
        st.rerun()


page()

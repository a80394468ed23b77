"""Explore: one sentence, one head, every step as a heatmap that moves with the sliders."""

import streamlit as st

from attention_viz.errors import AttentionVizError
from attention_viz.models import typed_specials
from attention_viz.stage import MOST_TOKENS
from attention_viz.tokens import Tokens
from attention_viz.ui import browser, live, loaded, panels, show, state, still, weights

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
        tokens = loaded.tokens(loaded.in_place(state.settings()))
        if typed_specials(tokens):
            show.notice(typed_specials(tokens))
    except AttentionVizError as error:
        show.problem(error)
    else:
        staged = tokens.n <= MOST_TOKENS and not loaded.is_weights_only()
        # With the stage, one fragment holds it and all that follows it: nothing else runs again.
        (st.fragment(explore) if staged else explore)(tokens, staged=staged)
    if not staged:
        state.stage_ended()
    with link:
        browser.link(state.settings(), staged=staged)


def explore(tokens: Tokens, *, staged: bool) -> None:
    """The maps of these queries, and the panel below them."""
    again = False
    try:
        chosen = loaded.in_place(state.settings())
        settings = loaded.in_place(state.fit(tokens.n, loaded.size(chosen)))
        alone = loaded.weights_only(settings)
        if alone is not None:
            weights.draw(alone, settings.row)
            loaded.shown(settings)
            return
        if staged:
            live.draw(settings)
        else:
            settings = still.draw(tokens, settings)
        loaded.shown(settings)
        panels.choose(settings)
        if staged and live.wants_band(settings):
            live.draw_band(settings)
            again = True
    except AttentionVizError as error:
        show.problem(error)
    if again:
        st.rerun()


page()

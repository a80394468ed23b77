"""Explore: one sentence, one head, every step as a heatmap that moves with the sliders."""

import streamlit as st

from attention_viz.errors import AttentionVizError
from attention_viz.stage import MOST_TOKENS
from attention_viz.tokens import tokenize
from attention_viz.ui import browser, cache, live, panels, show, state, still


@st.fragment
def explore() -> None:
    """The stage and all that follows it: one fragment, so that nothing else is drawn again."""
    try:
        tokens = tokenize(state.settings().text)
        settings = state.fit(tokens.n)
        if tokens.n > MOST_TOKENS:
            settings = still.draw(tokens)
        else:
            live.draw(settings)
        run = cache.run(settings)
    except AttentionVizError as error:
        show.problem(error)
        return
    panels.choose(run, settings)
    browser.link(settings, staged=tokens.n <= MOST_TOKENS)


show.question("Drag d_k to 64. Which of the two weight maps changes its character?")
explore()

"""Explore: one sentence, one head, every step as a heatmap that moves with the sliders."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_viz.errors import AttentionVizError
from attention_viz.models import typed_specials
from attention_viz.stage import MOST_TOKENS
from attention_viz.tokens import Tokens
from attention_viz.ui import (
    address,
    browser,
    links,
    live,
    loaded,
    panels,
    presenter,
    show,
    state,
    still,
    weights,
)
from attention_viz.ui.state import Settings

_QUESTIONS = {
    True: "Drag d_k to 64. Which weight map changes its character?",
    False: "What does this head look at, and does it need its divisor?",
}


def page() -> None:
    """The whole page."""
    in_room = presenter.enter()
    top, middle, bottom = st.container(), st.container(), st.container()
    if not in_room:
        with top:
            link = head()
    with middle:
        staged = maps(in_room=in_room)
    if in_room:
        # A room sees the maps first; where there are none, the way out.
        with bottom if staged else top:
            link = presenter.draw_way_out(staged=staged)
    if presenter.notice():
        with top:
            show.notice(presenter.notice())
    with link:
        browser.link(
            state.settings(),
            staged=staged,
            also=presenter.address(),
            theirs=presenter.THEIRS if in_room else (),
        )


def head() -> DeltaGenerator:
    """The question and the way into a room; where the link goes."""
    question, present, link = st.columns([6, 1, 1], vertical_alignment="center")
    with question:
        show.question(_QUESTIONS[loaded.in_place(state.settings()).head == state.RANDOM_HEAD])
        if address.entries() == 1:  # the page that a visit begins with
            links.draw("New here? Begin with Step by step", "steps", {})
    present.button("Present", on_click=presenter.begin, help="Large, for a room; Esc ends it.")
    return link


def maps(*, in_room: bool) -> bool:
    """The sentence as maps; whether they are the live stage."""
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
        part = st.fragment(explore) if staged else explore
        part(tokens, state.beside_stage(), staged=staged, in_room=in_room)
    if not staged:
        state.stage_ended()
    return staged


def explore(tokens: Tokens, beside: Settings, *, staged: bool, in_room: bool) -> None:
    """The maps of these queries, and the panel below them; a room sees the maps alone."""
    # What changes at the instant of a movement comes with it, to this part of the page alone.
    if in_room != presenter.is_on() or beside != state.beside_stage():
        st.rerun()
    again = False
    try:
        chosen = loaded.in_place(state.settings())
        settings = loaded.in_place(state.fit(tokens.n, loaded.size(chosen)))
        alone = loaded.weights_only(settings)
        if alone is not None:
            weights.draw(alone, settings)
            loaded.shown(settings)
            return
        if staged:
            live.draw(settings)
        else:
            settings = still.draw(tokens, settings)
        loaded.shown(settings)
        if not in_room:
            panels.choose(settings)
        if staged and live.wants_band(settings):
            live.draw_band(settings)
            again = True
    except AttentionVizError as error:
        show.problem(error)
    if again:
        st.rerun()


page()

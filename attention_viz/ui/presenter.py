"""Presenter view: Explore before a room, one click in and out, and in the address."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from attention_viz import stage
from attention_viz.pipeline import Run
from attention_viz.presenting import slides
from attention_viz.ui import cache, show, state
from attention_viz.ui.state import MODEL, RANDOM_HEAD, Settings

KEY: Final = "present"
THEIRS: Final = ("question",)  # which one a room sees; the stage writes it
_HELD: Final = "presenting"
_AT: Final = "presenting_entry"
_ASKED: Final = "presenting_question"  # the question that the address asked for, until it is read
_WRONG: Final = "presenting_notices"
_AT_ENTRY: Final = "presenting_at_entry"
_ROOM: Final = (
    "<style>[data-testid=stSidebar],[data-testid=stHeader],[data-testid=stExpandSidebarButton]"
    "{display:none!important}.stApp,[data-testid=stMain]{background:#fff;color-scheme:light}"
    "[data-testid=stMainBlockContainer]{padding:.5rem 1rem 1rem}</style>"
)


def enter() -> bool:
    """Whether Explore is shown to a room; read from the address when the page is entered."""
    session = st.session_state
    if session.get(_AT) != state.entries():
        session[_AT] = state.entries()
        words = st.query_params.to_dict()
        chosen, session[_WRONG] = state.read_address(words, {KEY: state.one_of("0", "1")})
        session[_HELD] = chosen.get(KEY) == "1"
        session[_ASKED] = {name: words[name] for name in THEIRS if name in words}
        session.pop(_AT_ENTRY, None)
    if session[_HELD]:
        st.html(_ROOM)
    return is_on()


def is_on() -> bool:
    """Whether Explore is shown to a room now."""
    return bool(st.session_state.get(_HELD))


def address() -> dict[str, tuple[str, str]]:
    """The key of the address, its word now and by default."""
    return {KEY: (str(int(is_on())), "0")}


def notice() -> str:
    """What could not be used of the address, until something is done; call below the maps."""
    if st.session_state.setdefault(_AT_ENTRY, state.settings()) != state.settings():
        return ""
    return state.defaults_notice(st.session_state[_WRONG])


def begin() -> None:
    """Show Explore to a room."""
    st.session_state[_HELD] = True
    st.session_state[_WRONG] = []


def end() -> None:
    """Back to the whole page."""
    st.session_state[_HELD] = False
    st.session_state[_WRONG] = []


def draw_way_out(*, staged: bool) -> DeltaGenerator:
    """The button and the key that end it; where the link goes."""
    words, button, link = st.columns([6, 1, 1], vertical_alignment="center")
    if not staged:
        with words:
            show.notice(
                "There is nothing to ask a room here. End, or Esc, leads back to change it."
            )
    # The key works without a stage too, and wherever the focus is.
    button.button("End", on_click=end, shortcut="Escape")
    return link


def for_room(settings: Settings, payload: bytes) -> bytes:
    """What the stage is sent, with questions when it is before a room."""
    if not is_on():
        return payload

    def run_at(view: Mapping[str, int | str]) -> Run:
        part: dict[str, Any] = dict(view)
        return cache.run(replace(settings, **part))

    lock = "own" if settings.head == MODEL else "sqrt"
    largest = settings.largest if settings.head == RANDOM_HEAD else None
    every = slides(run_at, largest=largest, lock=lock)
    asked = st.session_state.pop(_ASKED, {})
    _, wrong = state.read_address(asked, {name: state.whole(1, len(every)) for name in THEIRS})
    st.session_state[_WRONG] += wrong
    return stage.with_slides(payload, every)

"""Presenter view: Explore before a room, one click in and out, and in the address."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from attention_viz import stage
from attention_viz.pipeline import Run
from attention_viz.presenting import slides
from attention_viz.ui import cache, state
from attention_viz.ui.state import MODEL, RANDOM_HEAD, Settings

KEY: Final = "present"
THEIRS: Final = ("question",)  # which one a room sees; the stage writes it
_HELD: Final = "presenting"
_AT: Final = "presenting_entry"
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
        session[_HELD] = st.query_params.get(KEY) == "1"
    if session[_HELD]:
        st.html(_ROOM)
    return is_on()


def is_on() -> bool:
    """Whether Explore is shown to a room now."""
    return bool(st.session_state.get(_HELD))


def address() -> dict[str, tuple[str, str]]:
    """The key of the address, its word now and by default."""
    return {KEY: (str(int(is_on())), "0")}


def begin() -> None:
    """Show Explore to a room."""
    st.session_state[_HELD] = True


def end() -> None:
    """Back to the whole page."""
    st.session_state[_HELD] = False


def for_room(settings: Settings, payload: bytes) -> bytes:
    """What the stage is sent, with questions when it is before a room."""
    if not is_on():
        return payload

    def run_at(view: Mapping[str, int | str]) -> Run:
        part: dict[str, Any] = dict(view)
        return cache.run(replace(settings, **part))

    lock = "own" if settings.head == MODEL else "sqrt"
    largest = settings.largest if settings.head == RANDOM_HEAD else None
    return stage.with_slides(payload, slides(run_at, largest=largest, lock=lock))

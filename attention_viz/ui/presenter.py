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
from attention_viz.ui.address import Entry, bit, read_address, whole
from attention_viz.ui.state import MODEL, RANDOM_HEAD, Settings

KEY: Final = "present"
THEIRS: Final = ("question",)  # which one a room sees; the stage writes it
_ASKED: Final = "presenting_question"  # the question that the address asked for, until it is read
_ENTRY: Final = Entry("presenting", default=False, readers={KEY: bit})
_ROOM: Final = (
    "<style>[data-testid=stSidebar],[data-testid=stHeader],[data-testid=stExpandSidebarButton]"
    "{display:none!important}.stApp,[data-testid=stMain]{background:#fff;color-scheme:light}"
    "[data-testid=stMainBlockContainer]{padding:.5rem 1rem 1rem}</style>"
)


def enter() -> bool:
    """Whether Explore is shown to a room; read from the address when the page is entered."""
    if _ENTRY.is_due():
        _, chosen = _ENTRY.read()  # whoever comes back comes to the whole page
        _ENTRY.hold(chosen.get(KEY, False))
        words = st.query_params.to_dict()
        st.session_state[_ASKED] = {name: words[name] for name in THEIRS if name in words}
    if is_on():
        st.html(_ROOM)
    return is_on()


def is_on() -> bool:
    """Whether Explore is shown to a room now."""
    return _ENTRY.held


def address() -> dict[str, tuple[str, str]]:
    """The key of the address, its word now and by default."""
    return {KEY: (str(int(is_on())), "0")}


def notice() -> str:
    """What could not be used of the address, until something is done; call below the maps."""
    return _ENTRY.notice(state.settings())


def begin() -> None:
    """Show Explore to a room."""
    _ENTRY.hold(True)  # noqa: FBT003 - the value itself
    _ENTRY.drop_notice()


def end() -> None:
    """Back to the whole page."""
    _ENTRY.hold(False)  # noqa: FBT003 - the value itself
    _ENTRY.drop_notice()


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
    _, wrong = read_address(asked, {name: whole(1, len(every)) for name in THEIRS})
    _ENTRY.add_to_notice(wrong)
    return stage.with_slides(payload, every)

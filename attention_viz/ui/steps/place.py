"""Which step the person is at: the key ``step`` of the address, held through the visit."""

from collections.abc import Mapping
from typing import Final

import streamlit as st

from attention_viz import lessons
from attention_viz.lessons import Part
from attention_viz.ui.address import Entry, whole

KEY: Final = "steps_step"
ADDRESS: Final = "step"
_TURNED: Final = "steps_turned"


def steps() -> Mapping[str, Part]:
    """The steps of the lesson by their names, in order."""
    return lessons.read_by_key("steps")


def enter() -> None:
    """Take over the address once a visit to the page, and tell the widget what is held.

    Call before the widget is drawn: Streamlit forgets it on other pages.
    """
    if _ENTRY.is_due():
        before, chosen = _ENTRY.read()
        _ENTRY.hold(chosen.get(ADDRESS, before))
    elif st.session_state.get(KEY) is not None:
        _ENTRY.hold(st.session_state[KEY])
    st.session_state[KEY] = _ENTRY.held


def now() -> int:
    """The step, from 1."""
    return _ENTRY.held


def name() -> str:
    """The name of the step."""
    return list(steps())[now() - 1]


def go(step: object) -> None:
    """Go to a step from a callback; a browser may say anything."""
    if type(step) is int and 1 <= step <= len(steps()):
        st.session_state[KEY] = step
        _ENTRY.hold(step)


def move(by: int) -> None:
    """Go on or back from a callback; from where the person is, which a quick one has moved."""
    go(now() + by)


def has_turned() -> bool:
    """Whether the step was left for another one since this was last asked."""
    before = st.session_state.get(_TURNED, now())
    st.session_state[_TURNED] = now()
    return bool(before != now())


def notice() -> str:
    """What could not be used of the address, until the person goes on."""
    return _ENTRY.notice(now())


_ENTRY: Final = Entry("steps", 1, {ADDRESS: whole(1, len(steps()))})

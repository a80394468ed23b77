"""Which step the person is at: the key ``step`` of the address, held through the visit."""

from collections.abc import Mapping
from functools import cache
from typing import Final

import streamlit as st

from attention_viz import lessons
from attention_viz.lessons import Part
from attention_viz.ui import state

KEY: Final = "steps_step"
ADDRESS: Final = "step"
_HELD: Final = "steps_held"
_ENTRY: Final = "steps_entry"
_NOTICES: Final = "steps_notices"
_AT_ENTRY: Final = "steps_at_entry"
_TURNED: Final = "steps_turned"


@cache
def steps() -> Mapping[str, Part]:
    """The steps of the lesson by their names, in order."""
    return lessons.read_by_key("steps")


def enter() -> None:
    """Take over the address once a visit to the page, and tell the widget what is held.

    Call before the widget is drawn: Streamlit forgets it on other pages.
    """
    session = st.session_state
    if session.get(_ENTRY) != state.entries():
        readers = {ADDRESS: state.whole(1, len(steps()))}
        chosen, session[_NOTICES] = state.read_address(st.query_params.to_dict(), readers)
        session[_HELD] = session[_AT_ENTRY] = chosen.get(ADDRESS, session.get(_HELD, 1))
        session[_ENTRY] = state.entries()
        session.pop(KEY, None)
    if session.get(KEY) is not None:
        session[_HELD] = session[KEY]
    session[KEY] = session[_HELD]


def now() -> int:
    """The step, from 1."""
    step: int = st.session_state[_HELD]
    return step


def name() -> str:
    """The name of the step."""
    return list(steps())[now() - 1]


def go(step: object) -> None:
    """Go to a step from a callback; a browser may say anything."""
    if type(step) is int and 1 <= step <= len(steps()):
        st.session_state[KEY] = st.session_state[_HELD] = step


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
    if st.session_state[_AT_ENTRY] != now():
        return ""
    return state.defaults_notice(st.session_state[_NOTICES])

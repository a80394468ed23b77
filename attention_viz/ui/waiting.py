"""Waiting for work in another thread, so that a click or a key does not wait with the page."""

from concurrent.futures import Future, wait
from typing import Final, TypeVar

import streamlit as st

Result = TypeVar("Result")
_LOOK: Final = 0.05  # seconds between two looks
_LOOKED: Final = "waiting_for_work"  # what is looked for; it is never there


def result_of(work: Future[Result]) -> Result:
    """What the work gives, unless a newer run of the page is asked for: then this one ends.

    Work that has not begun by then is given up.

    Raises:
        BaseException: what the work raised, or what Streamlit ends a run with.
    """
    try:
        while not wait([work], timeout=_LOOK).done:
            _ = _LOOKED in st.session_state  # where Streamlit ends a run for a newer one
    except BaseException:
        work.cancel()
        raise
    return work.result()

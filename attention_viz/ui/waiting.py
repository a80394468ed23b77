"""Waiting for work in another thread, so that what is asked of the whole page does not wait."""

from concurrent.futures import Future, wait
from typing import Final, TypeVar

import streamlit as st

Result = TypeVar("Result")
_LOOK: Final = 0.05  # seconds between two looks
_LOOKED: Final = "waiting_for_work"  # what is looked for; it is never there


def result_of(work: Future[Result]) -> Result:
    """What the work gives, unless a newer run of the whole page is asked for: then this one ends.

    A newer run of a part of the page waits until this one has ended, whatever it does.

    Raises:
        BaseException: what the work raised, or what Streamlit ends a run with.
    """
    while not wait([work], timeout=_LOOK).done:
        # Streamlit ends a run where it touches the session (SafeSessionState's yield callback).
        _ = _LOOKED in st.session_state
    return work.result()

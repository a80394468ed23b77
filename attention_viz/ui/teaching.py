"""What the page Teachers shows: its part, which is in the address, and the snippet for a course."""

from html import escape
from typing import Final
from urllib.parse import urljoin

import streamlit as st

from attention_viz.ui import state

PARTS: Final = {
    "short": "15 minutes",
    "long": "45 minutes",
    "mistakes": "What students get wrong",
    "class": "Worksheet and codes",
}
KEY: Final = "teachers_part"
DEFAULT: Final = "short"
_HELD: Final = "teaching"
_AT: Final = "teaching_entry"
_WRONG: Final = "teaching_notices"


def enter() -> None:
    """Take over the address when the page is entered; call before the widget is drawn."""
    session = st.session_state
    if session.get(_AT) != state.entries():
        session[_AT] = state.entries()
        words = st.query_params.to_dict()
        chosen, session[_WRONG] = state.read_address(words, {KEY: state.one_of(*PARTS)})
        session[KEY] = chosen.get(KEY, DEFAULT if KEY in words else session.get(_HELD, DEFAULT))


def now() -> str:
    """The part that the widget says, kept for when the page is entered again."""
    part: str = st.session_state[KEY]
    st.session_state[_HELD] = part
    return part


def notice() -> str:
    """What could not be used of the address, until another part is chosen."""
    wrong: list[str] = st.session_state[_WRONG]
    return state.defaults_notice(wrong) if st.session_state[KEY] == DEFAULT else ""


def snippet() -> str:
    """HTML that puts Explore into a page of a course."""
    here = st.context.url or "https://your-server/"
    source = urljoin(here, f"./?embed=true&d_k=4&seed={state.DEFAULTS.seed}")
    return (
        f'<iframe src="{escape(source)}" title="Attention Viz" width="100%" height="900" '
        'style="border:0" allow="clipboard-write"></iframe>'
    )

"""What the page Teachers shows: its part, which is in the address, and the snippet for a course."""

from html import escape
from typing import Final
from urllib.parse import urljoin

import streamlit as st

from attention_viz.ui import state
from attention_viz.ui.address import Entry, one_of

PARTS: Final = {
    "short": "15 minutes",
    "long": "45 minutes",
    "mistakes": "What students get wrong",
    "class": "Worksheet and codes",
}
KEY: Final = "teachers_part"
DEFAULT: Final = "short"
_ENTRY: Final = Entry("teaching", DEFAULT, {KEY: one_of(*PARTS)})


def enter() -> None:
    """Take over the address when the page is entered; call before the widget is drawn."""
    if _ENTRY.is_due():
        before, chosen = _ENTRY.read()
        st.session_state[KEY] = chosen.get(KEY, before)


def now() -> str:
    """The part that the widget says, kept for when the page is entered again."""
    part: str = st.session_state[KEY]
    _ENTRY.hold(part)
    return part


def notice() -> str:
    """What could not be used of the address, until another part is chosen."""
    return _ENTRY.notice(st.session_state[KEY])


def snippet() -> str:
    """HTML that puts Explore into a page of a course."""
    here = st.context.url or "https://your-server/"
    source = urljoin(here, f"./?embed=true&d_k=4&seed={state.DEFAULTS.seed}")
    return (
        f'<iframe src="{escape(source)}" title="Attention Viz" width="100%" height="900" '
        'style="border:0" allow="clipboard-write"></iframe>'
    )

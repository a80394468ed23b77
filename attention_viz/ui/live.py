"""The live stage on a page: mounted with its data, heard when a movement ends."""

from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from attention_viz import stage
from attention_viz.ui import cache, state
from attention_viz.ui.state import Settings

_KEY: Final = "stage"
_CURVES: Final = "curves_open"


@st.cache_resource
def _component() -> ComponentRenderer:
    return st.components.v2.component("stage", html=stage.HTML, css=stage.css(), js=stage.js())


def draw(settings: Settings) -> None:
    """The stage; call inside the fragment of all that depends on it."""
    band = st.session_state.get(_CURVES, False)
    _component()(
        key=_KEY,
        data=cache.payload(settings, state.stage_start(), band=band),
        on_view_change=_moved,
        on_curves_change=_opened,
    )


def _moved() -> None:
    view = st.session_state[_KEY].get("view")
    if isinstance(view, dict):
        state.take_view(view)


def _opened() -> None:
    st.session_state[_CURVES] = True

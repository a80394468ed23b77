"""The live stage on a page: mounted with its data, heard when a movement ends."""

from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from attention_viz import stage
from attention_viz.ui import cache, heard, presenter, state
from attention_viz.ui.state import Settings

_KEY: Final = "stage"
_OPEN: Final = "curves_open"
_BAND_OF: Final = "band_of"  # the head and sentence whose band was drawn last


@st.cache_resource
def _component() -> ComponentRenderer:
    return st.components.v2.component("stage", html=stage.HTML, css=stage.css(), js=stage.js())


def draw(settings: Settings) -> None:
    """The stage; call inside the fragment of all that depends on it."""
    if state.stage_is_new():
        st.session_state[_OPEN] = False
    _component()(
        key=_KEY,
        data=presenter.for_room(
            settings, cache.payload(settings, state.stage_start(), band=_has_band(settings))
        ),
        on_view_change=_moved,
        on_curves_change=_opened,
        on_end_change=presenter.end,
    )


def wants_band(settings: Settings) -> bool:
    """Whether the curves are looked at and the band of other heads is not there yet."""
    return bool(st.session_state.get(_OPEN)) and not _has_band(settings)


def draw_band(settings: Settings) -> None:
    """Draw the band after all else is on the page: it can take seconds. Run again to show it."""
    cache.draw_band(settings, state.stage_start())
    st.session_state[_BAND_OF] = cache.recipe(settings)


def _has_band(settings: Settings) -> bool:
    return bool(st.session_state.get(_BAND_OF) == cache.recipe(settings))


def _moved() -> None:
    view = heard.said(_KEY, "view")
    if isinstance(view, dict):
        state.take_view(view)


def _opened() -> None:
    st.session_state[_OPEN] = bool(heard.said(_KEY, "curves"))

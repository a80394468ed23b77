"""Left and right arrow keys turn the pages of a lesson, and each press counts."""

from collections.abc import Callable
from importlib import resources

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer


def watch(key: str, turn: Callable[[int], None]) -> None:
    """Call ``turn`` with how many pages the person has gone on; below 0 is back.

    Draw it last: it tells the browser that the page stands.

    Args:
        key: of the component.
        turn: called as a callback, before the page is drawn again.
    """
    data = {"heard": _heard(key)}
    _component()(key=key, data=data, on_turned_change=lambda: _told(key, turn))


def _heard(key: str) -> list[int]:
    """When the browser began to count, and what it had counted when it last said so."""
    heard: list[int] = st.session_state.get(f"{key}_heard", [0, 0])
    return heard


def _told(key: str, turn: Callable[[int], None]) -> None:
    """Turn by what has come since the last time; a browser may say anything."""
    said = st.session_state[key].get("turned")
    if not isinstance(said, list) or [type(part) for part in said] != [int, int]:
        return
    before = _heard(key)
    st.session_state[f"{key}_heard"] = said
    turn(said[1] - before[1] if said[0] == before[0] else said[1])


@st.cache_resource
def _component() -> ComponentRenderer:
    js = resources.files("attention_viz.ui").joinpath("turning.js").read_text("utf-8")
    return st.components.v2.component(
        "turning", html='<div class="turning-place"></div>', css="", js=js
    )

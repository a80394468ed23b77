"""Turning the pages of a lesson by arrow keys, and by the browser's Back and Forward."""

from collections.abc import Callable
from importlib import resources
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from attention_viz.ui import heard

_HINT: Final = "or the keys ← →"
_CSS: Final = """
.turning { color: var(--st-text-color); font-size: 0.875rem; white-space: nowrap; }
@media (hover: none), (max-width: 640px) { .turning { display: none; } }
"""


def draw(name: str, *, group: str, at: int, last: int, go: Callable[[int], None]) -> None:
    """Write the page into the address under this name, an entry of the history for each one.

    Args:
        name: the key of the address.
        group: the key of the widget that chooses a page.
        at: the page that is drawn, from 1.
        last: the last page.
        go: called before the script runs again, with the page to draw.
    """
    # Streamlit would scroll the group on a phone, and hide the last pages.
    st.html(f"<style>.st-key-{group} [role=radiogroup]{{flex-wrap:wrap;overflow:visible}}</style>")
    key, turns = f"{name}_turning", f"{name}_turns"

    def turned() -> None:
        said = heard.said(key, "turn")
        # A browser may say anything.
        if not isinstance(said, dict) or type(said.get("turns")) is not int:
            return
        st.session_state[turns] = said["turns"]
        if type(said.get("to")) is int and 1 <= said["to"] <= last:
            go(said["to"])

    _component()(
        key=key,
        data={
            "name": name,
            "group": f"st-key-{group}",
            "at": at,
            "last": last,
            "heard": st.session_state.get(turns, 0),
            "hint": _HINT,
        },
        on_turn_change=turned,
        width="content",
    )


@st.cache_resource
def _component() -> ComponentRenderer:
    js = resources.files("attention_viz.ui").joinpath("turning.js").read_text("utf-8")
    return st.components.v2.component(
        "turning", html='<span class="turning"></span>', css=_CSS, js=js
    )

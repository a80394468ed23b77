"""What the browser does when the server behind a page goes away and another one answers."""

from importlib import resources

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer


def watch() -> None:
    """Have the page go on from its address when it is connected again."""
    _component()(key="connection")


@st.cache_resource
def _component() -> ComponentRenderer:
    js = resources.files("attention_viz.ui").joinpath("connection.js").read_text("utf-8")
    return st.components.v2.component("connection", html="<span></span>", js=js)

"""What is done once a server, before its first visitor sees anything: imports, and tidying."""

import gc
from importlib import import_module

import streamlit as st


@st.cache_resource(show_spinner=False)
def settle() -> None:
    """Once a server: put what the imports made aside, so that no later collection walks it.

    Streamlit collects everything after each run, which with torch imported takes longer than the
    run; the configuration turns that off (runner.postScriptGC). What a run leaves behind is then
    found by Python's own collections, which are cheap once the imports are frozen. The imports
    leave some 7,000 objects to collect, about 1 MB: less than a visitor's wait is worth.
    """
    # Streamlit imports it for a first visitor, and Plotly, drawing for a second one meanwhile,
    # would take the half of it that is there for the whole.
    import_module("pandas")
    gc.freeze()


def freeze() -> None:
    """Put all that is alive now aside: for what stays long. What was put aside may go meanwhile."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()

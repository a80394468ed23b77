"""Garbage collection that a visitor does not wait for."""

import gc

import streamlit as st


@st.cache_resource(show_spinner=False)
def settle() -> None:
    """Once a server: put what the imports made aside, so that no later collection walks it.

    Streamlit collects everything after each run, which with torch imported takes longer than the
    run; the configuration turns that off (runner.postScriptGC). What a run leaves behind is then
    found by Python's own collections, which are cheap once the imports are frozen.
    """
    freeze()


def freeze() -> None:
    """Put all that is alive now aside: for what stays long. What was put aside may go meanwhile."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()

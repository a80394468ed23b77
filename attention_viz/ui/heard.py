"""What a part of the page that runs in the browser has reported.

Each report is a trigger of Streamlit's, never its state: where another page is asked for before a
report is heard, Streamlit joins the two, and only triggers are kept.
"""

from typing import Any

import streamlit as st


def said(key: str, name: str) -> Any:
    """What the component reports under this name; call from the callback that it is told to."""
    if key not in st.session_state:  # of a page that is left: Streamlit has forgotten all but this
        st.session_state[key] = {}
    return st.session_state[key].get(name)

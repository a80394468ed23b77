"""Words: what each term of the other pages means."""

import streamlit as st

from attention_viz import assets
from attention_viz.ui import browser, state

st.markdown(assets.find("assets/lessons/en/words.md").read_text("utf-8"))
browser.link(state.settings(), staged=False)

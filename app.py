"""Where Streamlit starts: what all pages share, and the way to each page."""

import os
from pathlib import Path

import streamlit as st

# One thread for each visitor: on a busy machine, several that wait for one another take ten times
# as long. Read when torch is imported, so it stands before that.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from attention_viz.ui import collector, show, sidebar, state

st.set_page_config(page_title="Attention Viz", page_icon="🔎", layout="wide")
collector.settle()
show.tighten()

pages = Path(__file__).parent / "attention_viz" / "ui" / "pages"
heads = st.Page(pages / "heads.py", title="Heads")
hand = st.Page(pages / "hand.py", title="By hand")
scaling = st.Page(pages / "scaling.py", title="Scaling lab")
page = st.navigation(
    [
        st.Page(pages / "explore.py", title="Explore", default=True),
        heads,
        scaling,
        hand,
        st.Page(pages / "words.py", title="Words"),
    ],
    position="top",
)
state.enter(page.url_path)
if page in {hand, scaling}:  # they have no sentence's head
    state.keep()
elif page is heads:
    sidebar.draw_models()
else:
    sidebar.draw()
if state.notice():
    show.notice(state.notice())
page.run()

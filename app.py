"""Where Streamlit starts: what all pages share, and the way to each page."""

from pathlib import Path

import streamlit as st

from attention_viz.ui import collector, show, sidebar, state

st.set_page_config(page_title="Attention Viz", page_icon="🔎", layout="wide")
collector.settle()
show.tighten()

pages = Path(__file__).parent / "attention_viz" / "ui" / "pages"
hand = st.Page(pages / "hand.py", title="By hand")
softmax = st.Page(pages / "softmax.py", title="Softmax lab")
page = st.navigation(
    [
        st.Page(pages / "explore.py", title="Explore", default=True),
        hand,
        softmax,
        st.Page(pages / "words.py", title="Words"),
    ],
    position="top",
)
state.enter(page.url_path)
if page is hand:  # it has a sentence of its own, and no head
    state.keep()
elif page is not softmax:  # it draws the sidebar where it looks at the head
    sidebar.draw()
if state.notice():
    show.notice(state.notice())
page.run()

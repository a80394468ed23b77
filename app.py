"""Where Streamlit starts: what all pages share, and the way to each page."""

import gc
import os
from pathlib import Path

import streamlit as st

# One thread for each visitor: on a busy machine, several that wait for one another take ten times
# as long. Read when torch is imported, so it stands before that.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# A first visitor waits for what follows, a fifth of it for collections that find next to nothing.
gc.disable()

from attention_viz.places import PAGES
from attention_viz.ui import collector, connection, glossary, pages, show, sidebar, state

st.set_page_config(page_title="Attention Viz", page_icon="🔎", layout="wide")
collector.settle()
gc.enable()
show.begin()
show.tighten()

files = Path(pages.__file__).parent
page = st.navigation(
    [st.Page(files / f"{name}.py", title=title) for name, title in PAGES.items()], position="top"
)
state.enter(page.url_path)
if page.url_path in {"hand", "scaling", "questions", "teachers"}:  # no head of a sentence
    state.keep()
elif page.url_path == "heads":
    sidebar.draw_models()
elif page.url_path != "softmax":  # it draws the sidebar where it looks at the head
    sidebar.draw()
if state.notice():
    show.notice(state.notice())
page.run()
glossary.watch()
connection.watch()

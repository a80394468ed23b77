"""Where Streamlit starts: what all pages share, and the way to each page."""

import os
from pathlib import Path

import streamlit as st

# One thread for each visitor: on a busy machine, several that wait for one another take ten times
# as long. Read when torch is imported, so it stands before that.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from attention_viz.ui import collector, connection, glossary, show, sidebar, state

st.set_page_config(page_title="Attention Viz", page_icon="🔎", layout="wide")
collector.settle()
show.tighten()

files = Path(__file__).parent / "attention_viz" / "ui" / "pages"
explore = st.Page(files / "explore.py", title="Explore", default=True)
steps = st.Page(files / "steps.py", title="Step by step")
heads = st.Page(files / "heads.py", title="Heads")
scaling = st.Page(files / "scaling.py", title="Scaling lab")
softmax = st.Page(files / "softmax.py", title="Softmax lab")
hand = st.Page(files / "hand.py", title="By hand")
questions = st.Page(files / "questions.py", title="Questions")
teachers, words = (
    st.Page(files / f"{name}.py", title=name.title()) for name in ("teachers", "words")
)
page = st.navigation(
    [explore, steps, questions, heads, scaling, softmax, hand, teachers, words], position="top"
)
state.enter(page.url_path)
if page in {hand, scaling, questions, teachers}:  # no head of a sentence
    state.keep()
elif page is heads:
    sidebar.draw_models()
elif page is not softmax:  # it draws the sidebar where it looks at the head
    sidebar.draw()
if state.notice():
    show.notice(state.notice())
page.run()
glossary.watch()
connection.watch()

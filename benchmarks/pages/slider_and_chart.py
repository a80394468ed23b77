"""What a person would otherwise write: Streamlit's slider, here of values, and a Plotly chart."""

import streamlit as st

from attention_viz import figures, heads, pipeline
from attention_viz.pipeline import Run
from attention_viz.scaling import STOPS


@st.cache_data(show_spinner=False)
def run(text: str, d_k: int) -> Run:
    """The sentence through a head of this size."""
    return pipeline.run(text, heads.random_head(256, d_k, seed=25), seed=25)


@st.fragment
def explore(text: str) -> None:
    """The slider and the maps that follow it: nothing else runs again."""
    d_k = st.select_slider("d_k", STOPS, value=4, key="d_k")
    figure = figures.attention_maps(run(text, d_k))
    st.plotly_chart(figure, key="maps", theme=None, width="stretch")


st.set_page_config(layout="wide")
explore(st.query_params["text"])

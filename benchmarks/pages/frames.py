"""The other common way: one Plotly figure that holds a frame for every d_k, and Plotly's slider.

A frame changes the numbers of the cells and nothing else, the least that it can do.
"""

from typing import Any

import plotly.graph_objects as go
import streamlit as st
import torch

from attention_viz import figures, heads, pipeline
from attention_viz.pipeline import Run
from attention_viz.scaling import STOPS

START = 4
ROOM = 120  # pixels of the slider above the maps


@st.cache_resource(show_spinner=False)
def figure(text: str) -> go.Figure:
    """The maps at every stop."""
    runs = {d_k: pipeline.run(text, heads.random_head(256, d_k, seed=25), seed=25) for d_k in STOPS}
    made = figures.attention_maps(runs[START])
    made.frames = [go.Frame(name=str(d_k), data=cells(run)) for d_k, run in runs.items()]
    made.update_layout(sliders=[slider()], height=made.layout.height + ROOM, margin_t=ROOM)
    return made


def cells(run: Run) -> list[dict[str, Any]]:
    """The numbers of the four maps, in the order of the figure."""
    trace = run.trace
    unscaled = torch.softmax(trace.scores, dim=-1)
    matrices = (trace.scores, trace.scaled_scores, trace.weights, unscaled)
    return [{"type": "heatmap", "z": matrix.numpy(force=True)} for matrix in matrices]


def slider() -> dict[str, Any]:
    """Plotly's slider, told to redraw at once."""
    at_once = {"mode": "immediate", "frame": {"duration": 0}, "transition": {"duration": 0}}
    steps = [
        {"label": str(d_k), "method": "animate", "args": [[str(d_k)], at_once]} for d_k in STOPS
    ]
    place = {"y": 1, "yanchor": "bottom", "pad": {"b": 20}, "currentvalue": {"prefix": "d_k = "}}
    return {"active": STOPS.index(START), "steps": steps} | place


st.set_page_config(layout="wide")
st.plotly_chart(figure(st.query_params["text"]), key="maps", theme=None, width="stretch")

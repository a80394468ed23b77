"""Traces and measures as Plotly figures. Nothing here computes attention or knows Streamlit."""

from attention_viz.figures.maps import Scale, attention_maps, describe_maps, own_weights_map
from attention_viz.figures.parts import contributions, projections

__all__ = [
    "Scale",
    "attention_maps",
    "contributions",
    "describe_maps",
    "own_weights_map",
    "projections",
]

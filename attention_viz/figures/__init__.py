"""Traces and measures as Plotly figures. Nothing here computes attention or knows Streamlit."""

from attention_viz.figures.maps import Scale, attention_maps, describe_maps
from attention_viz.figures.parts import contributions, projections

__all__ = ["Scale", "attention_maps", "contributions", "describe_maps", "projections"]

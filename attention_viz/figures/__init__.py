"""Traces and measures as Plotly figures. Nothing here computes attention or knows Streamlit."""

from attention_viz.figures.maps import Scale, attention_maps, describe_maps

__all__ = ["Scale", "attention_maps", "describe_maps"]

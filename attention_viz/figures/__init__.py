"""Traces and measures as Plotly figures. Nothing here computes attention or knows Streamlit."""

from attention_viz.figures.directions import both_directions
from attention_viz.figures.maps import Scale, attention_maps, describe_maps
from attention_viz.figures.parts import contributions, projections
from attention_viz.figures.ranges import exp_ranges
from attention_viz.figures.rows import alternative_bars, mask_bars, softmax_bars
from attention_viz.figures.slopes import jacobian_map, norm_curve

__all__ = [
    "Scale",
    "alternative_bars",
    "attention_maps",
    "both_directions",
    "contributions",
    "describe_maps",
    "exp_ranges",
    "jacobian_map",
    "mask_bars",
    "norm_curve",
    "projections",
    "softmax_bars",
]

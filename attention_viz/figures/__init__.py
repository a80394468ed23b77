"""Traces and measures as Plotly figures. Nothing here computes attention or knows Streamlit."""

from attention_viz.figures.learning import loss_curves
from attention_viz.figures.maps import Scale, attention_maps, describe_maps, own_weights_map
from attention_viz.figures.parts import contributions, projections
from attention_viz.figures.peaks import head_dots, peak_distributions
from attention_viz.figures.support import keys_alone, support_map
from attention_viz.figures.sweeps import derivative_curves, entropy_curves, spread_curves

__all__ = [
    "Scale",
    "attention_maps",
    "contributions",
    "derivative_curves",
    "describe_maps",
    "entropy_curves",
    "head_dots",
    "keys_alone",
    "loss_curves",
    "own_weights_map",
    "peak_distributions",
    "projections",
    "spread_curves",
    "support_map",
]

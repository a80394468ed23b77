"""Traces and measures as Plotly figures. Nothing here computes attention or knows Streamlit."""

from attention_viz.colours import Scale
from attention_viz.figures.directions import both_directions
from attention_viz.figures.learning import loss_curves
from attention_viz.figures.maps import (
    attention_maps,
    own_weights_map,
    step_maps,
)
from attention_viz.figures.parts import contributions, inputs_map, projections
from attention_viz.figures.peaks import head_dots, peak_distributions
from attention_viz.figures.ranges import exp_ranges
from attention_viz.figures.rows import alternative_bars, mask_bars, softmax_bars
from attention_viz.figures.slopes import jacobian_map, norm_curve
from attention_viz.figures.steps import (
    context_bars,
    describe_bars,
    draw_bars,
    mix_bars,
    product_bars,
    share_bars,
)
from attention_viz.figures.support import keys_alone, support_map
from attention_viz.figures.sweeps import derivative_curves, entropy_curves, spread_curves
from attention_viz.maps import describe_maps

__all__ = [
    "Scale",
    "alternative_bars",
    "attention_maps",
    "both_directions",
    "context_bars",
    "contributions",
    "derivative_curves",
    "describe_bars",
    "describe_maps",
    "draw_bars",
    "entropy_curves",
    "exp_ranges",
    "head_dots",
    "inputs_map",
    "jacobian_map",
    "keys_alone",
    "loss_curves",
    "mask_bars",
    "mix_bars",
    "norm_curve",
    "own_weights_map",
    "peak_distributions",
    "product_bars",
    "projections",
    "share_bars",
    "softmax_bars",
    "spread_curves",
    "step_maps",
    "support_map",
]

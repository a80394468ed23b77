"""Losses of training with and without division by √d_k."""

from collections.abc import Mapping
from typing import Final

import plotly.graph_objects as go
from torch import Tensor

from attention_viz.colours import LIGHT, Palette
from attention_viz.experiments.learning import RATES, Way
from attention_viz.figures.lines import Panel, Trace, axis, band, line, panels
from attention_viz.reading import number

WAYS: Final = {
    Way.DIVIDED: "÷ √d_k",
    Way.UNDIVIDED: "undivided",
    Way.ABSORBED: "undivided, W_q started ÷ √d_k",
}
_WINDOW: Final = 10  # steps that are averaged: each step's examples are new, and few


def loss_curves(
    losses: Mapping[Way, Tensor], *, columns: int = 3, palette: Palette = LIGHT
) -> go.Figure:
    """Loss against step, one panel a learning rate: the mean of the seeds, and all between them.

    Args:
        losses: (steps, rates, seeds) nats of each way.
        columns: panels side by side.
        palette: what surrounds the lines.
    """
    y_axis = axis("", palette, rangemode="tozero")
    shown = [
        Panel(
            f"Loss in nats, learning rate {number(rate)}",
            axis("step", palette),
            y_axis,
            _curves(losses, i, palette),
        )
        for i, rate in enumerate(RATES)
    ]
    return panels(shown, columns=columns, palette=palette, legend_lines=3)


def _curves(losses: Mapping[Way, Tensor], rate: int, palette: Palette) -> list[Trace]:
    bands, means = [], []
    for series, (way, every) in enumerate(losses.items()):
        smooth = _smoothed(every[:, rate])
        steps = [_WINDOW * i + (_WINDOW - 1) / 2 for i in range(len(smooth))]
        low, high = smooth.amin(dim=1).tolist(), smooth.amax(dim=1).tolist()
        stroke = {"dash": ("solid", "dash", "dot")[series], "width": 2.5}
        colour, mean = palette.series[series], smooth.mean(dim=1).tolist()
        bands.append(band(steps, low, high, series, palette))
        means.append(line(WAYS[way], steps, mean, colour, line=stroke, showlegend=rate == 0))
    return [*bands, *means]


def _smoothed(losses: Tensor) -> Tensor:
    """(windows, seeds) means over windows of steps; a window that has only begun is left out."""
    windows = len(losses) // _WINDOW
    return losses[: windows * _WINDOW].reshape(windows, _WINDOW, losses.shape[1]).mean(dim=1)

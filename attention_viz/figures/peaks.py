"""The largest weights of many rows at one d_k: single heads as dots, and their distribution."""

from typing import Any, Final

import plotly.graph_objects as go
import torch

from attention_viz.colours import LIGHT, Palette
from attention_viz.experiments.sweep import Point, Reading, Sweep
from attention_viz.experiments.words import divisor_words, plus_minus
from attention_viz.figures import style
from attention_viz.figures.lines import Panel, Trace, axis, panels

_BINS: Final = 40
_ROW: Final = 120  # pixels of a row of dots


def head_dots(sweep: Sweep, point: Point, *, palette: Palette = LIGHT) -> go.Figure:
    """Each head's largest weight as a dot on 0 … 1, a row of dots for each divisor.

    Height within a row says nothing: dots step aside so as not to cover one another.
    """
    names = [divisor_words(name) for name in sweep.divisors]
    layout = style.layout(palette) | {
        "height": _ROW * len(names) + 60,
        "margin": {"l": 8, "r": 16, "t": 8, "b": 8},
        "xaxis": axis("largest weight of a head", palette, range=[-0.03, 1.03]),
        "yaxis": axis(
            "", palette, tickvals=list(range(len(names))), ticktext=names, showgrid=False,
            range=[len(names) - 0.5, -0.7],
        ),
    }  # fmt: skip
    data = [
        _dots(i, peaks=point.readings[i].peaks, palette=palette, name=name)
        for i, name in enumerate(names)
    ]
    layout["shapes"] = [_even_share(i, 1 / sweep.keys, palette) for i in range(len(names))]
    layout["annotations"] = [
        {"text": "1/n", "x": 1 / sweep.keys, "y": -0.42, "yanchor": "bottom", "showarrow": False}
    ]
    return go.Figure({"data": data, "layout": layout})


def peak_distributions(
    sweep: Sweep, point: Point, *, columns: int = 2, palette: Palette = LIGHT
) -> go.Figure:
    """The distribution of the largest weight over all draws at one d_k, one panel a divisor."""
    shown = []
    for i, (name, reading) in enumerate(zip(sweep.divisors, point.readings, strict=True)):
        bars = _bars(reading, divisor_words(name), palette.series[i % len(palette.series)])
        mean: Trace = {
            "type": "scatter",
            "mode": "lines",
            "name": "mean",
            "showlegend": i == 0,
            "x": [reading.peak.mean] * 2,
            "y": [0, max(bars["y"])],
            "line": {"color": palette.ink, "width": 2, "dash": "dash"},
            "hovertemplate": f"mean {plus_minus(reading.peak)}<extra></extra>",
        }
        x_axis = axis("largest weight", palette, range=[0, 1])
        y_axis = axis("", palette, tickformat=".0%", rangemode="tozero")
        title = f"{divisor_words(name)}: share of draws"
        shown.append(Panel(title, x_axis, y_axis, [bars, mean]))
    return panels(shown, columns=min(columns, len(shown)), palette=palette)


def _bars(reading: Reading, name: str, colour: str) -> Trace:
    shares = torch.histc(reading.peaks, _BINS, 0, 1) / len(reading.peaks)
    return {
        "type": "bar",
        "name": name,
        "x": [(j + 0.5) / _BINS for j in range(_BINS)],
        "y": shares.tolist(),
        "width": 1 / _BINS,
        "marker": {"color": colour},
        "hovertemplate": "around %{x:.3f}: %{y:.1%} of draws<extra></extra>",
    }


def _dots(row: int, *, peaks: torch.Tensor, palette: Palette, name: str) -> Trace:
    order = torch.argsort(peaks)
    # Neighbours in size go to different heights: steps of the golden ratio fill a row evenly.
    heights = (torch.arange(len(peaks)) * 0.618034) % 1 * 0.7 - 0.35
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": peaks[order].tolist(),
        "y": (row + heights).tolist(),
        "cliponaxis": False,  # a dot at exactly 1 is drawn whole, however narrow the figure
        "marker": {"size": 8, "opacity": 0.85, "color": palette.series[row % len(palette.series)]},
        "hovertemplate": f"{name}: largest weight %{{x:.3f}}<extra></extra>",
    }


def _even_share(row: int, share: float, palette: Palette) -> dict[str, Any]:
    """A line at 1/n, below which no largest weight can lie."""
    return {
        "type": "line",
        "x0": share,
        "x1": share,
        "y0": row - 0.4,
        "y1": row + 0.4,
        "line": {"color": palette.quiet, "width": 2, "dash": "dot"},
    }

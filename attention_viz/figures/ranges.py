"""Where exp can be told from 0 and from infinity in each number type, with scores on it."""

import math
from typing import Any, Final

import plotly.graph_objects as go
from torch import Tensor

from attention_viz.colours import LIGHT, Palette
from attention_viz.figures import style
from attention_viz.precision import TYPES, Range, dtype_name, exp_range
from attention_viz.reading import minus, number

_TICKS: Final = (-1_000_000, -10_000, -1000, -100, -10, 0, 10, 100, 1000, 10_000, 1_000_000)
_LEAST_REACH: Final = 1000.0  # so that float64's range is always on the picture
_OFF: Final = 0.26  # of a line, between the two kinds of marks


def exp_ranges(scores: Tensor, *, palette: Palette = LIGHT) -> go.Figure:
    """Ranges of the four types as bars, on an axis that is logarithmic to both sides of 0.

    In numbers they stand beside the bars. Above each bar stand the scores (n,), below it the same
    minus the largest; what lies outside the bar, where exp is 0 or infinite, is crossed out.
    """
    ranges = [exp_range(dtype) for dtype in TYPES]
    shifted = scores - scores.max()
    reach = max(_LEAST_REACH, scores.abs().max().item(), shifted.abs().max().item())
    layout = style.layout(palette) | {
        "height": 330,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
        "xaxis": _axis(reach, palette),
        "yaxis": _lines_axis(ranges, palette),
    }
    marks = {"score": (scores, -_OFF), "score − largest": (shifted, _OFF)}
    data = [
        _bars(ranges, palette),
        _marks("score", *marks["score"], "circle", palette.ink),
        _marks("score − largest", *marks["score − largest"], "diamond", palette.mark),
        _crosses(ranges, list(marks.values()), palette),
    ]
    return go.Figure({"data": data, "layout": layout})


def place(value: float) -> float:
    """Where a number stands on the axis: the logarithm of 1 + its size, with its sign.

    >>> place(-9.0)
    -1.0
    """
    return math.copysign(math.log10(1 + abs(value)), value)


def _bars(ranges: list[Range], palette: Palette) -> dict[str, Any]:
    starts = [place(one.last_zero) for one in ranges]
    return {
        "type": "bar",
        "orientation": "h",
        "name": "exp is above 0 and finite",
        "base": starts,
        "x": [place(one.last_finite) - start for one, start in zip(ranges, starts, strict=True)],
        "y": list(range(len(ranges))),
        "width": 0.8,
        "marker": {"color": f"{palette.bar}40", "line": {"color": palette.bar, "width": 1}},
        "hoverinfo": "skip",
    }


def _marks(title: str, values: Tensor, off: float, symbol: str, colour: str) -> dict[str, Any]:
    places = [(line + off, value) for line in range(len(TYPES)) for value in values.tolist()]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": title,
        "x": [place(value) for _, value in places],
        "y": [line for line, _ in places],
        "marker": {"color": colour, "size": 10, "symbol": symbol},
        "hoverinfo": "skip",
    }


def _crosses(
    ranges: list[Range], marks: list[tuple[Tensor, float]], palette: Palette
) -> dict[str, Any]:
    places = [
        (line + off, value)
        for line, one in enumerate(ranges)
        for values, off in marks
        for value in values.tolist()
        if not one.last_zero < value <= one.last_finite
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "exp is 0 or infinite",
        "x": [place(value) for _, value in places],
        "y": [line for line, _ in places],
        "marker": {"color": palette.ink, "size": 16, "symbol": "x-thin", "line": {"width": 2}},
        "hoverinfo": "skip",
    }


def _lines_axis(ranges: list[Range], palette: Palette) -> dict[str, Any]:
    """The types with their ranges, which marks on the bars would cover."""
    names = [dtype_name(dtype) for dtype in TYPES]
    notes = [minus(f"<br>{number(one.last_zero)} … {number(one.last_finite)}") for one in ranges]
    axis = style.token_axis("", names, palette, notes=notes)
    return axis | {"range": [len(TYPES) - 0.5, -0.5], "showline": False}


def _axis(reach: float, palette: Palette) -> dict[str, Any]:
    ticks = [tick for tick in _TICKS if abs(tick) <= reach]
    return {
        "tickvals": [place(tick) for tick in ticks],
        "ticktext": [minus(f"{tick:,}") for tick in ticks],
        "range": [-place(reach) - 0.15, place(reach) + 0.15],
        "zeroline": True,
        "zerolinecolor": palette.quiet,
        "showgrid": False,
        "automargin": True,
        "title": style.axis_title("score", palette),
    }

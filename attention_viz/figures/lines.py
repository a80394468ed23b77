"""What figures of curves share: panels, axes, and lines with their bands and errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go

from attention_viz.colours import Palette
from attention_viz.experiments.estimates import Estimate
from attention_viz.figures import style

_PANEL: Final = 320  # pixels of a panel, its labels included
_ABOVE, _BELOW = 30, 46  # of them, above and below the axes
_LEGEND: Final = 28  # of a line of the legend
_SYMBOLS: Final = ("circle", "diamond", "square", "triangle-up")
_POWERS: Final = tuple(4**i for i in range(7))
_OPACITY: Final = "2e"  # of a band, as hexadecimal

Trace = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes: what stands above, its axes, and what is drawn in it."""

    title: str
    x: dict[str, Any]
    y: dict[str, Any]
    traces: Sequence[Trace]


def panels(
    shown: Sequence[Panel], *, columns: int, palette: Palette, legend_lines: int = 1
) -> go.Figure:
    """Panels side by side, or one below the other on a phone, with one legend above them all.

    Args:
        shown: the panels, in order.
        columns: how many fit side by side.
        palette: what surrounds the lines.
        legend_lines: how many lines of the legend to leave room for where it is narrow.
    """
    rows = -(-len(shown) // columns)
    height = rows * _PANEL + _LEGEND * (legend_lines if columns == 1 else 1)
    layout = style.layout(palette) | {
        "height": height,
        "margin": {"l": 8, "r": 12, "t": 8, "b": 12},
        "showlegend": True,
        # Above the panels: Plotly widens the margin by as many lines as the legend takes.
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"size": 13}},
        "annotations": [],
    }
    data: list[Trace] = []
    for place, panel in enumerate(shown):
        row, column = divmod(place, columns)
        suffix = str(place + 1) if place else ""
        left, right = _span(column, columns, gap=0.08)
        high, low = (1 - (row + part) / rows for part in (0, 1))
        low += _BELOW / (rows * _PANEL)
        high -= _ABOVE / (rows * _PANEL)
        layout |= {
            f"xaxis{suffix}": panel.x | {"domain": [left, right], "anchor": f"y{suffix}"},
            f"yaxis{suffix}": panel.y | {"domain": [low, high], "anchor": f"x{suffix}"},
        }
        layout["annotations"].append(_heading(panel.title, left, high))
        place_of = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        data.extend(trace | place_of for trace in panel.traces)
    return go.Figure({"data": data, "layout": layout})


def axis(title: str, palette: Palette, **more: Any) -> dict[str, Any]:
    """An axis with a quiet grid."""
    return {
        "title": {"text": title, "font": {"size": 13, "color": palette.quiet}, "standoff": 6},
        "gridcolor": f"{palette.quiet}33",
        "zeroline": False,
        "automargin": True,
        **more,
    }


def d_k_axis(palette: Palette) -> dict[str, Any]:
    """The axis of head sizes: logarithmic, a tick at each power of 4."""
    return axis("d_k", palette, type="log", tickvals=_POWERS, ticktext=[str(d) for d in _POWERS])


def line(name: str, x: Sequence[float], y: Sequence[float], colour: str, **more: Any) -> Trace:
    """A line without points, as theory is drawn."""
    stroke = {"color": colour, "width": 1.5, "dash": "dash"} | more.pop("line", {})
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": list(x),
        "y": list(y),
        "line": stroke,
        "hovertemplate": f"{name}<br>%{{x}}: %{{y:.4g}}<extra></extra>",
        **more,
    }


def measured(
    name: str, x: Sequence[float], estimates: Sequence[Estimate], series: int, palette: Palette
) -> Trace:
    """Means as points with their standard errors, joined by a thin line."""
    colour = palette.series[series % len(palette.series)]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(x),
        "y": [estimate.mean for estimate in estimates],
        "error_y": {"array": [estimate.error for estimate in estimates], "thickness": 1.5},
        "line": {"color": colour, "width": 1},
        "marker": {"size": 6, "symbol": _SYMBOLS[series % len(_SYMBOLS)]},
        "hovertemplate": f"{name}<br>%{{x}}: %{{y:.4g}} ± %{{error_y.array:.2g}}<extra></extra>",
    }


def medians(
    name: str, x: Sequence[float], estimates: Sequence[Estimate], series: int, palette: Palette
) -> Trace:
    """Medians as open points with their errors by ranks, joined by a dotted line."""
    below = [estimate.median - estimate.median_low for estimate in estimates]
    above = [estimate.median_high - estimate.median for estimate in estimates]
    trace = measured(name, x, estimates, series, palette)
    return trace | {
        "y": [estimate.median for estimate in estimates],
        "error_y": {"array": above, "arrayminus": below, "symmetric": False, "thickness": 1.5},
        "line": trace["line"] | {"dash": "dot"},
        "marker": trace["marker"] | {"symbol": f"{trace['marker']['symbol']}-open"},
        "hovertemplate": f"{name}<br>%{{x}}: %{{y:.3g}}<extra></extra>",
    }


def band(
    x: Sequence[float], low: Sequence[float], high: Sequence[float], series: int, palette: Palette
) -> Trace:
    """The area between two curves."""
    colour = palette.series[series % len(palette.series)]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*x, *reversed(x)],
        "y": [*high, *reversed(low)],
        "fill": "toself",
        "fillcolor": f"{colour}{_OPACITY}",
        "line": {"color": colour, "width": 1},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _span(column: int, columns: int, *, gap: float) -> tuple[float, float]:
    width = (1 - gap * (columns - 1)) / columns
    left = column * (width + gap)
    return left, left + width


def _heading(text: str, x: float, y: float) -> dict[str, Any]:
    where = {"x": x, "y": y, "xref": "paper", "yref": "paper", "xanchor": "left"}
    return {"text": f"<b>{text}</b>", "yanchor": "bottom", "showarrow": False} | where

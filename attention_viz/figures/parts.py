"""Figures of what a head is made of: its query, key and value, and the terms of a context."""

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go
from torch import Tensor

from attention_viz.colours import LIGHT, SCORES, Palette
from attention_viz.figures import style
from attention_viz.measures import contribution_norms
from attention_viz.pipeline import Run
from attention_viz.reading import number
from attention_viz.tokens import Tokens

_ROW: Final = 26  # pixels of a token
MOST_COORDINATES: Final = 1024  # that are drawn: more is more than a browser can be sent
_MOST_TICKS: Final = 8
_BETWEEN: Final = 84  # pixels between two matrices: labels and a title


def projections(run: Run, *, palette: Palette = LIGHT) -> go.Figure:
    """Query, key and value as three heatmaps on one scale, tokens down and coordinates across."""
    trace = run.trace
    blocks = (("query", run.tokens, trace.query), ("key", run.keys, trace.key))
    return _stacked([*blocks, ("value", run.keys, trace.value)], palette)


def inputs_map(run: Run, *, palette: Palette = LIGHT) -> go.Figure:
    """The inputs as a heatmap, tokens down and coordinates across."""
    return _stacked([("inputs", run.tokens, run.inputs)], palette)


def _stacked(blocks: Sequence[tuple[str, Tokens, Tensor]], palette: Palette) -> go.Figure:
    """Matrices (tokens, coordinates) one below the other, on one scale."""
    limit = max(matrix.abs().max().item() for _, _, matrix in blocks) or 1.0
    cells = max(_ROW * max(tokens.n for _, tokens, _ in blocks), 80)
    height = len(blocks) * (cells + _BETWEEN)
    layout = style.layout(palette) | {"height": height, "annotations": []}
    layout["margin"] = {"l": 8, "r": 8, "t": 0, "b": 0}
    data: list[dict[str, Any]] = []
    for place, (name, tokens, matrix) in enumerate(blocks):
        suffix = str(place + 1) if place else ""
        top = 1 - (place * (cells + _BETWEEN) + 34) / height
        rows = style.token_axis("", tokens.labels, palette)
        rows |= {"domain": [top - cells / height, top], "range": rows["range"][::-1]}
        columns: dict[str, Any] = {
            "title": style.axis_title("coordinate", palette),
            "anchor": f"y{suffix}",
            "dtick": -(-min(matrix.shape[1], MOST_COORDINATES) // _MOST_TICKS),
        }
        layout |= {f"yaxis{suffix}": rows, f"xaxis{suffix}": columns | {"zeroline": False}}
        words = f"{name} {tokens.n} × {matrix.shape[1]}"
        if matrix.shape[1] > MOST_COORDINATES:
            words += f", the first {MOST_COORDINATES} coordinates"
        layout["annotations"].append(_heading(words, top))
        shown = matrix[:, :MOST_COORDINATES]
        data.append(_cells(name, shown, limit, suffix) | {"showscale": place == 0})
    return go.Figure({"data": data, "layout": layout})


def _cells(name: str, matrix: Tensor, limit: float, suffix: str) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "name": name,
        "x0": 1,
        "z": matrix.numpy(force=True),
        "zmin": -limit,
        "zmax": limit,
        "colorscale": style.colour_scale(SCORES),
        "colorbar": {"thickness": 12, "tickvals": [-limit, 0, limit], "tickformat": ".2f"},
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
        "hovertemplate": f"{name}, %{{y}}, coordinate %{{x}}: %{{z:.4g}}<extra></extra>",
    }


def contributions(run: Run, row: int, *, palette: Palette = LIGHT) -> go.Figure:
    """One query's weights beside what each key adds to its context, ‖weight · value‖."""
    labels = run.keys.labels
    series = (
        ("weight", run.trace.weights[row], palette.mark),
        (
            "‖weight × value‖",
            contribution_norms(run.trace.weights, run.trace.value)[row],
            palette.ink,
        ),
    )
    layout = style.layout(palette) | {
        "height": 130 + 2 * _ROW * len(labels),
        "margin": {"l": 8, "r": 60, "t": 40, "b": 8},
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "traceorder": "normal"},
        "barmode": "group",
        "xaxis": {"rangemode": "tozero", "zeroline": False, "automargin": True},
    }
    rows = style.token_axis("key", labels, palette)
    layout["yaxis"] = rows | {"range": rows["range"][::-1]}
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "x": values.numpy(force=True),
            "y": list(range(len(labels))),
            "text": [number(value) for value in values.tolist()],
            "textposition": "outside",
            "cliponaxis": False,
            "marker": {"color": colour},
            "hoverinfo": "skip",
        }
        for name, values, colour in series
    ]
    return go.Figure({"data": data, "layout": layout})


def _heading(text: str, y: float) -> dict[str, Any]:
    where = {"x": 0, "y": y, "xref": "paper", "yref": "paper", "xanchor": "left"}
    return {"text": f"<b>{text}</b>", "yanchor": "bottom", "showarrow": False} | where

"""Softmax along rows beside softmax down columns, each with the sums of both."""

from typing import Any, Final

import plotly.graph_objects as go
import torch
from torch import Tensor

from attention_viz.colours import LIGHT, MASKED, WEIGHTS, Palette, css, shade, text_on
from attention_viz.figures import style
from attention_viz.maps import MAX_TEXT_TOKENS
from attention_viz.mistakes import weights_over_queries
from attention_viz.pipeline import Run
from attention_viz.reading import number

_CELLS: Final = 300  # pixels
_TITLE: Final = 50
_LABELS: Final = 90
_MOST_SUMS: Final = 12  # tokens up to which each sum is written
_GAP: Final = 0.2


def both_directions(run: Run, *, columns: int = 2, palette: Palette = LIGHT) -> go.Figure:
    """Weights over keys and weights over queries, with row sums right and column sums below.

    Args:
        run: what to draw.
        columns: maps side by side; 1 suits a phone.
        palette: what surrounds the cells.
    """
    maps = [
        ("Over keys: along each row", run.trace.weights),
        ("Over queries: down each column", weights_over_queries(run.trace)),
    ]
    lines = len(maps) // columns
    block = _TITLE + _CELLS + _LABELS
    height = lines * block
    layout = style.layout(palette) | {"height": height, "annotations": []}
    layout["margin"] = {"l": 8, "r": 8, "t": 0, "b": 0}
    width = (1 - _GAP * (columns - 1)) / columns
    data: list[dict[str, Any]] = []
    for place, (title, weights) in enumerate(maps):
        line, column = divmod(place, columns)
        suffix = str(place + 1) if place else ""
        left, top = column * (width + _GAP), 1 - (line * block + _TITLE) / height
        layout |= _axes(run, suffix, [left, left + width], [top - _CELLS / height, top], palette)
        layout["annotations"].append(_heading(title, left, top))
        axes = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        data += [trace | axes for trace in _traces(run, weights, palette)]
    return go.Figure({"data": data, "layout": layout})


def _traces(run: Run, weights: Tensor, palette: Palette) -> list[dict[str, Any]]:
    n_q, n_k = weights.shape
    cells = {"type": "heatmap", "x": list(range(n_k)), "y": list(range(n_q)), "showscale": False}
    traces = [
        cells
        | {
            "name": "weights",
            "z": weights.numpy(force=True),
            "zmin": 0,
            "zmax": 1,
            "colorscale": style.colour_scale(WEIGHTS),
            "hovertemplate": "weight %{z:.4g}<extra></extra>",
        }
    ]
    if not run.trace.mask.all():
        hidden = torch.where(run.trace.mask, torch.nan, 1.0)
        colours = style.colour_scale((MASKED, MASKED))
        traces.append(
            cells | {"z": hidden.numpy(force=True), "colorscale": colours, "hoverinfo": "skip"}
        )
    if max(n_q, n_k) <= MAX_TEXT_TOKENS:
        traces.append(_numbers(weights, run.trace.mask))
    if max(n_q, n_k) <= _MOST_SUMS:
        traces.append(_sums(weights, palette))
    return traces


def _numbers(weights: Tensor, mask: Tensor) -> dict[str, Any]:
    n_q, n_k = weights.shape
    places = [(i, j) for i in range(n_q) for j in range(n_k) if mask[i, j]]
    values = weights.tolist()
    return {
        "type": "scatter",
        "mode": "text",
        "x": [j for _, j in places],
        "y": [i for i, _ in places],
        "text": [f"{values[i][j]:.2f}" for i, j in places],
        "textfont": {"color": [css(text_on(shade(WEIGHTS, values[i][j]))) for i, j in places]},
        "hoverinfo": "skip",
    }


def _sums(weights: Tensor, palette: Palette) -> dict[str, Any]:
    n_q, n_k = weights.shape
    totals = [*weights.sum(dim=1).tolist(), *weights.sum(dim=0).tolist()]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [n_k] * n_q + list(range(n_k)),
        "y": list(range(n_q)) + [n_q] * n_k,
        "text": [number(round(total, 2)) for total in totals],
        "textfont": {"color": palette.mark},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }


def _axes(
    run: Run, suffix: str, across: list[float], down: list[float], palette: Palette
) -> dict[str, Any]:
    n_q, n_k = run.tokens.n, run.keys.n
    room = 0.5 if max(n_q, n_k) <= _MOST_SUMS else -0.5  # for the sums
    plain = {"showline": False, "constrain": "domain"}
    keys = style.token_axis("key", run.keys.labels, palette) | plain
    queries = style.token_axis("query", run.tokens.labels, palette) | plain
    return {
        f"xaxis{suffix}": keys
        | {"domain": across, "anchor": f"y{suffix}", "range": [-0.5, n_k + room]}
        | {"constraintoward": "left"},
        f"yaxis{suffix}": queries
        | {"domain": down, "anchor": f"x{suffix}", "range": [n_q + room, -0.5]}
        | {"scaleanchor": f"x{suffix}", "constraintoward": "top"},
    }


def _heading(title: str, x: float, y: float) -> dict[str, Any]:
    where = {"x": x, "y": y, "xref": "paper", "yref": "paper", "xanchor": "left"}
    return {"text": f"<b>{title}</b>", "yanchor": "bottom", "showarrow": False} | where

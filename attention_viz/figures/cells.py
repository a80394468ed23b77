"""The cells of one map as Plotly traces: colours, numbers, what a pointer reads, a legend."""

import math
from dataclasses import dataclass
from typing import Any, Final

import torch

from attention_viz.attention import apply_steps
from attention_viz.colours import MASKED, css, text_on
from attention_viz.figures import style
from attention_viz.maps import MAX_TEXT_TOKENS, Map
from attention_viz.pipeline import Run
from attention_viz.reading import minus, number, read_steps

CELLS: Final = 290  # pixels of a map
_LARGE_TEXT_TOKENS: Final = 5
_MAX_HOVER_TOKENS: Final = 48  # above it the arithmetic of every cell is more text than picture


@dataclass(frozen=True, slots=True)
class Place:
    """Where one map stands: the number of its axes, and its domain as shares of the figure."""

    suffix: str
    left: float
    right: float
    bottom: float
    top: float

    @property
    def axes(self) -> dict[str, str]:
        """The axes of a trace that is drawn here."""
        return {"xaxis": f"x{self.suffix}", "yaxis": f"y{self.suffix}"}


def traces(place: Place, one: Map, hover: dict[str, Any], *, legend: bool) -> list[dict[str, Any]]:
    """The cells, the masked cells over them, and the numbers on them while they fit."""
    drawn = [_cells(one) | hover]
    if legend:
        drawn[0] |= {"showscale": True, "colorbar": _legend(place, one)}
    if one.masked.any():
        drawn.append(_masked_cells(one))
    if max(one.values.shape) <= MAX_TEXT_TOKENS:
        drawn.append(_numbers(one))
    if one.values.isnan().any():
        drawn.append(_questions(one))
    return [trace | place.axes for trace in drawn]


def _cells(one: Map) -> dict[str, Any]:
    low, high = one.limits
    n_q, n_k = one.values.shape
    return {
        "type": "heatmap",
        "name": one.title,
        "x": list(range(n_k)),
        "y": list(range(n_q)),
        "z": one.values.numpy(force=True),
        "zmin": low,
        "zmax": high,
        "colorscale": style.colour_scale(one.anchors),
        "showscale": False,
        "hoverongaps": False,
    }


def _masked_cells(one: Map) -> dict[str, Any]:
    """A second heatmap over the first: a masked cell is not a weight of 0."""
    n_q, n_k = one.values.shape
    return {
        "type": "heatmap",
        "x": list(range(n_k)),
        "y": list(range(n_q)),
        "z": torch.where(one.masked, 1.0, math.nan).numpy(force=True),
        "colorscale": style.colour_scale((MASKED, MASKED)),
        "showscale": False,
        "hoverinfo": "skip",
        "hoverongaps": False,
    }


def _numbers(one: Map) -> dict[str, Any]:
    """The text of the cells. A heatmap's own text takes one colour, not the readable one."""
    n_k = one.values.shape[1]
    places = (~one.values.isnan()).nonzero().tolist()
    return {
        "type": "scatter",
        "mode": "text",
        "x": [j for _, j in places],
        "y": [i for i, _ in places],
        "text": [
            "–" if one.masked[i, j] else minus(f"{one.values[i, j].item():.2f}") for i, j in places
        ],
        "textfont": {
            "size": 12 if n_k > _LARGE_TEXT_TOKENS else 14,
            "color": [css(text_on(one.colour(i, j))) for i, j in places],
        },
        "hoverinfo": "skip",
    }


def _questions(one: Map) -> dict[str, Any]:
    """A sign where a number is asked for, in the colour of all text: its cell has none."""
    places = one.values.isnan().nonzero().tolist()
    return {
        "type": "scatter",
        "mode": "text",
        "x": [j for _, j in places],
        "y": [i for i, _ in places],
        "text": ["?" for _ in places],
        "textfont": {"size": 18},
        "hoverinfo": "skip",
    }


def number_hover(one: Map) -> dict[str, Any]:
    """What a pointer over a cell reads: its number."""
    return {"hovertemplate": f"{one.title} %{{z:.4g}}<extra></extra>"}


def arithmetic_hover(one: Map, run: Run) -> dict[str, Any]:
    """What a pointer over a cell reads: the arithmetic while there are few cells."""
    if max(one.values.shape) > _MAX_HOVER_TOKENS:
        return number_hover(one)
    return {"hovertext": _arithmetic(one, run), "hovertemplate": "%{hovertext}<extra></extra>"}


def _arithmetic(one: Map, run: Run) -> list[list[str]]:
    """The steps of each cell, from q·k to its weight."""
    trace = run.trace
    divisor = one.divisor or trace.divisor
    scaled_scores = trace.scores / divisor
    scores, scaled, logits = (
        m.tolist() for m in (trace.scores, scaled_scores, apply_steps(trace.steps, scaled_scores))
    )
    weights = (one.values if one.divisor else trace.weights).tolist()
    mask, steps = trace.mask.tolist(), read_steps(trace.steps)
    queries, keys = (
        [style.plotly_text(name) for name in tokens.names] for tokens in (run.tokens, run.keys)
    )

    def text(i: int, j: int) -> str:
        if j == len(keys):
            return f"query {queries[i]}, the sink<br>takes {number(weights[i][j])}, gives nothing"
        division = f"÷ {number(divisor)} = {number(scaled[i][j])}"
        lines = [
            f"query {queries[i]}, key {keys[j]}",
            f"q·k = {number(scores[i][j])}",
            "not scaled" if one.divisor == 1 else division,
            f"{steps}: {number(logits[i][j])}" if logits[i][j] != scaled[i][j] else "",
            f"weight {number(weights[i][j])}" if mask[i][j] else "masked: may not look",
        ]
        return minus("<br>".join(line for line in lines if line))

    return [[text(i, j) for j in range(len(one.columns))] for i in range(run.tokens.n)]


def _legend(place: Place, one: Map) -> dict[str, Any]:
    low, high = one.limits
    return {
        "x": place.right + 0.01,
        "y": place.top,
        "yanchor": "top",
        "lenmode": "pixels",
        "len": CELLS,
        "ypad": 0,
        "thickness": 12,
        "tickvals": [low, (low + high) / 2, high],
        "ticktext": [minus(end) for end in one.ends],
        "outlinewidth": 0,
    }

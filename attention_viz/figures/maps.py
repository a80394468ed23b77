"""The maps of a run as one figure: raw scores, scaled scores, weights, and weights unscaled."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import plotly.graph_objects as go
import torch
from torch import Tensor

from attention_viz.attention import unscaled_weights
from attention_viz.colours import (
    LIGHT,
    MASKED,
    SCORE_LIMIT,
    SCORES,
    WEIGHTS,
    Palette,
    Rgb,
    css,
    shade,
    text_on,
)
from attention_viz.figures import style
from attention_viz.pipeline import Run
from attention_viz.reading import number, percent


class Scale(StrEnum):
    """The limits of the colours of scores."""

    FIXED = "fixed"  # ±3, for both maps
    FIT = "fit"  # the largest of both maps
    OWN = "own"  # each map's largest


MAX_TEXT_TOKENS: Final = 8  # above it cells carry no number
_LARGE_TEXT_TOKENS: Final = 5
_MAX_HOVER_TOKENS: Final = 48  # above it the arithmetic of every cell is more text than picture
# Pixels of a map: its title above, its cells, its labels below; and the share of the width right
# of the last column that the legends take.
_TITLE: Final = 66
_CELLS: Final = 290
_LABELS: Final = 64
_LEGENDS: Final = 0.09
_GAP: Final = 0.05  # between columns, and more for each letter of the longest label
_LETTER: Final = 0.009
_NO_KEY: Final = " (no allowed key)"


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


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """One heatmap: its words, its numbers (n_q, n_k) and how they become colours."""

    title: str
    formula: str
    values: Tensor
    limits: tuple[float, float]
    anchors: tuple[Rgb, ...]
    masked: Tensor
    own_scale: bool = False
    unscaled: bool = False

    @property
    def lines(self) -> list[str]:
        """Title, formula, and what the colours leave out."""
        low, high = self.limits
        off = int(((self.values < low) | (self.values > high)).sum())
        note = f"{off} of {self.values.numel()} cells off the scale" if off else ""
        if self.own_scale:
            note = f"its own scale: ±{number(high)}"
        return [f"<b>{self.title}</b>", self.formula, note]

    def colour(self, i: int, j: int) -> Rgb:
        """The colour of a cell."""
        if self.masked[i, j]:
            return MASKED
        low, high = self.limits
        return shade(self.anchors, (self.values[i, j].item() - low) / (high - low))


def attention_maps(
    run: Run,
    *,
    row: int = 0,
    scale: Scale = Scale.FIXED,
    columns: int = 2,
    palette: Palette = LIGHT,
) -> go.Figure:
    """The maps of a run, queries down and keys across, row 0 at the top.

    Scores share one colour scale of ±3, three standard deviations of well-scaled scores; weights
    run from 0 to 1. At divisor 1 the weights without scaling are the same picture, so they are left
    out and the title says so.

    Args:
        run: what to draw.
        row: the query that is outlined.
        scale: the limits of the colours of scores.
        columns: maps side by side; 1 suits a phone.
        palette: what surrounds the cells.
    """
    maps = _maps(run, Scale(scale))
    longest = min(max(map(len, run.tokens.labels)), style.MAX_LABEL)
    height, places = _grid(len(maps), columns, gap=_GAP + _LETTER * longest)
    layout = style.layout(palette) | {"height": height, "margin": {"l": 8, "r": 8, "t": 0, "b": 0}}
    for place in places:
        layout |= _axes(place, run, palette)
    placed = list(zip(places, maps, strict=True))
    layout["annotations"] = [_title(place, one) for place, one in placed]
    layout["shapes"] = [_row_frame(place, row, run.tokens.n, palette) for place in places]
    # One legend for the scores, one for the weights: at the last map of each one's first line.
    legends = {min(columns, 2) - 1, min(2 + columns, len(maps)) - 1}
    data = [
        trace
        for i, (place, one) in enumerate(placed)
        for trace in _traces(place, one, run, legend=i in legends)
    ]
    return go.Figure({"data": data, "layout": layout})


def describe_maps(run: Run) -> str:
    """What the figure shows, for a person who cannot see it."""
    trace, names = run.trace, run.tokens.names
    top = [int(weights.argmax()) for weights in trace.weights]
    rows = "; ".join(
        f"{names[i]} most on {names[j]}, {percent(trace.weights[i, j].item())}"
        for i, j in list(enumerate(top))[:MAX_TEXT_TOKENS]
        if trace.mask[i].any()
    )
    last = "" if trace.divisor == 1 else ", and weights without scaling"
    return (
        f"Heatmaps of {run.tokens.n} by {run.tokens.n} raw scores, scores divided by "
        f"{number(trace.divisor)}, attention weights{last}. {rows or 'No row may look anywhere'}."
    )


def _maps(run: Run, scale: Scale) -> list[Map]:
    trace = run.trace
    nowhere = torch.zeros_like(trace.mask)
    limits = _score_limits(trace.scores, trace.scaled_scores, scale)
    divisor = number(trace.divisor)
    own = scale is Scale.OWN
    raw, scaled = ((-limit, limit) for limit in limits)
    unit = (0.0, 1.0)
    masked = ~trace.mask
    maps = [
        Map("Raw scores", "QKᵀ", trace.scores, raw, SCORES, nowhere, own),
        Map("Scaled scores", f"QKᵀ ÷ {divisor}", trace.scaled_scores, scaled, SCORES, nowhere, own),
    ]
    if trace.divisor == 1:
        formula = "softmax(QKᵀ): divisor 1 scales nothing"
        return [*maps, Map("Attention weights", formula, trace.weights, unit, WEIGHTS, masked)]
    formula, without = f"softmax(QKᵀ ÷ {divisor})", "without scaling: softmax(QKᵀ)"
    unscaled = unscaled_weights(trace)
    return [
        *maps,
        Map("Attention weights", formula, trace.weights, unit, WEIGHTS, masked),
        Map("Attention weights", without, unscaled, unit, WEIGHTS, masked, unscaled=True),
    ]


def _score_limits(raw: Tensor, scaled: Tensor, scale: Scale) -> tuple[float, float]:
    if scale is Scale.FIXED:
        return SCORE_LIMIT, SCORE_LIMIT
    largest_raw, largest_scaled = (values.abs().max().item() or 1.0 for values in (raw, scaled))
    if scale is Scale.OWN:
        return largest_raw, largest_scaled
    return (max(largest_raw, largest_scaled),) * 2


def _grid(maps: int, columns: int, gap: float) -> tuple[int, list[Place]]:
    """The height of the figure in pixels, and a place for each map."""
    rows = -(-maps // columns)
    height = rows * (_TITLE + _CELLS + _LABELS)
    width = (1 - _LEGENDS - gap * (columns - 1)) / columns
    places = []
    for i in range(maps):
        row, column = divmod(i, columns)
        top = 1 - (row * (_TITLE + _CELLS + _LABELS) + _TITLE) / height
        left = column * (width + gap)
        suffix = str(i + 1) if i else ""
        places.append(Place(suffix, left, left + width, top - _CELLS / height, top))
    return height, places


def _axes(place: Place, run: Run, palette: Palette) -> dict[str, Any]:
    """The layout of the axes of one map."""
    suffix = place.suffix
    labels = list(run.tokens.labels)
    notes = ["" if sees else _NO_KEY for sees in run.trace.mask.any(dim=-1).tolist()]
    keys = style.token_axis("key", labels, palette)
    keys |= {"domain": [place.left, place.right], "anchor": f"y{suffix}"}
    queries = style.token_axis("query", labels, palette, notes=notes)
    queries |= {"domain": [place.bottom, place.top], "anchor": f"x{suffix}"}
    # Row 0 at the top, cells square.
    queries |= {"range": queries["range"][::-1], "scaleanchor": f"x{suffix}"}
    return {
        f"xaxis{suffix}": keys | {"constrain": "domain"},
        f"yaxis{suffix}": queries | {"constrain": "domain", "constraintoward": "top"},
    }


def _traces(place: Place, one: Map, run: Run, *, legend: bool) -> list[dict[str, Any]]:
    """The cells, the masked cells over them, and the numbers on them while they fit."""
    traces = [_cells(one, run)]
    if legend:
        traces[0] |= {"showscale": True, "colorbar": _legend(place, one)}
    if one.masked.any():
        traces.append(_masked_cells(one))
    if run.tokens.n <= MAX_TEXT_TOKENS:
        traces.append(_numbers(one))
    return [trace | place.axes for trace in traces]


def _cells(one: Map, run: Run) -> dict[str, Any]:
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
        **_hover(one, run),
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
    n_q, n_k = one.values.shape
    places = [(i, j) for i in range(n_q) for j in range(n_k)]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [j for _, j in places],
        "y": [i for i, _ in places],
        "text": ["–" if one.masked[i, j] else f"{one.values[i, j].item():.2f}" for i, j in places],
        "textfont": {
            "size": 12 if n_k > _LARGE_TEXT_TOKENS else 14,
            "color": [css(text_on(one.colour(i, j))) for i, j in places],
        },
        "hoverinfo": "skip",
    }


def _hover(one: Map, run: Run) -> dict[str, Any]:
    """What a pointer over a cell reads: the arithmetic while there are few cells."""
    if run.tokens.n > _MAX_HOVER_TOKENS:
        return {"hovertemplate": f"{one.title} %{{z:.4g}}<extra></extra>"}
    weights = one.values if one.unscaled else run.trace.weights
    text = _arithmetic(run, weights, scaled=not one.unscaled)
    return {"hovertext": text, "hovertemplate": "%{hovertext}<extra></extra>"}


def _arithmetic(run: Run, of: Tensor, *, scaled: bool) -> list[list[str]]:
    """The steps of each cell, from q·k to its weight."""
    trace, names = run.trace, [style.plotly_text(name) for name in run.tokens.names]
    scores, logits, weights = (m.tolist() for m in (trace.scores, trace.scaled_scores, of))
    divisor, mask = number(trace.divisor), trace.mask.tolist()

    def text(i: int, j: int) -> str:
        division = f"÷ {divisor} = {number(logits[i][j])}" if scaled else "not scaled"
        steps = f"q·k = {number(scores[i][j])}<br>{division}<br>"
        end = f"weight {number(weights[i][j])}" if mask[i][j] else "masked: may not look"
        return f"query {names[i]}, key {names[j]}<br>{steps}{end}"

    n = run.tokens.n
    return [[text(i, j) for j in range(n)] for i in range(n)]


def _legend(place: Place, one: Map) -> dict[str, Any]:
    low, high = one.limits
    ends = (low, (low + high) / 2, high)
    words = [number(end) for end in ends]
    if one.own_scale:
        words = ["own least", "0", "own most"]
    elif high == SCORE_LIMIT:
        words = [f"≤ {words[0]}", words[1], f"≥ {words[2]}"]
    return {
        "x": place.right + 0.01,
        "y": place.top,
        "yanchor": "top",
        "lenmode": "pixels",
        "len": _CELLS,
        "ypad": 0,
        "thickness": 12,
        "tickvals": list(ends),
        "ticktext": words,
        "outlinewidth": 0,
    }


def _title(place: Place, one: Map) -> dict[str, Any]:
    return {
        "text": "<br>".join(one.lines),
        "x": place.left,
        "y": place.top,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
    }


def _row_frame(place: Place, row: int, n: int, palette: Palette) -> dict[str, Any]:
    """A frame around the picked query's row."""
    return {
        "type": "rect",
        "xref": f"x{place.suffix}",
        "yref": f"y{place.suffix}",
        "x0": -0.5,
        "x1": n - 0.5,
        "y0": row - 0.5,
        "y1": row + 0.5,
        "line": {"color": palette.mark, "width": 3},
    }

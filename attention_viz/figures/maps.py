"""The maps of a run as one figure: raw scores, scaled scores, weights, and weights unscaled."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

import plotly.graph_objects as go
import torch
from torch import Tensor

from attention_viz.attention import Sink, unscaled_weights
from attention_viz.colours import LIGHT, SCORE_LIMIT, SCORES, WEIGHTS, Palette
from attention_viz.figures import style
from attention_viz.figures.cells import (
    CELLS,
    MAX_TEXT_TOKENS,
    Map,
    Place,
    arithmetic_hover,
    number_hover,
    traces,
)
from attention_viz.models import WeightsRun
from attention_viz.pipeline import Run
from attention_viz.reading import number, percent, read_steps


class Scale(StrEnum):
    """The limits of the colours of scores.

    Attributes:
        FIXED: ±3, for both maps.
        FIT: the largest of both maps.
        OWN: each map's largest.
    """

    FIXED = "fixed"
    FIT = "fit"
    OWN = "own"


# Pixels of a map's title above its cells and of its labels below; and the share of the width right
# of the last column that the legends take.
_TITLE: Final = 66
_LABELS: Final = 64
_LEGENDS: Final = 0.09
_GAP: Final = 0.085  # between columns, and more for each letter of the longest label
_LETTER: Final = 0.009
_NO_KEY: Final = " (no allowed key)"


@dataclass(frozen=True, slots=True)
class Rows:
    """The queries of all maps: their labels, notes behind them, and the one that is outlined."""

    labels: Sequence[str]
    notes: Sequence[str]
    picked: int


def attention_maps(
    run: Run,
    *,
    row: int = 0,
    scale: Scale = Scale.FIXED,
    limit: float = SCORE_LIMIT,
    columns: int = 2,
    palette: Palette = LIGHT,
) -> go.Figure:
    """The maps of a run, queries down and keys across, row 0 at the top.

    Scores share one colour scale of ±3, three standard deviations of well-scaled scores; weights
    run from 0 to 1, with one column more where there is a sink. At divisor 1 the weights without
    scaling are the same picture, so they are left out and the title says so.

    Args:
        run: what to draw.
        row: the query that is outlined.
        scale: the limits of the colours of scores.
        limit: of the scale ``fixed``.
        columns: maps side by side; 1 suits a phone.
        palette: what surrounds the cells.
    """
    maps = maps_of(run, Scale(scale), limit)
    # One legend for the scores, one for the weights: at the last map of each one's first line.
    legends = {min(columns, 2) - 1, min(2 + columns, len(maps)) - 1}
    hovers = [arithmetic_hover(one, run) for one in maps]
    notes = ["" if sees else _NO_KEY for sees in run.trace.mask.any(dim=-1).tolist()]
    rows = Rows(run.tokens.labels, notes, row)
    return _figure(maps, hovers, rows, legends=legends, columns=columns, palette=palette)


def step_maps(
    run: Run,
    steps: Sequence[int],
    *,
    row: int = 0,
    asked: int | None = None,
    limit: float = SCORE_LIMIT,
    columns: int = 2,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Some of the maps of a run: 0 raw scores, 1 scaled scores, 2 weights; see attention_maps.

    The last of them has "?" in place of the number of a key that is asked for in the row.
    """
    every = maps_of(run, Scale.FIXED, limit)
    maps = [every[step] for step in steps]
    hovers = [arithmetic_hover(one, run) for one in maps]
    if asked is not None:
        maps[-1] = replace(maps[-1], values=maps[-1].values.clone())
        maps[-1].values[row, asked] = math.nan
        for hover in hovers:
            _end_at_score(hover, row, asked)
    rows = Rows(run.tokens.labels, [], row)
    legends = {len(maps) - 1}
    return _figure(maps, hovers, rows, legends=legends, columns=columns, palette=palette)


def _end_at_score(hover: dict[str, Any], row: int, key: int) -> None:
    """Let a pointer over a cell read no further than its raw score."""
    if "hovertext" in hover:
        line = hover["hovertext"][row]
        line[key] = "<br>".join(line[key].split("<br>")[:2])


def own_weights_map(found: WeightsRun, *, row: int = 0, palette: Palette = LIGHT) -> go.Figure:
    """The weights of a head whose other steps are not known, the model's own."""
    one = Map(
        "Attention weights",
        "the model’s own",
        found.weights,
        found.keys.labels,
        (0.0, 1.0),
        ("0", "0.5", "1"),
        WEIGHTS,
        torch.zeros_like(found.weights, dtype=torch.bool),
    )
    rows = Rows(found.tokens.labels, [], row)
    return _figure([one], [number_hover(one)], rows, legends={0}, columns=1, palette=palette)


def _figure(
    maps: Sequence[Map],
    hovers: Sequence[dict[str, Any]],
    rows: Rows,
    *,
    legends: Collection[int],
    columns: int,
    palette: Palette,
) -> go.Figure:
    longest = min(max(map(len, rows.labels)), style.MAX_LABEL)
    height, places = _grid(len(maps), columns, gap=_GAP + _LETTER * longest)
    layout = style.layout(palette) | {"height": height, "margin": {"l": 8, "r": 8, "t": 0, "b": 0}}
    placed = list(zip(places, maps, strict=True))
    for place, one in placed:
        layout |= _axes(place, one, rows, palette)
    layout["annotations"] = [_title(place, one) for place, one in placed]
    layout["shapes"] = [_row_frame(place, rows.picked, one, palette) for place, one in placed]
    data = [
        trace
        for i, (place, one) in enumerate(placed)
        for trace in traces(place, one, hovers[i], legend=i in legends)
    ]
    return go.Figure({"data": data, "layout": layout})


def describe_maps(run: Run) -> str:
    """What the figure shows, for a person who cannot see it."""
    trace, names = run.trace, run.tokens.names
    top = [int(weights.argmax()) for weights in trace.weights]
    rows = "; ".join(
        f"{names[i]} most on {run.keys.names[j]}, {percent(trace.weights[i, j].item())}"
        for i, j in list(enumerate(top))[:MAX_TEXT_TOKENS]
        if trace.mask[i].any()
    )
    last = "" if trace.divisor == 1 else ", and weights without scaling"
    return (
        f"Heatmaps of {run.tokens.n} by {run.keys.n} raw scores, scores divided by "
        f"{number(trace.divisor)}, attention weights{last}. {rows or 'No row may look anywhere'}."
    )


def maps_of(run: Run, scale: Scale, limit: float) -> list[Map]:
    """The maps of a run, in the order of the steps: four, or three where the divisor is 1."""
    trace = run.trace
    maps = [
        _score_map("Raw scores", "QKᵀ", trace.scores, run, scale, limit),
        _score_map(
            "Scaled scores",
            f"QKᵀ ÷ {number(trace.divisor)}",
            trace.scaled_scores,
            run,
            scale,
            limit,
        ),
    ]
    steps = read_steps(trace.steps)
    added = f", {steps}" if steps else ""
    if trace.divisor == 1:
        formula = f"softmax(QKᵀ{added}): divisor 1 scales nothing"
        return [*maps, _weight_map(formula, trace.weights, run, 1)]
    formula = f"softmax(QKᵀ ÷ {number(trace.divisor)}{added})"
    without = f"without scaling: softmax(QKᵀ{added})"
    return [
        *maps,
        _weight_map(formula, trace.weights, run, trace.divisor),
        _weight_map(without, unscaled_weights(trace), run, 1),
    ]


def _score_map(
    title: str, formula: str, values: Tensor, run: Run, scale: Scale, limit: float
) -> Map:
    high = {
        Scale.FIXED: limit,
        Scale.FIT: max(_largest(run.trace.scores), _largest(run.trace.scaled_scores)),
        Scale.OWN: _largest(values),
    }[scale]
    nowhere = torch.zeros_like(run.trace.mask)
    own = scale is Scale.OWN
    ends = {
        Scale.FIXED: (f"≤ {number(-high)}", "0", f"≥ {number(high)}"),
        Scale.FIT: (number(-high), "0", number(high)),
        Scale.OWN: ("own least", "0", "own most"),
    }[scale]
    return Map(title, formula, values, run.keys.labels, (-high, high), ends, SCORES, nowhere, own)


def _weight_map(formula: str, weights: Tensor, run: Run, divisor: float) -> Map:
    """A map of weights; what a sink takes is a column of its own."""
    columns, masked = run.keys.labels, ~run.trace.mask
    if any(isinstance(step, Sink) for step in run.trace.steps):
        sunk = 1 - weights.sum(dim=-1, keepdim=True)
        weights = torch.cat([weights, sunk.clamp(min=0)], dim=-1)
        masked = torch.cat([masked, torch.zeros_like(masked[:, :1])], dim=-1)
        columns = (*columns, "sink")
    return Map(
        "Attention weights",
        formula,
        weights,
        columns,
        (0.0, 1.0),
        ("0", "0.5", "1"),
        WEIGHTS,
        masked,
        divisor=divisor,
    )


def _largest(values: Tensor) -> float:
    return values.abs().max().item() or 1.0


def _grid(maps: int, columns: int, gap: float) -> tuple[int, list[Place]]:
    """The height of the figure in pixels, and a place for each map."""
    rows = -(-maps // columns)
    height = rows * (_TITLE + CELLS + _LABELS)
    width = (1 - _LEGENDS - gap * (columns - 1)) / columns
    places = []
    for i in range(maps):
        row, column = divmod(i, columns)
        top = 1 - (row * (_TITLE + CELLS + _LABELS) + _TITLE) / height
        left = column * (width + gap)
        suffix = str(i + 1) if i else ""
        places.append(Place(suffix, left, left + width, top - CELLS / height, top))
    return height, places


def _axes(place: Place, one: Map, rows: Rows, palette: Palette) -> dict[str, Any]:
    """The layout of the axes of one map."""
    suffix = place.suffix
    keys = style.token_axis("key", one.columns, palette)
    keys |= {"domain": [place.left, place.right], "anchor": f"y{suffix}"}
    queries = style.token_axis("query", rows.labels, palette, notes=rows.notes)
    queries |= {"domain": [place.bottom, place.top], "anchor": f"x{suffix}"}
    # Row 0 at the top, cells square.
    queries |= {"range": queries["range"][::-1], "scaleanchor": f"x{suffix}"}
    return {
        f"xaxis{suffix}": keys | {"constrain": "domain"},
        f"yaxis{suffix}": queries | {"constrain": "domain", "constraintoward": "top"},
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


def _row_frame(place: Place, row: int, one: Map, palette: Palette) -> dict[str, Any]:
    """A frame around the picked query's row."""
    return {
        "type": "rect",
        "xref": f"x{place.suffix}",
        "yref": f"y{place.suffix}",
        "x0": -0.5,
        "x1": len(one.columns) - 0.5,
        "y0": row - 0.5,
        "y1": row + 0.5,
        "line": {"color": palette.mark, "width": 3},
    }

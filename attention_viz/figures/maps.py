"""The maps of a run laid out as one figure."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import plotly.graph_objects as go

from attention_viz.colours import LIGHT, SCORE_LIMIT, WHITE, Palette, Scale, css
from attention_viz.figures import style
from attention_viz.figures.cells import (
    CELLS,
    Place,
    arithmetic_hover,
    number_hover,
    traces,
)
from attention_viz.maps import MAX_LABEL, Map, maps_of, own_weights
from attention_viz.models import WeightsRun
from attention_viz.pipeline import Run

# Pixels of a map's title above its cells and of its labels below; and the share of the width right
# of the last column that the legends take.
_TITLE: Final = 66
_LABELS: Final = 64
_LEGENDS: Final = 0.09
_GAP: Final = 0.085  # between columns, and more for each letter of the longest label
_LETTER: Final = 0.009
_FRAME: Final = 3  # pixels, the line around a row
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
    one = own_weights(found.weights, found.keys.labels)
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
    longest = min(max(map(len, rows.labels)), MAX_LABEL)
    height, places = _grid(len(maps), columns, gap=_GAP + _LETTER * longest)
    layout = style.layout(palette) | {"height": height, "margin": {"l": 8, "r": 8, "t": 0, "b": 0}}
    placed = list(zip(places, maps, strict=True))
    for place, one in placed:
        layout |= _axes(place, one, rows, palette)
    layout["annotations"] = [_title(place, one) for place, one in placed]
    layout["shapes"] = [
        line for place, one in placed for line in _row_frame(place, rows.picked, one, palette)
    ]
    data = [
        trace
        for i, (place, one) in enumerate(placed)
        for trace in traces(place, one, hovers[i], legend=i in legends)
    ]
    return go.Figure({"data": data, "layout": layout})


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


def _row_frame(place: Place, row: int, one: Map, palette: Palette) -> list[dict[str, Any]]:
    """A frame around the picked query's row, edged with white: seen on cells of any shade."""
    frame = {
        "type": "rect",
        "xref": f"x{place.suffix}",
        "yref": f"y{place.suffix}",
        "x0": -0.5,
        "x1": len(one.columns) - 0.5,
        "y0": row - 0.5,
        "y1": row + 0.5,
    }
    lines = (css(WHITE), _FRAME + 2), (palette.mark, _FRAME)
    return [frame | {"line": {"color": colour, "width": width}} for colour, width in lines]

"""Rows of numbers as bars side by side: one panel a step or a way, one line a score."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go
import torch
from torch import Tensor

from attention_viz.alternatives import Way, total_of, weights_by
from attention_viz.colours import LIGHT, MASKED, Palette, css
from attention_viz.figures import style
from attention_viz.mistakes import Masking, leak, lost_after, mask_row
from attention_viz.precision import softmax_steps
from attention_viz.reading import minus, number, share_and_rest

PLAIN: Final = 50.0  # scores within it have an exp that people can read
_FEW: Final = 6  # scores that get a thick line
_THICK, _THIN = 40, 28  # pixels of a score
_TITLE: Final = 58
_FOOT: Final = 14
_GAP: Final = 0.04
# A column, for the number beside the longest bar, as a share of it; more where labels take width.
_ROOM, _ROOM_LABELLED = 0.15, 0.28


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One row of numbers.

    Attributes:
        title: what they are.
        note: how they came about, and what they sum to.
        values: (n,); NaN is drawn as no bar.
        masked: (n,) booleans, True where nothing may be looked at.
        asked: the line whose number is to be found: it has "?" and no bar.
    """

    title: str
    note: str
    values: Tensor
    masked: Tensor
    asked: int | None = None

    @property
    def shown(self) -> list[float]:
        """The values as far as they are drawn: NaN where one is asked for."""
        values: list[float] = self.values.tolist()
        return [math.nan if line == self.asked else value for line, value in enumerate(values)]


def softmax_bars(scores: Tensor, *, columns: int = 3, palette: Palette = LIGHT) -> go.Figure:
    """Scores, their exp, and the exp divided by their sum.

    Beyond ±50 the largest score is subtracted first, since exp is then no number to read.

    Args:
        scores: (n,) finite.
        columns: panels side by side; 1 suits a phone.
        palette: what surrounds the bars.
    """
    is_plain = is_readable(scores)
    steps = softmax_steps(scores, shifted=not is_plain)
    sign = "−" if steps.shift > 0 else "+"
    exp = "exp(score)" if not steps.shift else f"exp(score {sign} {number(abs(steps.shift))})"
    seen = torch.zeros(len(scores), dtype=torch.bool)
    panels = [
        Panel("Scores", "as softmax sees them", steps.scores, seen),
        Panel(exp, f"they sum to {number(steps.total)}", steps.exps, seen),
        Panel("Weights", f"each ÷ {number(steps.total)}: they sum to 1", steps.weights, seen),
    ]
    return row_bars(panels, columns=columns, palette=palette)


def is_readable(scores: Tensor) -> bool:
    """Whether exp of the scores can be read as it stands."""
    return bool(scores.abs().max() <= PLAIN)


def alternative_bars(scores: Tensor, *, columns: int = 5, palette: Palette = LIGHT) -> go.Figure:
    """The weights that each way makes of one row of scores (n,), each panel on its own scale."""
    seen = torch.zeros(len(scores), dtype=torch.bool)
    panels = []
    for way in Way:
        weights = weights_by(way, scores)
        total = total_of(weights)
        note = "the sum is 0: no result" if weights.isnan().any() else f"sum {number(total)}"
        panels.append(Panel(way.value.capitalize(), note, weights, seen))
    return row_bars(panels, columns=columns, palette=palette)


def mask_bars(
    scores: Tensor, mask: Tensor, fill: float, *, columns: int = 3, palette: Palette = LIGHT
) -> go.Figure:
    """One row of scores (n,) masked before softmax, after it, and by a number in its place."""
    titles = {
        Masking.BEFORE: "Before softmax: −∞",
        Masking.AFTER: "After softmax: 0",
        Masking.FILL: f"Before softmax: {_signed(fill)}",
    }
    panels = []
    for masking, title in titles.items():
        weights = mask_row(scores, mask, masking, fill=fill)
        lost = lost_after(scores, mask) if masking is Masking.AFTER else 0.0
        note = f"sum {share_and_rest(weights.sum().item(), lost)}"
        if masking is Masking.BEFORE and not mask.any():
            # Zeros would be a row; this is none.
            weights, note = torch.full_like(weights, math.nan), "no allowed key"
        if masking is Masking.FILL:
            note += f", {number(leak(weights, mask))} leaks"
        panels.append(Panel(title, note, weights, ~mask))
    return row_bars(panels, columns=columns, palette=palette)


def row_bars(
    panels: Sequence[Panel],
    *,
    labels: Sequence[str] = (),
    columns: int = 3,
    palette: Palette = LIGHT,
) -> go.Figure:
    """Panels side by side, line 1 at the top; a masked line has a colour of its own.

    Lines are numbered unless they have labels, which stand once, left of the panels.
    """
    n = len(panels[0].values)
    lines = -(-len(panels) // columns)
    cells = (_THICK if n <= _FEW else _THIN) * n
    block = _TITLE + cells + _FOOT
    height = lines * block
    layout = style.layout(palette) | {"height": height, "annotations": [], "bargap": 0.25}
    layout["margin"] = {"l": 8, "r": 8, "t": 0, "b": 0}
    data: list[dict[str, Any]] = []
    width = (1 - _GAP * (columns - 1)) / columns
    room = (columns + 1) * (_ROOM_LABELLED if labels else _ROOM)
    for place, panel in enumerate(panels):
        line, column = divmod(place, columns)
        suffix = str(place + 1) if place else ""
        left, top = column * (width + _GAP), 1 - (line * block + _TITLE) / height
        layout[f"xaxis{suffix}"] = _numbers_axis(panel, room, suffix) | {
            "domain": [left, left + width]
        }
        bottom = top - cells / height
        lines_axis = _lines_axis(panel, labels, [bottom, top], suffix, palette)
        layout[f"yaxis{suffix}"] = lines_axis | {"showticklabels": not labels or column == 0}
        layout["annotations"].append(_heading(panel, left, top))
        data.append(_bars(panel, palette) | {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"})
    return go.Figure({"data": data, "layout": layout})


def _bars(panel: Panel, palette: Palette) -> dict[str, Any]:
    words = ["" if math.isnan(value) else _signed(value) for value in panel.shown]
    values = panel.values.numpy(force=True)
    if panel.asked is not None:
        # Plotly writes no text beside a bar that is missing, but does beside one without a length.
        words[panel.asked], values = "?", values.copy()
        values[panel.asked] = 0
    return {
        "type": "bar",
        "orientation": "h",
        "name": panel.title,
        "x": values,
        "y": list(range(len(words))),
        "text": words,
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {
            "color": [css(MASKED) if hidden else palette.bar for hidden in panel.masked.tolist()],
            "line": {"color": palette.quiet, "width": 1},
        },
        "hoverinfo": "skip",
    }


def _signed(value: float) -> str:
    return minus(number(value))


def _numbers_axis(panel: Panel, room: float, suffix: str) -> dict[str, Any]:
    """An axis with 0 on it and room for numbers on the sides that have bars."""
    finite = [value for value in panel.shown if not math.isnan(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    room *= (high - low) or 1.0
    limits = [low - room if low < 0 else 0.0, high + room if high > 0 or low == 0 else 0.0]
    return {
        "anchor": f"y{suffix}",
        "range": limits,
        "visible": False,
        "fixedrange": True,
    }


def _lines_axis(
    panel: Panel, labels: Sequence[str], domain: list[float], suffix: str, palette: Palette
) -> dict[str, Any]:
    hidden = panel.masked.tolist()
    labels = labels or [str(i + 1) for i in range(len(hidden))]
    notes = [" masked" if masked else "" for masked in hidden]
    axis = style.token_axis("", labels, palette, notes=notes)
    return axis | {
        "domain": domain,
        "anchor": f"x{suffix}",
        "range": axis["range"][::-1],
        "showline": False,
        "fixedrange": True,
        "ticklabelstandoff": 6,
    }


def _heading(panel: Panel, x: float, y: float) -> dict[str, Any]:
    title, note = map(style.plotly_text, (panel.title, panel.note))
    return {
        "text": minus(f"<b>{title}</b><br>{note}"),
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "left",
        "yanchor": "bottom",
        "align": "left",
        "showarrow": False,
    }

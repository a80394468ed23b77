"""The picture of each step; a number that a blank asks for is "?" in it until it is found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import plotly.graph_objects as go
from torch import Tensor

from attention_viz import figures
from attention_viz.experiments import words
from attention_viz.experiments.sweep import Point, Sweep
from attention_viz.figures.steps import Bars
from attention_viz.reading import number, read_row
from attention_viz.ui import browser, show
from attention_viz.walkthrough import Spot

# The place of the blank that asks for a number of the picture.
_ASKS: Final = {"mix": 0, "product": 0, "division": 1, "shares": 0, "context": 0}


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A figure, and what it shows in words.

    Attributes:
        figure: for the eye.
        alt: for the ear.
        notes: what is said below it, by the keys of the lesson ``notes``.
    """

    figure: go.Figure
    alt: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Focus:
    """What is looked at.

    Attributes:
        at: the query and its keys.
        is_found: whether the number that is asked for may be shown.
        limit: of the colours of scores.
    """

    at: Spot
    is_found: bool
    limit: float

    @property
    def other(self) -> int | None:
        """The key whose number is asked for."""
        return None if self.is_found else self.at.other


def is_found(name: str, right: Sequence[bool]) -> bool:
    """Whether nothing in the picture of a step is asked for any more."""
    return name not in _ASKS or right[_ASKS[name]]


def of_run(name: str, focus: Focus) -> Picture:
    """The picture of a step of the sentence."""
    return _OF_RUNS[name](focus)


def of_mix(scores: Sequence[float], values: Sequence[float], *, is_found: bool) -> Picture:
    """Scores on their way to a mix of values."""
    return _bars(figures.mix_bars(scores, values, solved=is_found), is_found=is_found)


def of_heads(sweep: Sweep, point: Point) -> Picture:
    """The largest weights of random heads, undivided and divided."""
    figure = figures.head_dots(sweep, point, palette=show.palette())
    return Picture(figure, f"Dots on a line from 0 to 1. {words.about_heads(sweep, point)}")


def _bars(bars: Bars, *, is_found: bool) -> Picture:
    columns = 1 if browser.is_narrow() else 3
    figure = figures.draw_bars(bars, columns=columns, palette=show.palette())
    return Picture(figure, figures.describe_bars(bars), ("scales", *_asked(is_found=is_found)))


def _asked(*, is_found: bool) -> tuple[str, ...]:
    return () if is_found else ("asked",)


def _product(focus: Focus) -> Picture:
    at = focus.at
    asked = None if focus.is_found else at.place
    bars = figures.product_bars(at.run, at.row, at.key, asked=asked)
    return _bars(bars, is_found=focus.is_found)


def _inputs(focus: Focus) -> Picture:
    run = focus.at.run
    alt = f"Heatmap of the inputs, {_size(run.inputs)}: {_span(run.inputs)}."
    return Picture(figures.inputs_map(run, palette=show.palette()), alt)


def _projections(focus: Focus) -> Picture:
    trace = focus.at.run.trace
    matrices = {"query": trace.query, "key": trace.key, "value": trace.value}
    told = "; ".join(f"{name} {_size(m)}: {_span(m)}" for name, m in matrices.items())
    figure = figures.projections(focus.at.run, palette=show.palette())
    return Picture(figure, f"Three heatmaps. {told}.")


def _pairs(focus: Focus) -> Picture:
    return _maps(focus, [0], f"Heatmap of raw scores: {_span(focus.at.run.trace.scores)}.")


def _division(focus: Focus) -> Picture:
    trace = focus.at.run.trace
    told = (
        f"Heatmap of raw scores: {_span(trace.scores)}. "
        f"Heatmap of scaled scores: {_span(trace.scaled_scores)}."
    )
    return _maps(focus, [0, 1], told, asked=focus.other)


def _shares(focus: Focus) -> Picture:
    bars = figures.share_bars(focus.at.run, focus.at.row, asked=focus.other)
    return _bars(bars, is_found=focus.is_found)


def _context(focus: Focus) -> Picture:
    bars = figures.context_bars(focus.at.run, focus.at.row, asked=focus.other)
    return _bars(bars, is_found=focus.is_found)


def _reading(focus: Focus) -> Picture:
    run = focus.at.run
    told = read_row(run.tokens, run.trace.weights, run.trace.mask, focus.at.row, keys=run.keys)
    picture = _maps(focus, [2], f"Heatmap of attention weights. {told}")
    return picture if run.trace.mask.all() else replace(picture, notes=("masked",))


def _maps(focus: Focus, steps: list[int], alt: str, *, asked: int | None = None) -> Picture:
    figure = figures.step_maps(
        focus.at.run,
        steps,
        row=focus.at.row,
        asked=asked,
        limit=focus.limit,
        columns=1 if browser.is_narrow() else len(steps),
        palette=show.palette(),
    )
    return Picture(figure, alt, _asked(is_found=asked is None))


def _size(matrix: Tensor) -> str:
    return f"{matrix.shape[0]} × {matrix.shape[1]}"


def _span(matrix: Tensor) -> str:
    return f"from {number(matrix.min().item())} to {number(matrix.max().item())}"


_OF_RUNS: Final[dict[str, Callable[[Focus], Picture]]] = {
    "product": _product,
    "inputs": _inputs,
    "projections": _projections,
    "pairs": _pairs,
    "division": _division,
    "shares": _shares,
    "context": _context,
    "reading": _reading,
}

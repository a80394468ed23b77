"""The picture of each step; what the blanks ask for is in it once they are filled."""

from collections.abc import Callable
from dataclasses import dataclass
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

Picture = tuple[go.Figure, str]  # the figure, and what it shows in words


@dataclass(frozen=True, slots=True)
class View:
    """What is looked at, and whether the blanks are filled.

    Attributes:
        at: the query and its keys.
        solved: whether the results are shown.
        limit: of the colours of scores.
    """

    at: Spot
    solved: bool
    limit: float


def of_run(name: str, view: View) -> Picture:
    """The picture of a step of the sentence."""
    return _OF_RUNS[name](view)


def of_bars(bars: Bars) -> Picture:
    """Bars as a picture."""
    columns = 1 if browser.is_narrow() else 3
    figure = figures.draw_bars(bars, columns=columns, palette=show.palette())
    return figure, figures.describe_bars(bars)


def of_heads(sweep: Sweep, point: Point) -> Picture:
    """The largest weights of random heads, undivided and divided."""
    figure = figures.head_dots(sweep, point, palette=show.palette())
    return figure, f"Dots on a line from 0 to 1. {words.about_heads(sweep, point)}"


def _product(view: View) -> Picture:
    at = view.at
    return of_bars(figures.product_bars(at.run, at.row, at.key, solved=view.solved))


def _inputs(view: View) -> Picture:
    run = view.at.run
    alt = f"Heatmap of the inputs, {_size(run.inputs)}: {_span(run.inputs)}."
    return figures.inputs_map(run, palette=show.palette()), alt


def _projections(view: View) -> Picture:
    trace = view.at.run.trace
    matrices = {"query": trace.query, "key": trace.key, "value": trace.value}
    told = "; ".join(f"{name} {_size(m)}: {_span(m)}" for name, m in matrices.items())
    return figures.projections(view.at.run, palette=show.palette()), f"Three heatmaps. {told}."


def _pairs(view: View) -> Picture:
    return _maps(view, [0], f"Heatmap of raw scores: {_span(view.at.run.trace.scores)}.")


def _division(view: View) -> Picture:
    trace = view.at.run.trace
    alt = f"Heatmap of raw scores: {_span(trace.scores)}."
    if not view.solved:
        return _maps(view, [0], alt)
    return _maps(view, [0, 1], f"{alt} Heatmap of scaled scores: {_span(trace.scaled_scores)}.")


def _shares(view: View) -> Picture:
    return of_bars(figures.share_bars(view.at.run, view.at.row, solved=view.solved))


def _context(view: View) -> Picture:
    return of_bars(figures.context_bars(view.at.run, view.at.row, solved=view.solved))


def _reading(view: View) -> Picture:
    run = view.at.run
    told = read_row(run.tokens, run.trace.weights, run.trace.mask, view.at.row, keys=run.keys)
    return _maps(view, [2], f"Heatmap of attention weights. {told}")


def _maps(view: View, steps: list[int], alt: str) -> Picture:
    figure = figures.step_maps(
        view.at.run,
        steps,
        row=view.at.row,
        limit=view.limit,
        columns=1 if browser.is_narrow() else len(steps),
        palette=show.palette(),
    )
    return figure, alt


def _size(matrix: Tensor) -> str:
    return f"{matrix.shape[0]} × {matrix.shape[1]}"


def _span(matrix: Tensor) -> str:
    return f"from {number(matrix.min().item())} to {number(matrix.max().item())}"


_OF_RUNS: Final[dict[str, Callable[[View], Picture]]] = {
    "product": _product,
    "inputs": _inputs,
    "projections": _projections,
    "pairs": _pairs,
    "division": _division,
    "shares": _shares,
    "context": _context,
    "reading": _reading,
}

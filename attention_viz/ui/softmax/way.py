"""Which way? Softmax over keys beside softmax over queries, on the person's sentence."""

import torch

from attention_viz import figures
from attention_viz.attention import Sink
from attention_viz.mistakes import weights_over_queries
from attention_viz.pipeline import Run
from attention_viz.reading import number, percent
from attention_viz.ui import browser, downloads, show
from attention_viz.ui.softmax import sentence
from attention_viz.ui.softmax.choices import Choices


def draw(_now: Choices) -> None:
    """Both maps, and what the wrong one does to the context."""
    run, row = sentence.pick()
    columns = 1 if browser.is_narrow() else 2
    show.chart(
        figures.both_directions(run, columns=columns, palette=show.palette()),
        key="softmax_directions",
        name=downloads.picture_name(run, "directions"),
        alt=f"Two heatmaps of weights. {sums(run)}",
    )
    show.says(sums(run), mix(run, row), lengths(run, row))


def sums(run: Run) -> str:
    """The sums of both, along both."""
    right, wrong = run.trace.weights, weights_over_queries(run.trace)
    columns, rows = right.sum(dim=0), wrong.sum(dim=1)
    sunk = any(isinstance(step, Sink) for step in run.trace.steps)
    one = f"{_between(right.sum(dim=1))}, the rest going to the sink" if sunk else "1"
    return (
        f"Over keys each row sums to {one}, and the columns to {_between(columns)}. Over queries "
        f"each column sums to 1, and the rows to {_between(rows)}."
    )


def mix(run: Run, row: int) -> str:
    """What the picked query receives the wrong way."""
    name = run.tokens.names[row]
    weights = weights_over_queries(run.trace)[row]
    # Its share in itself would have one name twice.
    others = [key for key, other in enumerate(run.keys.names) if other != name] or [row]
    top = max(others, key=lambda key: weights[key].item())
    return (
        f"Over keys, {name} asks what to look at and shares out 1. Over queries, each key shares "
        f"itself out among those who ask: {name} gets {percent(weights[top].item())} of "
        f"{run.keys.names[top]}, and from all keys together {number(weights.sum().item())}."
    )


def lengths(run: Run, row: int) -> str:
    """How far the wrong context lies from the right one."""
    right = run.trace.context[row]
    wrong = weights_over_queries(run.trace)[row] @ run.trace.value
    away = number((torch.dist(wrong, right) / right.norm()).item())
    return (
        f"The context of {run.tokens.names[row]} has length {number(right.norm().item())}; the "
        f"wrong way {number(wrong.norm().item())}, and it lies {away} times the right length away."
    )


def _between(totals: torch.Tensor) -> str:
    return f"{number(totals.min().item())} … {number(totals.max().item())}"

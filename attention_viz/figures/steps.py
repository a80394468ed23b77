"""Bars of the steps of one row: what is multiplied or divided, and once it is known, the result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import plotly.graph_objects as go
import torch
from torch import Tensor

from attention_viz.attention import Sink
from attention_viz.colours import LIGHT, Palette
from attention_viz.figures.rows import Panel, row_bars
from attention_viz.pipeline import Run
from attention_viz.reading import number

_MOST: Final = 10  # lines; above it the heaviest keys, or the first coordinates


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Panels of numbers that share their lines."""

    labels: tuple[str, ...]
    panels: tuple[Panel, ...]


def draw_bars(bars: Bars, *, columns: int = 3, palette: Palette = LIGHT) -> go.Figure:
    """The panels side by side."""
    return row_bars(bars.panels, labels=bars.labels, columns=columns, palette=palette)


def describe_bars(bars: Bars) -> str:
    """The numbers of the panels, for a person who cannot see them."""
    told = []
    for panel in bars.panels:
        pairs = zip(bars.labels, panel.values.tolist(), strict=True)
        numbers = ", ".join(f"{label} {number(value)}" for label, value in pairs)
        told.append(f"{panel.title}, {panel.note}: {numbers}")
    return f"Bars. {'. '.join(told)}."


def mix_bars(scores: Sequence[float], values: Sequence[float], *, solved: bool) -> Bars:
    """Scores of keys, their weights, and their values: multiplied once it is solved."""
    row, mixed = (torch.tensor(numbers, dtype=torch.float64) for numbers in (scores, values))
    weights = torch.softmax(row, dim=0)
    terms = weights * mixed
    last = _panel("Values", "what is mixed", mixed)
    if solved:
        last = _panel("Weight × value", f"they sum to {number(terms.sum().item())}", terms)
    panels = (_panel("Scores", "of three keys", row), _panel("Weights", "they sum to 1", weights))
    return Bars(tuple(f"key {i + 1}" for i in range(len(scores))), (*panels, last))


def product_bars(run: Run, row: int, key: int, *, solved: bool) -> Bars:
    """A query, a key, and once it is solved their products."""
    query, answer = run.trace.query[row], run.trace.key[key]
    shown = min(len(query), _MOST)
    products = query * answer
    some, word = ("", "they") if shown == len(query) else _of(shown, len(query))
    panels = [
        _panel("Query", some or f"of {run.tokens.labels[row]:.10}", query[:shown]),
        _panel("Key", f"of {run.keys.labels[key]:.10}", answer[:shown]),
    ]
    if solved:
        sums = f"{word} sum to {number(run.trace.scores[row, key].item())}"
        panels.append(_panel("Products", sums, products[:shown]))
    return Bars(tuple(str(i + 1) for i in range(shown)), tuple(panels))


def share_bars(run: Run, row: int, *, solved: bool) -> Bars:
    """The scores of a row as softmax sees them, their exp, and once it is solved the weights."""
    keys, some, word = _keys(run, row)
    logits, weights = run.trace.logits[row].double(), run.trace.weights[row].double()
    largest, heaviest = run.trace.logits[row].max().item(), weights.max()
    sink = " and the sink" if any(isinstance(s, Sink) for s in run.trace.steps) else ""
    title = "As softmax sees them" if run.trace.steps else "Scaled scores"
    panels = [
        _panel(title, some or f"largest {number(largest)}", logits[keys]),
        _panel(
            "exp(score − largest)",
            f"{word}{sink} sum to {number(1 / heaviest.item())}",
            _exp(logits)[keys],
        ),
    ]
    if solved:
        panels.append(
            _panel("Weights", f"{word} sum to {number(weights.sum().item())}", weights[keys])
        )
    return Bars(_labels(run, keys), tuple(panels))


def context_bars(run: Run, row: int, *, solved: bool) -> Bars:
    """Weights of a row, coordinate 1 of each value, and once it is solved their products."""
    keys, some, word = _keys(run, row)
    weights, values = run.trace.weights[row], run.trace.value[:, 0]
    panels = [
        _panel("Weights", some or f"of {run.tokens.labels[row]:.10}", weights[keys]),
        _panel("Values", "coordinate 1", values[keys]),
    ]
    if solved:
        total = number(run.trace.context[row, 0].item())
        panels.append(_panel("Weight × value", f"{word} sum to {total}", (weights * values)[keys]))
    return Bars(_labels(run, keys), tuple(panels))


def _exp(logits: Tensor) -> Tensor:
    return (logits - logits.max()).exp()


def _panel(title: str, note: str, values: Tensor) -> Panel:
    return Panel(title, note, values, torch.zeros(len(values), dtype=torch.bool))


def _keys(run: Run, row: int) -> tuple[list[int], str, str]:
    """The allowed keys in order, or the heaviest of them; how many these are, and who sums up."""
    allowed = run.trace.mask[row].nonzero().flatten().tolist()
    if len(allowed) <= _MOST:
        return allowed, "", "they"
    weights = run.trace.weights[row]
    heaviest = sorted(allowed, key=lambda key: -weights[key].item())[:_MOST]
    return sorted(heaviest), *_of(_MOST, len(allowed))


def _of(shown: int, every: int) -> tuple[str, str]:
    return f"{shown} of {every} shown", f"all {every}"


def _labels(run: Run, keys: Sequence[int]) -> tuple[str, ...]:
    return tuple(run.keys.labels[key] for key in keys)

"""Bars of the steps of one row: what is multiplied or divided, and the results.

A number that a person is asked for is "?" in them.
"""

import math
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
from attention_viz.tokens import Tokens, shorten

_MOST_LABEL: Final = 10  # characters of a token beside a heading
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
        pairs = zip(bars.labels, panel.shown, strict=True)
        numbers = ", ".join(
            f"{label} {'?' if math.isnan(value) else number(value)}" for label, value in pairs
        )
        told.append(f"{panel.title}, {panel.note}: {numbers}")
    return f"Bars. {'. '.join(told)}."


def mix_bars(scores: Sequence[float], values: Sequence[float], *, solved: bool) -> Bars:
    """Scores of keys on their way to a mix of values, whose sum is told once it is solved."""
    row, mixed = (torch.tensor(numbers, dtype=torch.float64) for numbers in (scores, values))
    exps, weights = row.exp(), torch.softmax(row, dim=0)
    exp_total = number(exps.sum().item())
    terms = weights * mixed
    total = number(terms.sum().item()) if solved else "?"
    panels = (
        _panel("Scores", "of the keys", row),
        _panel("exp(score)", f"they sum to {exp_total}", exps),
        _panel("Weights", f"each ÷ {exp_total}: sum 1", weights),
        _panel("Values", "what is mixed", mixed),
        _panel("Weight × value", f"they sum to {total}", terms),
    )
    return Bars(tuple(f"key {i + 1}" for i in range(len(scores))), panels)


def product_bars(run: Run, row: int, key: int, *, asked: int | None = None) -> Bars:
    """A query, a key, and their products, but for that of a coordinate that is asked for."""
    query, answer = run.trace.query[row], run.trace.key[key]
    shown = min(len(query), _MOST)
    some, word = ("", "they") if shown == len(query) else _of(shown, len(query))
    sums = f"{word} sum to {number(run.trace.scores[row, key].item())}"
    panels = (
        _panel("Query", some or _of_token(run.tokens, row), query[:shown]),
        _panel("Key", _of_token(run.keys, key), answer[:shown]),
        _panel("Products", sums, (query * answer)[:shown], asked),
    )
    return Bars(tuple(str(i + 1) for i in range(shown)), panels)


def share_bars(run: Run, row: int, *, asked: int | None = None) -> Bars:
    """The scores of a row as softmax sees them, their exp, their weights but for a key's."""
    keys, some, word = _keys(run, row)
    logits, weights = run.trace.logits[row].double(), run.trace.weights[row].double()
    largest, heaviest = run.trace.logits[row].max().item(), weights.max()
    sink = " and the sink" if any(isinstance(s, Sink) for s in run.trace.steps) else ""
    title = "As softmax sees them" if run.trace.steps else "Scaled scores"
    exp_total = number(1 / heaviest.item())
    sums = f"{word} sum to {number(weights.sum().item())}"
    panels = (
        _panel(title, some or f"largest {number(largest)}", logits[keys]),
        _panel("exp(score − largest)", f"{word}{sink} sum to {exp_total}", _exp(logits)[keys]),
        _panel("Weights", sums, weights[keys], _line(keys, asked)),
    )
    return Bars(_labels(run, keys), panels)


def context_bars(run: Run, row: int, *, asked: int | None = None) -> Bars:
    """Weights of a row, coordinate 1 of each value, and their products but for a key's."""
    keys, some, word = _keys(run, row)
    weights, values = run.trace.weights[row], run.trace.value[:, 0]
    sums = f"{word} sum to {number(run.trace.context[row, 0].item())}"
    panels = (
        _panel("Weights", some or _of_token(run.tokens, row), weights[keys]),
        _panel("Values", "coordinate 1", values[keys]),
        _panel("Weight × value", sums, (weights * values)[keys], _line(keys, asked)),
    )
    return Bars(_labels(run, keys), panels)


def _exp(logits: Tensor) -> Tensor:
    return (logits - logits.max()).exp()


def _panel(title: str, note: str, values: Tensor, asked: int | None = None) -> Panel:
    return Panel(title, note, values, torch.zeros(len(values), dtype=torch.bool), asked)


def _line(keys: Sequence[int], asked: int | None) -> int | None:
    return None if asked is None else keys.index(asked)


def _keys(run: Run, row: int) -> tuple[list[int], str, str]:
    """The allowed keys in order, or the heaviest of them; how many these are, and who sums up."""
    allowed = run.trace.mask[row].nonzero().flatten().tolist()
    if len(allowed) <= _MOST:
        return allowed, "", "they"
    weights = run.trace.weights[row]
    heaviest = sorted(allowed, key=lambda key: -weights[key].item())[:_MOST]
    return sorted(heaviest), *_of(_MOST, len(allowed))


def _of_token(tokens: Tokens, place: int) -> str:
    return f"of {shorten(tokens.labels[place], _MOST_LABEL)}"


def _of(shown: int, every: int) -> tuple[str, str]:
    return f"{shown} of {every} shown", f"all {every}"


def _labels(run: Run, keys: Sequence[int]) -> tuple[str, ...]:
    return tuple(run.keys.labels[key] for key in keys)

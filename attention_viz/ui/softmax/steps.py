"""Exp, sum, divide: what softmax does to one row, and what a constant and a factor change."""

from dataclasses import replace

import torch
from torch import Tensor

from attention_viz import figures
from attention_viz.figures.rows import is_readable
from attention_viz.measures import effective_support
from attention_viz.precision import softmax_steps
from attention_viz.reading import number
from attention_viz.rows import ties
from attention_viz.ui import browser, show
from attention_viz.ui.softmax.choices import Choices


def draw(now: Choices) -> None:
    """The three steps as bars, and what was measured."""
    scores = now.row()
    columns = 1 if browser.is_narrow() else 3
    show.chart(
        figures.softmax_bars(scores, columns=columns, palette=show.palette()),
        key="softmax_bars",
        alt=_alt(scores),
    )
    show.says(arithmetic(scores), *measured(now), *order(scores))


def arithmetic(scores: Tensor) -> str:
    """The largest weight as its arithmetic."""
    steps = softmax_steps(scores, shifted=not is_readable(scores))
    top = int(steps.weights.argmax())
    score, exp = number(steps.scores[top].item()), number(steps.exps[top].item())
    sign = "−" if steps.shift > 0 else "+"
    inside = score if steps.shift == 0 else f"{score} {sign} {number(abs(steps.shift))}"
    weight = number(steps.weights[top].item())
    start = f"Score {top + 1}: exp({inside}) = {exp}, ÷ {number(steps.total)} = {weight}."
    return f"{start} {_spread(steps.weights)}"


def measured(now: Choices) -> list[str]:
    """What the constant, the factor and the temperature changed, each against not having it."""
    sentences = []
    weights = _weights(now)
    if now.add:
        moved = (weights - _weights(replace(now, add=0.0))).abs().max().item()
        by = now.add / now.temperature
        sentences.append(
            f"{_signed(now.add)} to all: nothing changes; no weight moved by more than "
            f"{number(moved)}. {_why_nothing(now, by)}"
        )
    if now.times != 1:
        sentences.append(_sharpened(f"× {number(now.times)}", now, replace(now, times=1.0)))
    if now.temperature != 1:
        words = f"÷ {number(now.temperature)}, the temperature"
        sentences.append(_sharpened(words, now, replace(now, temperature=1.0)))
    return sentences


def order(scores: Tensor) -> list[str]:
    """That order is kept, and who shares, in the numbers shown."""
    weights = softmax_steps(scores).weights
    above = scores.unsqueeze(-1) > scores.unsqueeze(-2)
    kept = int((weights.unsqueeze(-1) >= weights.unsqueeze(-2))[above].sum())
    sentences = [f"Order is kept in {kept} of {int(above.sum())} pairs of unequal scores."]
    for group in ties(scores):
        names = " and ".join(str(place + 1) for place in group)
        weight = number(weights[group[0]].item())
        sentences.append(f"Scores {names} are equal, so their weights are: {weight} each.")
    return sentences


def _why_nothing(now: Choices, by: float) -> str:
    if is_readable(now.row()) and is_readable(replace(now, add=0.0).row()):
        factor = f"exp({number(by)}) = {number(_exp(by))}"
        return f"Each exp is multiplied by {factor}, and so is their sum."
    return "The largest score is subtracted first, so no exp changes."


def _sharpened(what: str, now: Choices, before: Choices) -> str:
    one, other = _weights(before), _weights(now)
    return (
        f"{what}: the largest weight went from {number(one.max().item())} to "
        f"{number(other.max().item())}, effective tokens from {_effective(one)} to "
        f"{_effective(other)}."
    )


def _spread(weights: Tensor) -> str:
    return f"The row spreads over {_effective(weights)} effective tokens of {len(weights)}."


def _effective(weights: Tensor) -> str:
    return number(effective_support(weights.unsqueeze(0)).item())


def _weights(choices: Choices) -> Tensor:
    return softmax_steps(choices.row()).weights


def _exp(value: float) -> float:
    return torch.tensor(value, dtype=torch.float64).exp().item()


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else '−'}{number(abs(value))}"


def _alt(scores: Tensor) -> str:
    steps = softmax_steps(scores)
    lines = "; ".join(
        f"score {i} is {number(score)}, weight {number(weight)}"
        for i, (score, weight) in enumerate(
            zip(scores.tolist(), steps.weights.tolist(), strict=True), start=1
        )
    )
    return f"Scores, their exp, and weights as bars: {lines}."

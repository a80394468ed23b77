"""Exp, sum, divide: what softmax does to one row, and what a constant and a factor change."""

from dataclasses import replace
from typing import Final

from torch import Tensor

from attention_viz import figures
from attention_viz.figures.rows import PLAIN, is_readable
from attention_viz.measures import effective_support
from attention_viz.precision import exp_of, softmax_steps
from attention_viz.reading import number
from attention_viz.rows import ties
from attention_viz.ui import browser, show
from attention_viz.ui.softmax.choices import Choices, picture_name

_ROUNDING: Final = 1e-12  # of a weight in float64


def draw(now: Choices) -> None:
    """The three steps as bars, and what was measured."""
    scores = now.row()
    columns = 1 if browser.is_narrow() else 3
    show.chart(
        figures.softmax_bars(scores, columns=columns, palette=show.palette()),
        key="softmax_bars",
        name=picture_name("softmax-bars", scores),
        alt=_alt(scores),
    )
    show.says(arithmetic(scores), *measured(now), *typed_order(now), *order(scores))


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
            f"{_signed(now.add)} to all: no weight changes{_beyond(moved)}. {_why_nothing(now, by)}"
        )
    if now.times != 1:
        sentences.append(_sharpened(f"× {number(now.times)}", now, replace(now, times=1.0)))
    if now.temperature != 1:
        words = f"÷ {number(now.temperature)}, the temperature"
        sentences.append(_sharpened(words, now, replace(now, temperature=1.0)))
    return sentences


def _beyond(moved: float) -> str:
    """What rounding alone leaves is nothing; anything more is said."""
    return f" by more than {number(moved)}" if moved > _ROUNDING else ""


def typed_order(now: Choices) -> list[str]:
    """What was done to the order of the typed scores before softmax; nothing when it is kept."""
    typed, seen = _differences(now.typed()), _differences(now.row())[_differences(now.typed()) > 0]
    pairs = f"of {int((typed > 0).sum())} pairs of unequal typed scores"
    turned, merged = int((seen < 0).sum()), int((seen == 0).sum())
    sentences = []
    if turned:
        sentences.append(
            f"The factor {number(now.times)} reversed {turned} {pairs} before softmax."
        )
    if merged:
        by = "The factor 0" if now.times == 0 else "Rounding in float64"
        sentences.append(f"{by} made {merged} {pairs} equal before softmax.")
    return sentences


def order(scores: Tensor) -> list[str]:
    """That the order of the scores that softmax sees is kept, and who shares."""
    weights = softmax_steps(scores).weights
    above = _differences(scores) > 0
    kept, pairs = int((_differences(weights) >= 0)[above].sum()), int(above.sum())
    sentences = [
        f"Order is kept in {kept} of {pairs} pairs of unequal scores, as softmax sees them."
        if pairs
        else "Softmax sees equal scores alone: there is no order to keep."
    ]
    for group in ties(scores):
        names = " and ".join(str(place + 1) for place in group)
        weight = number(weights[group[0]].item())
        sentences.append(f"Scores {names} are equal, so their weights are: {weight} each.")
    return sentences


def _why_nothing(now: Choices, by: float) -> str:
    """As the bars show it: they subtract the largest score first where exp is not readable."""
    plain, plain_before = (is_readable(one.row()) for one in (now, replace(now, add=0.0)))
    if plain and plain_before:
        factor = f"exp({number(by)}) = {number(exp_of(by))}"
        return f"Each exp is multiplied by {factor}, and so is their sum."
    if plain or plain_before:
        with_it, without = ("is not", "is") if plain else ("is", "is not")
        return (
            f"The largest score {with_it} subtracted first, and without the constant it {without}, "
            f"since beyond ±{PLAIN:g} it must be: each exp and their sum change by one factor."
        )
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


def _differences(values: Tensor) -> Tensor:
    """(n, n) each of the values (n,) minus each."""
    return values.unsqueeze(-1) - values


def _effective(weights: Tensor) -> str:
    return number(effective_support(weights.unsqueeze(0)).item())


def _weights(choices: Choices) -> Tensor:
    return softmax_steps(choices.row()).weights


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

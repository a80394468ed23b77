"""No softmax? The same row under what might stand in its place."""

import math
from typing import Final

import torch
from torch import Tensor

from attention_viz import figures
from attention_viz.alternatives import Way, jacobian_by, mix_of, total_of, weights_by
from attention_viz.lessons import read_by_key
from attention_viz.reading import number
from attention_viz.ui import browser, downloads, show
from attention_viz.ui.softmax.choices import Choices, picture_name

_NOTHING: Final = "none"


def draw(now: Choices) -> None:
    """The weights of each way as bars, and their numbers."""
    scores = now.row()
    columns = 1 if browser.is_narrow() else len(Way)
    show.chart(
        figures.alternative_bars(scores, columns=columns, palette=show.palette()),
        key="softmax_alternatives",
        name=picture_name("softmax-alternatives", scores),
        alt=_alt(scores),
    )
    show.fact(read_by_key("notes")["scales"].text)
    show.words(table(scores))
    downloads.draw_table(lambda: numbers(scores), "softmax-alternatives")
    n = len(scores)
    show.fact(f"The values are 1 … {n}, one number a key, so that a mix of them lies in 1 … {n}.")
    show.says(raw(scores), division(scores), sigmoid(scores), hardmax(scores))


def table(scores: Tensor) -> list[dict[str, str]]:
    """One line a way, to be read: the numbers to 4 digits."""
    return [
        {
            name: _NOTHING if cell is None else number(cell) if isinstance(cell, float) else cell
            for name, cell in line.items()
        }
        for line in numbers(scores)
    ]


def numbers(scores: Tensor) -> list[dict[str, str | float | None]]:
    """One line a way: row sum, weighted sum of the values 1 … n, norm of its Jacobian.

    None where there is no number.
    """
    return [
        {
            "way": way.value,
            "row sum": _known(weights_by(way, scores).sum().item()),
            "least weight": _known(weights_by(way, scores).min().item()),
            "weighted sum of values": _known(mix_of(weights_by(way, scores))),
            "norm of the Jacobian": _known(jacobian_by(way, scores).norm().item()),
        }
        for way in Way
    ]


def raw(scores: Tensor) -> str:
    """Raw scores: their sum is whatever it is."""
    total, mixed = total_of(scores), mix_of(weights_by(Way.RAW, scores))
    return (
        f"Raw scores sum to {number(total)}, and the weighted sum of values is {number(mixed)}"
        f"{_outside(mixed, len(scores))}. Add 1 to each score and the sum is "
        f"{number(total + len(scores))}; softmax would not notice."
    )


def division(scores: Tensor) -> str:
    """Division by the sum: fine for positive scores, and for no others."""
    weights = weights_by(Way.DIVISION, scores)
    if weights.isnan().any():
        return "Division by the sum has no answer here: the scores sum to 0."
    total = total_of(scores)
    negative = int((weights < 0).sum())
    largest = number(weights.abs().max().item())
    slope = number(jacobian_by(Way.DIVISION, scores).norm().item())
    if torch.equal(scores, scores[:1].expand_as(scores)):
        return (
            f"Division by the sum, {number(total)}, gives what softmax gives, since all scores are "
            "equal. The example “Cancelling” shows why it will not do for others."
        )
    return (
        f"Division by the sum, {number(total)}: {negative} of {len(scores)} weights are negative, "
        f"the largest in size is {largest}, and the norm of its Jacobian is {slope}. Both grow "
        "without bound as the sum nears 0."
    )


def sigmoid(scores: Tensor) -> str:
    """Sigmoid: each score alone."""
    total = weights_by(Way.SIGMOID, scores).sum().item()
    return (
        f"Sigmoid looks at each score alone: the row sums to {number(total)}, which may be "
        f"anything in 0 … {len(scores)}, and no key takes weight from another."
    )


def hardmax(scores: Tensor) -> str:
    """Hardmax: the limit that cannot learn."""
    tied = int((scores == scores.max()).sum())
    if tied > 1:
        return (
            f"Hardmax shares among the {tied} scores at the top, {number(1 / tied)} each, and "
            "jumps when one of them moves: at a tie it has no derivative."
        )
    gap = (scores.max() - scores.sort().values[-2]).item()
    return (
        f"Hardmax gives all to score {int(scores.argmax()) + 1}, by a lead of {number(gap)}. Until "
        "another overtakes, nothing changes: its Jacobian is 0, and nothing can be learned from it."
    )


def _outside(mixed: float, n: int) -> str:
    return "" if 1 <= mixed <= n else f", outside 1 … {n}"


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _number(value: float) -> str:
    return _NOTHING if math.isnan(value) else number(value)


def _alt(scores: Tensor) -> str:
    ways = "; ".join(
        f"{way.value}: {', '.join(_number(weight) for weight in weights_by(way, scores).tolist())}"
        for way in Way
    )
    return f"Weights of {len(scores)} scores as bars. {ways}."

"""Scores written by hand: what gives them back from weights, and what to try with them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from attention_viz.attention import softmax
from attention_viz.errors import SettingError
from attention_viz.lessons import read_by_key
from attention_viz.matrices import Matrix, as_floats
from attention_viz.reading import number, percent
from attention_viz.rows import read_decimal
from attention_viz.tokens import Tokens, tokenize

MOST_TOKENS: Final = 8
# Invented, as textbooks do, to be read aloud; no head computed them.
TEXTBOOK_TEXT: Final = "I am good"
TEXTBOOK_WEIGHTS: Final = ((0.90, 0.07, 0.03), (0.30, 0.60, 0.10), (0.20, 0.10, 0.70))
_ONE: Final = 0.99  # a weight that is as good as all
_SAME: Final = 0.01  # weights that differ by less count as equal
_CONSTANT: Final = 5.0  # to be added to a row


def scores_giving(weights: Matrix) -> Tensor:
    """(n_q, n_k) scores whose softmax is these weights: their logarithms, float64.

    Not the only ones: a constant added to a row gives the same weights.

    Raises:
        SettingError: a weight is not above 0, which no score gives, or a row does not sum to 1.

    >>> softmax(scores_giving([[0.25, 0.75]]))
    tensor([[0.2500, 0.7500]], dtype=torch.float64)
    """
    matrix = as_floats("weights", weights).double()
    if (matrix <= 0).any():
        raise SettingError(
            f"each weight must be above 0, since exp is never 0; got {matrix.min().item():g}. A "
            "small one, such as 0.001, comes near."
        )
    sums = matrix.sum(dim=-1)
    if ((sums - 1).abs() > _SAME).any():
        worst = sums[(sums - 1).abs().argmax()].item()
        raise SettingError(f"each row of weights must sum to 1; got {worst:.4g}.")
    return (matrix / sums.unsqueeze(-1)).log()


def parse_weights(typed: str, n: int) -> tuple[float, ...]:
    """The n weights of a row as somebody types them.

    A comma within a number is a decimal one where something else stands between the numbers.

    Raises:
        SettingError: not n numbers.

    >>> parse_weights("0.5, 0.3 0.2", 3), parse_weights("0,5; 0,3; 0,2", 3)
    ((0.5, 0.3, 0.2), (0.5, 0.3, 0.2))
    """
    chunks = [chunk.strip(",") for chunk in typed.replace(";", " ").split()]
    if len(chunks) == n and all(chunk.count(",") <= 1 for chunk in chunks):
        words = [chunk.replace(",", ".") for chunk in chunks]
    else:
        words = [word for chunk in chunks for word in chunk.split(",")]
    weights = tuple(map(read_decimal, words))
    if any(map(math.isnan, weights)):
        raise SettingError(f"weights must be numbers such as 0.9; got {typed[:40]!r}.")
    if len(weights) != n:
        raise SettingError(
            f"a row must have {n} weights, one a token; got {len(weights)}. Put blanks between "
            "them."
        )
    return weights


def textbook() -> tuple[Tokens, Tensor]:
    """The textbook example: its tokens, and scores (3, 3) that give its invented weights."""
    return tokenize(TEXTBOOK_TEXT), scores_giving(torch.tensor(TEXTBOOK_WEIGHTS))


@dataclass(frozen=True, slots=True)
class Challenge:
    """Something to do to a matrix of scores.

    Attributes:
        task: what to do, one sentence.
        is_done: of the scores as they were given (n, n), and as they are.
        lesson: what it shows, one sentence.
    """

    task: str
    is_done: Callable[[Tensor, Tensor], bool]
    lesson: str


def challenges(tokens: Tokens) -> tuple[Challenge, ...]:
    """What to try on these tokens; with one there is nothing to share."""
    if tokens.n == 1:
        return ()
    numbers = _numbers(tokens)
    return tuple(
        Challenge(part.title, _DONE[key], part.text)
        for key, open_part in read_by_key("hand").items()
        for part in (open_part.filled(numbers[key]),)
    )


def _numbers(tokens: Tokens) -> dict[str, dict[str, str]]:
    """What the text of each challenge names, by its key."""
    others = tokens.n - 1
    # Rounded up to a decimal that one can drag to, so that it is enough.
    gap = math.ceil(10 * math.log(_ONE / (1 - _ONE) * others)) / 10
    exp = math.exp(gap)
    return {
        "one": {
            "first": tokens.names[0],
            "last": tokens.names[-1],
            "most": percent(_ONE),
            "gap": number(gap),
            "exp": number(exp),
            "others": str(others),
            "share": number(exp / (exp + others)),
        },
        "same": {},
        "half": {"half": percent(0.5), "within": percent(_SAME)},
        "constant": {"constant": number(_CONSTANT)},
    }


def _spread(weights: Tensor) -> float:
    return (weights.amax(dim=0) - weights.amin(dim=0)).max().item()


def _halves(weights: Tensor) -> Tensor:
    return ((weights - 0.5).abs() < _SAME).sum(dim=-1) == 2  # noqa: PLR2004 - two halves


def _raised(given: Tensor, scores: Tensor) -> Tensor:
    return ((scores - given - _CONSTANT).abs() < _SAME).all(dim=-1)


_DONE: Final[dict[str, Callable[[Tensor, Tensor], bool]]] = {
    "one": lambda _, scores: softmax(scores)[-1, 0].item() >= _ONE,
    "same": lambda _, scores: _spread(softmax(scores)) < _SAME,
    "half": lambda _, scores: bool(_halves(softmax(scores)).any()),
    "constant": lambda given, scores: bool(_raised(given, scores).any()),
}

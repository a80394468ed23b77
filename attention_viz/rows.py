"""One row of scores as a person writes it, and what may be done to all of it at once."""

import math
import re
from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor

from attention_viz.errors import SettingError

LEAST_SCORES: Final = 2
MOST_SCORES: Final = 12
MOST: Final = 1e6  # of a score, either way
_NUMBER: Final = re.compile(r"[+-]?([0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9})(e[+-]?[0-9]{1,2})?")


def parse_row(text: str) -> tuple[float, ...]:
    """The scores that are written with commas, semicolons or blanks between.

    Raises:
        SettingError: fewer than 2 or more than 12, no number, or one beyond ±1,000,000.

    >>> parse_row("2, 1; −0.5")
    (2.0, 1.0, -0.5)
    """
    words = text.replace("−", "-").replace(";", " ").replace(",", " ").split()
    if not LEAST_SCORES <= len(words) <= MOST_SCORES:
        raise SettingError(
            f"scores must be {LEAST_SCORES} … {MOST_SCORES} numbers, such as 2, 1, 0.1; got "
            f"{len(words)}."
        )
    return tuple(_score(word) for word in words)


def write_row(scores: Sequence[float]) -> str:
    """Scores as ``parse_row`` reads them, nine digits each.

    >>> write_row([2.0, -110208.0, 0.1])
    '2, -110208, 0.1'
    """
    return ", ".join(f"{score:.9g}" for score in scores)


def changed_row(
    scores: Sequence[float], *, times: float = 1.0, add: float = 0.0, temperature: float = 1.0
) -> Tensor:
    """(n,) (scores · times + add) ÷ temperature, float64.

    >>> changed_row([2.0, 1.0], times=2.0, add=5.0)
    tensor([9., 7.], dtype=torch.float64)
    """
    return (torch.tensor(scores, dtype=torch.float64) * times + add) / temperature


def ties(scores: Tensor) -> tuple[tuple[int, ...], ...]:
    """Positions of equal scores, each group of two or more in order.

    >>> ties(torch.tensor([3.0, 1.0, 3.0]))
    ((0, 2),)
    """
    places: dict[float, list[int]] = {}
    for place, score in enumerate(scores.tolist()):
        places.setdefault(score, []).append(place)
    return tuple(tuple(group) for group in places.values() if len(group) > 1)


def _score(word: str) -> float:
    score = float(word) if _NUMBER.fullmatch(word) else math.nan
    if not abs(score) <= MOST:
        raise SettingError(f"each score must be a number in ±{MOST:,.0f}; got {word[:20]!r}.")
    return score

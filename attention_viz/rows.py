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
LONGEST: Final = 64  # characters of one number; float64 itself needs at most 24
LONGEST_ROW: Final = 1000
_NUMBER: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_THOUSANDS: Final = re.compile(r"(?<![0-9.])[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?(?![0-9])")
_DECIMAL_COMMA: Final = re.compile(r"[+-]?[0-9]+,[0-9]+")
_TWO_WAYS: Final = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")


def parse_row(text: str) -> tuple[float, ...]:
    """The scores that are written with commas, semicolons or blanks between.

    Raises:
        SettingError: fewer than 2 or more than 12, over 1000 characters in all or 64 in one, no
            number, or one beyond ±1,000,000.

    >>> parse_row("2, 1; −5E-1")
    (2.0, 1.0, -0.5)
    """
    if len(text) > LONGEST_ROW:
        raise SettingError(f"scores must have at most {LONGEST_ROW} characters; got {len(text)}.")
    words = [word for chunk in _chunks(text) for word in chunk.split(",") if word]
    if not LEAST_SCORES <= len(words) <= MOST_SCORES:
        raise SettingError(
            f"scores must be {LEAST_SCORES} … {MOST_SCORES} numbers, such as 2, 1, 0.1; got "
            f"{len(words)}."
        )
    return tuple(_score(word) for word in words)


def read_apart(text: str) -> str:
    """What could be one number with a comma in it and was read as several; empty when nothing.

    >>> read_apart("1,000")
    '“1,000” was read as 1 and 0: commas separate scores. Write one number without a comma.'
    >>> read_apart("2,1,0.1")
    ''
    """
    chunks = _chunks(text)
    # Where semicolons or blanks alone separate, a comma within is likely a decimal one.
    others_separate = len(chunks) > 1 and not any(chunk.endswith(",") for chunk in chunks)
    for chunk in chunks:
        found = _THOUSANDS.search(chunk)
        if not found and others_separate:
            found = _DECIMAL_COMMA.fullmatch(chunk)
        if found:
            scores = " and ".join(write_number(float(part)) for part in found[0].split(","))
            return (
                f"“{found[0]}” was read as {scores}: commas separate scores. Write one number "
                "without a comma."
            )
    return ""


def read_typed(text: str) -> float:
    """One number as a person types it: a decimal comma and a per cent sign may be in it.

    Raises:
        SettingError: no number, or one that could be either of two.

    >>> read_typed("0,07"), read_typed("−66.75 %")
    (0.07, -66.75)
    """
    word = re.sub("[−–]", "-", text).strip().removesuffix("%").rstrip()
    if _TWO_WAYS.fullmatch(word):
        thousands, decimal = word.replace(",", ""), word.replace(",", ".")
        raise SettingError(f"“{word}” could be {thousands} or {decimal}: write it without a comma.")
    value = read_decimal(word.replace(",", "."))
    if math.isnan(value):
        raise SettingError(f"a blank takes one number, such as 0.07; got {text.strip()[:20]!r}.")
    return value


def read_decimal(word: str) -> float:
    """A plain or exponent decimal as float64 reads it; NaN for anything else.

    >>> read_decimal("1E5"), read_decimal("1_0")
    (100000.0, nan)
    """
    is_decimal = len(word) <= LONGEST and _NUMBER.fullmatch(word)
    return float(word) if is_decimal else math.nan


def write_number(value: float) -> str:
    """The shortest decimal that float64 reads as this number.

    >>> write_number(2.0), write_number(0.8414709848078965)
    ('2', '0.8414709848078965')
    """
    return repr(float(value)).removesuffix(".0")


def write_row(scores: Sequence[float]) -> str:
    """Scores as ``parse_row`` reads them back, every digit of them.

    >>> write_row([2.0, -110208.0, 0.1])
    '2, -110208, 0.1'
    """
    return ", ".join(map(write_number, scores))


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


def _chunks(text: str) -> list[str]:
    """What stands between blanks and semicolons."""
    return text.replace("−", "-").replace(";", " ").split()


def _score(word: str) -> float:
    if len(word) > LONGEST:
        raise SettingError(f"each score must have at most {LONGEST} characters; got {len(word)}.")
    score = read_decimal(word)
    if not abs(score) <= MOST:
        raise SettingError(f"each score must be a number in ±{MOST:,.0f}; got {word[:20]!r}.")
    return score

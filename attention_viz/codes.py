"""A student's predictions as a short code that a teacher can read, type and paste.

One letter a question, five in a group, then a letter that gives away a slip, such as
``BACxx-ABBAB-xxxxx-K``.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_plus

from attention_viz.errors import SettingError

_NONE: Final = "x"  # no prediction yet
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVW"
# A prime above twice any step: one changed letter, or two neighbours swapped, changes the sum.
_MODULUS: Final = len(_LETTERS)
_GROUP: Final = 5
_DASHES: Final = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"  # what programs make of a hyphen
_BETWEEN: Final = re.compile(rf"[{_DASHES}\s]*")  # letters of one code
_WORD: Final = re.compile(r"[^\W\d_]+")
_LINK: Final = re.compile(r"\S*[?&]question_answers=([^&#\s]*)\S*")
_GROUPED: Final = re.compile(rf"\w{{{_GROUP}}}-\w{{{_GROUP}}}-[\w-]+")
_SHOWN: Final = 40  # characters of what was typed, in a message


@dataclass(frozen=True, slots=True)
class Student:
    """Who predicted what.

    Attributes:
        name: as typed beside the code; empty where nothing was.
        choices: for each question the place of an option, or None.
    """

    name: str
    choices: tuple[int | None, ...]


def encode(choices: Sequence[int | None]) -> str:
    """The code of predictions: each the place of an option, from 0, or None.

    >>> encode([1, 0, None, 2, None, 1])
    'BAxCx-B-F'
    """
    letters = "".join(_NONE if choice is None else _LETTERS[choice] for choice in choices)
    groups = [letters[i : i + _GROUP] for i in range(0, len(letters), _GROUP)]
    return "-".join([*groups, _check(choices)])


def decode(code: str, options: Sequence[int]) -> tuple[int | None, ...]:
    """The predictions of a code, however it is grouped, in capitals or not.

    Args:
        code: as ``encode`` writes it.
        options: how many options each question has.

    Raises:
        SettingError: it has another length, a letter that is no option, or a slip.

    >>> decode("baxcx b f", [3, 3, 3, 3, 3, 3])
    (1, 0, None, 2, None, 1)
    """
    letters = _BETWEEN.sub("", code).upper()
    if len(letters) != len(options) + 1:
        raise SettingError(
            f"a code must have {len(options)} letters and one more to check them; got "
            f"{code[:_SHOWN]!r}."
        )
    choices = tuple(_choice(*pair) for pair in zip(letters, options, strict=False))
    if letters[-1] != _check(choices):
        raise SettingError(f"a code must be copied letter by letter; {code[:_SHOWN]!r} has a slip.")
    return choices


def read_line(line: str, options: Sequence[int]) -> list[Student]:
    """The students of a line: codes, or links that hold one, each with a name beside it or none.

    Args:
        line: as a class hands it in, with spaces and dashes wherever they fell.
        options: how many options each question has.

    Raises:
        SettingError: there is no code, or one with a slip.

    >>> read_line("Anna: BAx-E, Ben B A x – E", [3, 3, 3])[1].name
    'Ben'
    """
    text = re.sub(rf"[{_DASHES}]", "-", _LINK.sub(lambda link: f" {unquote_plus(link[1])} ", line))
    names, every, end = [], [], 0
    for start, stop, choices in _codes(text, options):
        names.append(text[end:start])
        every.append(choices)
        end = stop
    names.append(text[end:])
    for rest in names:
        _refuse(rest, options)
    if not every:
        raise SettingError(
            f"a line must hold a code such as {encode([None] * len(options))}, or a link with one."
        )
    return [Student(*pair) for pair in zip(_paired(names), every, strict=True)]


def _codes(text: str, options: Sequence[int]) -> Iterator[tuple[int, int, tuple[int | None, ...]]]:
    """Where each code begins and ends, and what it says."""
    end = 0
    for start, stop in _stretches(text, len(options) + 1):
        try:
            choices = decode(text[start:stop], options)
        except SettingError:
            continue
        if start >= end:
            yield start, stop, choices
            end = stop


def _stretches(text: str, letters: int) -> Iterator[tuple[int, int]]:
    """Whole words with so many letters, and nothing but spaces and dashes between them."""
    words = list(_WORD.finditer(text))
    for first in range(len(words)):
        count = 0
        for last in range(first, len(words)):
            word = words[last]
            if last > first and not _BETWEEN.fullmatch(text, words[last - 1].end(), word.start()):
                break
            count += len(word[0])
            if count >= letters:
                if count == letters:
                    yield words[first].start(), word.end()
                break


def _paired(names: list[str]) -> list[str]:
    """A name for each code, out of what stands before, between and after them."""
    first, *others = (name.strip(" \t:,;|()-") for name in names)
    if len(others) == 1:
        return [f"{first} {others[0]}".strip()]
    # A line that begins with a code has its names behind them.
    return [first, *others[:-1]] if first else others


def _refuse(text: str, options: Sequence[int]) -> None:
    """Say what is wrong with what stands beside the codes and looks like one."""
    for start, stop in _stretches(text, len(options) + 1):
        if set(text[start:stop].upper()) <= {*_LETTERS[: max(options)], "X", "-", " "}:
            decode(text[start:stop], options)
    if grouped := _GROUPED.search(text):
        decode(grouped[0], options)


def _choice(letter: str, options: int) -> int | None:
    if letter == _NONE.upper():
        return None
    place = _LETTERS.find(letter)
    if not 0 <= place < options:
        raise SettingError(
            f"each letter must be an option, A to {_LETTERS[options - 1]}, or {_NONE}; got "
            f"{letter!r}."
        )
    return place


def _check(choices: Sequence[int | None]) -> str:
    total = sum(
        place * (0 if choice is None else choice + 1) for place, choice in enumerate(choices, 1)
    )
    return _LETTERS[total % _MODULUS]

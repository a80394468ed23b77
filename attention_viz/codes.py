"""A student's predictions as a short code that a teacher can read, type and paste.

One letter a question, five in a group, then a letter that gives away a slip, such as
``BACxx-ABBAB-xxxxx-K``.
"""

import re
from collections.abc import Sequence
from typing import Final

from attention_viz.errors import SettingError

_NONE: Final = "x"  # no prediction yet
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVW"
# A prime above twice any step: one changed letter, or two neighbours swapped, changes the sum.
_MODULUS: Final = len(_LETTERS)
_GROUP: Final = 5


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
    letters = re.sub(r"[\s-]", "", code).upper()
    if len(letters) != len(options) + 1:
        raise SettingError(
            f"a code must have {len(options)} letters and one more to check them; got "
            f"{code[:40]!r}."
        )
    choices = tuple(_choice(*pair) for pair in zip(letters, options, strict=False))
    if letters[-1] != _check(choices):
        raise SettingError(f"a code must be copied letter by letter; {code[:40]!r} has a slip.")
    return choices


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

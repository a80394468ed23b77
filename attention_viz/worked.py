"""A step of a lesson with its numbers: words for its text, and answers for its blanks."""

import math
from dataclasses import dataclass

from torch import Tensor

from attention_viz.reading import minus, number


@dataclass(frozen=True, slots=True)
class Answer:
    """What belongs into a blank.

    Attributes:
        value: the number.
        within: how far off still counts.
        whole: printed as a whole number.
    """

    value: float
    within: float
    whole: bool = False

    @property
    def written(self) -> str:
        """The number as the page prints it, and as it may be typed."""
        return str(math.floor(self.value + 0.5)) if self.whole else say(self.value)

    def takes(self, said: float) -> bool:
        """Whether this is near enough."""
        return abs(said - self.value) <= self.within


@dataclass(frozen=True, slots=True)
class Worked:
    """A step with its numbers: a word for each placeholder, an answer for each blank."""

    words: dict[str, str]
    answers: tuple[Answer, ...]


def say(value: float | Tensor) -> str:
    """A number in a sentence: 4 significant digits, and a minus sign.

    >>> say(-0.25)
    '−0.25'
    """
    return minus(number(float(value)))


def counted(n: int, noun: str) -> str:
    """How many there are of a thing.

    >>> counted(1, "token"), counted(4, "token")
    ('1 token', '4 tokens')
    """
    return f"{n} {noun}" + ("" if n == 1 else "s")


def near(value: float | Tensor) -> Answer:
    """An answer that may be rounded to two decimals."""
    return Answer(float(value), within=max(0.011, 0.01 * abs(float(value))))


def count(value: int) -> Answer:
    """An answer that is right or wrong."""
    return Answer(value, within=0, whole=True)

"""One case after another, each made of the seed and its own number alone, and what came of them."""

import random
import resource
import signal
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

LONGEST_SENTENCE: Final = 500  # letters of what a person is told
SECONDS: Final = 2.0  # of the processor, for one case
WAIT: Final = 60  # seconds after which a case counts as hanging, even on a busy machine
MEGABYTES: Final = 1000  # above what the process held before
# Letters that would break a line, or turn a sentence around.
UNFIT: Final = {"Cc", "Cs", "Zl", "Zp"}


class Hang(BaseException):
    """A case did not end. No Exception, so that what is tried cannot catch it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of input.

    Attributes:
        make: an input, from a source of chance.
        check: what became of it in one word, or AssertionError.
    """

    name: str
    make: Callable[[random.Random], Any]
    check: Callable[[Any], str]


@dataclass(slots=True)
class Totals:
    """What came of many cases."""

    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    worst: float = 0.0
    worst_number: int = 0
    megabytes: float = 0.0
    failed: list[tuple[int, str]] = field(default_factory=list)

    @property
    def is_bounded(self) -> bool:
        """Whether no case took long, and all together little memory."""
        return self.worst <= SECONDS and self.megabytes <= MEGABYTES


def case(kind: Kind, seed: int, number: int) -> Any:
    """The input of one case."""
    return kind.make(random.Random(f"{kind.name} {seed} {number}"))  # noqa: S311 - no secrets


def run(kind: Kind, seed: int, numbers: Iterable[int]) -> Totals:
    """Try cases, whatever they do."""
    totals = Totals()
    _check(kind, case(kind, seed, 0))  # what is imported and kept on first use
    before = peak()
    for number in numbers:
        given = case(kind, seed, number)
        start = time.process_time()
        outcome, fault = _check(kind, given)
        seconds = time.process_time() - start
        totals.outcomes[outcome] += 1
        totals.seconds += seconds
        if seconds > totals.worst:
            totals.worst, totals.worst_number = seconds, number
        if fault:
            totals.failed.append((number, fault))
    totals.megabytes = peak() - before
    return totals


def _check(kind: Kind, given: Any) -> tuple[str, str]:
    """The outcome, and what was wrong with it if anything."""
    signal.signal(signal.SIGALRM, _hang)
    signal.alarm(WAIT)
    try:
        return kind.check(given), ""
    except (Exception, Hang) as error:
        return "failed", f"{type(error).__name__}: {error!s:.300}"
    finally:
        signal.alarm(0)


def _hang(*_: object) -> None:
    raise Hang(f"no answer in {WAIT} s")


def peak() -> float:
    """The most memory that this process has held so far, in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024) / 1e6


def check_sentence(said: str, longest: int = LONGEST_SENTENCE) -> None:
    """One sentence that can be sent, shown and read: no line break, not endless, with an end."""
    assert 0 < len(said) <= longest, f"{len(said)} letters: {said[:200]!r}"
    assert said.endswith((".", ")")), said[-80:]
    unfit = [char for char in said if unicodedata.category(char) in UNFIT]
    assert not unfit, ascii(said)

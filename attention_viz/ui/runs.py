"""Experiments under way: they take turns step by step, and the server holds few unfinished ones."""

import itertools
import weakref
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from attention_viz.experiments.sweep import Progress
from attention_viz.ui.waiting import result_of

MOST_UNFINISHED: Final = 2  # on the server: each holds up to about 150 MB
# One step at a time in the whole server, in the order of asking. And in one thread, since what a
# thread of its own for each run of a script has freed does not go back to the system: 500 MB each.
_TURNS: Final = ThreadPoolExecutor(1, thread_name_prefix="experiments")
_clock = itertools.count()
Item = TypeVar("Item")


@dataclass(slots=True, eq=False, weakref_slot=True)
class Run(Generic[Item]):
    """An experiment of a visit: what it has yielded, and the rest of it while that is held.

    Attributes:
        of: what is measured.
        begin: starts it from its first step.
        items: all that was yielded but progress.
        progress: how far it was between two items; None when it says nothing of the kind.
        stopped: no further step is taken.
        made_way: its rest was closed for the run of another visitor; it can only begin again.
    """

    of: Hashable
    begin: Callable[[], Iterator[Item | Progress]]
    items: list[Item] = field(default_factory=list)
    progress: Progress | None = None
    stopped: bool = False
    made_way: bool = False
    _rest: Iterator[Item | Progress] | None = None
    _touched: int = 0

    def advance(self) -> bool:
        """Take one step more; False when there is none, or when it is stopped.

        All visitors take turns. A click ends the run of the script that waits for its turn.
        """
        step = _TURNS.submit(self._step)
        try:
            return result_of(step)
        finally:
            step.cancel()  # one that has not begun, and that nobody waits for

    def go_on(self) -> None:
        """Take steps again: where it was, or from the first one if it has made way."""
        self.stopped = False

    def abandon(self) -> None:
        """Nobody will go on: let go of what it holds."""
        self.stopped = True
        _TURNS.submit(self.close)

    def close(self) -> None:
        """Let go of the rest; only with the turn, when no step is being taken."""
        self._rest = None
        _unfinished.discard(self)

    def _step(self) -> bool:
        if self.stopped:
            return False
        try:
            step = next(self._held())
        except StopIteration:
            self.close()
            return False
        except Exception:
            self.close()
            self.of = None  # what has failed looks finished from now on: begin anew
            raise
        if isinstance(step, Progress):
            self.progress = step
        else:
            self.items.append(step)
        return True

    def _held(self) -> Iterator[Item | Progress]:
        self._touched = next(_clock)
        if self._rest is None:
            _make_way()
            self.items, self.progress, self.made_way = [], None, False
            self._rest = self.begin()
            _unfinished.add(self)
        return self._rest


# Weak: a run goes with the visit that it belongs to.
_unfinished: weakref.WeakSet[Run[Any]] = weakref.WeakSet()


def _make_way() -> None:
    """Close the longest untouched runs until there is a place for one more."""
    runs = sorted(_unfinished, key=lambda run: run._touched)
    for run in runs[: len(runs) + 1 - MOST_UNFINISHED]:
        run.stopped = run.made_way = True
        run.close()

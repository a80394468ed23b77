"""Experiments that take a while: they show how far they are, can be stopped, and are remembered."""

import threading
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

import streamlit as st
from torch import Tensor

from attention_viz.experiments import learning
from attention_viz.experiments.support import Support, measure_support
from attention_viz.experiments.sweep import Point, Sweep, walk
from attention_viz.ui import show

_RUNNING: Final = "experiments_running"
# One step at a time in the whole server: what a step holds for a moment is most of its memory.
_TURN: Final = threading.Lock()
Item = TypeVar("Item")


@dataclass(slots=True, eq=False)
class _Running(Generic[Item]):
    """An experiment of this visit: what it has yielded, and the rest of it."""

    of: Hashable
    rest: Iterator[Item]
    items: list[Item] = field(default_factory=list)
    stopped: bool = False

    def advance(self) -> bool:
        """Take one item more; False when there is none.

        A click starts a new run of the script in a thread of its own, while the one before may
        still be waiting for its item: they take turns.
        """
        with _TURN:
            try:
                self.items.append(next(self.rest))
            except StopIteration:
                return False
            except Exception:
                self.of = None  # what has failed looks finished from now on: begin anew
                raise
        return True


def sweep_points(sweep: Sweep) -> list[Point]:
    """The points of a sweep: all of them, or those before it was stopped."""
    largest = sweep.stops[-1]
    return _follow(
        sweep,
        _shelf(sweep),
        lambda: walk(sweep),
        lambda points: (points[-1].d_k / largest, f"d_k {points[-1].d_k} of {largest}"),
    )


def training_losses(seed: int) -> list[Tensor]:
    """The losses of each step of each way: all of them, or those before it was stopped."""
    total = learning.STEPS * len(learning.Way)
    return _follow(
        ("training", seed),
        _training_shelf(seed),
        lambda: learning.train_all(seed),
        lambda losses: (len(losses) / total, f"training step {len(losses)} of {total}"),
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def heads(sweep: Sweep) -> list[Point]:
    """The points of a small sweep, measured at once and remembered for all."""
    return list(walk(sweep))


@st.cache_resource(max_entries=8, show_spinner=False)
def support(seed: int) -> Support:
    """Effective tokens by spread and number of keys."""
    return measure_support(seed=seed)


def _follow(
    of: Hashable,
    shelf: list[list[Item]],
    begin: Callable[[], Iterator[Item]],
    tell: Callable[[list[Item]], tuple[float, str]],
) -> list[Item]:
    """Go on with an experiment under a bar and a button; on the shelf it stays when it is whole.

    A click anywhere ends the run of the script, and the next run goes on where this one was.
    """
    if shelf:
        return shelf[0]
    running: _Running[Item] | None = st.session_state.get(_RUNNING)
    if running is None or running.of != of:
        running = _Running(of, begin())
        st.session_state[_RUNNING] = running
    place = st.empty()
    if running.stopped:
        with place.container(horizontal=True, vertical_alignment="center"):
            show.fact(f"Stopped at {tell(running.items)[1]}." if running.items else "Stopped.")
            st.button("Go on", key="experiments_on", on_click=_set_stopped, args=(False,))
        return list(running.items)
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, "measuring")
        st.button("Stop", key="experiments_stop", on_click=_set_stopped, args=(True,))
    while running.advance():
        bar.progress(*tell(running.items))
    shelf.append(running.items)
    st.session_state.pop(_RUNNING, None)
    place.empty()
    return running.items


def _set_stopped(stopped: bool) -> None:  # noqa: FBT001 - a button's callback takes no keywords
    running: _Running[object] | None = st.session_state.get(_RUNNING)
    if running is not None:
        running.stopped = stopped


# What is whole is never changed, so all visitors may have the same without a copy.
@st.cache_resource(max_entries=8, show_spinner=False)
def _shelf(of: Sweep) -> list[list[Point]]:
    return []


@st.cache_resource(max_entries=8, show_spinner=False)
def _training_shelf(of: int) -> list[list[Tensor]]:
    return []

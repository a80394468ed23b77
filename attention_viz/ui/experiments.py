"""Experiments that take a while: they show how far they are, can be stopped, and are remembered."""

from collections.abc import Callable, Hashable, Iterator
from typing import Final

import streamlit as st
from torch import Tensor

from attention_viz.experiments import learning
from attention_viz.experiments.support import Support, measure_support
from attention_viz.experiments.sweep import Point, Progress, Sweep, steps, walk
from attention_viz.ui import show
from attention_viz.ui.runs import Item, Run

_RUN: Final = "experiments_run_"  # and the kind: a visit has one run of each


def sweep_points(sweep: Sweep) -> list[Point]:
    """The points of a sweep: all of them, or those before it was stopped."""
    largest = sweep.stops[-1]

    def tell(run: Run[Point]) -> tuple[float, str]:
        share, d_k = (run.progress.share, run.progress.d_k) if run.progress else (0.0, 0)
        if run.items:  # a block of coordinates gives several points before it is over
            d_k = max(d_k, run.items[-1].d_k)
        return share, f"d_k {d_k} of {largest}" if d_k else "the start"

    return _follow("sweep", sweep, _shelf(sweep), lambda: steps(sweep), tell)


def training_losses(seed: int) -> list[Tensor]:
    """The losses of each step of each way: all of them, or those before it was stopped."""
    total = learning.STEPS * len(learning.Way)

    def tell(run: Run[Tensor]) -> tuple[float, str]:
        return len(run.items) / total, f"training step {len(run.items)} of {total}"

    return _follow("training", seed, _training_shelf(seed), lambda: learning.train_all(seed), tell)


@st.cache_resource(max_entries=32, show_spinner=False)
def heads(sweep: Sweep) -> list[Point]:
    """The points of a small sweep, measured at once and remembered for all."""
    return list(walk(sweep))


@st.cache_resource(max_entries=8, show_spinner=False)
def support(seed: int) -> Support:
    """Effective tokens by spread and number of keys."""
    return measure_support(seed=seed)


def _follow(
    kind: str,
    of: Hashable,
    shelf: list[list[Item]],
    begin: Callable[[], Iterator[Item | Progress]],
    tell: Callable[[Run[Item]], tuple[float, str]],
) -> list[Item]:
    """Go on with an experiment under a bar and a button; on the shelf it stays when it is whole.

    A click anywhere ends the run of the script, and the next run goes on where this one was. A run
    that is stopped stays so, whatever the visitor looks at meanwhile, until another of its kind
    begins.
    """
    if shelf:
        return shelf[0]
    run = _run_of(kind, of, begin)
    place = st.empty()
    if not run.stopped:
        with place.container(horizontal=True, vertical_alignment="center"):
            # First in its row, as "Go on" is: a button that moves under a finger is not pressed.
            st.button("Stop", key=f"experiments_stop_{kind}", on_click=_stop, args=(kind,))
            bar = st.progress(*tell(run))
        while run.advance():
            bar.progress(*tell(run))
    if run.stopped:
        _offer(kind, run, place, tell(run)[1])
        return list(run.items)
    shelf.append(run.items)
    st.session_state.pop(_RUN + kind, None)
    place.empty()
    return run.items


def _run_of(kind: str, of: Hashable, begin: Callable[[], Iterator[Item | Progress]]) -> Run[Item]:
    """This visit's run of that; one of the same kind that was for something else ends here."""
    run: Run[Item] | None = st.session_state.get(_RUN + kind)
    if run is not None and run.of == of:
        return run
    if run is not None:
        run.abandon()
    run = st.session_state[_RUN + kind] = Run(of, begin)
    return run


def _offer(kind: str, run: Run[Item], place: "st.delta_generator.DeltaGenerator", at: str) -> None:
    """Say where a run was stopped and why, with a button to go on."""
    why = (
        ", to make way for another visitor's run: its measuring begins again"
        if run.made_way
        else ""
    )
    with place.container(horizontal=True, vertical_alignment="center"):
        st.button("Go on", key=f"experiments_on_{kind}", on_click=_go_on, args=(kind,))
        show.fact(f"Stopped at {at}{why}.")


def _stop(kind: str) -> None:
    run: Run[object] | None = st.session_state.get(_RUN + kind)
    if run is not None:
        run.stopped = True


def _go_on(kind: str) -> None:
    run: Run[object] | None = st.session_state.get(_RUN + kind)
    if run is not None:
        run.go_on()


# What is whole is never changed, so all visitors may have the same without a copy.
@st.cache_resource(max_entries=8, show_spinner=False)
def _shelf(of: Sweep) -> list[list[Point]]:
    return []


@st.cache_resource(max_entries=8, show_spinner=False)
def _training_shelf(of: int) -> list[list[Tensor]]:
    return []

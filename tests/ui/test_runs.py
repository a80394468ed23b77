"""Runs take turns step by step, and the server holds few unfinished ones."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from attention_viz.experiments.sweep import Progress
from attention_viz.ui.runs import MOST_UNFINISHED, Run

pytestmark = pytest.mark.ui


def numbers():
    yield from range(20)


def test_those_who_follow_one_experiment_take_turns():
    def slowly():
        for i in range(20):
            torch.randn(300_000)
            yield i

    run = Run("numbers", slowly)

    def follow():
        while run.advance():
            pass

    # The last one is told that it ends, the others may come when it has: they would begin anew.
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(lambda: [run.advance() for _ in range(5)]) for _ in range(4)]:
            done.result()
    assert run.items == list(range(20))
    follow()
    assert run.items == list(range(20))


def test_progress_is_no_item():
    run = Run("a", lambda: iter([Progress(0.5, 32), "point", Progress(1.0, 64)]))
    assert run.advance()
    assert (run.items, run.progress) == ([], Progress(0.5, 32))
    while run.advance():
        pass
    assert (run.items, run.progress) == (["point"], Progress(1.0, 64))


def test_an_experiment_that_failed_is_not_taken_for_whole():
    def failing():
        yield 1
        raise MemoryError

    run = Run("numbers", failing)
    assert run.advance()
    with pytest.raises(MemoryError):
        run.advance()
    assert run.of is None


def test_the_longest_untouched_run_makes_way_and_lets_go_of_what_it_holds():
    held = []

    def holding():
        block = torch.zeros(3)
        held.append(weakref.ref(block))
        while True:
            yield block.sum().item()

    runs = [Run(i, holding) for i in range(MOST_UNFINISHED)]
    assert all(run.advance() for run in runs)
    assert runs[0].advance()  # now the second is the longest untouched
    newcomer = Run("new", holding)
    assert newcomer.advance()
    assert [run.made_way for run in runs] == [False, True]
    assert held[1]() is None
    assert held[0]() is not None
    assert not runs[1].advance()
    assert runs[1].items == [0.0]  # what was measured is still there
    runs[1].go_on()
    assert runs[1].advance()
    assert not runs[1].made_way
    assert runs[0].made_way


def test_many_visits_that_are_left_hold_no_more_than_a_few():
    closed = []

    def begin(i):
        try:
            while True:
                yield i
        finally:
            closed.append(i)

    runs = [Run(i, lambda i=i: begin(i)) for i in range(9)]
    assert all(run.advance() for run in runs)
    assert closed == list(range(9 - MOST_UNFINISHED))
    runs.clear()
    gc.collect()
    assert sorted(closed) == list(range(9))  # a visit that goes takes its run along


def test_a_stopped_run_takes_no_step_and_an_abandoned_one_lets_go():
    run = Run("a", numbers)
    assert run.advance()
    run.stopped = True
    assert not run.advance()
    run.go_on()
    assert run.advance()
    assert run.items == [0, 1]
    rest = weakref.ref(run._rest)
    run.abandon()
    assert not run.advance()  # its turn comes after the letting go
    assert rest() is None
    assert run.items == [0, 1]


def test_who_waits_is_next_however_long_the_other_run_is():
    others, begun = [], threading.Event()

    def long():
        while not others:
            begun.set()
            yield 0

    def other():
        others.append("had its turn")
        yield 1

    running, waiting = Run("long", long), Run("other", other)

    def follow():
        while running.advance():
            pass

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(follow)
        begun.wait()
        assert waiting.advance()
        done.result()
    assert len(running.items) < 10_000  # alone it goes on for ever

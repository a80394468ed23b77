"""A few hundred inputs of every kind; `python -m tests.fuzz` tries as many as one likes."""

from threading import Event

import pytest

from tests.fuzz import cases
from tests.fuzz.addresses import ADDRESSES, PAGES
from tests.fuzz.cases import Kind, Totals, check_sentence, run
from tests.fuzz.checkpoints import CHECKPOINTS
from tests.fuzz.sentences import SENTENCES


@pytest.mark.parametrize(
    ("kind", "count"), [(SENTENCES, 200), (ADDRESSES, 400), (CHECKPOINTS, 400)]
)
def test_nothing_that_a_stranger_sends_does_harm(kind, count):
    totals = run(kind, 0, range(count))
    assert not totals.failed
    assert totals.is_bounded, totals
    assert totals.outcomes.total() == count
    assert len(totals.outcomes) > 1  # some are refused, and some are not


@pytest.mark.ui
@pytest.mark.parametrize("page", ["explore", "scaling", "softmax"])
def test_a_page_is_drawn_at_an_address_of_nonsense(page):
    assert page in PAGES
    query = (
        "text=%00%ff&d_k=nan&seed=%D9%A3&row=9&row=-1&scaling_low=9e9&scaling_draws=50"
        "&softmax_scores=inf"
    )
    assert ADDRESSES.check((page, query, True)) == "page"


def test_what_fails_is_counted_and_goes_on():
    def check(number):
        assert number < 0.5, "too large"
        return "small"

    totals = run(Kind("numbers", lambda rng: rng.random(), check), 0, range(40))
    assert 0 < len(totals.failed) < 40
    assert totals.outcomes["failed"] == len(totals.failed)
    assert totals.failed[0][1].startswith("AssertionError: too large")


def test_too_long_and_too_much_are_told():
    assert Totals(worst=2, megabytes=1000).is_bounded
    assert not Totals(worst=2.1).is_bounded
    assert not Totals(megabytes=1001).is_bounded


@pytest.mark.parametrize("said", ["", "No end", "Two\nlines.", "x" * 600 + ".", "\ud800."])
def test_what_is_no_sentence_is_told(said):
    with pytest.raises(AssertionError):
        check_sentence(said)


def test_what_waits_for_ever_hangs(monkeypatch):
    monkeypatch.setattr(cases, "WAIT", 1)
    never = Event()
    totals = run(Kind("waits", lambda rng: rng, lambda given: str(never.wait())), 0, range(1))
    assert totals.failed == [(0, "Hang: no answer in 1 s")]

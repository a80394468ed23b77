"""Who waits for work in another thread can be called away."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.runtime.state import SafeSessionState, SessionState, session_state_proxy

from attention_viz.ui import cache
from attention_viz.ui.state import DEFAULTS
from attention_viz.ui.waiting import result_of

pytestmark = pytest.mark.ui

SECONDS = 30  # until a test that hangs goes on, and fails


class Ended(BaseException):
    """As Streamlit ends a run: no Exception."""


@pytest.fixture
def called_away(monkeypatch):
    """A session that ends the run at the third touch, where Streamlit would."""
    touches = []

    def end():
        touches.append(1)
        if len(touches) == 3:
            raise Ended

    session = SafeSessionState(SessionState(), end)
    monkeypatch.setattr(session_state_proxy, "get_session_state", lambda: session)


def test_what_the_work_gives_or_raises():
    with ThreadPoolExecutor(1) as pool:
        assert result_of(pool.submit(lambda: 7)) == 7
        with pytest.raises(ZeroDivisionError):
            result_of(pool.submit(lambda: 1 / 0))


def test_a_newer_run_does_not_wait(called_away):
    release = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(release.wait, SECONDS)
        with pytest.raises(Ended):
            result_of(work)
        release.set()
        assert work.result()


def test_a_band_that_a_run_ended_for_is_drawn_once(monkeypatch, called_away):
    release, drawn = threading.Event(), []

    def slow(*_, **__):
        release.wait(SECONDS)
        drawn.append(1)
        return "a band"

    monkeypatch.setattr(cache, "entropy_band", slow)
    recipe, stops = cache.recipe(DEFAULTS), (1, 3)  # no page has these stops
    with pytest.raises(Ended):
        cache._band(recipe, stops)
    release.set()
    assert [cache._band(recipe, stops) for _ in range(2)] == ["a band"] * 2
    assert drawn == [1]


def test_a_band_that_failed_is_drawn_anew(monkeypatch):
    bands = iter([MemoryError(), "a band"])

    def draw(*_, **__):
        band = next(bands)
        if isinstance(band, Exception):
            raise band
        return band

    monkeypatch.setattr(cache, "entropy_band", draw)
    recipe, stops = cache.recipe(DEFAULTS), (1, 5)  # nor these
    with pytest.raises(MemoryError):
        cache._band(recipe, stops)
    assert cache._band(recipe, stops) == "a band"

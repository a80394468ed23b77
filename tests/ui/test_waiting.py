"""Who waits for work in another thread can be called away."""

import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor

import pytest

from attention_viz.ui import waiting
from attention_viz.ui.waiting import result_of

pytestmark = pytest.mark.ui


class Ended(BaseException):
    """As Streamlit ends a run: no Exception."""


class Session:
    """A session in which a newer run is asked for at the third look."""

    looks = 0

    def __contains__(self, _):
        self.looks += 1
        if self.looks == 3:
            raise Ended
        return False


def test_what_the_work_gives_or_raises():
    with ThreadPoolExecutor(1) as pool:
        assert result_of(pool.submit(lambda: 7)) == 7
        with pytest.raises(ZeroDivisionError):
            result_of(pool.submit(lambda: 1 / 0))


def test_a_newer_run_does_not_wait_and_gives_up_what_has_not_begun(monkeypatch):
    monkeypatch.setattr(waiting.st, "session_state", Session())
    release, after = threading.Event(), []
    with ThreadPoolExecutor(1) as pool:
        begun: Future[bool] = pool.submit(release.wait)
        queued = pool.submit(after.append, "run")
        with pytest.raises(Ended):
            result_of(queued)
        release.set()
        assert begun.result()
        with pytest.raises(CancelledError):
            queued.result()
    assert after == []

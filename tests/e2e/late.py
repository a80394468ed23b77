"""Streamlit on a busy machine: it hears late, or a part of a page begins, or ends, late.

    python -m tests.e2e.late hears run app.py
    python -m tests.e2e.late begins run app.py
    python -m tests.e2e.late ends run app.py

What was sent later, for the whole page or for another one, is then joined to what was not heard,
overtakes the part, if the server lets that happen, or is already there when it ends.
"""

import sys
import threading
import time

from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType
from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx
from streamlit.runtime.state.session_state import SessionState
from streamlit.web.cli import main

SECONDS = 5  # to wait for the other
take, hear = ScriptRequests.request_rerun, ScriptRequests.on_scriptrunner_ready
take_over, finish = SessionState.on_script_will_rerun, SessionState.on_script_finished
joined, part_waits, whole_is_over, part_is_over = (threading.Event() for _ in range(4))


def ask(requests, data):
    """Whether something else is asked for before what was asked first is heard."""
    joins = requests._state is ScriptRequestType.RERUN
    asked = take(requests, data)
    if joins:
        joined.set()
    return asked


def hear_late(requests):
    """What is done on a page is heard once something else is asked for, or a while later."""
    said = requests._rerun_data.widget_states
    if requests._state is ScriptRequestType.RERUN and said is not None and said.widgets:
        joined.clear()
        joined.wait(SECONDS)
    return hear(requests)


def begin_late(state, *args, **options):
    """A part waits until a whole page has been taken over, and that goes on only after it."""
    if get_script_run_ctx().fragment_ids_this_run:
        whole_is_over.clear()
        part_is_over.clear()
        part_waits.set()
        whole_is_over.wait(SECONDS)
        part_waits.clear()
        take_over(state, *args, **options)
        part_is_over.set()
        return
    take_over(state, *args, **options)
    if part_waits.is_set():
        whole_is_over.set()
        part_is_over.wait(SECONDS)


def end_late(state, *args, **options):
    """A part that is drawn takes a while until it says so."""
    if get_script_run_ctx().fragment_ids_this_run:
        time.sleep(SECONDS)
    finish(state, *args, **options)


if __name__ == "__main__":
    late = sys.argv.pop(1)
    if late == "hears":
        ScriptRequests.request_rerun = ask
        ScriptRequests.on_scriptrunner_ready = hear_late
    elif late == "begins":
        SessionState.on_script_will_rerun = begin_late
    else:
        SessionState.on_script_finished = end_late
    main()

"""Streamlit on a machine so busy that what a part of a page sends is taken over late.

    python -m tests.e2e.late run app.py

That is after what was sent later for the whole page, if the server lets that overtake.
"""

import threading

from streamlit.runtime.scriptrunner_utils.script_run_context import get_script_run_ctx
from streamlit.runtime.state.session_state import SessionState
from streamlit.web.cli import main

SECONDS = 5  # to wait for the other
take_over = SessionState.on_script_will_rerun
part_waits, whole_is_over, part_is_over = (threading.Event() for _ in range(3))


def late(state, *args, **options):
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


if __name__ == "__main__":
    SessionState.on_script_will_rerun = late
    main()

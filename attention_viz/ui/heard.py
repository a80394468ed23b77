"""What a part of the page that runs in the browser has reported.

What Python must not miss is reported as a trigger: where another page is asked for before a report
is heard, Streamlit joins the two and keeps of the first only its triggers
(``_coalesce_widget_states``). As state as well, where a report that is lost all the same should
come with whatever is reported next.
"""

import streamlit as st


def said(key: str, name: str) -> object:
    """What the component reports under this name; call from the callback that it is told to."""
    if key not in st.session_state:
        # The state of what is no longer drawn is gone (ScriptRunner._run_script, where the page
        # changes), and Streamlit shows a trigger only beside a state.
        st.session_state[key] = {}
    report: object = st.session_state[key].get(name)
    return report

"""What to try after a step: a link that sets it up on another page, or a button on this one.

What a button has set up holds on the steps that follow, so it can be taken back on every step.
"""

from dataclasses import asdict
from typing import Final
from urllib.parse import parse_qsl

import streamlit as st

from attention_viz.lessons import Part
from attention_viz.ui import links, loaded, show, state
from attention_viz.ui.state import OWN_FILE, Settings, Value
from attention_viz.ui.steps import place

HERE: Final = "steps"
_TRIED: Final = "steps_tried"  # of each step: the settings it has changed, before and since


def draw(part: Part, settings: Settings) -> None:
    """The sentence and the way there, and the ways back from what is still set up."""
    show.text(f"Try this: {part.fields['try']}")
    page, _, query = part.fields["go"].partition("?")
    words = dict(parse_qsl(query))
    label = show.plain(part.fields["label"])
    if page == HERE and part.key not in _tried():
        st.button(label, key="steps_try", on_click=_set_up, args=(part.key, words))
    elif page != HERE and (settings.head != OWN_FILE or not words.keys() & set(state.NAMES)):
        links.draw(label, page, _address(words, settings))
    for name in _tried():
        label = place.steps()[name].fields["back"]
        st.button(label, key=f"steps_back_{name}", on_click=_take_back, args=(name,))


def _address(words: dict[str, str], settings: Settings) -> dict[str, str]:
    """What a link holds: with any of the shared settings all of them, since one is the whole."""
    if not words.keys() & set(state.NAMES):
        return words
    return state.to_address(settings) | words


def _tried() -> dict[str, dict[str, tuple[Value, Value]]]:
    """What steps have set up and nothing has changed since, by the names of the steps.

    Another row is another look at it, and no change.
    """
    tried: dict[str, dict[str, tuple[Value, Value]]] = st.session_state.get(_TRIED, {})
    now = asdict(state.settings())
    return {
        name: changes
        for name, changes in tried.items()
        if all(now[key] == after for key, (_, after) in changes.items() if key != "row")
    }


def _set_up(name: str, words: dict[str, str]) -> None:
    tried, before = _tried(), asdict(state.settings())
    chosen, _ = state.read_address(words)
    state.choose(**chosen)
    loaded.begin_anew()
    after = asdict(state.settings())
    changes = {key: (before[key], after[key]) for key in after if before[key] != after[key]}
    st.session_state[_TRIED] = tried | ({name: changes} if changes.keys() - {"row"} else {})


def _take_back(name: str) -> None:
    changes = _tried().get(name, {})  # none, if a quick person has just changed them
    state.choose(**{key: before for key, (before, _) in changes.items()})
    state.stage_ended()

"""What to try after a step: a link that sets it up on another page, or a button on this one."""

from typing import Final
from urllib.parse import parse_qsl

import streamlit as st

from attention_viz.lessons import Part
from attention_viz.ui import links, loaded, show, state
from attention_viz.ui.state import OWN_FILE, Settings

HERE: Final = "steps"


def draw(part: Part, settings: Settings) -> None:
    """The sentence, and the way there."""
    show.text(f"Try this: {part.fields['try']}")
    page, _, query = part.fields["go"].partition("?")
    words = dict(parse_qsl(query))
    label = show.plain(part.fields["label"])
    if page == HERE:
        st.button(label, key="steps_try", on_click=_set_up, args=(words,))
    elif settings.head != OWN_FILE or not words.keys() & set(state.NAMES):
        links.draw(label, page, _address(words, settings))


def _address(words: dict[str, str], settings: Settings) -> dict[str, str]:
    """What a link holds: with any of the shared settings all of them, since one is the whole."""
    if not words.keys() & set(state.NAMES):
        return words
    return state.to_address(settings) | words


def _set_up(words: dict[str, str]) -> None:
    chosen, _ = state.read_address(words)
    state.choose(**chosen)
    loaded.begin_anew()

"""Softmax lab: what does softmax do?"""

from collections.abc import Callable
from typing import Final

import streamlit as st

from attention_viz.errors import AttentionVizError
from attention_viz.places import SECTIONS
from attention_viz.ui import browser, show, state
from attention_viz.ui.softmax import (
    choices,
    editor,
    instead,
    masks,
    sentence,
    slopes,
    steps,
    types,
    way,
)
from attention_viz.ui.softmax.choices import Choices

_PARTS: Final[dict[str, Callable[[Choices], None]]] = {
    "steps": steps.draw,
    "types": types.draw,
    "slopes": slopes.draw,
    "instead": instead.draw,
    "way": way.draw,
    "masks": masks.draw,
}


def page() -> None:
    """The whole page."""
    now = choices.enter()
    if not now.needs_sentence:
        sentence.rest()
    if choices.notice(now):
        show.notice(choices.notice(now))
    question, link = st.columns([6, 1], vertical_alignment="center")
    with question:
        show.question("What does softmax do?")
    st.segmented_control(
        "Section",
        list(SECTIONS),
        key=choices.key("section"),
        format_func=SECTIONS.__getitem__,
        required=True,
        label_visibility="collapsed",
    )
    try:
        draw(now)
    except AttentionVizError as error:
        show.problem(error)
    with link:
        browser.link(state.settings(), staged=False, also=choices.address(now))


def draw(now: Choices) -> None:
    """The chosen section, beside the scores that it looks at; only that one is computed."""
    if now.needs_sentence:
        _PARTS[now.section](now)
        return
    scores, section = st.columns([2, 5], gap="medium")
    with scores:
        editor.draw(now)
    with section:
        _PARTS[now.section](now)


page()

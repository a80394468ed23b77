"""The scores of the lab: typed, dragged, and changed all at once."""

import contextlib
import math
from collections.abc import Sequence
from importlib import resources
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from attention_viz.errors import AttentionVizError
from attention_viz.reading import minus, number
from attention_viz.rows import MOST, parse_row, read_apart, write_row
from attention_viz.ui import heard, show
from attention_viz.ui.softmax import choices
from attention_viz.ui.softmax.choices import Choices

EXAMPLES: Final = {
    "Three": "2, 1, 0.1",
    "Ties": "3, 3, 1",
    "Large": "1002, 1001, 1000",
    "Small": "-1000, -1001, -1002",
    "Cancelling": "2, -1, -0.9",
    "One far ahead": "17, 0, 0",
}
_KEY: Final = "softmax_editor"
_REACH: Final = 10.0  # of a slider, either way, until a score lies beyond


def draw(now: Choices) -> None:
    """The widgets; choices.enter() reads them."""
    st.text_input("Scores, 2 to 12, with commas between", key=choices.key("scores"))
    st.pills(
        "Examples",
        list(EXAMPLES),
        key="softmax_example",
        on_change=_take_example,
        label_visibility="collapsed",
        wrap=True,
    )
    with contextlib.suppress(AttentionVizError):  # the section says what is wrong
        scores = parse_row(now.scores)
        if read_apart(now.scores):
            show.notice(minus(read_apart(now.scores)))
        _sliders(now, scores)
    with st.container(horizontal=True):
        st.button("+5 to all?", on_click=_add_five)
        st.button("× 2?", on_click=_double)
        st.button("Back", on_click=_back, disabled=not now.is_changed)
    if now.is_changed:
        show.fact(f"In every section now: {_changes(now)}. “Back” takes it away.")
    with st.expander("Factor, constant, temperature", expanded=False):
        most = choices.MOST_CHANGE
        st.number_input("Factor on all scores", -most, most, key=choices.key("times"))
        st.number_input("Constant added to all", -most, most, key=choices.key("add"))
        st.number_input(
            "Temperature, which all is divided by",
            *choices.TEMPERATURES,
            step=0.5,
            key=choices.key("temperature"),
        )


def _sliders(now: Choices, scores: Sequence[float]) -> None:
    data = {
        "scores": scores,
        "times": now.times,
        "add": now.add,
        "temperature": now.temperature,
        "low": min(-_REACH, math.floor(min(scores))),
        "high": max(_REACH, math.ceil(max(scores))),
        "label": "score",
        "fault": "The sliders could not be drawn: type the scores.",
    }
    _component()(key=_KEY, data=data, on_scores_change=_moved)


def _moved() -> None:
    said = heard.said(_KEY, "scores")
    # A browser may say anything.
    if isinstance(said, list) and all(
        type(one) in {int, float} and abs(one) <= MOST for one in said
    ):
        choices.choose(scores=write_row(said))


def _changes(now: Choices) -> str:
    """What is done to the scores before softmax, in order."""
    parts = [
        *([f"× {number(now.times)}"] if now.times != 1 else []),
        *([f"+ {number(now.add)}"] if now.add > 0 else []),
        *([f"− {number(-now.add)}"] if now.add < 0 else []),
        *([f"÷ {number(now.temperature)}"] if now.temperature != 1 else []),
    ]
    return f"each score {', then '.join(parts)}"


def _take_example() -> None:
    name = st.session_state["softmax_example"]
    if name is not None:
        choices.choose(scores=EXAMPLES[name], times=1.0, add=0.0, temperature=1.0)
        st.session_state["softmax_example"] = None


def _add_five() -> None:
    choices.choose(add=min(choices.now().add + 5, choices.MOST_CHANGE))


def _double() -> None:
    limit = choices.MOST_CHANGE
    choices.choose(times=max(-limit, min(choices.now().times * 2, limit)))


def _back() -> None:
    choices.choose(times=1.0, add=0.0, temperature=1.0)


@st.cache_resource
def _component() -> ComponentRenderer:
    js, css = (
        resources.files("attention_viz.ui.softmax").joinpath(f"scores.{kind}").read_text("utf-8")
        for kind in ("js", "css")
    )
    html = '<div class="scores"></div>'
    return st.components.v2.component("scores", html=html, css=css, js=js)

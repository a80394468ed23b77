"""Blanks to fill in: numbers checked against what was computed, with a kind answer."""

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from attention_viz.ui import show
from attention_viz.walkthrough import Answer, say

_ASKED: Final = "steps_asked"  # the step and the answers that the blanks stand for


def begin(name: str, answers: Sequence[Answer]) -> bool:
    """Empty the blanks of another step or another head; whether all of them are right already.

    Call before anything of the step is drawn.
    """
    asked = (name, tuple(answers))
    if st.session_state.get(_ASKED) != asked:
        st.session_state[_ASKED] = asked
        for place in range(len(answers)):
            st.session_state[_key(place)] = None
    said = [st.session_state.get(_key(place)) for place in range(len(answers))]
    pairs = zip(said, answers, strict=True)
    return all(number is not None and answer.takes(number) for number, answer in pairs)


def draw(fields: Mapping[str, str], answers: Sequence[Answer], *, solved: bool) -> None:
    """The blanks, each with what is said of its number."""
    show.fact("Your turn; two decimals are enough.")
    for place, answer in enumerate(answers):
        _draw(place, answer, fields[f"ask {place + 1}"], fields[f"hint {place + 1}"])
    if not solved:
        st.button("Show the answers", key="steps_answers", on_click=_fill, args=(answers,))


def _draw(place: int, answer: Answer, ask: str, hint: str) -> None:
    said = st.number_input(show.label(ask), value=None, format="%.10g", key=_key(place))
    if said is None:
        return
    if answer.takes(said):
        st.success(show.plain(f"Right: {say(answer.value)}."), icon=":material/check:")
    else:
        st.info(show.plain(f"Not yet. {hint}"), icon=":material/lightbulb:")


def _key(place: int) -> str:
    return f"steps_blank_{place + 1}"


def _fill(answers: Sequence[Answer]) -> None:
    for place, answer in enumerate(answers):
        st.session_state[_key(place)] = answer.value

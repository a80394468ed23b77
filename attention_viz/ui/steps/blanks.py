"""Blanks to fill in: numbers checked against what was computed, with a kind answer."""

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from attention_viz.errors import SettingError
from attention_viz.rows import LONGEST, read_typed
from attention_viz.ui import show
from attention_viz.worked import Answer

_KEPT: Final = "steps_kept"  # of each step: the answers that its blanks stand for, what was typed


def begin(step: str, answers: Sequence[Answer]) -> tuple[bool, ...]:
    """Which blanks are right, those that were filled on an earlier visit to the step among them.

    Another head has other answers, and its blanks are empty. Call before anything of the step is
    drawn.
    """
    kept = st.session_state.setdefault(_KEPT, {})
    asked, words = kept.get(step, (None, ()))
    keys = [_key(step, place) for place in range(len(answers))]
    for place, key in enumerate(keys):
        if asked != tuple(answers):
            st.session_state[key] = ""
        else:
            # Streamlit forgets what was typed into a field while the field is not drawn.
            st.session_state.setdefault(key, words[place])
    typed = tuple(st.session_state[key] for key in keys)
    kept[step] = (tuple(answers), typed)
    return tuple(_is_right(one, answer) for one, answer in zip(typed, answers, strict=True))


def draw(
    step: str, fields: Mapping[str, str], answers: Sequence[Answer], right: Sequence[bool]
) -> None:
    """The blanks, each with what is said of its number."""
    show.fact("Your turn; two decimals are enough.")
    for place, answer in enumerate(answers):
        ask, hint = fields[f"ask {place + 1}"], fields[f"hint {place + 1}"]
        typed = st.text_input(show.label(ask), key=_key(step, place), max_chars=LONGEST)
        if typed.strip():
            _answer(typed, answer, hint, is_right=right[place])
    if not all(right):
        st.button("Show the answers", key="steps_answers", on_click=_fill, args=(step, answers))


def _answer(typed: str, answer: Answer, hint: str, *, is_right: bool) -> None:
    """What is said of one number."""
    if is_right:
        st.success(show.plain(f"Right: {answer.written}."), icon=":material/check:")
        return
    try:
        read_typed(typed)
    except SettingError as error:
        show.problem(error)
    else:
        st.info(show.plain(f"Not yet. {hint}"), icon=":material/lightbulb:")


def _is_right(typed: str, answer: Answer) -> bool:
    try:
        return answer.takes(read_typed(typed))
    except SettingError:
        return False


def _key(step: str, place: int) -> str:
    return f"steps_blank_{step}_{place + 1}"


def _fill(step: str, answers: Sequence[Answer]) -> None:
    for place, answer in enumerate(answers):
        st.session_state[_key(step, place)] = answer.written

"""Blanks to fill in: numbers checked against what was computed, with a kind answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from attention_viz.errors import SettingError
from attention_viz.rows import LONGEST, read_typed
from attention_viz.ui import show
from attention_viz.worked import Answer

_KEPT: Final = "steps_kept"


@dataclass(frozen=True, slots=True)
class _Blanks:
    """The blanks of a step.

    Attributes:
        answers: what they stand for.
        words: what was typed into each.
        revision: counts what the page wrote into them, each time into new fields: Streamlit tells a
            field once what it holds, and that is lost when the page runs again at that moment.
    """

    answers: tuple[Answer, ...] = ()
    words: tuple[str, ...] = ()
    revision: int = 0

    def key(self, step: str, place: int) -> str:
        return f"steps_blank_{step}_{place + 1}_{self.revision}"

    def rewritten(self, answers: Sequence[Answer], words: Sequence[str]) -> "_Blanks":
        return _Blanks(tuple(answers), tuple(words), self.revision + 1)


def begin(step: str, answers: Sequence[Answer]) -> tuple[bool, ...]:
    """Which blanks are right, those that were filled on an earlier visit to the step among them.

    Another head has other answers, and its blanks are empty. Call before anything of the step is
    drawn.
    """
    blanks = _kept().get(step, _Blanks())
    if blanks.answers != tuple(answers):
        blanks = blanks.rewritten(answers, [""] * len(answers))
    # Streamlit forgets what was typed into a field while the field is not drawn.
    typed = tuple(
        st.session_state.get(blanks.key(step, place), word)
        for place, word in enumerate(blanks.words)
    )
    _kept()[step] = replace(blanks, words=typed)
    return tuple(_is_right(one, answer) for one, answer in zip(typed, answers, strict=True))


def draw(
    step: str, fields: Mapping[str, str], answers: Sequence[Answer], right: Sequence[bool]
) -> None:
    """The blanks, each with what is said of its number."""
    show.fact("Your turn; two decimals are enough.")
    blanks = _kept()[step]
    for place, answer in enumerate(answers):
        ask, hint = fields[f"ask {place + 1}"], fields[f"hint {place + 1}"]
        typed = st.text_input(
            show.label(ask), blanks.words[place], key=blanks.key(step, place), max_chars=LONGEST
        )
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


def _kept() -> dict[str, _Blanks]:
    """The blanks of each step that was seen."""
    kept: dict[str, _Blanks] = st.session_state.setdefault(_KEPT, {})
    return kept


def _fill(step: str, answers: Sequence[Answer]) -> None:
    words = [answer.written for answer in answers]
    _kept()[step] = _kept()[step].rewritten(answers, words)

"""What a teacher takes away and brings back: the worksheet, and the codes of a class."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from attention_viz.errors import AttentionVizError
from attention_viz.questions import LETTERS, introduction, outlines, question, title
from attention_viz.ui import quiz, show
from attention_viz.worksheet import worksheet

Choices = tuple[int | None, ...]
_MOST_CODES: Final = 200
_MOST_CHARACTERS: Final = 20_000


def draw_worksheets() -> None:
    """Two files to print, made when they are asked for."""
    with st.container(horizontal=True):
        st.download_button(
            "Worksheet",
            lambda: sheet(answers=False),
            "attention-questions.html",
            "text/html",
            on_click="ignore",
        )
        st.download_button(
            "Worksheet with answers",
            lambda: sheet(answers=True),
            "attention-questions-answers.html",
            "text/html",
            on_click="ignore",
        )


def sheet(*, answers: bool) -> str:
    """The worksheet as HTML."""
    places = range(len(outlines()))
    return worksheet(
        title(),
        introduction(),
        [question(place) for place in places],
        [quiz.name(place) for place in places],
        answers=answers,
    )


def draw_codes() -> None:
    """A field for codes, and what the class predicted."""
    # Not in the address: a class's answers are nobody else's business.
    typed = st.text_area(
        "Codes of your students, one a line, a name before it if you like",
        key="teachers_codes",
        max_chars=_MOST_CHARACTERS,
    )
    lines = [line.strip() for line in typed.splitlines() if line.strip()][:_MOST_CODES]
    read = []
    for line in lines:
        try:
            read.append(_read(line))
        except AttentionVizError as error:
            show.problem(error)
    if read:
        show.words(students(read))
        show.words(tally([choices for _, choices in read]))


def students(read: Sequence[tuple[str, Choices]]) -> list[dict[str, str]]:
    """One line a student: how many are predicted, how many right, and each of them."""
    return [
        {
            "who": who or f"code {place}",
            "right": str(_right(choices)),
            "predicted": str(sum(choice is not None for choice in choices)),
            "predictions": " ".join(map(_letter, choices)),
        }
        for place, (who, choices) in enumerate(read, 1)
    ]


def tally(every: Sequence[Choices]) -> list[dict[str, str]]:
    """One line a question: the right option, and how many predicted each."""
    lines = []
    for place, outline in enumerate(outlines()):
        said = [choices[place] for choices in every]
        counts = {
            letter.upper(): str(said.count(option)) if option < outline.options else ""
            for option, letter in enumerate(LETTERS[: max(one.options for one in outlines())])
        }
        lines.append(
            {"question": quiz.name(place), "right": _letter(outline.right)}
            | counts
            | {"none": str(said.count(None))}
        )
    return lines


def _read(line: str) -> tuple[str, Choices]:
    """A name, which may be empty, and the predictions of the code at the end of a line."""
    who, _, code = line.rpartition(" ")
    return who.strip(" :,;\t"), quiz.read_code(code)


def _right(choices: Choices) -> int:
    return sum(choice == outline.right for choice, outline in zip(choices, outlines(), strict=True))


def _letter(choice: int | None) -> str:
    return "x" if choice is None else LETTERS[choice].upper()

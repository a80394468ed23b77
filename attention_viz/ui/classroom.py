"""What a teacher takes away and brings back: the worksheet, and the codes of a class."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import streamlit as st

from attention_viz.codes import Student, read_line
from attention_viz.errors import SettingError
from attention_viz.questions import LETTERS, introduction, outlines, question, title
from attention_viz.ui import quiz, show
from attention_viz.worksheet import worksheet

Choices = tuple[int | None, ...]
_MOST_WRONG: Final = 5  # lines that are named at once
_MOST_SHOWN: Final = 40  # characters of a line that is named
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
        "Codes of your students, or links that hold them, one a line, with names if you like",
        key="teachers_codes",
        max_chars=_MOST_CHARACTERS,
    )
    students, wrong = read(typed)
    for sentence in wrong[:_MOST_WRONG]:
        show.problem(SettingError(sentence))
    if len(wrong) > _MOST_WRONG:
        show.fact(f"And {len(wrong) - _MOST_WRONG} more lines could not be read.")
    if students:
        show.words([_told(student) for student in students])
        show.words(tally([student.choices for student in students]))


def read(typed: str) -> tuple[list[Student], list[str]]:
    """The students of a class, each with a name, and a sentence for each line that is none.

    Without a name a student is called by the place among all, a line that cannot be read counted
    as one, so that it is the same student after another line is mended.
    """
    options = [outline.options for outline in outlines()]
    students: list[Student] = []
    wrong: list[str] = []
    for number, line in enumerate(typed.splitlines(), 1):
        if not line.strip():
            continue
        try:
            for one in read_line(line, options):
                name = one.name or f"student {len(students) + len(wrong) + 1}"
                students.append(replace(one, name=name))
        except SettingError as error:
            wrong.append(f"Line {number}, “{_shortened(line)}”: {error}")
    return students, wrong


def _shortened(line: str) -> str:
    words = " ".join(line.split())
    return words if len(words) <= _MOST_SHOWN else f"{words[:_MOST_SHOWN]}…"


def _told(student: Student) -> dict[str, str]:
    """A student in one line: how many are predicted, how many right, and each of them."""
    return {
        "who": student.name,
        "right": str(_right(student.choices)),
        "predicted": str(sum(choice is not None for choice in student.choices)),
        "predictions": " ".join(map(_letter, student.choices)),
    }


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


def _right(choices: Choices) -> int:
    return sum(choice == outline.right for choice, outline in zip(choices, outlines(), strict=True))


def _letter(choice: int | None) -> str:
    return "x" if choice is None else LETTERS[choice].upper()

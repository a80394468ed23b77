"""What a person has done with the questions: where they are, what they predicted, what is open."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import streamlit as st

from attention_viz.codes import decode, encode
from attention_viz.errors import SettingError
from attention_viz.lessons import Link
from attention_viz.questions import PAGES, Question, outlines
from attention_viz.ui import state

PLACE: Final = "question_place"  # the key of the row of numbers
ADDRESS: Final = "question"
_TEN: Final = 10  # questions; those that follow are surprises
_FILES: Final = Path(__file__).parent / "pages"
_HELD: Final = "quiz"
_AT: Final = "quiz_entry"
_WRONG: Final = "quiz_notices"
_AT_ENTRY: Final = "quiz_at_entry"
_LACKS: Final = "quiz_lacks_choice"


@dataclass(frozen=True, slots=True)
class Quiz:
    """The keys of the address are question, question_answers and question_read.

    Attributes:
        place: of the question, from 0.
        choices: what was predicted for each question: the place of an option, or None.
        read: whether the answer of this question is shown.
    """

    place: int = 0
    choices: tuple[int | None, ...] = (None,) * len(outlines())
    read: bool = False

    @property
    def choice(self) -> int | None:
        """What was predicted here."""
        return self.choices[self.place]

    @property
    def code(self) -> str:
        """All predictions as the code for a teacher."""
        return encode(self.choices)

    @property
    def predicted(self) -> int:
        """How many questions have a prediction."""
        return sum(choice is not None for choice in self.choices)


DEFAULTS: Final = Quiz()


def enter() -> Quiz:
    """Take over the address when the page is entered, and tell the widgets what is held."""
    if st.session_state.get(_AT) != state.entries():
        st.session_state[_AT] = state.entries()
        _read(st.query_params.to_dict())
    elif st.session_state.get(PLACE) is not None:
        go(st.session_state[PLACE])
    quiz = now()
    st.session_state[PLACE] = quiz.place
    st.session_state["question_read"] = quiz.read
    return quiz


def now() -> Quiz:
    """What this visit has done so far."""
    quiz: Quiz = st.session_state.get(_HELD, DEFAULTS)
    return quiz


def notice(quiz: Quiz) -> str:
    """What could not be used of the address, until the person does something."""
    if st.session_state[_AT_ENTRY] != quiz:
        return ""
    return state.defaults_notice(st.session_state[_WRONG])


def to_address(quiz: Quiz) -> dict[str, str]:
    """The words of an address."""
    return {
        "question": str(quiz.place + 1),
        "question_answers": quiz.code,
        "question_read": str(int(quiz.read)),
    }


def read_code(word: str) -> tuple[int | None, ...]:
    """The predictions that a code stands for.

    Raises:
        SettingError: it is none.
    """
    return decode(word, [outline.options for outline in outlines()])


def go(place: int) -> None:
    """Turn to another question, its answer hidden; call before the row of numbers is drawn."""
    if place != now().place:
        st.session_state[_HELD] = replace(now(), place=place, read=False)
    st.session_state[PLACE] = place


def go_to_number(number: int) -> None:
    """The same by the number in the address, from 1."""
    go(number - 1)


def commit(question: Question) -> None:
    """Hold the option that the person chose."""
    option: str | None = st.session_state[choice_key(question)]
    st.session_state[_LACKS] = option is None
    if option is not None:
        quiz = now()
        choices = list(quiz.choices)
        choices[quiz.place] = question.options.index(option)
        st.session_state[_HELD] = replace(quiz, choices=tuple(choices))


def lacks_choice() -> bool:
    """Whether the person has just committed to nothing."""
    return bool(st.session_state.pop(_LACKS, False))


def reveal() -> None:
    """Show or hide the answer."""
    st.session_state[_HELD] = replace(now(), read=st.session_state["question_read"])


def begin_again() -> None:
    """Forget every prediction."""
    st.session_state[_HELD] = DEFAULTS
    st.session_state[PLACE] = DEFAULTS.place


def choice_key(question: Question) -> str:
    """The key of the widget with the options of a question."""
    return f"question_choice_{question.key}"


def draw_links(question: Question) -> None:
    """The ways into the experiment."""
    with st.container(horizontal=True):
        for place, link in enumerate(question.links):
            words = "Try it" if place == 0 else "And then"
            draw_link(f"{words}: {PAGES[link.page]}", link)


def draw_link(label: str, link: Link) -> None:
    """A way to another page, set up as its address says."""
    st.page_link(
        str(_FILES / f"{link.page}.py"),
        label=label,
        icon=":material/arrow_forward:",
        query_params=dict(link.query),
    )


def name(place: int) -> str:
    """What a question is called: its number, and from S1 on the surprises."""
    return str(place + 1) if place < _TEN else f"S{place + 1 - _TEN}"


def _read(address: Mapping[str, str]) -> None:
    chosen: dict[str, int | bool | tuple[int | None, ...]] = {}
    read, st.session_state[_WRONG] = state.read_address(address, _READERS)
    if "question" in read:
        chosen["place"] = int(str(read["question"])) - 1
    if "question_read" in read:
        chosen["read"] = read["question_read"] == "1"
    if "question_answers" in read:
        chosen["choices"] = read_code(str(read["question_answers"]))
    before = DEFAULTS if any(name in address for name in _READERS) else now()
    quiz = replace(before, **chosen)  # type: ignore[arg-type]  # each by its own reader
    # Nothing is read before a prediction, whatever an address says.
    quiz = replace(quiz, read=quiz.read and quiz.choice is not None)
    st.session_state[_HELD] = st.session_state[_AT_ENTRY] = quiz


def _code(word: str) -> str:
    try:
        read_code(word)
    except SettingError as error:
        raise SettingError("a code of predictions, as this page gives it") from error
    return word


_READERS: Final[state.Readers] = {
    "question": state.whole(1, len(outlines())),
    "question_answers": _code,
    "question_read": state.one_of("0", "1"),
}

"""What a person has done with the questions: where they are, what they predicted, what is open."""

from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from attention_viz.codes import decode, encode
from attention_viz.errors import SettingError
from attention_viz.places import PAGES
from attention_viz.questions import Question, outlines
from attention_viz.ui import links
from attention_viz.ui.address import Entry, Readers, bit, whole

PLACE: Final = "question_place"  # the key of the row of numbers
ADDRESS: Final = "question"
_TEN: Final = 10  # questions; those that follow are surprises
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
    if _ENTRY.is_due():
        _read()
    elif st.session_state.get(PLACE) is not None:
        go(st.session_state[PLACE])
    quiz = now()
    st.session_state[PLACE] = quiz.place
    st.session_state["question_read"] = quiz.read
    return quiz


def now() -> Quiz:
    """What this visit has done so far."""
    return _ENTRY.held


def notice(quiz: Quiz) -> str:
    """What could not be used of the address, until the person does something."""
    return _ENTRY.notice(quiz)


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
        _ENTRY.hold(replace(now(), place=place, read=False))
    st.session_state[PLACE] = place


def move(by: int) -> None:
    """Go on or back from a callback; from where the person is, which a quick one has moved."""
    go(min(max(now().place + by, 0), len(outlines()) - 1))


def go_to_number(number: int) -> None:
    """The same by the number in the address, from 1."""
    go(number - 1)


def commit(place: int, question: Question, chosen: str | None) -> None:
    """Hold the option that the person chose, or had chosen when the button was drawn.

    Streamlit may have forgotten the options, if the page was left at once, and a quick person may
    be at another question.
    """
    option: str | None = st.session_state.get(choice_key(question), chosen)
    st.session_state[_LACKS] = place if option is None else None
    if option is not None:
        quiz = now()
        choices = list(quiz.choices)
        choices[place] = question.options.index(option)
        _ENTRY.hold(replace(quiz, choices=tuple(choices)))


def lacks_choice() -> bool:
    """Whether the person has just committed to nothing here."""
    place: int | None = st.session_state.pop(_LACKS, None)
    return place == now().place


def reveal() -> None:
    """Show or hide the answer."""
    _ENTRY.hold(replace(now(), read=st.session_state["question_read"]))


def begin_again() -> None:
    """Forget every prediction."""
    _ENTRY.hold(DEFAULTS)
    st.session_state[PLACE] = DEFAULTS.place


def choice_key(question: Question) -> str:
    """The key of the widget with the options of a question."""
    return f"question_choice_{question.key}"


def draw_links(question: Question) -> None:
    """The ways into the experiment."""
    with st.container(horizontal=True):
        for place, link in enumerate(question.links):
            words = "Try it" if place == 0 else "And then"
            links.draw(f"{words}: {PAGES[link.page]}", link.page, link.query)


def name(place: int) -> str:
    """What a question is called: its number, and from S1 on the surprises."""
    return str(place + 1) if place < _TEN else f"S{place + 1 - _TEN}"


def _read() -> None:
    before, chosen = _ENTRY.read()
    quiz = replace(before, **{_FIELDS[key]: value for key, value in chosen.items()})
    # Nothing is read before a prediction, whatever an address says.
    _ENTRY.hold(replace(quiz, read=quiz.read and quiz.choice is not None))


def _place(word: str) -> int:
    return whole(1, len(outlines()))(word) - 1


def _choices(word: str) -> tuple[int | None, ...]:
    try:
        return read_code(word)
    except SettingError as error:
        raise SettingError("a code of predictions, as this page gives it") from error


_READERS: Final[Readers] = {
    ADDRESS: _place,
    "question_answers": _choices,
    "question_read": bit,
}
_FIELDS: Final = {ADDRESS: "place", "question_answers": "choices", "question_read": "read"}
_ENTRY: Final = Entry("quiz", DEFAULTS, _READERS)

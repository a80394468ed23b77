"""The questions of the lessons, each with its experiment and the numbers of that experiment."""

from dataclasses import dataclass
from functools import cache
from typing import Final

from attention_viz.answers import numbers_of
from attention_viz.lessons import Link, Part, parse_link, read_parts

LETTERS: Final = "abcd"


@dataclass(frozen=True, slots=True)
class Question:
    """One question, its texts filled with the numbers of its experiment.

    Attributes:
        key: its name.
        title: what is asked.
        predict: what to commit to before trying.
        options: what may be predicted.
        right: the place of the right option, from 0.
        links: to the experiment; a few have two.
        shows: what each of these places says, word for word.
        look: what to do there.
        answer: paragraphs, with an empty line between.
        mistake: a common wrong answer, and why it is wrong.
    """

    key: str
    title: str
    predict: str
    options: tuple[str, ...]
    right: int
    links: tuple[Link, ...]
    shows: tuple[str, ...]
    look: str
    answer: str
    mistake: str


@dataclass(frozen=True, slots=True)
class Outline:
    """What is known of a question without measuring anything.

    Attributes:
        options: how many there are.
        right: the place of the right one, from 0.
    """

    options: int
    right: int


def title() -> str:
    """The heading of all questions."""
    return read_parts("questions")[0].title


def introduction() -> str:
    """What stands before the first question."""
    return read_parts("questions")[0].texts[""]


def on_paper() -> str:
    """What a person needs who has the questions on paper."""
    return read_parts("questions")[0].texts["On paper"]


def about_code() -> str:
    """What the code of the predictions is."""
    return read_parts("questions")[0].texts["Code"]


@cache
def outlines() -> tuple[Outline, ...]:
    """Every question, in order."""
    return tuple(
        Outline(sum(letter in fields for letter in LETTERS), LETTERS.index(fields["right"]))
        for fields in (part.fields for part in _parts())
    )


@cache
def question(place: int) -> Question:
    """The question at a place, from 0. The surprises take up to a second to measure, once."""
    part = _parts()[place]
    words = [part.fields[name] for name in ("link", "then") if name in part.fields]
    links = tuple(parse_link(text) for text in words)
    part = part.filled(numbers_of(part.fields["key"], links))
    fields, texts = part.fields, part.texts
    return Question(
        key=fields["key"],
        title=part.title,
        predict=texts["Predict"],
        options=tuple(fields[letter] for letter in LETTERS if letter in fields),
        right=outlines()[place].right,
        links=links,
        shows=tuple(fields[name] for name in ("shows", "other") if name in fields),
        look=texts["Try"],
        answer=texts["Answer"],
        mistake=texts["Often said"],
    )


def _parts() -> tuple[Part, ...]:
    return read_parts("questions")[1:]

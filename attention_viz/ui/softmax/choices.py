"""What a person has chosen in the Softmax lab: a frozen record, its widgets and its address."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

import streamlit as st
from torch import Tensor

from attention_viz.errors import AttentionVizError, SettingError
from attention_viz.places import SECTIONS, SOURCES
from attention_viz.rows import (
    MOST_SCORES,
    changed_row,
    parse_row,
    read_decimal,
    write_number,
)
from attention_viz.ui.address import Entry, Readers, one_of, whole
from attention_viz.ui.state import Value

FILLS: Final = (-1.0, -5.0, -10.0, -100.0, -10_000.0, -100_000.0, -1e9)
TEMPERATURES: Final = (0.01, 100.0)
MOST_CHANGE: Final = 1000.0  # of a constant or a factor, either way
_PREFIX: Final = "softmax_"
_BEFORE: Final = "softmax_before"  # what widgets said when `choose` set them


@dataclass(frozen=True, slots=True)
class Choices:
    """The names are the keys of the widgets and of the address, after ``softmax_``.

    Attributes:
        section: which part of the page is shown.
        scores: as typed.
        times: a factor on all scores.
        add: a constant added to all, after the factor.
        temperature: what all is divided by, last.
        source: whose scores meet the number types: typed, or a row of the sentence.
        hidden: positions from 1 that the mask hides.
        fill: the large negative number that stands in for a masked score.
    """

    section: str = "steps"
    scores: str = "2, 1, 0.1"
    times: float = 1.0
    add: float = 0.0
    temperature: float = 1.0
    source: str = "typed"
    hidden: tuple[int, ...] = (3,)
    fill: float = -5.0

    def row(self) -> Tensor:
        """(n,) the scores as changed, float64.

        Raises:
            SettingError: what is typed is no row of scores.
        """
        scores = parse_row(self.scores)
        return changed_row(scores, times=self.times, add=self.add, temperature=self.temperature)

    def typed(self) -> Tensor:
        """(n,) the scores as typed, float64.

        Raises:
            SettingError: what is typed is no row of scores.
        """
        return changed_row(parse_row(self.scores))

    @property
    def needs_sentence(self) -> bool:
        """Whether the section looks at the sentence and the head of the sidebar."""
        return self.section == "way" or (self.section == "types" and self.source != "typed")

    @property
    def is_changed(self) -> bool:
        """Whether anything is done to the scores as typed."""
        return (self.times, self.add, self.temperature) != (1.0, 0.0, 1.0)


DEFAULTS: Final = Choices()


def enter() -> Choices:
    """Take over the address once a visit to the page, then what the widgets say now.

    Streamlit forgets a widget that is not drawn, and one that is told its value once can miss it
    when a second run follows on the first, so each is told again what it holds.
    """
    if _ENTRY.is_due():
        _read()
    choices = replace(_ENTRY.held, **_said())
    _ENTRY.hold(choices)
    for name, value in asdict(choices).items():
        st.session_state[key(name)] = value
    return choices


def now() -> Choices:
    """What is chosen when a callback runs: what the widgets say, and what is held of the others.

    With every press the browser sends what all widgets show, and it may not have been told of what
    `choose` has set at the press before: what they said then is not taken for an answer.
    """
    before = _before()
    said = {name: value for name, value in _said().items() if before.get(name) != value}
    return replace(_ENTRY.held, **said)


def key(name: str) -> str:
    """The key of a widget, and of the address."""
    return _PREFIX + name


def picture_name(what: str, scores: Tensor, *settings: str) -> str:
    """What a picture of scores (n,) is called, such as ``softmax-bars_2_1_0.1``."""
    return "_".join([what, *(f"{score:.4g}" for score in scores.tolist()), *settings])


def choose(**values: Value) -> None:
    """Set widgets from a callback, and hold it: the page may be left before it is drawn again."""
    chosen: dict[str, Any] = dict(values)
    choices = replace(now(), **chosen)
    st.session_state[_BEFORE] = _before() | _said()
    _ENTRY.hold(choices)
    for name, value in asdict(choices).items():
        st.session_state[key(name)] = value


def notice(choices: Choices) -> str:
    """What could not be used of the address, until the person chooses something else."""
    return _ENTRY.notice(choices)


def address(choices: Choices) -> dict[str, tuple[str, str]]:
    """Each key of the address with its word now and its word by default."""
    return {
        key(field.name): (
            _word(getattr(choices, field.name)),
            _word(getattr(DEFAULTS, field.name)),
        )
        for field in fields(Choices)
    }


def _read() -> None:
    before, chosen = _ENTRY.read()
    _ENTRY.hold(replace(before, **{name.removeprefix(_PREFIX): chosen[name] for name in chosen}))
    for name in asdict(before):
        st.session_state.pop(key(name), None)


def _said() -> dict[str, Any]:
    """What the widgets say, those that Streamlit has not forgotten."""
    said = {
        name: st.session_state[key(name)]
        for name in asdict(DEFAULTS)
        if st.session_state.get(key(name)) is not None
    }
    if "hidden" in said:
        said["hidden"] = tuple(said["hidden"])
    return said


def _before() -> dict[str, Any]:
    before: dict[str, Any] = st.session_state.get(_BEFORE, {})
    return before


def _word(value: Value) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    return write_number(value) if isinstance(value, float) else str(value)


def _scores(word: str) -> str:
    try:
        parse_row(word)
    except AttentionVizError as error:
        raise SettingError("2 … 12 numbers in ±1,000,000, such as 2, 1, 0.1") from error
    return word


def _number(low: float, high: float) -> Callable[[str], float]:
    def read(word: str) -> float:
        number = read_decimal(word)
        if not low <= number <= high:
            raise SettingError(f"a number in {low:g} … {high:g}")
        return number

    return read


def _fill(word: str) -> float:
    return float(one_of(*map(_word, FILLS))(word))


def _hidden(word: str) -> tuple[int, ...]:
    places = [] if word == "none" else word.split(",")
    if len(places) > MOST_SCORES:
        raise SettingError(f"at most {MOST_SCORES} positions")
    return tuple(sorted({whole(1, MOST_SCORES)(place) for place in places}))


READERS: Final[Readers] = {
    key("section"): one_of(*SECTIONS),
    key("scores"): _scores,
    key("times"): _number(-MOST_CHANGE, MOST_CHANGE),
    key("add"): _number(-MOST_CHANGE, MOST_CHANGE),
    key("temperature"): _number(*TEMPERATURES),
    key("source"): one_of(*SOURCES),
    key("hidden"): _hidden,
    key("fill"): _fill,
}
_ENTRY: Final = Entry("softmax_lab", DEFAULTS, READERS)

"""The address: how its words are read, and how a page takes them over once it is entered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import streamlit as st

from attention_viz.errors import AttentionVizError, SettingError

Readers = Mapping[str, Callable[[str], object]]
Held = TypeVar("Held")
_PAGE: Final = "entered_page"
_ENTRIES: Final = "entries"


@dataclass(frozen=True, slots=True)
class Entry(Generic[Held]):
    """What a page reads of the address when it is entered, and holds through the visit.

    Attributes:
        name: before its keys in the session.
        default: what is held before anything is chosen.
        readers: of its keys in the address.
    """

    name: str
    default: Held
    readers: Readers

    def is_due(self) -> bool:
        """Whether a page was entered since the address was read."""
        count: int = st.session_state.get(self._key("entry"), 0)
        return count != entries()

    def read(self) -> tuple[Held, dict[str, Any]]:
        """What to begin with, and what the address makes of it.

        An address that names any of the keys is the whole picture, and what it leaves out is a
        default, so that Back and reload show the same. A bare one keeps what this visit has chosen.
        """
        words = st.query_params.to_dict()
        chosen, wrong = read_address(words, self.readers)
        st.session_state[self._key("entry")] = entries()
        st.session_state[self._key("wrong")] = wrong
        st.session_state.pop(self._key("first"), None)
        return self.default if words.keys() & self.readers.keys() else self.held, chosen

    @property
    def held(self) -> Held:
        """What this visit has chosen."""
        value: Held = st.session_state.get(self._key("held"), self.default)
        return value

    def hold(self, value: Held) -> None:
        """Keep what was chosen for as long as the visit lasts."""
        st.session_state[self._key("held")] = value

    def notice(self, now: object) -> str:
        """What could not be used of the address, as one sentence; empty when all could.

        Said until something else is chosen than there was at first, and then not again.
        """
        if st.session_state.setdefault(self._key("first"), now) != now:
            self.drop_notice()
        wrong: list[str] = st.session_state[self._key("wrong")]
        more = f"; and {len(wrong) - 2} more" if len(wrong) > 2 else ""  # noqa: PLR2004 - two shown
        return f"Defaults are shown where {'; '.join(wrong[:2])}{more}." if wrong else ""

    def add_to_notice(self, wrong: Sequence[str]) -> None:
        """What turned out only later to be of no use."""
        st.session_state[self._key("wrong")] += wrong

    def drop_notice(self) -> None:
        """Say no more of the address."""
        st.session_state[self._key("wrong")] = []

    def _key(self, what: str) -> str:
        return f"{self.name}_{what}"


def turn_to(page: str) -> bool:
    """Whether this run enters the page; a run that stays on it does not."""
    if st.session_state.get(_PAGE) == page:
        return False
    st.session_state[_PAGE] = page
    st.session_state[_ENTRIES] = entries() + 1
    return True


def entries() -> int:
    """How many times this visit has entered a page."""
    count: int = st.session_state.get(_ENTRIES, 0)
    return count


def read_address(words: Mapping[str, str], readers: Readers) -> tuple[dict[str, Any], list[str]]:
    """What an address names, and a sentence for each value that cannot be used."""
    chosen: dict[str, Any] = {}
    wrong: list[str] = []
    for name, read in readers.items():
        if name not in words:
            continue
        try:
            chosen[name] = read(words[name])
        except AttentionVizError as error:
            wrong.append(f"the link's {name} must be {error}; got {words[name][:40]!r}")
    return chosen, wrong


def whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers in low … high."""

    def read(word: str) -> int:
        if not (word.isascii() and word.isdigit() and len(word) <= len(str(high))):
            raise SettingError(f"a whole number in {low} … {high}")
        if not low <= int(word) <= high:
            raise SettingError(f"a whole number in {low} … {high}")
        return int(word)

    return read


def one_of(*words: str) -> Callable[[str], str]:
    """A reader of one of some words."""

    def read(word: str) -> str:
        if word not in words:
            raise SettingError(f"one of {', '.join(words)}")
        return word

    return read


def bit(word: str) -> bool:
    """A reader of 0 and 1."""
    return one_of("0", "1")(word) == "1"

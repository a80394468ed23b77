"""What a person has chosen in the scaling lab: a record of its own, under keys of its own."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Final

import streamlit as st

from attention_viz.embeddings import MAX_SEED
from attention_viz.errors import SettingError
from attention_viz.experiments.draws import Start
from attention_viz.experiments.sweep import (
    MOST_DRAWS,
    MOST_KEYS,
    Sweep,
    divisor_at,
    stops_between,
)
from attention_viz.places import FIGURES
from attention_viz.scaling import LONG_STOPS
from attention_viz.ui.address import Entry, Readers, one_of, whole

GUESSES: Final = {"away": "falls to 1/n", "stays": "stays about the same", "all": "goes to 1"}
HEADS: Final = 200
_PREFIX: Final = "scaling_"
_LARGEST: Final = LONG_STOPS[-1]
MOST_DIVISORS: Final = 4  # as many as have a colour of their own


@dataclass(frozen=True, slots=True)
class Lab:
    """Everything that decides what the lab shows. The names are the keys, after ``scaling_``."""

    guess: str = ""
    d_k: int = 4
    figure: str = next(iter(FIGURES))
    keys: int = 8
    low: int = 1
    high: int = 1024
    draws: int = 4000
    seed: int = 0
    start: str = Start.GAUSSIAN.value
    divisors: tuple[str, ...] = ("sqrt", "1")

    @property
    def sweep(self) -> Sweep:
        """The run that is asked for.

        Raises:
            SettingError: it is too large, or has no divisor or too many.
        """
        if len(self.divisors) > MOST_DIVISORS:
            raise SettingError(
                f"divisors must be at most {MOST_DIVISORS}; got {len(self.divisors)}."
            )
        return self._sweep(self.draws, self.divisors, by_query=True)

    @property
    def heads(self) -> Sweep:
        """The few heads of the first screen, of the same law."""
        return self._sweep(HEADS, ("sqrt", "1"), by_query=False)

    def _sweep(self, draws: int, divisors: tuple[str, ...], *, by_query: bool) -> Sweep:
        return Sweep(
            stops_between(self.low, self.high),
            keys=self.keys,
            draws=draws,
            seed=self.seed,
            start=Start(self.start),
            divisors=divisors,
            by_query=by_query,
        )


DEFAULTS: Final = Lab()


def enter() -> None:
    """Take over the address when the page is entered; call before any of its widgets is drawn."""
    if not _ENTRY.is_due():
        return
    before, named = _ENTRY.read()
    chosen = {name.removeprefix(_PREFIX): value for name, value in named.items()}
    for name, value in (asdict(before) | chosen).items():
        st.session_state[_PREFIX + name] = value
    if not st.session_state[_PREFIX + "guess"]:
        st.session_state[_PREFIX + "guess"] = None  # how a widget says that nothing is chosen
    _order()


def now() -> Lab:
    """What the widgets say, kept for when the page is entered again."""
    said = {field.name: st.session_state[_PREFIX + field.name] for field in fields(Lab)}
    said["divisors"] = tuple(said["divisors"])
    said["guess"] = said["guess"] or ""
    chosen = Lab(**said)
    _ENTRY.hold(chosen)
    return chosen


def key(name: str) -> str:
    """The key of a setting's widget, and of its word in the address."""
    return _PREFIX + name


def fit() -> Lab:
    """Settings whose d_k is one that the sweep measures; call before the slider is drawn."""
    _order()
    return now()


def notice() -> str:
    """What could not be used of the address, as one sentence; empty when all could."""
    return _ENTRY.notice(now())


def to_address(chosen: Lab) -> dict[str, str]:
    """Settings as the words of an address."""
    words = {_PREFIX + name: str(value) for name, value in asdict(chosen).items()}
    return words | {_PREFIX + "divisors": ",".join(chosen.divisors)}


def file_name(chosen: Lab, what: str) -> str:
    """What a file of a sweep is called, without its ending."""
    return f"{what}_{chosen.start}_keys{chosen.keys}_draws{chosen.draws}_seed{chosen.seed}"


def check_divisors(names: Sequence[str]) -> tuple[str, ...]:
    """Divisors to compare, each named once.

    Raises:
        SettingError: none, too many, or one that is neither a name nor a number.
    """
    if not 1 <= len(set(names)) <= MOST_DIVISORS:
        raise SettingError(f"1 to {MOST_DIVISORS} of sqrt, 1, d_k or numbers")
    for name in names:
        try:
            divisor_at(name, 1)
        except SettingError as error:
            raise SettingError("sqrt, 1, d_k or numbers, with commas between") from error
    return tuple(dict.fromkeys(names))


def _order() -> None:
    """Put low below high, and d_k on the nearest size that is measured."""
    low, high = sorted(st.session_state[_PREFIX + end] for end in ("low", "high"))
    d_k: int = st.session_state[_PREFIX + "d_k"]
    nearest = min(stops_between(low, high), key=lambda stop: abs(stop - d_k))
    for name, value in (("low", low), ("high", high), ("d_k", nearest)):
        if st.session_state[_PREFIX + name] != value:
            st.session_state[_PREFIX + name] = value


def _guess(word: str) -> str:
    return word and one_of(*GUESSES)(word)


def _divisors(word: str) -> tuple[str, ...]:
    return check_divisors(word.split(","))


READERS: Final[Readers] = {
    key("guess"): _guess,
    key("d_k"): whole(1, _LARGEST),
    key("figure"): one_of(*FIGURES),
    key("keys"): whole(2, MOST_KEYS),
    key("low"): whole(1, _LARGEST),
    key("high"): whole(1, _LARGEST),
    key("draws"): whole(2, MOST_DRAWS),
    key("seed"): whole(0, MAX_SEED),
    key("start"): one_of(*Start),
    key("divisors"): _divisors,
}
_ENTRY: Final = Entry("scaling_lab", DEFAULTS, READERS)

"""What a person has chosen: one frozen record, its keys in the session and in the address.

Settings start from the defaults, hold through a visit, and give way to the address whenever a page
is entered. Streamlit's own ``bind="query-params"`` is not used: it writes the words of a choice
instead of its key, does not write what is typed live, and adds an entry to the history for each
change that Python makes, so that Back moves the address and not the picture.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Final

import streamlit as st

from attention_viz.demo import demo_heads
from attention_viz.embeddings import MAX_SEED
from attention_viz.errors import AttentionVizError, SettingError
from attention_viz.figures import Scale
from attention_viz.heads import Start
from attention_viz.models import PACKAGED
from attention_viz.pipeline import WIDTHS, parse_divisor
from attention_viz.scaling import STOPS, stops_with
from attention_viz.stage import View
from attention_viz.tokens import MAX_CHARACTERS
from attention_viz.ui import served

MASKS: Final = ("none", "causal")
RANDOM_HEAD: Final = "random"
MODEL: Final = "model"
OWN_FILE: Final = "file"
HEADS: Final = (RANDOM_HEAD, *(head.name for head in demo_heads()), MODEL, OWN_FILE)
LARGEST: Final[int] = STOPS[-1]
_LAST: Final = "settings_last"
_ENTERED: Final = "entered_page"
_ENTRIES: Final = "entries"
_STARTED: Final = "stage_start"
MAX_MODEL_NAME: Final = 200
MAX_LAYER: Final = 9999
MOVED: Final = ("d_k", "divisor", "row", "scale")  # what the stage owns
_NOTICES: Final = "address_notices"
_AT_ENTRY: Final = "settings_at_entry"
Value = str | int | float | bool | tuple[int, ...] | tuple[str, ...]
Readers = Mapping[str, Callable[[str], Value]]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides the picture. The names are the keys of the address.

    The default seed is chosen: on the default sentence the entropy without scaling falls at each of
    d_k 4, 16, 64, 256, as it does for random heads on average, but for about half of them singly.
    """

    text: str = "Wie geht es dir"
    head: str = RANDOM_HEAD
    seed: int = 25
    d_model: int = 256
    start: str = Start.GAUSSIAN.value
    positions: bool = False
    mask: str = "none"
    d_k: int = 4
    divisor: str = "sqrt"
    row: int = 0
    scale: str = Scale.FIXED.value
    model: str = "minilm"
    layer: int = 0
    index: int = 0
    ablation: int = 0  # dimensions of a loaded head that are kept; 0 keeps all

    @property
    def largest(self) -> int:
        """The largest d_k that these settings allow."""
        return min(self.d_model, LARGEST) if self.start == Start.LAYER_NORM else LARGEST

    @property
    def stops(self) -> tuple[int, ...]:
        """The values of d_k that a slider offers, the present one among them."""
        return stops_with(self.d_k, limit=self.largest)

    @property
    def view(self) -> View:
        """The part that the stage owns."""
        return View(self.d_k, self.divisor, self.row, self.scale)


NAMES: Final = tuple(field.name for field in fields(Settings))
DEFAULTS: Final = Settings()
EXPLORE: Final = str(Path(__file__).parent / "pages" / "explore.py")


def settings() -> Settings:
    """What the widgets say now."""
    last = st.session_state.get(_LAST, {})
    known = {name: st.session_state.get(name, last.get(name)) for name in NAMES}
    found = Settings(**{name: value for name, value in known.items() if value is not None})
    st.session_state[_LAST] = asdict(found)
    return found


def enter(page: str) -> None:
    """Take over the address when a page is entered; call before any widget is drawn.

    An address that names any setting is the whole picture, and what it leaves out is a default, so
    that Back and reload show the same. A bare one keeps what this visit has chosen.
    """
    if st.session_state.get(_ENTERED) == page:
        _remember()
        return
    st.session_state[_ENTERED] = page
    st.session_state[_ENTRIES] = entries() + 1
    address = st.query_params.to_dict()
    chosen, st.session_state[_NOTICES] = read_address(address)
    before = DEFAULTS if any(name in address for name in _READERS) else settings()
    if chosen.get("head") == MODEL:
        chosen.setdefault("divisor", "own")
    for name, value in (asdict(before) | chosen).items():
        st.session_state[name] = value
    st.session_state[_AT_ENTRY] = settings()
    stage_ended()


def _remember() -> None:
    """Streamlit forgets widgets that a run did not get to draw; they say again what they said."""
    for name, value in st.session_state.get(_LAST, {}).items():
        st.session_state.setdefault(name, value)


def entries() -> int:
    """How many times this visit has entered a page: another number is another entry."""
    count: int = st.session_state.get(_ENTRIES, 0)
    return count


def keep(*names: str) -> None:
    """Hold what widgets say that are not drawn now: Streamlit would forget it.

    Not for a widget that is drawn: it would be told its own value, over what is being typed.
    """
    now = asdict(settings())
    choose(**{name: now[name] for name in names or now})


def stage_start() -> View:
    """Where the stage began when it was drawn first: constant, so that it is sent once."""
    start: View = st.session_state.setdefault(_STARTED, settings().view)
    return start


def stage_is_new() -> bool:
    """Whether no stage has been drawn since the page was entered, or since the last one ended."""
    return _STARTED not in st.session_state


def stage_ended() -> None:
    """No stage is on the page now; the next one begins where the person is."""
    st.session_state.pop(_STARTED, None)


def take_view(view: Mapping[str, object]) -> None:
    """Take over what the stage reports when a movement ends; a browser may say anything."""
    said = {name: str(view[name]) for name in MOVED if name in view}
    chosen, _ = read_address(said)
    for name, value in chosen.items():
        st.session_state[name] = value


def fit(n: int, d_k: int | None = None) -> Settings:
    """Settings that suit a sentence of n tokens: a row or a size that it lacks moves to the last.

    The d_k of a loaded head is a fact, given here. Call before the widgets of the page are drawn.
    All that the stage owns is written again, since Streamlit forgets the value of a widget that is
    no longer drawn.
    """
    chosen = settings()
    choose(
        row=min(chosen.row, n - 1),
        d_k=min(chosen.d_k, chosen.largest) if d_k is None else d_k,
        divisor=_fitting_divisor(chosen),
        scale=chosen.scale,
    )
    return settings()


def _fitting_divisor(chosen: Settings) -> str:
    """Only a model has a divisor of its own; every other head has the paper's."""
    return "sqrt" if chosen.divisor == "own" and chosen.head != MODEL else chosen.divisor


def notice() -> str:
    """What could not be used of the address, as one sentence; empty when all could."""
    # Said until the person chooses something else.
    wrong: list[str] = st.session_state.get(_NOTICES, [])
    if st.session_state.get(_AT_ENTRY) != settings():
        return ""
    return defaults_notice(wrong)


def defaults_notice(wrong: Sequence[str]) -> str:
    """One sentence for all that an address said wrongly; empty for nothing."""
    more = f"; and {len(wrong) - 2} more" if len(wrong) > 2 else ""  # noqa: PLR2004 - two are shown
    return f"Defaults are shown where {'; '.join(wrong[:2])}{more}." if wrong else ""


def choose(**values: Value) -> None:
    """Set what widgets say, before they are drawn."""
    for name, value in values.items():
        st.session_state[name] = value


def draw_seed() -> None:
    """A new seed, and so a new head: the one place that asks for chance."""
    st.session_state["seed"] = random.SystemRandom().randrange(100_000)


def to_address(chosen: Settings) -> dict[str, str]:
    """Settings as the words of an address."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in asdict(chosen).items()
    }


def read_address(
    address: Mapping[str, str], readers: Readers | None = None
) -> tuple[dict[str, Value], list[str]]:
    """The settings that an address names, and a sentence for each value that cannot be used.

    A page with settings of its own brings its readers.
    """
    chosen: dict[str, Value] = {}
    wrong: list[str] = []
    for name, read in (_READERS if readers is None else readers).items():
        if name not in address:
            continue
        try:
            chosen[name] = read(address[name])
        except AttentionVizError as error:
            wrong.append(f"the link's {name} must be {error}; got {address[name][:40]!r}")
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


def _text(word: str) -> str:
    if len(word) > MAX_CHARACTERS:
        raise SettingError(f"at most {MAX_CHARACTERS:,} characters")
    return word


def _linked_head(word: str) -> str:
    if word == OWN_FILE:
        raise SettingError("a random, a demo or a model's head, since a file cannot travel")
    return one_of(*HEADS)(word)


def _model(word: str) -> str:
    if word not in PACKAGED and not served.sources():
        raise SettingError(f"{' or '.join(PACKAGED)}, since no other model is allowed here")
    if not word or len(word) > MAX_MODEL_NAME:
        raise SettingError(f"a name of at most {MAX_MODEL_NAME} characters")
    return word


def _divisor(word: str) -> str:
    try:
        parse_divisor(word, d_k=1, d_model=1)
    except SettingError as error:
        raise SettingError(
            "sqrt, own, 1, d_k, sqrt_d_model or a number in 0.000001 … 1000000"
        ) from error
    return word


def _width(word: str) -> int:
    return int(one_of(*map(str, WIDTHS))(word))


def _flag(word: str) -> bool:
    return one_of("true", "false")(word) == "true"


_READERS: Final[Readers] = {
    "text": _text,
    "head": _linked_head,
    "seed": whole(0, MAX_SEED),
    "d_model": _width,
    "start": one_of(*Start),
    "positions": _flag,
    "mask": one_of(*MASKS),
    "d_k": whole(1, LARGEST),
    "divisor": _divisor,
    "row": whole(0, 10**6),
    "scale": one_of(*Scale),
    "model": _model,
    "layer": whole(0, MAX_LAYER),
    "index": whole(0, MAX_LAYER),
    "ablation": whole(0, MAX_LAYER),
}

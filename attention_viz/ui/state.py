"""What a person has chosen: one frozen record, its keys in the session and in the address.

Settings start from the defaults, hold through a visit, and give way to the address whenever a page
is entered. Streamlit's own ``bind="query-params"`` is not used: it writes the words of a choice
instead of its key, does not write what is typed live, and adds an entry to the history for each
change that Python makes, so that Back moves the address and not the picture.
"""

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

import streamlit as st

from attention_viz.demo import demo_heads
from attention_viz.embeddings import MAX_SEED
from attention_viz.errors import SettingError
from attention_viz.figures import Scale
from attention_viz.heads import Start
from attention_viz.models import PACKAGED
from attention_viz.pipeline import WIDTHS, parse_divisor
from attention_viz.scaling import STOPS, stops_with
from attention_viz.stage import View
from attention_viz.tokens import MAX_CHARACTERS
from attention_viz.ui import address, served
from attention_viz.ui.address import Entry, Readers, one_of, whole

MASKS: Final = ("none", "causal")
RANDOM_HEAD: Final = "random"
MODEL: Final = "model"
OWN_FILE: Final = "file"
OWN_HEAD: Final = "own_head"  # where the head of a visitor's file is kept, for this visit
HEADS: Final = (RANDOM_HEAD, *(head.name for head in demo_heads()), MODEL, OWN_FILE)
LARGEST: Final[int] = STOPS[-1]
_STARTED: Final = "stage_start"
_WAITING: Final = "waiting"  # chosen for a random head, before a loaded one brought its own
MAX_MODEL_NAME: Final = 200
MAX_LAYER: Final = 9999
MOVED: Final = ("d_k", "divisor", "row", "scale")  # what the stage owns
Value = str | int | float | bool | tuple[int, ...] | tuple[str, ...]


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
    said = {name: st.session_state.get(name, held) for name, held in asdict(_ENTRY.held).items()}
    found = Settings(**{name: value for name, value in said.items() if value is not None})
    _ENTRY.hold(found)
    return found


def enter(page: str) -> None:
    """Take over the address when a page is entered; call before any widget is drawn."""
    if not address.turn_to(page):
        _remember()
        return
    settings()  # holds what widgets have said since
    before, chosen = _ENTRY.read()
    if chosen.get("head") == MODEL:
        chosen.setdefault("divisor", "own")
    waiting = _waiting()
    choose(**(asdict(before) | chosen))
    _wait(**{name: value for name, value in waiting.items() if name not in chosen})
    settings()
    stage_ended()


def _remember() -> None:
    """Streamlit forgets widgets that a run did not get to draw; they say again what they said."""
    for name, value in asdict(_ENTRY.held).items():
        st.session_state.setdefault(name, value)


def keep(*names: str) -> None:
    """Hold what widgets say that are not drawn now: Streamlit would forget it.

    A widget that is drawn again on the same page needs ``persist_state``, or to be told in the run
    that draws it: otherwise the browser shows its first option, and the next run takes that.
    Not for a widget that is drawn: it would be told its own value, over what is being typed.
    """
    now = asdict(settings())
    for name in names or now:  # not by choose(): what is held is not chosen anew
        st.session_state[name] = now[name]


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


def beside_stage() -> Settings:
    """Settings without what the stage owns."""
    return replace(settings(), **{name: getattr(DEFAULTS, name) for name in MOVED})


def fit(n: int, d_k: int | None = None) -> Settings:
    """Settings that suit a sentence of n tokens: a row or a size that it lacks moves to the last.

    The d_k of a loaded head is a fact, given here; the one chosen before it waits for a random
    head. Call before the widgets of the page are drawn.
    All that the stage owns is written again, since Streamlit forgets the value of a widget that is
    no longer drawn.
    """
    chosen = settings()
    waiting = {"d_k": chosen.d_k} | _waiting()
    choose(
        row=min(chosen.row, n - 1),
        d_k=min(waiting["d_k"], chosen.largest) if d_k is None else d_k,
        divisor=_fitting_divisor(chosen),
        scale=chosen.scale,
    )
    if d_k is None:
        del waiting["d_k"]
    if chosen.head != RANDOM_HEAD:
        _wait(**waiting)
    return settings()


def _fitting_divisor(chosen: Settings) -> str:
    """Only a model has a divisor of its own; another head has the one before it."""
    is_left = chosen.divisor == "own" and chosen.head != MODEL
    return _waiting().get("divisor", "sqrt") if is_left else chosen.divisor


def take_own_divisor() -> None:
    """A model's own divisor; the one that was chosen waits for another head."""
    before = settings().divisor
    waiting = _waiting() if before == "own" else {"divisor": before}
    choose(divisor="own")
    _wait(**waiting)


def _waiting() -> dict[str, Any]:
    return dict(st.session_state.get(_WAITING, {}))


def _wait(**values: Value) -> None:
    st.session_state[_WAITING] = _waiting() | values


def notice() -> str:
    """What could not be used of the address, as one sentence; empty when all could."""
    return _ENTRY.notice(settings())


def choose(**values: Value) -> None:
    """Set what widgets say, before they are drawn."""
    for name, value in values.items():
        st.session_state[name] = value
    st.session_state[_WAITING] = {
        name: value for name, value in _waiting().items() if name not in values
    }


def draw_seed() -> None:
    """A new seed, and so a new head: the one place that asks for chance."""
    st.session_state["seed"] = random.SystemRandom().randrange(100_000)


def to_address(chosen: Settings) -> dict[str, str]:
    """Settings as the words of an address."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in asdict(chosen).items()
    }


def read_address(words: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The settings that an address names, and a sentence for each value that cannot be used."""
    return address.read_address(words, READERS)


def _text(word: str) -> str:
    if len(word) > MAX_CHARACTERS:
        raise SettingError(f"at most {MAX_CHARACTERS:,} characters")
    return word


def _linked_head(word: str) -> str:
    if word == OWN_FILE and st.session_state.get(OWN_HEAD):
        return word  # Back, within the visit that has the file
    if word == OWN_FILE:
        raise SettingError("a random, a demo or a model's head, since a file cannot travel")
    return one_of(*(head for head in HEADS if head != OWN_FILE))(word)


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


READERS: Final[Readers] = {
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
_ENTRY: Final = Entry("settings", DEFAULTS, READERS)

"""Addresses of every kind -> what each page takes of them: right settings, and a notice."""

import random
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch
from urllib.parse import parse_qs, quote, urlencode

import streamlit as st
from streamlit.testing.v1 import AppTest

from attention_viz.ui import lab, presenter, quiz, state, teaching
from attention_viz.ui.address import Readers, read_address
from attention_viz.ui.softmax import choices
from attention_viz.ui.steps import place
from tests import hostile
from tests.fuzz.cases import Kind, check_sentence
from tests.fuzz.sentences import a_text

Words = Mapping[str, str]
Given = tuple[str, str, bool]  # page, query, whether the whole page is run
ROOT: Final = Path(__file__).parents[2]
PAGES: Final = sorted(path.stem for path in (ROOT / "attention_viz/ui/pages").glob("[a-z]*.py"))
ONE_IN: Final = 500  # addresses that open a whole page
LONGEST_NOTICE: Final = 1000  # it repeats two of the words that it could not use
# Right words of every page, from which wrong ones are made.
_RIGHT: Final[dict[str, str]] = (
    state.to_address(state.DEFAULTS)
    | lab.to_address(lab.DEFAULTS)
    | {key: word for key, (word, _) in choices.address(choices.DEFAULTS).items()}
    | quiz.to_address(quiz.DEFAULTS)
    | {"step": "1", teaching.KEY: teaching.DEFAULT, presenter.KEY: "1", "embed": "true"}
)
_FEW: Final = {"scaling_draws": "50", "scaling_high": "16"}  # what keeps a whole page quick
_NUMBERS: Final = (
    *("0", "1", "-1", "007", "3.5", "1e3", "1e999", "-1e999", "nan", "inf", "-inf", "Infinity"),
    *("4294967295", "4294967296", "9" * 400, "1_0", "0x10", "+1", " 1", "1 ", "٣", "²", "Ⅷ", "１"),
    *("1,2", "1;2", "−1", "1e-400", "0.1.2", "1" + "0" * 30, "NaN", "true", "True", "None", "[]"),
)
_BYTES: Final = (
    "%00",
    "%",
    "%zz",
    "%ff%fe",
    "%c3%28",
    "%ed%a0%80",
    "%25%32%35",
    "+",
    "&&",
    ";",
    "=",
)


def make(rng: random.Random) -> Given:
    """A page and the query of an address."""
    keys = rng.choices(list(_RIGHT), k=rng.choice((1, 1, 2, 3, 5, 20)))
    pairs = [(_key(rng, key), _value(rng, _RIGHT[key])) for key in keys]
    query = urlencode(pairs, errors="surrogatepass")
    if rng.random() < 0.2:
        at = rng.randrange(len(query) + 1)
        query = query[:at] + rng.choice(_BYTES) + query[at:]
    whole = rng.randrange(ONE_IN) == 0
    return rng.choice(PAGES), query + ("&" + urlencode(_FEW) if whole else ""), whole


def _key(rng: random.Random, key: str) -> str:
    odd = (key.upper(), key + "[]", "", "__proto__", "constructor", quote(key), a_text(rng)[:50])
    return rng.choice((key,) * 40 + odd)


def _value(rng: random.Random, right: str) -> str:
    match rng.randrange(7):
        case 0:
            return rng.choice(_NUMBERS)
        case 1:
            return str(rng.choice((rng.randrange(600), rng.randrange(-5, 70_000), rng.random())))
        case 2:
            return rng.choice(list(_RIGHT.values()))
        case 3:
            return rng.choice(
                ("", right * 2, right + " ", right.upper(), right * 5000, right[::-1])
            )
        case 4:
            return rng.choice(hostile.EVERY)
        case 5:
            return a_text(rng)[:5000]
        case _:
            return rng.choice((",", ", ", ";")).join(rng.choices(_NUMBERS, k=rng.randrange(1, 15)))


class Query(dict[str, str]):
    """The words of an address as Streamlit gives them: of a key that repeats, the last."""

    @classmethod
    def read(cls, query: str) -> "Query":
        """From the letters after the question mark."""
        found = parse_qs(query, keep_blank_values=True)
        return cls({key: words[-1] for key, words in found.items()})

    to_dict = dict.copy


def check(given: Given) -> str:
    """Settings that come back the same by their own address, and one sentence about the rest."""
    page, query, whole = given
    if whole:
        return _check_page(page, query)
    words = Query.read(query)
    session: dict[str, Any] = {}
    with ExitStack() as stack:
        stack.enter_context(patch.object(st, "session_state", session))
        stack.enter_context(patch.object(st, "query_params", words))
        stack.enter_context(patch.object(st, "html", lambda _: None))
        state.enter(page)
        said = [state.notice()]
        _check_return(
            asdict(state.settings()), state.to_address(state.settings()), state.READERS, ""
        )
        said += [enter() for enter in _ENTER.get(page, ())]
    for sentence in filter(None, said):
        check_sentence(sentence, LONGEST_NOTICE)
    return "said" if any(said) else "taken"


def _check_return(chosen: Mapping[str, Any], address: Words, readers: Readers, prefix: str) -> None:
    """What was taken must be what its own address names."""
    again, wrong = read_address(address, readers)
    assert not wrong, wrong
    assert {key.removeprefix(prefix): value for key, value in again.items()} == chosen


def _enter_lab() -> str:
    lab.enter()
    chosen = lab.now()
    _check_return(asdict(chosen), lab.to_address(chosen), lab.READERS, lab.key(""))
    assert chosen.low <= chosen.d_k <= chosen.high
    return lab.notice()


def _enter_softmax() -> str:
    chosen = choices.enter()
    address = {key: word for key, (word, _) in choices.address(chosen).items()}
    _check_return(asdict(chosen), address, choices.READERS, choices.key(""))
    assert chosen.row().isfinite().all()
    return choices.notice(chosen)


def _enter_steps() -> str:
    place.enter()
    assert place.name() in place.steps()
    return place.notice()


def _enter_questions() -> str:
    chosen = quiz.enter()
    assert quiz.read_code(chosen.code) == chosen.choices
    assert chosen.choice is None or chosen.choice >= 0
    return quiz.notice(chosen)


def _enter_teachers() -> str:
    teaching.enter()
    assert teaching.now() in teaching.PARTS
    return teaching.notice()


def _enter_presenter() -> str:
    assert presenter.enter() in {True, False}
    return ""


_ENTER: Final[dict[str, tuple[Callable[[], str], ...]]] = {
    "explore": (_enter_presenter,),
    "scaling": (_enter_lab,),
    "softmax": (_enter_softmax,),
    "steps": (_enter_steps,),
    "questions": (_enter_questions,),
    "teachers": (_enter_teachers,),
}


def _check_page(page: str, query: str) -> str:
    """The page itself is drawn, without an exception."""
    at = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    at.switch_page(str(ROOT / "attention_viz" / "ui" / "pages" / f"{page}.py"))
    for key, words in parse_qs(query, keep_blank_values=True).items():
        at.query_params[key] = words
    at.run()
    assert not at.exception, at.exception[0].value
    return "page"


ADDRESSES: Final = Kind("addresses", make, check)

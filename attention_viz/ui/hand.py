"""The state of the page By hand: a sentence, its scores as they were given, and as they are now."""

import contextlib
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st
import torch
from streamlit.components.v2.types import ComponentRenderer
from torch import Tensor

from attention_viz import stage
from attention_viz.byhand import MOST_TOKENS, parse_weights, scores_giving, textbook
from attention_viz.errors import AttentionVizError, TextError
from attention_viz.scenes import hand_scene
from attention_viz.tokens import Tokens, tokenize
from attention_viz.ui import heard

_KEY: Final = "hand_stage"
_STATE: Final = "hand"
_MOST: Final = 1000.0  # a score that the page takes from a browser


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """Scores by hand.

    Attributes:
        tokens: at most MOST_TOKENS.
        given: (n, n), what the page set last.
        scores: (n, n), what the person made of it.
        sent: (n, n), what the stage began with.
        invented: whether the numbers are the textbook's.
        revision: counts what the page set.
    """

    tokens: Tokens
    given: Tensor
    scores: Tensor
    sent: Tensor
    invented: bool
    revision: int


def now() -> Hand:
    """What this visit has made; the textbook example at first."""
    if _STATE not in st.session_state:
        start_textbook()
    hand: Hand = st.session_state[_STATE]
    return hand


def resume() -> None:
    """Let a stage that is drawn anew begin with what the person had made."""
    hand = now()
    if is_edited(hand):
        revision = hand.revision + 1
        st.session_state[_STATE] = replace(hand, sent=hand.scores, revision=revision)


def is_edited(hand: Hand) -> bool:
    """Whether the person has changed anything since the page set it."""
    return not torch.equal(hand.given, hand.scores)


def start_textbook() -> None:
    """Begin with the textbook example."""
    tokens, scores = textbook()
    _begin(tokens, scores, invented=True)


def start_text(text: str) -> None:
    """Begin with a sentence of one's own, all scores 0.

    Raises:
        TextError: no word, or more than fit.
    """
    tokens = tokenize(text)
    if tokens.n > MOST_TOKENS:
        raise TextError(
            f"By hand takes at most {MOST_TOKENS} tokens; got {tokens.n}. Shorten the sentence."
        )
    _begin(tokens, torch.zeros(tokens.n, tokens.n), invented=False)


def put_weights(row: int, typed: str) -> None:
    """Put weights into a row: as the fields say now, or said when the button was drawn.

    A quick person may have changed them since, and Streamlit may have forgotten them, if the page
    was left at once. What is wrong with them is said where they are drawn.
    """
    hand = now()
    row = st.session_state.get("hand_row", row)
    with contextlib.suppress(AttentionVizError):
        scores = scores_from(st.session_state.get("hand_weights", typed))
        if row < hand.tokens.n:
            changed = hand.scores.clone()
            changed[row] = scores
            _begin(hand.tokens, changed, invented=False)


def scores_from(typed: str) -> Tensor:
    """(n,) scores that give the weights of a row as somebody types them.

    Raises:
        SettingError: not one number above 0 a token, or they do not sum to 1.
    """
    return scores_giving([parse_weights(typed, now().tokens.n)])[0]


def draw() -> None:
    """The stage, editable."""
    hand = now()
    scene = hand_scene(hand.tokens, hand.sent, invented=hand.invented, revision=hand.revision)
    _component()(key=_KEY, data=stage.pack(scene), on_view_change=_moved)


def _begin(tokens: Tokens, scores: Tensor, *, invented: bool) -> None:
    before: Hand | None = st.session_state.get(_STATE)
    revision = 0 if before is None else before.revision + 1
    scores = scores.float()
    st.session_state[_STATE] = Hand(tokens, scores, scores, scores, invented, revision)


def _moved() -> None:
    view = heard.said(_KEY, "view")
    hand = now()
    if not isinstance(view, dict) or view.get("revision") != hand.revision:
        return  # of a matrix that is no longer here
    scores = _read(view.get("scores"), hand.tokens.n)
    if scores is None:
        return
    changed = replace(hand, scores=scores)
    if hand.invented and is_edited(changed):
        # No longer the textbook's numbers: the stage is sent what it has, under another name.
        changed = replace(changed, invented=False, sent=scores, revision=hand.revision + 1)
    st.session_state[_STATE] = changed


def _read(said: object, n: int) -> Tensor | None:
    """The scores that a browser reports; it may say anything."""
    if not isinstance(said, list) or len(said) != n * n:
        return None
    if not all(type(value) in {int, float} and -_MOST <= value <= _MOST for value in said):
        return None
    return torch.tensor(said, dtype=torch.float32).reshape(n, n)


@st.cache_resource
def _component() -> ComponentRenderer:
    return st.components.v2.component("stage", html=stage.HTML, css=stage.css(), js=stage.js())

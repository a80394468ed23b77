"""Runs remembered by their settings, never by tensors: Streamlit hashes large arrays by sample."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import streamlit as st

from attention_viz import scenes, stage
from attention_viz.attention import causal_mask
from attention_viz.colours import SCORE_LIMIT
from attention_viz.heads import AttentionHead, Start, random_head
from attention_viz.pipeline import Recipe, Run, parse_divisor
from attention_viz.scaling import EntropyBand, entropy_band
from attention_viz.stage import View
from attention_viz.tokens import tokenize
from attention_viz.ui import loaded
from attention_viz.ui.state import RANDOM_HEAD, Settings
from attention_viz.ui.waiting import result_of

_HELD: Final = "payload_held"  # what this visit was sent last, and for what
# In turn: each takes up to seconds of a processor that others need for what they look at.
_BANDS: Final = ThreadPoolExecutor(1, thread_name_prefix="bands")


def recipe(settings: Settings) -> Recipe:
    """The part of the settings that is not the stage's."""
    return Recipe(
        text=settings.text,
        seed=settings.seed,
        d_model=settings.d_model,
        start=Start(settings.start),
        positions=settings.positions,
        causal=settings.mask == "causal",
    )


def run(settings: Settings) -> Run:
    """The run that the settings describe.

    Raises:
        AttentionVizError: the text or the divisor cannot be used.
    """
    if settings.head != RANDOM_HEAD:
        return loaded.run(settings)
    divisor = parse_divisor(settings.divisor, d_k=settings.d_k, d_model=settings.d_model)
    return _run(recipe(settings), settings.d_k, divisor)


def payload(settings: Settings, start: View, *, band: bool) -> bytes:
    """What the stage is sent: the same bytes for as long as head and sentence stay."""
    if settings.head != RANDOM_HEAD:
        return loaded.payload(settings)
    asked = (recipe(settings), start, _stops(settings, start), band)
    # The cache forgets: with more visitors than it has room for, each of their changes would
    # otherwise pack the same bytes anew.
    held = st.session_state.get(_HELD)
    if held is None or held[0] != asked:
        held = st.session_state[_HELD] = (asked, _payload(*asked))
    data: bytes = held[1]
    return data


def limit(settings: Settings) -> float:
    """Of the shared colours of raw and scaled scores."""
    return SCORE_LIMIT if settings.head == RANDOM_HEAD else loaded.limit(settings)


def draw_band(settings: Settings, start: View) -> None:
    """Have the band of other heads ready, which can take seconds."""
    _band(recipe(settings), _stops(settings, start))


def _stops(settings: Settings, start: View) -> tuple[int, ...]:
    return scenes.stops_for(recipe(settings), start.d_k)


@st.cache_data(max_entries=64, show_spinner=False)
def _run(recipe: Recipe, d_k: int, divisor: float) -> Run:
    return recipe.run_head(_head(recipe.d_model, d_k, recipe.seed, recipe.start), divisor)


# Bytes cannot be changed by a visitor, so all may have the same ones without a copy.
@st.cache_resource(max_entries=32, show_spinner=False)
def _payload(recipe: Recipe, start: View, stops: tuple[int, ...], band: bool) -> bytes:  # noqa: FBT001
    others = _band(recipe, stops) if band else None
    whole = recipe.run_head(_head(recipe.d_model, stops[-1], recipe.seed, recipe.start))
    return stage.pack(scenes.nested_scene(whole, start, stops, band=others, in_address=True))


def _band(recipe: Recipe, stops: tuple[int, ...]) -> EntropyBand:
    # Only which words repeat counts, so sentences of one shape share a band.
    tokens = tokenize(recipe.text)
    shape = " ".join(f"w{tokens.pieces.index(piece)}" for piece in tokens.pieces)
    return result_of(
        _shape_band(shape, recipe.d_model, recipe.start, recipe.positions, recipe.causal, stops)
    )


def _has_not_failed(band: Future[EntropyBand]) -> bool:
    return not band.done() or band.exception() is None


# The work is remembered, and waited for outside: a run that ends within would lose its band.
@st.cache_resource(max_entries=64, show_spinner=False, validate=_has_not_failed)
def _shape_band(
    shape: str,
    d_model: int,
    start: Start,
    positions: bool,  # noqa: FBT001
    causal: bool,  # noqa: FBT001
    stops: tuple[int, ...],
) -> Future[EntropyBand]:
    tokens = tokenize(shape)
    mask = causal_mask(tokens.n) if causal else None
    return _BANDS.submit(
        entropy_band, tokens, d_model, start=start, positions=positions, mask=mask, stops=stops
    )


@st.cache_resource(max_entries=8, show_spinner=False)
def _head(d_model: int, d_k: int, seed: int, start: Start) -> AttentionHead:
    return random_head(d_model, d_k, seed=seed, start=start)

"""A sentence too long for the live stage: plain widgets and the still figure."""

from dataclasses import replace
from typing import Final

import streamlit as st

from attention_viz.figures import Scale
from attention_viz.pipeline import Run
from attention_viz.reading import RANDOM, read_row
from attention_viz.stage import MOST_TOKENS
from attention_viz.tokens import Tokens
from attention_viz.ui import browser, cache, downloads, show, state
from attention_viz.ui.state import Settings

_OWN: Final = {"own": "this model’s"}
_DIVISORS: Final = {"sqrt": "√d_k", "1": "1: no scaling", "d_k": "d_k", "sqrt_d_model": "√d_model"}
_SCALES: Final = {Scale.FIXED: "±3", Scale.FIT: "Fit", Scale.OWN: "Own"}


def draw(tokens: Tokens, now: Settings) -> Settings:
    """The choices and the maps; the settings as chosen."""
    show.notice(
        f"{tokens.n} tokens: the live stage takes up to {MOST_TOKENS}, since what it is sent grows "
        "with the square of the sentence. Above that the picture stands still."
    )
    size, divisor, row, scale = st.columns([4, 2, 2, 2], vertical_alignment="bottom")
    is_random = now.head == state.RANDOM_HEAD
    if is_random:
        size.select_slider("Head size d_k", now.stops, key="d_k")
    else:
        size.markdown(f"A loaded head: its d_k is {now.d_k}.")
    words = (_OWN if now.head == state.MODEL else {}) | _DIVISORS
    named = dict.fromkeys([*words, now.divisor])
    divisor.selectbox("Divisor", named, key="divisor", format_func=lambda d: words.get(d, d))
    row.selectbox("Row to read", range(tokens.n), key="row", format_func=tokens.names.__getitem__)
    scale.segmented_control(
        "Colours of scores",
        [scale.value for scale in Scale],
        key="scale",
        format_func=lambda name: _SCALES[Scale(name)],
        required=True,
    )
    settings = replace(state.settings(), head=now.head)
    run = cache.run(settings)
    trace = run.trace
    reading = read_row(run.tokens, trace.weights, trace.mask, settings.row, keys=run.keys)
    show.sentence((RANDOM if is_random else "") + reading)
    picture(run, settings)
    return settings


def picture(run: Run, settings: Settings) -> None:
    """The maps as they stand, with a button that saves them."""
    show.maps(
        run,
        settings,
        limit=cache.limit(settings),
        narrow=browser.is_narrow(),
        name=downloads.picture_name(run, "maps"),
    )

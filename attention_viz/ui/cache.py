"""Runs remembered by their settings, never by tensors: Streamlit hashes large arrays by sample."""

import streamlit as st

from attention_viz import pipeline
from attention_viz.heads import Start, random_head
from attention_viz.pipeline import Run, parse_divisor
from attention_viz.ui.state import Settings


def run(settings: Settings) -> Run:
    """The run that the settings describe.

    Raises:
        AttentionVizError: the text or the divisor cannot be used.
    """
    return _run(
        settings.text,
        seed=settings.seed,
        d_model=settings.d_model,
        start=settings.start,
        positions=settings.positions,
        causal=settings.mask == "causal",
        d_k=settings.d_k,
        divisor=parse_divisor(settings.divisor, d_k=settings.d_k, d_model=settings.d_model),
    )


@st.cache_data(max_entries=64, show_spinner=False)
def _run(
    text: str,
    *,
    seed: int,
    d_model: int,
    start: str,
    positions: bool,
    causal: bool,
    d_k: int,
    divisor: float,
) -> Run:
    head = random_head(d_model, d_k, seed=seed, start=start)
    return pipeline.run(
        text,
        head,
        seed=seed,
        positions=positions,
        normalised=start == Start.LAYER_NORM,
        causal=causal,
        divisor=divisor,
    )

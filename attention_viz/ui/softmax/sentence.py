"""The person's sentence in the lab: the run and the row that Explore shows."""

from dataclasses import replace
from typing import Final

import streamlit as st
import torch
from torch import Tensor

from attention_viz.pipeline import Run
from attention_viz.ui import cache, loaded, sidebar, state
from attention_viz.ui.state import Settings

_DRAWN: Final = "softmax_sidebar"


def rest() -> None:
    """No section looks at the sentence now; hold what the sidebar said of it."""
    state.keep()
    st.session_state[_DRAWN] = False


def pick() -> tuple[Run, int]:
    """The sidebar and the choice of a row; the run of the sentence and that row.

    Raises:
        AttentionVizError: the sentence or the head cannot be used.
    """
    if not st.session_state.get(_DRAWN):
        state.keep()  # a widget that comes back begins empty unless it is told
        st.session_state[_DRAWN] = True
    sidebar.draw()
    tokens = loaded.tokens(loaded.in_place(state.settings()))
    size = loaded.size(loaded.in_place(state.settings()))
    settings: Settings = loaded.in_place(state.fit(tokens.n, size))
    row = st.selectbox("Row", range(tokens.n), key="row", format_func=tokens.names.__getitem__)
    return cache.run(replace(settings, row=row)), row


def row_scores(*, raw: bool) -> Tensor:
    """(allowed keys,) float64 raw scores of the picked row, or its logits: as softmax sees them.

    Raises:
        AttentionVizError: the sentence or the head cannot be used.
    """
    run, row = pick()
    trace = run.trace
    scores = trace.scores if raw else trace.logits
    return scores[row][trace.mask[row]].to(torch.float64)

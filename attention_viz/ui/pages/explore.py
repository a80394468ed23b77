"""Explore: one sentence, one head, every step as a heatmap."""

import streamlit as st

from attention_viz import figures
from attention_viz.errors import AttentionVizError
from attention_viz.pipeline import Run
from attention_viz.reading import number, read_row
from attention_viz.tokens import Tokens, tokenize
from attention_viz.ui import browser, cache, show, state
from attention_viz.ui.state import Settings

_DIVISORS = {"sqrt": "√d_k", "1": "1: no scaling", "d_k": "d_k", "sqrt_d_model": "√d_model"}
_SCALES = {"fixed": "±3", "fit": "Fit", "own": "Own"}


def page() -> None:
    """The whole page."""
    try:
        tokens = tokenize(state.settings().text)
        chosen = controls(tokens)
        run = cache.run(chosen)
    except AttentionVizError as error:
        show.problem(error)
        st.stop()
    formula(run)
    figure = figures.attention_maps(
        run,
        row=chosen.row,
        scale=figures.Scale(chosen.scale),
        columns=1 if browser.is_narrow() else 2,
        palette=show.palette(),
    )
    sentence = read_row(run.tokens, run.trace.weights, run.trace.mask, chosen.row)
    show.sentence(f"Random head, no meaning: {sentence}")
    show.chart(figure, key="maps", alt=figures.describe_maps(run))
    shapes(run)
    browser.link(chosen)


def controls(tokens: Tokens) -> Settings:
    """The choices of this page."""
    chosen = state.fit(tokens.n)
    size, divisor, row, scale = st.columns([4, 2, 2, 2], vertical_alignment="bottom")
    size.select_slider("Head size d_k", chosen.stops, key="d_k")
    divisors = dict.fromkeys([*_DIVISORS, chosen.divisor])
    divisor.selectbox("Divisor", divisors, key="divisor", format_func=lambda d: _DIVISORS.get(d, d))
    row.selectbox("Row to read", range(tokens.n), key="row", format_func=tokens.names.__getitem__)
    scale.segmented_control(
        "Colours of scores", _SCALES, key="scale", format_func=_SCALES.__getitem__, required=True
    )
    return state.settings()


def formula(run: Run) -> None:
    """The formula with this picture's numbers in it."""
    trace = run.trace
    divisor = number(trace.divisor)
    st.latex(
        r"\text{weights} = \mathrm{softmax}\!\left(\frac{QK^\top}{\text{divisor}}\right)"
        rf"= \mathrm{{softmax}}\!\left(\frac{{QK^\top}}{{{divisor}}}\right)"
        rf"\qquad \sqrt{{d_k}} = \sqrt{{{trace.d_k}}} = {number(trace.d_k**0.5)}"
    )


def shapes(run: Run) -> None:
    """The sizes of everything, in the order of the steps."""
    n, d_model = run.inputs.shape
    d_k, d_v = run.trace.d_k, run.trace.value.shape[1]
    steps = [
        ("inputs", n, d_model),
        ("query, key", n, d_k),
        ("value", n, d_v),
        ("scores", n, n),
        ("scaled scores", n, n),
        ("weights", n, n),
        ("context", n, d_v),
    ]
    st.caption("  →  ".join(f"**{name}** {rows} × {columns}" for name, rows, columns in steps))


page()

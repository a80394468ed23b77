"""Scaling lab: why divide by √d_k? A guess, 200 heads, and the experiments behind the answer."""

import streamlit as st

from attention_viz import figures
from attention_viz.embeddings import MAX_SEED
from attention_viz.errors import AttentionVizError
from attention_viz.experiments import words
from attention_viz.experiments.draws import Start
from attention_viz.experiments.sweep import stops_between
from attention_viz.places import FIGURES, LABELS, STARTS
from attention_viz.scaling import LONG_STOPS
from attention_viz.ui import browser, experiments, lab, labpanels, show

_KEYS = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_DRAWS = (200, 256, 1000, 4000, 20_000)


def page() -> None:
    """The whole page."""
    lab.enter()
    with st.sidebar:
        controls()
    chosen = lab.fit()
    question, link = st.columns([6, 1], vertical_alignment="center")
    with question:
        show.question("Why divide by √d_k?")
    if lab.notice():
        show.notice(lab.notice())
    try:
        first_screen(chosen)
        st.segmented_control(
            _label("figure"),
            list(FIGURES),
            key=lab.key("figure"),
            format_func=FIGURES.__getitem__,
            required=True,
        )
        with link:
            browser.link_words(lab.to_address(lab.now()), lab.to_address(lab.DEFAULTS))
        labpanels.draw(lab.now())
    except AttentionVizError as error:
        show.problem(error)


def controls() -> None:
    """What a run is made of; nothing runs before the button."""
    with st.form("scaling_run"):
        st.select_slider(_label("keys"), _with(_KEYS, "keys"), key=lab.key("keys"))
        ends = st.columns(2)
        ends[0].selectbox(_label("low"), _with(LONG_STOPS, "low"), key=lab.key("low"))
        ends[1].selectbox(_label("high"), _with(LONG_STOPS, "high"), key=lab.key("high"))
        st.select_slider(_label("draws"), _with(_DRAWS, "draws"), key=lab.key("draws"))
        st.selectbox(
            _label("start"), list(Start), key=lab.key("start"), format_func=STARTS.__getitem__
        )
        st.multiselect(
            _label("divisors"),
            list(dict.fromkeys(["sqrt", "1", "d_k", *st.session_state[lab.key("divisors")]])),
            key=lab.key("divisors"),
            format_func=words.divisor_words,
            accept_new_options=True,
            max_selections=lab.MOST_DIVISORS,
            help="Type a number for one more.",
        )
        st.number_input(_label("seed"), 0, MAX_SEED, key=lab.key("seed"))
        st.form_submit_button("Run", type="primary", width="stretch")


def first_screen(chosen: lab.Lab) -> None:
    """The guess, the heads as dots, the slider, and one sentence."""
    st.segmented_control(
        "Guess: d_k grows and nothing is divided. What does the largest weight of a row do?",
        list(lab.GUESSES),
        key=lab.key("guess"),
        format_func=lab.GUESSES.__getitem__,
    )
    st.select_slider(_label("d_k"), stops_between(chosen.low, chosen.high), key=lab.key("d_k"))
    points = {point.d_k: point for point in experiments.heads(chosen.heads)}
    point = points[lab.now().d_k]
    told = words.about_heads(chosen.heads, point)
    show.sentence(told)
    figure = figures.head_dots(chosen.heads, point, palette=show.palette())
    show.chart(
        figure,
        key="scaling_heads_chart",
        alt=f"Dots on a line from 0 to 1. {told}",
        name=f"heads_{chosen.start}_keys{chosen.keys}_dk{point.d_k}_seed{chosen.seed}",
    )
    if chosen.guess:
        show.text(words.about_guess(chosen.guess, chosen.heads, list(points.values())))


def _label(name: str) -> str:
    return LABELS[lab.key(name)]


def _with(usual: tuple[int, ...], name: str) -> list[int]:
    """The usual choices, and what a link asks for among them."""
    now: int = st.session_state[lab.key(name)]
    return sorted({*usual, now})


page()

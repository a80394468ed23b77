"""Heads: every head of a model on one sentence, as small maps to compare and to open."""

import streamlit as st

from attention_viz.errors import AttentionVizError
from attention_viz.export.naming import named
from attention_viz.models import typed_specials
from attention_viz.stage.gallery import MOST_TOKENS
from attention_viz.ui import browser, downloads, gallery, language, show, state


def page() -> None:
    """The whole page."""
    if gallery.opened():
        # The whole picture in the address: a bare one would be what the browser still holds.
        st.switch_page(state.EXPLORE, query_params=state.to_address(state.settings()))
    question, link = st.columns([6, 1], vertical_alignment="center")
    with question:
        show.question("What do heads look at? Open one that stands out.")
    with link:
        browser.link(state.settings(), staged=False)
    _demos()
    _model()


def _demos() -> None:
    show.heading("Heads trained here to do one job")
    try:
        text = state.settings().text
        gallery.draw_demos(text)
        downloads.draw_heads(gallery.demos(text), named(text, "demo heads"))
    except AttentionVizError as error:
        show.problem(error)


def _model() -> None:
    settings = state.settings()
    if not language.is_ready(settings):
        show.heading("Every head of a language model")
        show.fact("Its heads stand here when it is read: see the sidebar.")
        return
    show.heading(f"Every head of {language.model(settings).name}")
    try:
        tokens = language.model(settings).record(settings.text).tokens
        n = tokens.n
        if typed_specials(tokens):
            show.notice(typed_specials(tokens))
        if n <= MOST_TOKENS:
            gallery.draw_model(settings.model, settings.text)
            downloads.draw_heads(
                gallery.every_head(settings.model, settings.text),
                named(settings.text, settings.model, "heads"),
            )
        else:
            show.notice(
                f"All heads are drawn for up to {MOST_TOKENS} tokens; this sentence has {n}. "
                "Explore shows one head of a longer one."
            )
    except AttentionVizError as error:
        show.problem(error)


page()

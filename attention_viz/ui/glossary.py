"""What a term means wherever it stands: shown to a pointer that rests on it, and to the focus."""

import re
from importlib import resources
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from attention_viz import assets

_TERM: Final = re.compile(r"\*\*([^*]+)\*\*")
_MARKS: Final = re.compile(r"[*_`]")


def watch() -> None:
    """Have the terms of the page Words explained on this page."""
    _component()(key="glossary", data={"entries": _entries()})


@st.cache_data(show_spinner=False)
def _entries() -> list[dict[str, str]]:
    """Each term and its paragraph; longer terms first, so that "raw scores" is not "score"."""
    text = assets.find("assets/lessons/en/words.md").read_text("utf-8")
    entries = [
        {"term": term, "meaning": _meaning(paragraph)}
        for paragraph in text.split("\n\n")
        for words in _TERM.findall(paragraph)
        for term in words.split(", ")
    ]
    return sorted(entries, key=lambda entry: -len(entry["term"]))


def _meaning(paragraph: str) -> str:
    """A paragraph of the page Words without its own first words, as plain text."""
    _, colon, rest = " ".join(paragraph.split()).partition(": ")
    return _MARKS.sub("", rest if colon else paragraph)


@st.cache_resource
def _component() -> ComponentRenderer:
    js = resources.files("attention_viz.ui").joinpath("glossary.js").read_text("utf-8")
    return st.components.v2.component(
        "glossary", html='<div class="glossary-place"></div>', css="", js=js
    )

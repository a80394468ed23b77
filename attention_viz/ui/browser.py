"""The page's link to the browser: the address, "Copy link", and how wide the window is."""

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from attention_viz.ui import state

_HTML: Final = '<button type="button"></button><input readonly aria-label="Link" hidden>'
_CSS: Final = """
button, input {
  font: inherit; font-size: 0.875rem; min-height: 40px; padding: 4px 12px;
  color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
}
button { cursor: pointer; white-space: nowrap; }
button:hover, button:focus-visible { border-color: var(--st-primary-color); }
input { width: min(28rem, 60vw); margin-left: 8px; }
"""


@st.cache_resource
def _component() -> ComponentRenderer:
    js = resources.files("attention_viz.ui").joinpath("browser.js").read_text("utf-8")
    return st.components.v2.component("browser", html=_HTML, css=_CSS, js=js)


def is_narrow() -> bool:
    """Whether the window is as narrow as a phone's; whether it is one, until that is known."""
    return bool(st.session_state.get("browser", {}).get("narrow", _is_phone()))


def _is_phone() -> bool:
    """What is assumed until the browser has said how wide it is: phones name themselves so."""
    return "Mobi" in st.context.headers.get("User-Agent", "")


def link(
    settings: state.Settings,
    *,
    staged: bool,
    also: Mapping[str, tuple[str, str]] | None = None,
    theirs: Sequence[str] = (),
) -> None:
    """Write the address, and offer the link with every key, defaults too.

    The stage writes its own keys while it is there: it knows them before Python does, and they are
    left out here, so that a movement changes nothing in what is sent. A page may have keys that are
    also its own, each with its word and the word that is the default, and keys of its own that the
    stage writes.
    """
    also = also or {}
    default = state.to_address(state.DEFAULTS) | {key: word for key, (_, word) in also.items()}
    theirs = (*state.MOVED, *theirs) if staged else ()
    every = state.to_address(settings) | {key: word for key, (word, _) in also.items()}
    own = {key: word for key, word in every.items() if key not in theirs}
    link_words(own, default, theirs)


def link_words(
    own: Mapping[str, str], default: Mapping[str, str], theirs: Sequence[str] = ()
) -> None:
    """The same for a page with keys of its own.

    Args:
        own: each key and its word now.
        default: each key and its word when nothing is chosen.
        theirs: keys that the stage writes.
    """
    _component()(
        key="browser",
        data={
            "own": dict(own),
            "changed": [key for key, word in own.items() if word != default[key]],
            "theirs": theirs,
            "copy": "Copy link",
            "copied": "Link copied",
            "narrow": is_narrow(),
        },
        default={"narrow": _is_phone()},
        on_narrow_change=lambda: None,
    )

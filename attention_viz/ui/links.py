"""Links from page to page that hold for a click, in a new tab, and when they are copied."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import streamlit as st

from attention_viz.ui import state

_FILES: Final = Path(state.EXPLORE).parent


class _Root(st.Page):
    """Explore as a link names it.

    Streamlit's address of the default page is empty, and an empty address with a query is the page
    that is open now. This one is the folder of every page, under a base path too.
    """

    @property
    def url_path(self) -> str:
        return "./"


def draw(label: str, page: str, query: Mapping[str, str]) -> None:
    """A link to a page, set up as the query says; a click keeps the visit.

    Args:
        label: Markdown.
        page: the page's name in the address.
        query: the keys of the address and their words.
    """
    file = _FILES / f"{page}.py"
    st.page_link(
        _Root(file) if str(file) == state.EXPLORE else file,
        label=label,
        icon=":material/arrow_forward:",
        query_params=dict(query),
    )

"""What is on a page as files; each is made when it is asked for."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from attention_viz.errors import AttentionVizError
from attention_viz.export.hand import hand_html, hand_svg
from attention_viz.export.heads import heads_npz, heads_svg
from attention_viz.export.naming import named, run_name
from attention_viz.export.page import APP, to_html
from attention_viz.export.record import Record, record_by_hand, record_of
from attention_viz.export.still import still_svg
from attention_viz.export.tables import Cell, csv_bytes, json_bytes, long_csv, npz_bytes, table_text
from attention_viz.listing import check_length, hand_listing, torch_listing
from attention_viz.models import WeightsRun
from attention_viz.pipeline import Run
from attention_viz.stage import MOST_TOKENS
from attention_viz.ui import show
from attention_viz.ui.gallery import Gallery
from attention_viz.ui.hand import Hand
from attention_viz.ui.state import Settings

_MIME: Final = {
    "html": "text/html",
    "svg": "image/svg+xml",
    "csv": "text/csv",
    "json": "application/json",
    "npz": "application/octet-stream",
    "py": "text/x-python",
}
_LIVE: Final = (
    "The interactive page is one file with sliders, maps and tables, and needs no network."
)
_STILL: Final = (
    f"Above {MOST_TOKENS} tokens the page is one file with the still picture and the picked row’s "
    "weights, and needs no network."
)


def draw_run(run: Run, settings: Settings) -> None:
    """A run in every form, but for a picture of pixels, which a button above the picture saves."""
    row, scale, name = settings.row, settings.scale, run_name(run)
    is_live = max(run.tokens.n, run.keys.n) <= MOST_TOKENS
    with st.container(horizontal=True):
        _button(
            "Interactive page" if is_live else "Page",
            partial(to_html, run, row=row, scale=scale, link=_here()),
            f"{name}.html",
        )
        _button("Picture (SVG)", partial(still_svg, run, row=row, scale=scale), f"{name}.svg")
        _tables(lambda: record_of(run, row=row, scale=scale), name)
        why = _listing(run, name)
    show.fact(
        f"{_LIVE if is_live else _STILL} CSV, JSON and NPZ hold every number to its last digit. "
        "The camera above a chart saves it as PNG; Still picture has all maps in one. "
        f"{long_csv(record_of(run))} {why}"
    )


def draw_weights(run: WeightsRun, row: int) -> None:
    """The numbers of a head whose weights are all that is known of it."""
    with st.container(horizontal=True):
        _tables(lambda: record_of(run, row=row), run_name(run))


def draw_hand(hand: Hand) -> None:
    """Scores by hand in every form."""
    tokens, scores, name = hand.tokens, hand.scores, named(hand.tokens.text, "by hand")
    with st.container(horizontal=True):
        _button("Interactive page", partial(hand_html, hand.tokens, hand.scores), f"{name}.html")
        _button("Picture (SVG)", partial(hand_svg, hand.tokens, hand.scores), f"{name}.svg")
        _tables(lambda: record_by_hand(tokens, scores), name)
        _button("Torch code", partial(hand_listing, tokens, scores), f"{name}.py")


def draw_heads(gallery: Gallery, name: str) -> None:
    """Small maps as a picture, all weights, and what tells one head from another.

    Args:
        gallery: the heads on the page.
        name: of the files, without their endings.
    """
    with st.container(horizontal=True):
        _button(
            "Picture (SVG)",
            lambda: heads_svg(gallery.tiles(), gallery.tokens, gallery.whose),
            f"{name}.svg",
        )
        _button(
            "All weights (NPZ)",
            lambda: heads_npz(gallery.tiles(), gallery.tokens, gallery.whose),
            f"{name}.npz",
        )
        draw_table(gallery.rows, name)


def draw_table(make: Callable[[], Sequence[Mapping[str, Cell]]], name: str) -> None:
    """A table as CSV.

    Args:
        make: the rows, called when the file is asked for.
        name: of the file, without its ending.
    """
    _button("CSV", lambda: table_text(make()).encode("utf-8-sig"), f"{name}.csv")


def picture_name(run: Run | WeightsRun, what: str) -> str:
    """What a picture of a run is called, without its ending."""
    return f"{run_name(run)}_{what}"


def _listing(run: Run, name: str) -> str:
    """The lines of torch; or why there are none, as a sentence."""
    try:
        check_length(run)
    except AttentionVizError as error:
        return str(error)
    _button("Torch code", partial(torch_listing, run), f"{name}.py")
    return ""


def _tables(make: Callable[[], Record], name: str) -> None:
    _button("CSV", lambda: csv_bytes(make()), f"{name}.csv")
    _button("JSON", lambda: json_bytes(make()), f"{name}.json")
    _button("NPZ", lambda: npz_bytes(make()), f"{name}.npz")


def _button(label: str, make: Callable[[], str | bytes], name: str) -> None:
    mime = _MIME[name.rpartition(".")[2]]
    st.download_button(label, make, name, mime, on_click="ignore", icon=":material/download:")


def _here() -> str:
    """The address of the app, as the visitor has it."""
    here = urlsplit(st.context.url or APP)
    return urlunsplit((here.scheme, here.netloc, here.path, "", ""))

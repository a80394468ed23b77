"""What is on a page as files; each is made when it is asked for."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from attention_viz.errors import AttentionVizError
from attention_viz.export.naming import named, run_name
from attention_viz.export.record import Record, record_by_hand, record_of
from attention_viz.export.tables import Cell, csv_bytes, json_bytes, npz_bytes, table_text
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
            partial(_html, run, row, scale, _here()),
            f"{name}.html",
        )
        _button("Picture (SVG)", partial(_svg, run, row, scale), f"{name}.svg")
        _tables(lambda: record_of(run, row=row, scale=scale), name)
        why = _listing(run, name)
    show.fact(
        f"{_LIVE if is_live else _STILL} CSV, JSON and NPZ hold every number to its last digit. "
        "The camera above a chart saves it as PNG; Still picture has all maps in one. "
        f"{why}"
    )


def draw_weights(run: WeightsRun, row: int) -> None:
    """The numbers of a head whose weights are all that is known of it."""
    with st.container(horizontal=True):
        _tables(lambda: record_of(run, row=row), run_name(run))


def draw_hand(hand: Hand) -> None:
    """Scores by hand in every form."""
    tokens, scores, name = hand.tokens, hand.scores, named(hand.tokens.text, "by hand")
    with st.container(horizontal=True):
        _button("Interactive page", partial(_hand_html, hand), f"{name}.html")
        _button("Picture (SVG)", partial(_hand_svg, hand), f"{name}.svg")
        _tables(lambda: record_by_hand(tokens, scores), name)
        _button("Torch code", partial(hand_listing, tokens, scores), f"{name}.py")


def draw_heads(gallery: Gallery, name: str) -> None:
    """Small maps as a picture, all weights, and what tells one head from another.

    Args:
        gallery: the heads on the page.
        name: of the files, without their endings.
    """
    with st.container(horizontal=True):
        _button("Picture (SVG)", partial(_heads_svg, gallery), f"{name}.svg")
        _button("All weights (NPZ)", partial(_heads_npz, gallery), f"{name}.npz")
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


def _html(run: Run, row: int, scale: str, link: str) -> str:
    from attention_viz.export.page import to_html

    return to_html(run, row=row, scale=scale, link=link)


def _svg(run: Run, row: int, scale: str) -> str:
    from attention_viz.export.still import still_svg

    return still_svg(run, row=row, scale=scale)


def _hand_html(hand: Hand) -> str:
    from attention_viz.export.hand import hand_html

    return hand_html(hand.tokens, hand.scores)


def _hand_svg(hand: Hand) -> str:
    from attention_viz.export.hand import hand_svg

    return hand_svg(hand.tokens, hand.scores)


def _heads_svg(gallery: Gallery) -> str:
    from attention_viz.export.heads import heads_svg

    return heads_svg(gallery.tiles(), gallery.tokens, gallery.whose)


def _heads_npz(gallery: Gallery) -> bytes:
    from attention_viz.export.heads import heads_npz

    return heads_npz(gallery.tiles(), gallery.tokens, gallery.whose)


def _tables(make: Callable[[], Record], name: str) -> None:
    _button("CSV", lambda: csv_bytes(make()), f"{name}.csv")
    _button("JSON", lambda: json_bytes(make()), f"{name}.json")
    _button("NPZ", lambda: npz_bytes(make()), f"{name}.npz")


def _button(label: str, make: Callable[[], str | bytes], name: str) -> None:
    mime = _MIME[name.rpartition(".")[2]]
    st.download_button(label, make, name, mime, on_click="ignore", icon=":material/download:")


def _here() -> str:
    """The address of the app, as the visitor has it."""
    here = urlsplit(st.context.url or "http://localhost:8501/")
    return urlunsplit((here.scheme, here.netloc, here.path, "", ""))

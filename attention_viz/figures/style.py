"""What every figure shares: template, token axes, colour scales."""

import html
from collections.abc import Sequence
from typing import Any, Final

from attention_viz.colours import Palette, Rgb, css
from attention_viz.maps import FONT, MAX_LABEL
from attention_viz.tokens import shorten

MAX_TICKS: Final = 16  # as many lines as fit beside a map


def layout(palette: Palette) -> dict[str, Any]:
    """The base of every layout.

    It names its own template: ``import streamlit`` changes Plotly's default, and a figure with no
    template at all reads "2024" as a number.
    """
    return {
        "template": "none",
        "paper_bgcolor": palette.paper,
        "plot_bgcolor": palette.paper,
        "font": {"family": FONT, "size": 14, "color": palette.ink},
        "hoverlabel": {"font": {"family": FONT, "size": 14}},
        "showlegend": False,
        "modebar": {
            "bgcolor": "rgba(0,0,0,0)",
            "color": palette.quiet,
            "activecolor": palette.ink,
        },
    }


def token_axis(
    title: str, labels: Sequence[str], palette: Palette, *, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """An axis of tokens: positions 0 … n-1 with text on them.

    Text as the coordinate itself would merge repeated words and turn dates into time. Notes are
    added to the labels, never shortened.
    """
    step = -(-len(labels) // MAX_TICKS)
    shown = range(0, len(labels), step)
    return {
        "title": axis_title(title, palette),
        "tickmode": "array",
        "tickvals": list(shown),
        "ticktext": [
            plotly_text(shorten(labels[i], MAX_LABEL)) + (notes[i] if notes else "") for i in shown
        ],
        "range": [-0.5, len(labels) - 0.5],
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "showline": True,
        "mirror": True,
        "linecolor": palette.quiet,
        "automargin": True,
    }


def axis_title(text: str, palette: Palette) -> dict[str, Any]:
    """The title of an axis: smaller and fainter than its labels, and close to them."""
    return {"text": text, "font": {"size": 12, "color": palette.quiet}, "standoff": 4}


def plotly_text(text: str) -> str:
    """Text that Plotly draws as it stands: it would read tags, entities and $mathematics$."""
    return html.escape(text, quote=False).replace("$", "&#36;")


def colour_scale(anchors: Sequence[Rgb]) -> list[list[Any]]:
    """Anchors as Plotly's pairs of fraction and colour."""
    return [[i / (len(anchors) - 1), css(colour)] for i, colour in enumerate(anchors)]

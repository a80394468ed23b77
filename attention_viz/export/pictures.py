"""The maps of a run as a picture for print: PNG, SVG or PDF, drawn by Plotly in Chrome."""

from typing import Final

import kaleido
import plotly.graph_objects as go
from kaleido.errors import (
    BrowserClosedError,
    BrowserFailedError,
    ChromeNotFoundError,
    JavascriptError,
    KaleidoError,
)

from attention_viz import figures
from attention_viz.colours import Scale
from attention_viz.errors import PictureError
from attention_viz.figures.style import plotly_text
from attention_viz.models import ModelRun, WeightsRun, read_facts
from attention_viz.pipeline import Recipe, Run
from attention_viz.reading import number
from attention_viz.scenes import check_shown, limit_of
from attention_viz.tokens import shorten, visible

_WIDTH: Final = 1000  # pixels; a PNG has three for each, 300 dots an inch on a page 10 inches wide
_SCALE: Final = 3
_TITLE: Final = 60
_LETTERS: Final = 80  # of the sentence, as many as fit a line
_NO_BROWSER: Final = (
    "no Chrome or Chromium was found, which draws PNG, SVG and PDF; install one or run "
    "kaleido_get_chrome. HTML, CSV, JSON and NPZ work without."
)


def still_figure(
    run: Run | WeightsRun, *, row: int = 0, scale: str = "fixed", title: bool = True
) -> go.Figure:
    """The maps of a run in light colours, with the sentence and the head above them.

    Args:
        run: of a head whose steps are known, or of one whose weights alone are.
        row: the query that is outlined.
        scale: of the colours of scores: ``fixed``, ``fit`` or ``own``.
        title: whether sentence and head are written.

    Raises:
        SettingError: the run has no such row, or there is no such scale.
    """
    check_shown(run, row, scale)
    if isinstance(run, WeightsRun):
        figure = figures.own_weights_map(run, row=row)
    else:
        figure = figures.attention_maps(run, row=row, scale=Scale(scale), limit=limit_of(run))
    figure.update_layout(width=_WIDTH, margin={"t": 8, "b": 8})
    if title:
        _add_title(figure, run)
    return figure


def draw(figure: go.Figure, kind: str) -> bytes:
    """A figure as a png, svg or pdf file. Starts a browser, which takes seconds.

    Raises:
        PictureError: there is no browser, or it failed.
    """
    options = {"format": kind, "scale": _SCALE if kind == "png" else 1}
    try:
        # Kaleido would fetch MathJax from the network; no label here is mathematics.
        drawn: bytes = kaleido.calc_fig_sync(figure, opts=options, kopts={"mathjax": False})
    except ChromeNotFoundError as error:
        raise PictureError(_NO_BROWSER) from error
    except (
        BrowserClosedError,
        BrowserFailedError,
        JavascriptError,
        KaleidoError,
        TimeoutError,
    ) as error:
        raise PictureError(
            f"the browser could not draw the picture ({type(error).__name__}). HTML, CSV, JSON and "
            "NPZ work without."
        ) from error
    return drawn


def _add_title(figure: go.Figure, run: Run | WeightsRun) -> None:
    sentence = shorten(" ".join(map(visible, run.tokens.text.split())), _LETTERS)
    figure.update_layout(height=figure.layout.height + _TITLE, margin={"t": _TITLE})
    # Plotly's own title would be cut above its second line.
    figure.add_annotation(
        text=f"<b>{plotly_text(sentence)}</b><br>{plotly_text(_head_words(run))}",
        font={"size": 15},
        align="left",
        showarrow=False,
        x=0,
        xref="paper",
        xanchor="left",
        y=1,
        yref="paper",
        yanchor="bottom",
    )


def _head_words(run: Run | WeightsRun) -> str:
    """The head and its sizes, as a line."""
    if isinstance(run, WeightsRun):
        return read_facts(run.facts)
    if isinstance(run, ModelRun):
        name = read_facts(run.facts)
    elif isinstance(run.origin, Recipe):
        name = f"random head, which carries no meaning: seed {run.origin.seed}"
    else:
        name = run.origin.name or "loaded head"
    return f"{name}; d_k {run.trace.d_k}, divisor {number(run.trace.divisor)}"

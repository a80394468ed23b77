"""The maps of a run as a still SVG that needs no browser: for paper, and where no script may run.

Light, and the same bytes for the same run. Cells are one small PNG a map, a pixel a cell, so that
many tokens stay a small file.
"""

import html
import math
from base64 import b64encode
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from attention_viz.colours import LIGHT, MASKED, SCORES, WEIGHTS, Rgb, Scale, css, text_on
from attention_viz.maps import FONT, MAX_LABEL, MAX_TEXT_TOKENS, Map, describe_maps, maps_of
from attention_viz.pipeline import Run
from attention_viz.reading import minus
from attention_viz.scenes import limit_of
from attention_viz.stage.scene import NO_KEY_SIGN
from attention_viz.stage.texts import ENGLISH
from attention_viz.tokens import shorten

# Pixels: the longer side of a map; above it title, formula and note; a line, and a letter, of a
# label; between two maps; the words in the corner;
# the legend.
_SIDE: Final = 300
_TITLE: Final = 66
_LINE: Final = 16
_LETTER: Final = 7.2
_GAP: Final = 36
_CORNER: Final = 76
_LEGEND: Final = 180
_LEGEND_ROOM: Final = 52
_GRADIENTS: Final = {SCORES: "still-scores", WEIGHTS: "still-weights"}


def still_svg(run: Run, *, row: int = 0, scale: str = "fixed") -> str:
    """The four maps with their labels, numbers while they fit, and legends; three at divisor 1.

    Args:
        run: what to draw, at its own d_k and divisor.
        row: the query that is outlined.
        scale: of the colours of scores: ``fixed``, ``fit`` or ``own``.
    """
    maps = maps_of(run, Scale(scale), limit_of(run))
    labels = [
        shorten(label, MAX_LABEL) + ("" if sees else f" {NO_KEY_SIGN}")
        for label, sees in zip(run.tokens.labels, run.trace.mask.any(dim=-1).tolist(), strict=True)
    ]
    left = max(_CORNER, 14 + _LETTER * max(map(len, labels)))
    below = 10 + _LETTER * min(MAX_LABEL, max(map(len, maps[-1].columns)))
    across, down = left + _SIDE + _GAP, _TITLE + _SIDE + below + _LEGEND_ROOM
    drawn = [
        f'<g transform="translate({i % 2 * across:.1f} {i // 2 * down:.1f})">'
        f"{''.join(_map(one, labels, left, below, row))}</g>"
        for i, one in enumerate(maps)
    ]
    width, height = 2 * across, down * math.ceil(len(maps) / 2) + _LINE
    key = _mask_key(height) if maps[-1].masked.any() else ""
    words = html.escape(describe_maps(run))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{words}" '
        f'font-family="{FONT}" font-size="13" fill="{LIGHT.ink}">'
        f'<rect width="100%" height="100%" fill="{LIGHT.paper}"/>'
        f"<defs>{''.join(map(_gradient, _GRADIENTS))}</defs>{''.join(drawn)}{key}</svg>"
    )


def _map(one: Map, rows: Sequence[str], left: float, below: float, picked: int) -> Iterator[str]:
    """One map, its title at the top left and its legend at the bottom."""
    cell = _SIDE / max(one.values.shape)
    n_q, columns = one.values.shape
    most = int((left + _SIDE) / _LETTER)
    yield _text(0, 16, one.title, font_size=15, font_weight=600)
    yield _text(0, 35, shorten(one.formula, most), fill=LIGHT.quiet)
    if one.note:
        yield _text(0, 54, minus(one.note), fill=LIGHT.quiet)
    yield f'<g transform="translate({left:.1f} {_TITLE})">'
    yield _cells(one, cell)
    if max(one.values.shape) <= MAX_TEXT_TOKENS:
        yield from _numbers(one, cell)
    yield _outline(0, picked * cell, columns * cell, cell, LIGHT.mark, min(3.0, cell / 2))
    yield from _labels(one, rows, cell)
    yield "</g>"
    top = _TITLE + n_q * cell + below + 14
    yield from _legend(one, left, top)


def _cells(one: Map, cell: float) -> str:
    n_q, columns = one.values.shape
    file = BytesIO()
    Image.fromarray(_pixels(one)).save(file, "PNG", optimize=True)
    sizes = f'width="{columns * cell:.2f}" height="{n_q * cell:.2f}"'
    return (
        f'<image {sizes} preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{b64encode(file.getvalue()).decode()}"/>'
        f"{_outline(0, 0, columns * cell, n_q * cell, LIGHT.quiet, 1)}"
    )


def _pixels(one: Map) -> NDArray[np.uint8]:
    """(n_q, columns, 3) the colour of each cell, as ``Map.colour`` gives it."""
    low, high = one.limits
    values = one.values.double().numpy(force=True)
    places = np.clip((values - low) / (high - low), 0, 1) * (len(one.anchors) - 1)
    steps = np.arange(len(one.anchors))
    channels = [np.interp(places, steps, anchors) for anchors in zip(*one.anchors, strict=True)]
    pixels: NDArray[np.uint8] = np.rint(np.stack(channels, axis=-1)).astype(np.uint8)
    pixels[one.masked.numpy(force=True)] = MASKED
    return pixels


def _numbers(one: Map, cell: float) -> Iterator[str]:
    size = min(14.0, cell * 0.3)
    for i, values in enumerate(one.values.tolist()):
        for j, value in enumerate(values):
            words = "–" if one.masked[i, j] else minus(f"{value:.2f}")
            ink = css(text_on(one.colour(i, j)))
            yield _text(
                (j + 0.5) * cell,
                (i + 0.5) * cell + 0.35 * size,
                words,
                text_anchor="middle",
                font_size=f"{size:.1f}",
                fill=ink,
            )


def _labels(one: Map, rows: Sequence[str], cell: float) -> Iterator[str]:
    """Labels of rows and columns, as many as there is room for."""
    step = math.ceil(_LINE / cell)
    height = one.values.shape[0] * cell
    yield _text(
        -6, height + 14, ENGLISH["sides"], text_anchor="end", font_size=10, fill=LIGHT.quiet
    )
    for i in range(0, len(rows), step):
        yield _text(-6, (i + 0.5) * cell + 4.5, rows[i], text_anchor="end")
    columns = [shorten(label, MAX_LABEL) for label in one.columns]
    is_upright = _LETTER * max(map(len, columns)) + 6 > cell
    for j in range(0, len(columns), step):
        x = (j + 0.5) * cell
        if is_upright:
            turned = f"translate({x - 4.5:.1f} {height + 6:.1f}) rotate(90)"
            yield _text(0, 0, columns[j], transform=turned)
        else:
            yield _text(x, height + 17, columns[j], text_anchor="middle")


def _legend(one: Map, left: float, top: float) -> Iterator[str]:
    yield (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{_LEGEND}" height="10" '
        f'fill="url(#{_GRADIENTS[one.anchors]})" stroke="{LIGHT.quiet}"/>'
    )
    for words, share, anchor in zip(one.ends, (0, 0.5, 1), ("start", "middle", "end"), strict=True):
        x = left + share * _LEGEND
        yield _text(x, top + 25, minus(words), text_anchor=anchor, font_size=12, fill=LIGHT.quiet)


def _gradient(anchors: tuple[Rgb, ...]) -> str:
    stops = "".join(
        f'<stop offset="{i / (len(anchors) - 1):g}" stop-color="{css(colour)}"/>'
        for i, colour in enumerate(anchors)
    )
    return f'<linearGradient id="{_GRADIENTS[anchors]}">{stops}</linearGradient>'


def _mask_key(height: float) -> str:
    top = height - _LINE
    return (
        f'<rect x="4" y="{top - 3:.1f}" width="14" height="14" fill="{css(MASKED)}"/>'
        f"{_text(24, top + 9, ENGLISH['masked'], fill=LIGHT.quiet)}"
    )


def _outline(x: float, y: float, width: float, height: float, colour: str, line: float) -> str:
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="none" '
        f'stroke="{colour}" stroke-width="{line:g}"/>'
    )


def _text(x: float, y: float, words: str, **attributes: Any) -> str:
    said = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{said}>{html.escape(words)}</text>'

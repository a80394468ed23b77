"""The parts of a still SVG: cells, legends, words, and the frame around them all.

Cells are one small PNG a map, a pixel a cell, so that many tokens stay a small file.
"""

import html
import textwrap
import unicodedata
from base64 import b64encode
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from attention_viz.colours import LIGHT, MASKED, SCORES, WEIGHTS, Rgb, css
from attention_viz.maps import FONT, Map
from attention_viz.reading import minus
from attention_viz.stage.texts import ENGLISH
from attention_viz.tokens import visible

# Pixels: around all; a line, and a letter; the legend.
_MARGIN: Final = 16
LINE: Final = 16
LETTER: Final = 7.2
_LEGEND: Final = 180
# Of the words above all: a line, a letter of the bold first one, and one of East Asia.
_HEADING: Final = 21
_BOLD: Final = 8.6
_WIDE: Final = 16
_GRADIENTS: Final = {SCORES: "still-scores", WEIGHTS: "still-weights"}


def picture(
    drawn: str, width: float, height: float, words: str, heading: Sequence[str] = ()
) -> str:
    """An SVG with a margin, light, and the same bytes for the same parts.

    Args:
        drawn: what stands in it.
        width: of that, in pixels.
        height: of that.
        words: what it shows, for a person who cannot see it.
        heading: lines above it, the first one bold; each is broken where it is too long.
    """
    lines = list(_heading(heading, width))
    top = _HEADING * len(lines) + (LINE if lines else 0)
    said = "".join(
        text(0, _HEADING * (i + 1) - 6, line, **style) for i, (line, style) in enumerate(lines)
    )
    wide, high = width + 2 * _MARGIN, height + top + 2 * _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-_MARGIN} {-_MARGIN} {wide:.0f} '
        f'{high:.0f}" width="{wide:.0f}" height="{high:.0f}" role="img" '
        f'aria-label="{html.escape(words)}" font-family="{FONT}" font-size="13" '
        f'fill="{LIGHT.ink}">'
        f'<rect x="{-_MARGIN}" y="{-_MARGIN}" width="100%" height="100%" fill="{LIGHT.paper}"/>'
        f"<defs>{''.join(map(_gradient, _GRADIENTS))}</defs>"
        f'{said}<g transform="translate(0 {top})">{drawn}</g></svg>'
    )


def _heading(lines: Sequence[str], width: float) -> Iterator[tuple[str, dict[str, Any]]]:
    for i, line in enumerate(lines):
        shown = " ".join(map(visible, line.split()))
        is_wide = any(unicodedata.east_asian_width(char) in "WF" for char in shown)
        letter = _WIDE if is_wide else LETTER if i else _BOLD
        style = {} if i else {"font_size": 16, "font_weight": 600}
        yield from ((part, style) for part in textwrap.wrap(shown, int(width / letter)))


def cells(one: Map, cell: float) -> str:
    """The coloured cells of a map with their frame, each cell so many pixels wide."""
    n_q, columns = one.values.shape
    file = BytesIO()
    # Level 6, the default, takes twice as long, and a page of 128 tokens is 1 % smaller for it.
    Image.fromarray(_pixels(one)).save(file, "PNG", compress_level=1)
    sizes = f'width="{columns * cell:.2f}" height="{n_q * cell:.2f}"'
    return (
        f'<image {sizes} preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{b64encode(file.getvalue()).decode()}"/>'
        f"{outline(0, 0, columns * cell, n_q * cell, LIGHT.quiet, 1)}"
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


def legend(one: Map, left: float, top: float) -> Iterator[str]:
    """The colours of a map, and the words of their ends."""
    yield (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{_LEGEND}" height="10" '
        f'fill="url(#{_GRADIENTS[one.anchors]})" stroke="{LIGHT.quiet}"/>'
    )
    for words, share, anchor in zip(one.ends, (0, 0.5, 1), ("start", "middle", "end"), strict=True):
        x = left + share * _LEGEND
        yield text(x, top + 25, minus(words), text_anchor=anchor, font_size=12, fill=LIGHT.quiet)


def _gradient(anchors: tuple[Rgb, ...]) -> str:
    stops = "".join(
        f'<stop offset="{i / (len(anchors) - 1):g}" stop-color="{css(colour)}"/>'
        for i, colour in enumerate(anchors)
    )
    return f'<linearGradient id="{_GRADIENTS[anchors]}">{stops}</linearGradient>'


def mask_key(top: float) -> str:
    """What the colour of a masked cell means."""
    return (
        f'<rect x="4" y="{top - 3:.1f}" width="14" height="14" fill="{css(MASKED)}"/>'
        f"{text(24, top + 9, ENGLISH['masked'], fill=LIGHT.quiet)}"
    )


def outline(x: float, y: float, width: float, height: float, colour: str, line: float) -> str:
    """A frame."""
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="none" '
        f'stroke="{colour}" stroke-width="{line:g}"/>'
    )


def text(x: float, y: float, words: str, **attributes: Any) -> str:
    """Words at a place; they stay text."""
    said = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{said}>{html.escape(words)}</text>'

"""The maps of a run as a still SVG that no browser draws: for paper, and where no script runs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from attention_viz.colours import LIGHT, WHITE, Scale, css, text_on
from attention_viz.export.svg import (
    LETTER,
    LINE,
    cells,
    legend,
    mask_key,
    outline,
    picture,
    text,
)
from attention_viz.export.words import MADE, read_run, title_of
from attention_viz.maps import MAX_LABEL, MAX_TEXT_TOKENS, Map, describe_maps, maps_of
from attention_viz.pipeline import Run
from attention_viz.reading import minus
from attention_viz.scenes import limit_of
from attention_viz.stage.scene import NO_KEY_SIGN
from attention_viz.stage.texts import ENGLISH
from attention_viz.tokens import shorten

# Pixels: the longer side of a map; above it title, formula and note; between two maps; the words
# in the corner; the legend with its words.
_SIDE: Final = 300
_TITLE: Final = 66
_GAP: Final = 36
_CORNER: Final = 76
_LEGEND_ROOM: Final = 52


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Maps of the same queries, two in a line.

    Attributes:
        maps: at least one.
        rows: the labels of the queries.
        picked: the query that is outlined.
        words: what they show, for a person who cannot see them.
        heading: lines above them; none where a page has said it all.
    """

    maps: Sequence[Map]
    rows: Sequence[str]
    picked: int
    words: str
    heading: Sequence[str] = ()


def still_svg(run: Run, *, row: int = 0, scale: str = "fixed", title: bool = True) -> str:
    """The four maps with their labels, numbers while they fit, and legends; three at divisor 1.

    Args:
        run: what to draw, at its own d_k and divisor.
        row: the query that is outlined.
        scale: of the colours of scores: ``fixed``, ``fit`` or ``own``.
        title: whether the sentence, the head and its settings are written.
    """
    rows = [
        shorten(label, MAX_LABEL) + ("" if sees else f" {NO_KEY_SIGN}")
        for label, sees in zip(run.tokens.labels, run.trace.mask.any(dim=-1).tolist(), strict=True)
    ]
    heading = (title_of(run), read_run(run), MADE) if title else ()
    maps = maps_of(run, Scale(scale), limit_of(run))
    return sheet_svg(Sheet(maps, rows, row, describe_maps(run), heading))


def sheet_svg(sheet: Sheet) -> str:
    """A sheet as an SVG."""
    maps = sheet.maps
    left = max(_CORNER, 14 + LETTER * max(map(len, sheet.rows)))
    below = 10 + LETTER * min(MAX_LABEL, max(map(len, maps[-1].columns)))
    across, down = left + _SIDE + _GAP, _TITLE + _SIDE + below + _LEGEND_ROOM
    drawn = [
        f'<g transform="translate({i % 2 * across:.1f} {i // 2 * down:.1f})">'
        f"{''.join(_map(one, sheet.rows, left, below, sheet.picked))}</g>"
        for i, one in enumerate(maps)
    ]
    width, height = 2 * across - _GAP, down * math.ceil(len(maps) / 2)
    if maps[-1].masked.any():
        drawn.append(mask_key(height))
        height += LINE
    return picture("".join(drawn), width, height, sheet.words, sheet.heading)


def _map(one: Map, rows: Sequence[str], left: float, below: float, picked: int) -> Iterator[str]:
    """One map, its title at the top left and its legend at the bottom."""
    cell = _SIDE / max(one.values.shape)
    n_q, columns = one.values.shape
    most = int((left + _SIDE) / LETTER)
    yield text(0, 16, one.title, font_size=15, font_weight=600)
    yield text(0, 35, shorten(one.formula, most), fill=LIGHT.quiet)
    if one.note:
        yield text(0, 54, minus(one.note), fill=LIGHT.quiet)
    yield f'<g transform="translate({left:.1f} {_TITLE})">'
    yield cells(one, cell)
    if max(one.values.shape) <= MAX_TEXT_TOKENS:
        yield from _numbers(one, cell)
    frame = min(3.0, cell / 2)
    for colour, line in ((css(WHITE), frame + 2), (LIGHT.mark, frame)):  # on cells of any shade
        yield outline(0, picked * cell, columns * cell, cell, colour, line)
    yield from _labels(one, rows, cell)
    yield "</g>"
    top = _TITLE + n_q * cell + below + 14
    yield from legend(one, left, top)


def _numbers(one: Map, cell: float) -> Iterator[str]:
    size = min(14.0, cell * 0.3)
    for i, values in enumerate(one.values.tolist()):
        for j, value in enumerate(values):
            words = "–" if one.masked[i, j] else minus(f"{value:.2f}")
            ink = css(text_on(one.colour(i, j)))
            yield text(
                (j + 0.5) * cell,
                (i + 0.5) * cell + 0.35 * size,
                words,
                text_anchor="middle",
                font_size=f"{size:.1f}",
                fill=ink,
            )


def _labels(one: Map, rows: Sequence[str], cell: float) -> Iterator[str]:
    """Labels of rows and columns, as many as there is room for."""
    step = math.ceil(LINE / cell)
    height = one.values.shape[0] * cell
    yield text(-6, height + 14, ENGLISH["sides"], text_anchor="end", font_size=10, fill=LIGHT.quiet)
    for i in range(0, len(rows), step):
        yield text(-6, (i + 0.5) * cell + 4.5, rows[i], text_anchor="end")
    columns = [shorten(label, MAX_LABEL) for label in one.columns]
    is_upright = LETTER * max(map(len, columns)) + 6 > cell
    for j in range(0, len(columns), step):
        x = (j + 0.5) * cell
        if is_upright:
            turned = f"translate({x - 4.5:.1f} {height + 6:.1f}) rotate(90)"
            yield text(0, 0, columns[j], transform=turned)
        else:
            yield text(x, height + 17, columns[j], text_anchor="middle")

"""Colours of scores and weights, shared by the still figures and the live stage.

Scores diverge about 0, weights run from 0 to 1. Both scales change steadily in lightness from their
middle or start, so they read in grey and with every kind of colour blindness.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

Rgb = tuple[int, int, int]

# Negative blue, 0 near white, positive red. Source: ColorBrewer RdBu, reversed.
SCORES: Final[tuple[Rgb, ...]] = (
    (5, 48, 97),
    (33, 102, 172),
    (67, 147, 195),
    (146, 197, 222),
    (247, 247, 247),
    (244, 165, 130),
    (214, 96, 77),
    (178, 24, 43),
    (103, 0, 31),
)
# 0 near white, 1 deep violet. Source: ColorBrewer Purples.
WEIGHTS: Final[tuple[Rgb, ...]] = (
    (252, 251, 253),
    (239, 237, 245),
    (218, 218, 235),
    (188, 189, 220),
    (158, 154, 200),
    (128, 125, 186),
    (106, 81, 163),
    (84, 39, 143),
    (63, 0, 125),
)
# Not a shade of either scale: a masked cell is no small number.
MASKED: Final[Rgb] = (196, 190, 170)
# Scores beyond three standard deviations of well-scaled scores are drawn in the last colour.
SCORE_LIMIT: Final = 3.0


class Scale(StrEnum):
    """The limits of the colours of scores.

    Attributes:
        FIXED: ±3, for both maps.
        FIT: the largest of both maps.
        OWN: each map's largest.
    """

    FIXED = "fixed"
    FIT = "fit"
    OWN = "own"


BLACK: Final[Rgb] = (0, 0, 0)
WHITE: Final[Rgb] = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class Palette:
    """What surrounds the cells, and lines: roles, as CSS colours.

    The colours of series are told apart with every kind of colour blindness, and contrast with the
    paper by at least 3 : 1. Source of their hues: Okabe and Ito 2008.
    """

    paper: str
    ink: str
    quiet: str
    mark: str
    series: tuple[str, ...]
    bar: str


LIGHT: Final = Palette(
    paper="#ffffff",
    ink="#1c1b22",
    quiet="#5c5968",
    mark="#b45309",
    series=("#0072b2", "#d55e00", "#00805d", "#a0458a"),
    bar="#6a51a3",
)
DARK: Final = Palette(
    paper="#14131a",
    ink="#f2f0f7",
    quiet="#b3afc2",
    mark="#d97706",
    series=("#56b4e9", "#ff8a3d", "#2fc795", "#e08fc4"),
    bar="#9e9ac8",
)


def shade(anchors: Sequence[Rgb], fraction: float) -> Rgb:
    """The colour at a fraction 0 … 1 of a scale, straight between its anchors; clipped outside."""
    place = min(max(fraction, 0.0), 1.0) * (len(anchors) - 1)
    below = min(int(place), len(anchors) - 2)
    part = place - below
    low, high = anchors[below], anchors[below + 1]
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(low, high, strict=True))
    return red, green, blue


def css(colour: Rgb) -> str:
    """A colour as CSS.

    >>> css((5, 48, 97))
    '#053061'
    """
    return "#{:02x}{:02x}{:02x}".format(*colour)


def text_on(background: Rgb) -> Rgb:
    """Black or white, whichever contrasts more: at least 4.5 : 1 on every colour."""
    return max(BLACK, WHITE, key=lambda ink: contrast(ink, background))


def contrast(one: Rgb, other: Rgb) -> float:
    """Contrast ratio, 1 … 21. Source: WCAG 2.2, definition of contrast ratio."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Rgb) -> float:
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - sRGB
        for c in (channel / 255 for channel in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue

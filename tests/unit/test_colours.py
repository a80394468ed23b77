import pytest

from attention_viz.colours import (
    BLACK,
    DARK,
    LIGHT,
    MASKED,
    SCORES,
    WEIGHTS,
    WHITE,
    contrast,
    css,
    shade,
    text_on,
)

SCALES = {"scores": SCORES, "weights": WEIGHTS}
FRACTIONS = [i / 256 for i in range(257)]


def rgb(colour):
    return tuple(bytes.fromhex(colour.removeprefix("#")))


def lightness(colour):
    return contrast(colour, BLACK)


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        (BLACK, WHITE, 21.0),
        (WHITE, WHITE, 1.0),
        (WHITE, (0x21, 0x91, 0x8C), 3.82),
        (BLACK, (0x21, 0x91, 0x8C), 5.49),
        (WHITE, (0x6B, 0xAE, 0xD6), 2.43),
        (BLACK, (0x6B, 0xAE, 0xD6), 8.65),
    ],
)
def test_contrast(one, other, ratio):
    assert contrast(one, other) == contrast(other, one) == pytest.approx(ratio, abs=0.005)


def test_text_takes_the_readable_ink():
    assert text_on((0x21, 0x91, 0x8C)) == BLACK
    assert text_on(WEIGHTS[-1]) == WHITE


@pytest.mark.parametrize("anchors", SCALES.values(), ids=SCALES)
def test_text_is_readable_on_every_shade(anchors):
    for colour in [MASKED, *(shade(anchors, fraction) for fraction in FRACTIONS)]:
        assert contrast(text_on(colour), colour) >= 4.5


def test_shade_is_straight_between_anchors_and_clipped_outside():
    anchors = ((0, 0, 0), (100, 50, 10), (200, 0, 250))
    assert shade(anchors, 0.5) == (100, 50, 10)
    assert shade(anchors, 0.25) == (50, 25, 5)
    assert shade(anchors, 0.8) == (160, 20, 154)
    assert shade(anchors, -7) == shade(anchors, 0) == anchors[0]
    assert shade(anchors, 7) == shade(anchors, 1) == anchors[-1]


def test_weights_darken_steadily():
    steps = [lightness(colour) for colour in WEIGHTS]
    assert steps == sorted(steps, reverse=True)
    assert len(set(steps)) == len(steps)


def test_scores_darken_steadily_both_ways_from_0():
    middle = len(SCORES) // 2
    steps = [lightness(colour) for colour in SCORES]
    assert len(SCORES) % 2 == 1
    assert steps[: middle + 1] == sorted(set(steps[: middle + 1]))
    assert steps[middle:] == sorted(set(steps[middle:]), reverse=True)
    red, _, blue = zip(*SCORES, strict=True)
    assert all(r < b for r, b in zip(red[:middle], blue[:middle], strict=True))
    assert all(r > b for r, b in zip(red[middle + 1 :], blue[middle + 1 :], strict=True))


@pytest.mark.parametrize("anchors", SCALES.values(), ids=SCALES)
def test_a_masked_cell_is_no_shade_of_a_scale(anchors):
    for fraction in FRACTIONS:
        shown = shade(anchors, fraction)
        assert max(abs(a - b) for a, b in zip(shown, MASKED, strict=True)) > 20


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_palettes_can_be_read(palette):
    paper = rgb(palette.paper)
    assert contrast(rgb(palette.ink), paper) >= 7
    assert contrast(rgb(palette.quiet), paper) >= 4.5
    assert contrast(rgb(palette.mark), paper) >= 3


def test_css():
    assert css((0, 9, 255)) == "#0009ff"

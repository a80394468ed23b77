"""What people with each kind of colour blindness see of the colours: Machado et al. 2009."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from colorspacious import cspace_convert, deltaE

from attention_viz.colours import DARK, LIGHT, MASKED, SCORES, WEIGHTS, shade

KINDS = ["protanomaly", "deuteranomaly", "tritanomaly"]
SCALES = {"scores": SCORES, "weights": WEIGHTS}
SHADES = [i / 10 for i in range(11)]


def seen(colours, kind):
    """(n, 3) sRGB from 0 to 255 as colours with the strongest form of a blindness."""
    space = {"name": "sRGB1+CVD", "cvd_type": kind, "severity": 100}
    as_seen = cspace_convert(np.array(colours) / 255, space, "sRGB1")
    return 255 * np.clip(as_seen, 0, 1)


def apart(one, other):
    """How far apart two colours look; from about 2 on, side by side, they differ."""
    return deltaE(one, other, input_space="sRGB255")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("anchors", SCALES.values(), ids=SCALES)
def test_neighbouring_shades_stay_apart(anchors, kind):
    shades = seen([shade(anchors, fraction) for fraction in SHADES], kind)
    assert min(apart(*pair) for pair in pairwise(shades)) > 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_score_and_its_negative_look_different(kind):
    shades = seen([shade(SCORES, fraction) for fraction in SHADES], kind)
    for low, high in zip(shades[:4], shades[::-1][:4], strict=True):
        assert apart(low, high) > 10


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("anchors", SCALES.values(), ids=SCALES)
def test_a_masked_cell_looks_like_no_shade(anchors, kind):
    masked, *shades = seen([MASKED, *(shade(anchors, fraction) for fraction in SHADES)], kind)
    assert min(apart(masked, one) for one in shades) > 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_series_are_told_apart(palette, kind):
    colours = [tuple(bytes.fromhex(one.removeprefix("#"))) for one in palette.series]
    assert min(apart(*pair) for pair in combinations(seen(colours, kind), 2)) > 5

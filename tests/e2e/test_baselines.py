"""Each page beside its picture that was looked at (drawn by `python -m tests.e2e.baselines`)."""

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageFilter

from tests.e2e.baselines import FOLDER, SIZES, pictures

pytestmark = pytest.mark.e2e
LEVELS = 24  # of 255, between a colour and those next to it in the other picture
SMOOTH = ImageFilter.BoxBlur(1)  # a stroke that moved by half a pixel has no colour of its own
PIXELS = 12  # of half the page's size, that may be further off


def differing(old, new):
    """How many pixels have a colour that the other picture has not at that place or next to it.

    So antialiasing and a letter that moved by one pixel, or a half, do not count; what came, went,
    or moved further does.
    """
    old, new = old.filter(SMOOTH), new.filter(SMOOTH)
    return np.count_nonzero(_astray(old, new) | _astray(new, old))


def _astray(picture, other):
    colours = np.asarray(picture, dtype=int)
    low = np.asarray(other.filter(ImageFilter.MinFilter(3)), dtype=int) - LEVELS
    high = np.asarray(other.filter(ImageFilter.MaxFilter(3)), dtype=int) + LEVELS
    return ((colours < low) | (colours > high)).any(axis=2)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_pages_look_as_they_did(browser, server, tmp_path, width, height):
    found, seen = [], set()
    for name, new in pictures(browser, server, width, height, tmp_path):
        seen.add(name)
        old = Image.open(FOLDER / name).convert("RGB")
        count = differing(old, new)
        if count > PIXELS:
            new.save(tmp_path / name)
            found.append(f"{name}: {count} pixels differ, at most {PIXELS} may: {tmp_path / name}")
    assert not found, "\n".join(found)
    assert seen == {path.name for path in FOLDER.glob(f"*-{width}.png")}


def test_half_a_pixel_does_not_count_and_two_pixels_do():
    old = Image.open(FOLDER / "explore-390.png").convert("RGB")
    large = old.resize((2 * old.width, 2 * old.height), Image.Resampling.BICUBIC)
    half = ImageChops.offset(large, 0, 1).resize(old.size, Image.Resampling.BOX)
    assert differing(old, half) <= PIXELS < differing(old, ImageChops.offset(old, 0, 2))

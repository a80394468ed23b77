from base64 import b64decode
from dataclasses import replace
from io import BytesIO
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import torch
from PIL import Image

import attention_viz as av
from attention_viz.attention import Sink
from attention_viz.colours import MASKED, SCORE_LIMIT, Scale
from attention_viz.export.still import still_svg
from attention_viz.maps import maps_of
from attention_viz.origins import Loaded
from attention_viz.pipeline import Run
from attention_viz.tokens import visible

SVG = "{http://www.w3.org/2000/svg}"


def make(text="Wie geht es dir", **settings):
    return av.run(text, av.random_head(64, 17, seed=25), **settings)


def drawn(run, **how):
    return ET.fromstring(still_svg(run, **how))  # noqa: S314 - our own


def texts(picture):
    return [text.text for text in picture.iter(f"{SVG}text")]


def pixels(picture):
    for image in picture.iter(f"{SVG}image"):
        kind, data = image.get("href").split(",")
        assert kind == "data:image/png;base64"
        yield np.asarray(Image.open(BytesIO(b64decode(data))).convert("RGB"))


@pytest.mark.parametrize("scale", Scale)
def test_pixels_are_the_colours_of_the_numbers(scale):
    run = make("a b c d e f g h i j k", causal=True)
    maps = maps_of(run, scale, SCORE_LIMIT)
    found = list(pixels(drawn(run, scale=scale)))
    assert len(found) == len(maps) == 4
    for one, cells in zip(maps, found, strict=True):
        wanted = [[one.colour(i, j) for j in range(11)] for i in range(11)]
        np.testing.assert_array_equal(cells, wanted)
    assert tuple(found[2][0, 10]) == MASKED != tuple(found[0][0, 10])


def test_labels_and_numbers_stand_on_the_maps():
    run = make(causal=True)
    said = texts(drawn(run))
    for label in run.tokens.labels:
        assert said.count(label) == 8  # a row and a column in each of four maps
    for matrix in (run.trace.scores, run.trace.scaled_scores, run.trace.weights):
        for number in matrix[run.trace.mask].tolist():
            assert f"{number:.2f}".replace("-", "−") in said
    assert said.count("–") == 2 * 6
    assert any("may not look" in text for text in said)
    assert "–" not in texts(drawn(make("a b c d e f g h i", causal=True)))


def test_what_was_typed_stays_text():
    run = make("a b c d e")
    labels = ("<b>x</b>", "&amp;", "\"'", "]]>", visible("\x00\ufffe"))
    tokens = replace(run.tokens, labels=labels)
    picture = drawn(replace(run, tokens=tokens, keys=tokens))
    assert all(texts(picture).count(label) == 8 for label in labels)
    assert {element.tag.removeprefix(SVG) for element in picture.iter()} <= {
        "svg", "rect", "defs", "linearGradient", "stop", "g", "image", "text",
    }  # fmt: skip


def test_its_title_says_what_makes_it_again():
    run = make(causal=True)
    titled, bare = texts(drawn(run)), texts(drawn(run, title=False))
    assert titled[-len(bare) :] == bare
    assert titled[: -len(bare)] == [
        "Wie geht es dir",
        "Random head, seed 25, d_model 64, d_k 17, divisor √d_k = 4.123, causal mask.",
        f"Made with Attention Viz {av.__version__}.",
    ]


def test_a_long_title_is_broken_within_the_margin():
    picture = drawn(make("今日は" * 29))
    left, top, width, _ = map(float, picture.get("viewBox").split())
    assert left < 0 > top
    first = [text for text in picture.iter(f"{SVG}text") if text.get("font-size") == "16"]
    assert "".join(text.text for text in first) == "今日は" * 29
    assert max(len(text.text) for text in first) * 16 <= width + 2 * left


def test_divisor_1_has_one_map_of_weights():
    picture = drawn(make(divisor=1.0))
    assert len(list(pixels(picture))) == 3
    assert texts(picture).count("Attention weights") == 1


def test_a_sink_is_a_column_and_an_empty_row_is_marked():
    rows = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    mask = torch.tensor([[1, 0, 1], [0, 0, 0], [1, 1, 1]], dtype=torch.bool)
    tokens = av.tokenize("one two three")
    trace = av.attend(rows, rows, rows, mask=mask, steps=(Sink(0.5),))
    picture = drawn(Run(tokens, tokens, rows, trace, Loaded("")))
    assert [cells.shape for cells in pixels(picture)] == [(3, 3, 3)] * 2 + [(3, 4, 3)] * 2
    said = texts(picture)
    assert said.count("sink") == 2
    assert said.count("two ⊘") == 4

import html

import pytest

from attention_viz.colours import DARK, LIGHT, SCORES, css
from attention_viz.figures.style import (
    MAX_LABEL,
    MAX_TICKS,
    colour_scale,
    layout,
    plotly_text,
    shorten,
    token_axis,
)


def test_a_tick_for_every_token():
    axis = token_axis("key", ["the", "the", "2024"], LIGHT)
    assert axis["tickvals"] == [0, 1, 2]
    assert axis["ticktext"] == ["the", "the", "2024"]
    assert axis["range"] == [-0.5, 2.5]
    assert axis["tickmode"] == "array"
    assert axis["title"]["text"] == "key"


@pytest.mark.parametrize("n", [1, 40, 41, 80, 97, 512])
def test_many_tokens_get_fewer_ticks_at_their_own_places(n):
    axis = token_axis("query", [f"w{i}" for i in range(n)], LIGHT)
    assert len(axis["tickvals"]) == len(axis["ticktext"]) <= MAX_TICKS
    assert axis["ticktext"] == [f"w{i}" for i in axis["tickvals"]]
    assert axis["tickvals"][0] == 0
    assert len(axis["tickvals"]) >= min(n, MAX_TICKS // 2)
    assert axis["range"] == [-0.5, n - 0.5]


@pytest.mark.parametrize(
    "text", ["<s>", "</s>", "$", "$x$", "$5", "a & b", "&#36;", "&amp;", "it's"]
)
def test_plotly_draws_text_as_it_stands(text):
    drawn = plotly_text(text)
    assert html.unescape(drawn) == text
    assert not set(drawn) & set("<>$")


@pytest.mark.parametrize(
    ("label", "short"),
    [
        ("a" * 14, "a" * 14),
        ("abcdefghijklmno", "abcdefg…jklmno"),
        ("", ""),
    ],
)
def test_shorten(label, short):
    assert shorten(label, 14) == short
    assert len(shorten(label, 14)) <= MAX_LABEL


def test_long_labels_are_shortened_before_they_are_escaped():
    axis = token_axis("key", ["<" * 20], LIGHT)
    assert axis["ticktext"] == ["&lt;" * 7 + "…" + "&lt;" * 6]


def test_colour_scale_spans_0_to_1():
    scale = colour_scale(SCORES)
    assert [place for place, _ in scale] == [i / 8 for i in range(9)]
    assert [colour for _, colour in scale] == [css(colour) for colour in SCORES]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_layout_names_its_template(palette):
    base = layout(palette)
    assert base["template"] == "none"
    assert base["paper_bgcolor"] == base["plot_bgcolor"] == palette.paper
    assert base["font"]["color"] == palette.ink

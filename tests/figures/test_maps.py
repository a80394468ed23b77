"""The picture says what the trace says: numbers are read back from the figure."""

import math
import re

import numpy as np
import pytest
import torch

from attention_viz.attention import attend
from attention_viz.colours import DARK, LIGHT, MASKED, WEIGHTS, contrast, css, shade
from attention_viz.figures import Scale, attention_maps, describe_maps, projections
from attention_viz.figures.parts import MOST_COORDINATES
from attention_viz.heads import random_head
from attention_viz.origins import UNNAMED
from attention_viz.pipeline import Run, run
from attention_viz.reading import minus, number
from attention_viz.tokens import Tokens, visible

TEXT = "the cat, the dog"  # 5 tokens, one of them twice
N = 5
DRAW = """
import plotly.io
from attention_viz import random_head, run
from attention_viz.figures import attention_maps
print(plotly.io.templates.default)
print(attention_maps(run("the cat the", random_head(67, 61), causal=True)).to_json())
"""


def make(text=TEXT, *, d_k=61, **settings):
    return run(text, random_head(67, d_k, seed=3), seed=3, **settings)


def by_hand(pieces, mask=None):
    """A run of given pieces, as other tokenisers may cut them."""
    n = len(pieces)
    labels = tuple(visible(piece) for piece in pieces)
    tokens = Tokens("", tuple(pieces), labels, ((0, 0),) * n, (False,) * n, ("",) * n)
    rows = torch.randn(n, 3, generator=torch.Generator().manual_seed(0))
    return Run(tokens, tokens, rows, attend(rows, rows, rows, mask=mask), UNNAMED)


def maps(figure):
    return [trace for trace in figure.data if trace.type == "heatmap" and trace.name]


def masks(figure):
    return [trace for trace in figure.data if trace.type == "heatmap" and not trace.name]


def numbers(figure):
    return [trace for trace in figure.data if trace.type == "scatter"]


def axes(figure, trace):
    """The x and y axis of a trace."""
    name = (trace.xaxis or "x").removeprefix("x")
    return figure.layout[f"xaxis{name}"], figure.layout[f"yaxis{name}"]


def rgb(colour):
    return tuple(bytes.fromhex(colour.removeprefix("#")))


def titles(figure):
    return [annotation.text for annotation in figure.layout.annotations]


def expected_maps(trace):
    """Numbers of the four maps, from the trace and torch alone."""
    unscaled = torch.softmax(trace.scores.masked_fill(~trace.mask, -math.inf), dim=-1)
    return [trace.scores, trace.scaled_scores, trace.weights, unscaled]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scale", Scale)
def test_maps_hold_the_numbers_of_the_trace(causal, scale):
    result = make(causal=causal, divisor=2.7)
    drawn = maps(attention_maps(result, scale=scale))
    for one, values in zip(drawn, expected_maps(result.trace), strict=True):
        np.testing.assert_array_equal(one.z, values.numpy())
        assert list(one.x) == list(one.y) == list(range(N))


def test_each_title_says_which_step_it_is():
    figure = attention_maps(make(d_k=64))
    words = ["Raw scores", "Scaled scores", "Attention weights", "Attention weights"]
    formulas = ["QKᵀ", "QKᵀ ÷ 8", "softmax(QKᵀ ÷ 8)", "without scaling: softmax(QKᵀ)"]
    for title, one, word, formula in zip(
        titles(figure), maps(figure), words, formulas, strict=True
    ):
        assert title.split("<br>")[:2] == [f"<b>{word}</b>", formula]
        assert one.name == word


def test_row_0_is_at_the_top_of_every_map():
    figure = attention_maps(make())
    for one in maps(figure):
        x, y = axes(figure, one)
        assert y.range == (N - 0.5, -0.5)
        assert x.range == (-0.5, N - 0.5)
        assert (x.title.text, y.title.text) == ("key", "query")


def test_ticks_are_one_a_token_with_repeats():
    figure = attention_maps(make())
    for one in maps(figure):
        for axis in axes(figure, one):
            assert axis.tickvals == tuple(range(N))
            assert axis.ticktext == ("the", "cat", ",", "the", "dog")


def test_labels_are_drawn_as_they_stand():
    pieces = ["<s>", "$x$", "2020-01-01", "", "a & b", " ", "&lt;"]
    figure = attention_maps(by_hand(pieces))
    shown = ("&lt;s&gt;", "&#36;x&#36;", "2020-01-01", "∅", "a␣&amp;␣b", "␣", "&amp;lt;")
    for one in maps(figure):
        for axis in axes(figure, one):
            assert axis.ticktext == shown
            assert axis.tickvals == tuple(range(7))
        for i, j in ((0, 1), (1, 0)):
            assert "&lt;s&gt;" in one.hovertext[i][j]
            assert "&#36;x&#36;" in one.hovertext[i][j]
            assert "<s>" not in one.hovertext[i][j]


def test_f13_colours_of_weights_run_from_0_to_1_and_of_scores_about_0():
    for scale in Scale:
        *scores, scaled, unscaled = maps(attention_maps(make(), scale=scale))
        for one in (scaled, unscaled):
            assert (one.zmin, one.zmax) == (0, 1)
        for one in scores:
            assert one.zmin == -one.zmax < 0


def test_fixed_fit_and_own_scales():
    result = make()
    raw, scaled = result.trace.scores.abs().max(), result.trace.scaled_scores.abs().max()
    limits = {Scale.FIXED: (3, 3), Scale.FIT: (raw, raw), Scale.OWN: (raw, scaled)}
    for scale, expected in limits.items():
        figure = attention_maps(result, scale=scale)
        assert [one.zmax for one in maps(figure)[:2]] == list(expected)
        notes = [title.split("<br>")[2] for title in titles(figure)]
        assert ["own scale" in note for note in notes] == [scale is Scale.OWN] * 2 + [False] * 2
        if scale is Scale.OWN:
            assert notes[:2] == [f"its own scale: ±{number(limit.item())}" for limit in expected]
        if scale is not Scale.FIXED:
            assert not any("off the scale" in note for note in notes)


def test_scores_of_0_have_a_scale_too():
    rows = torch.zeros(3, 2)
    tokens = make("a b c").tokens
    result = Run(tokens, tokens, rows, attend(rows, rows, rows), UNNAMED)
    for scale in Scale:
        for one in maps(attention_maps(result, scale=scale)):
            assert one.zmin < one.zmax


@pytest.mark.parametrize("divisor", [0.01, 2.0, 1e3])
def test_titles_count_the_cells_off_the_scale(divisor):
    result = make(divisor=divisor)
    figure = attention_maps(result)
    counts = [int((values.abs() > 3).sum()) for values in expected_maps(result.trace)[:2]]
    assert counts[0] > 0
    for title, off in zip(titles(figure)[:2], counts, strict=True):
        found = re.findall(r"(\d+) of 25 cells off the scale", title)
        assert found == ([str(off)] if off else [])
    assert not any("off the scale" in title for title in titles(figure)[2:])


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (Scale.FIXED, ("≤ −3", "0", "≥ 3")),
        (Scale.FIT, None),
        (Scale.OWN, ("own least", "0", "own most")),
    ],
)
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("divisor", [None, 1])
def test_one_legend_for_scores_and_one_for_weights(scale, words, columns, divisor):
    result = make(divisor=divisor)
    figure = attention_maps(result, scale=scale, columns=columns)
    scores, weights = (one for one in maps(figure) if one.showscale)
    assert "scores" in scores.name
    assert "weights" in weights.name
    assert weights.colorbar.tickvals == (0, 0.5, 1)
    assert weights.colorbar.ticktext == ("0", "0.5", "1")
    assert scores.colorbar.tickvals == (scores.zmin, 0, scores.zmax)
    if words is None:
        most = number(result.trace.scores.abs().max().item())
        words = (f"−{most}", "0", most)
    assert scores.colorbar.ticktext == words


def test_f11_a_masked_cell_is_not_a_weight_of_0():
    result = make(causal=True)
    figure = attention_maps(result)
    layers = masks(figure)
    assert [layer.xaxis for layer in layers] == ["x3", "x4"]
    hidden = ~result.trace.mask.numpy()
    for layer in layers:
        assert list(layer.x) == list(layer.y) == list(range(N))
        np.testing.assert_array_equal(np.isnan(layer.z), ~hidden)
        assert {colour for _, colour in layer.colorscale} == {css(MASKED)}
        assert layer.hoverongaps is False
        assert layer.hoverinfo == "skip"
        below = next(i for i, t in enumerate(figure.data) if t.name and t.xaxis == layer.xaxis)
        assert figure.data.index(layer) > below
    assert css(MASKED) != css(shade(WEIGHTS, 0.0))
    for one in numbers(figure)[2:]:
        text = np.array(one.text).reshape(N, N)
        np.testing.assert_array_equal(text == "–", hidden)
    assert "masked" in maps(figure)[2].hovertext[0][1]
    assert "masked" not in maps(figure)[2].hovertext[1][0]


def test_scores_are_drawn_under_a_mask_too():
    figure = attention_maps(make(causal=True))
    for one in numbers(figure)[:2]:
        assert "–" not in one.text


def test_without_a_mask_there_is_no_masked_layer():
    assert not masks(attention_maps(make()))


def test_a_row_without_keys_says_so():
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    figure = attention_maps(by_hand(["I", "am", "good"], mask))
    for one in maps(figure):
        keys, queries = axes(figure, one)
        assert queries.ticktext == ("I", "am (no allowed key)", "good")
        assert keys.ticktext == ("I", "am", "good")
    for layer in masks(figure):
        np.testing.assert_array_equal(np.isnan(layer.z), mask.numpy())
    assert not any(maps(figure)[3].z[1])


@pytest.mark.parametrize("causal", [False, True])
def test_f15_f16_cells_carry_their_number_in_a_readable_ink(causal):
    figure = attention_maps(make("a b c d e f g h", causal=causal))
    hidden = torch.zeros(8, 8, dtype=torch.bool)
    for k, (one, text) in enumerate(zip(maps(figure), numbers(figure), strict=True)):
        if k == 2:
            hidden = torch.ones(8, 8, dtype=torch.bool).triu(1) & causal
        assert text.xaxis == one.xaxis
        cells = [(i, j) for i in range(8) for j in range(8)]
        assert list(zip(text.y, text.x, strict=True)) == cells
        for (i, j), word, ink in zip(cells, text.text, text.textfont.color, strict=True):
            if hidden[i, j]:
                background = MASKED
            else:
                assert word == minus(f"{one.z[i][j]:.2f}")
                share = (one.z[i][j] - one.zmin) / (one.zmax - one.zmin)
                places, colours = zip(*one.colorscale, strict=True)
                channels = zip(*map(rgb, colours), strict=True)
                background = [np.interp(share, places, channel) for channel in channels]
            assert contrast(rgb(ink), background) >= 4.5


def test_above_8_tokens_cells_carry_no_number():
    assert len(numbers(attention_maps(make("a b c d e f g h")))) == 4
    assert not numbers(attention_maps(make("a b c d e f g h i")))


def test_a_pointer_reads_the_arithmetic_of_its_cell():
    result = make(divisor=2.5)
    trace = result.trace
    i, j = 1, 4
    text = maps(attention_maps(result))[2].hovertext[i][j]
    q_k, scaled, weight = (
        m[i, j].item() for m in (trace.scores, trace.scaled_scores, trace.weights)
    )
    assert text.replace("\u2068", "").replace("\u2069", "").split("<br>") == [
        "query “cat”, key “dog”",
        f"q·k = {minus(number(q_k))}",
        f"÷ 2.5 = {minus(number(scaled))}",
        f"weight {number(weight)}",
    ]


def test_a_pointer_reads_the_number_that_is_drawn():
    for one in maps(attention_maps(make())):
        for i in range(N):
            for j in range(N):
                read = one.hovertext[i][j].replace("<br>", " ").split()
                assert minus(number(one.z[i][j].item())) in read


def test_above_48_tokens_a_pointer_reads_the_number_alone():
    for n, long in ((48, True), (49, False)):
        for one in maps(attention_maps(make(" ".join("abcdefg"[i % 7] for i in range(n))))):
            assert (one.hovertext is not None) == long
            assert ("%{z" in one.hovertemplate) != long


def test_divisor_1_draws_the_weights_once_and_says_so():
    result = make(divisor=1)
    figure = attention_maps(result)
    drawn = maps(figure)
    assert len(drawn) == len(titles(figure)) == 3
    assert {shape.yref for shape in figure.layout.shapes} == {"y", "y2", "y3"}
    np.testing.assert_array_equal(drawn[2].z, result.trace.weights.numpy())
    assert "divisor 1 scales nothing" in titles(figure)[2]


@pytest.mark.parametrize("columns", [1, 2])
def test_maps_stand_in_columns_and_do_not_overlap(columns):
    figure = attention_maps(make(), columns=columns)
    places = [axes(figure, one) for one in maps(figure)]
    lefts = [x.domain[0] for x, _ in places]
    tops = [y.domain[1] for _, y in places]
    assert len(set(lefts)) == columns
    assert len(set(tops)) == 4 // columns
    assert tops == sorted(tops, reverse=True)
    for i, (x, y) in enumerate(places):
        assert 0 <= x.domain[0] < x.domain[1] < 1
        assert 0 < y.domain[0] < y.domain[1] < 1
        for other_x, other_y in places[i + 1 :]:
            assert x.domain[1] < other_x.domain[0] or y.domain[0] > other_y.domain[1]
    heights = [(y.domain[1] - y.domain[0]) * figure.layout.height for _, y in places]
    assert heights == pytest.approx([290] * 4)


def test_the_picked_row_is_framed_in_every_map():
    figure = attention_maps(make(), row=3)
    frames = figure.layout.shapes
    assert [frame.yref for frame in frames[::2]] == ["y", "y2", "y3", "y4"]
    for edge, frame in zip(frames[::2], frames[1::2], strict=True):
        assert edge.yref == frame.yref
        assert edge.line.color == "#ffffff"
        assert edge.line.width > frame.line.width
    for frame in frames:
        assert (frame.y0, frame.y1, frame.x0, frame.x1) == (2.5, 3.5, -0.5, 4.5)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_surroundings_follow_the_palette(palette):
    layout = attention_maps(make(), palette=palette).layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == palette.paper
    assert layout.font.color == palette.ink


def test_no_figure_holds_numbers_that_cannot_be_drawn():
    for one in maps(attention_maps(make(causal=True))):
        assert np.isfinite(one.z).all()


def test_the_same_figure_with_and_without_streamlit(fresh_pythons):
    without, beside = fresh_pythons((DRAW, {}), (f"import streamlit\n{DRAW}", {}))
    template, figure = without.split("\n", 1)
    other_template, other_figure = beside.split("\n", 1)
    assert template != other_template  # or this test would prove nothing
    assert figure == other_figure
    assert figure.startswith('{"data"')


def test_the_text_alternative_states_sizes_and_where_rows_look():
    told = describe_maps(make(divisor=2.5)).replace("\u2068", "").replace("\u2069", "")
    weights = make(divisor=2.5).trace.weights
    assert "5 by 5" in told
    assert "divided by 2.5" in told
    names = ["“the” (token 1)", "“cat”", "“,”", "“the” (token 4)", "“dog”"]
    for name, row in zip(names, weights, strict=True):
        assert f"{name} most on {names[int(row.argmax())]}, " in told


def test_the_text_alternative_leaves_out_rows_without_keys():
    mask = torch.ones(3, 3, dtype=torch.bool)
    mask[1] = False
    told = describe_maps(by_hand(["I", "am", "good"], mask))
    assert told.count("most on") == 2
    assert "am\u2069” most on" not in told


def test_the_text_alternative_names_only_what_is_drawn():
    assert "without scaling" in describe_maps(make())
    assert "without scaling" not in describe_maps(make(divisor=1))


def test_a_head_of_very_many_coordinates_is_drawn_in_part_and_says_so():
    found = run("a b", random_head(7, MOST_COORDINATES + 3))
    figure = projections(found)
    assert [trace.z.shape for trace in figure.data] == [(2, MOST_COORDINATES)] * 3
    np.testing.assert_array_equal(figure.data[0].z, found.trace.query[:, :-3].numpy())
    headings = [note.text for note in figure.layout.annotations]
    assert headings[0] == "<b>query 2 × 1027, the first 1024 coordinates</b>"

"""The pictures of the Softmax lab say what the core computes: numbers are read back from them."""

import math
import re

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from attention_viz import figures
from attention_viz.alternatives import Way
from attention_viz.colours import DARK, LIGHT, MASKED, contrast, css
from attention_viz.figures.ranges import place
from attention_viz.figures.slopes import FACTORS
from attention_viz.heads import random_head
from attention_viz.pipeline import run

ROW = torch.tensor([2.0, 1.0, 0.1], dtype=torch.float64)
MASK = torch.tensor([True, True, False])
RUN = run("the cat, the dog", random_head(67, 61, seed=3), seed=3, causal=True)
FIGURES = {
    "softmax_bars": lambda **look: figures.softmax_bars(ROW, **look),
    "alternative_bars": lambda **look: figures.alternative_bars(ROW, **look),
    "mask_bars": lambda **look: figures.mask_bars(ROW, MASK, -5.0, **look),
    "jacobian_map": lambda **look: figures.jacobian_map(ROW, **look),
    "norm_curve": lambda **look: figures.norm_curve(ROW, **look),
    "exp_ranges": lambda **look: figures.exp_ranges(ROW, **look),
    "both_directions": lambda **look: figures.both_directions(RUN, **look),
}


def rgb(colour):
    return tuple(bytes.fromhex(colour.removeprefix("#")))


def notes(figure):
    return [one.text for one in figure.layout.annotations]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_brings_its_own_look(name, palette):
    figure = FIGURES[name](palette=palette)
    assert figure.layout.paper_bgcolor == palette.paper
    assert figure.layout.font.color == palette.ink
    assert figure.layout.template == go.Figure(layout={"template": "none"}).layout.template


def test_exp_sum_divide():
    score, exp, weight = figures.softmax_bars(ROW).data
    np.testing.assert_array_equal(score.x, ROW.numpy())
    np.testing.assert_allclose(exp.x, np.exp(ROW.numpy()), rtol=1e-12)
    np.testing.assert_allclose(weight.x, torch.softmax(ROW, dim=0).numpy(), rtol=1e-12)
    assert list(exp.text) == ["7.389", "2.718", "1.105"]
    assert "they sum to 11.21" in notes(figures.softmax_bars(ROW))[1]
    assert "each ÷ 11.21: they sum to 1" in notes(figures.softmax_bars(ROW))[2]


def test_large_scores_are_shifted_first_and_the_title_says_so():
    figure = figures.softmax_bars(1000 + ROW)
    np.testing.assert_allclose(figure.data[1].x, np.exp(ROW.numpy() - 2), rtol=1e-12)
    assert "exp(score − 1002)" in notes(figure)[1]
    assert "exp(score + 998)" in notes(figures.softmax_bars(ROW - 1000))[1]


def test_a_largest_score_of_0_is_not_said_to_be_subtracted():
    assert "exp(score)<" in notes(figures.softmax_bars(torch.tensor([0.0, -60.0])))[1]


def test_each_way_is_a_panel_with_its_sum():
    figure = figures.alternative_bars(torch.tensor([2.0, -2.0, 0.0]))
    assert [one.name for one in figure.data] == [way.value.capitalize() for way in Way]
    assert np.isnan(figure.data[2].x).all()
    assert list(figure.data[2].text) == ["", "", ""]
    assert "no result" in notes(figure)[2]
    assert "sum 1.5" in notes(figure)[3]
    assert list(figure.data[1].text) == ["2", "−2", "0"]


@pytest.mark.parametrize("columns", [1, 5])
def test_every_number_has_room_beside_its_bar(columns):
    figure = figures.alternative_bars(
        torch.tensor([2.0, -1.0, -0.9], dtype=torch.float64), columns=columns
    )
    for one in figure.data:
        low, high = figure.layout[f"xaxis{one.xaxis.removeprefix('x')}"].range
        assert low < min(0, *one.x) or min(one.x) >= 0 == low
        assert high > max(one.x)


def test_masked_lines_say_so_and_have_a_colour_of_their_own():
    figure = figures.mask_bars(ROW, MASK, -5.0)
    for one in figure.data:
        assert one.marker.color == (LIGHT.bar, LIGHT.bar, css(MASKED))
    assert figure.layout.yaxis.ticktext == ("1", "2", "3 masked")
    before, after, filled = figure.data
    np.testing.assert_allclose(before.x, [*torch.softmax(ROW[:2], dim=0).tolist(), 0])
    np.testing.assert_allclose(after.x, (torch.softmax(ROW, dim=0) * MASK).numpy())
    lost = math.exp(-5) / (math.exp(-5) + math.exp(2) + math.exp(1))
    assert filled.x[2] == pytest.approx(lost)
    assert f"{lost:.4g} leaks" in notes(figure)[2]


def test_what_a_late_mask_loses_is_on_its_panel():
    row = torch.tensor([17.0, 0, 0], dtype=torch.float64)
    assert notes(figures.mask_bars(row, MASK, -5.0))[1].endswith("sum 1 − 4.14e−08")


def test_n05_a_row_with_no_allowed_key_is_blank_and_says_so():
    figure = figures.mask_bars(ROW, torch.zeros(3, dtype=torch.bool), -1e9)
    assert np.isnan(figure.data[0].x).all()
    assert list(figure.data[0].text) == [""] * 3
    assert notes(figure)[0].endswith("no allowed key")
    assert "sum 0" in notes(figure)[1]
    assert "sum 1, 1 leaks" in notes(figure)[2]


def test_the_jacobian_on_a_quarter():
    figure = figures.jacobian_map(ROW)
    cells, texts = figure.data
    weights = torch.softmax(ROW, dim=0)
    expected = torch.diag(weights) - torch.outer(weights, weights)
    np.testing.assert_allclose(cells.z, expected.numpy(), rtol=1e-12)
    assert (cells.zmin, cells.zmax) == (-0.25, 0.25)
    assert texts.text[1] == "−0.160"
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert len(figures.jacobian_map(torch.arange(7.0)).data) == 1


@pytest.mark.parametrize("n", [2, 12])
def test_the_legend_touches_the_map_however_narrow_the_column(n):
    figure = figures.jacobian_map(torch.arange(float(n)))
    legend = figure.data[0].colorbar
    assert (legend.yref, legend.y, legend.yanchor) == ("container", 1, "top")
    # A map that its column makes smaller stays at the top, under the legend.
    assert figure.layout.yaxis.constraintoward == "top"
    assert figure.layout.margin.t == 44


def test_titles_of_axes_have_one_size():
    shown = [figures.jacobian_map(ROW), figures.norm_curve(ROW), figures.exp_ranges(ROW)]
    for axis in (axis for figure in shown for axis in (figure.layout.xaxis, figure.layout.yaxis)):
        assert axis.title.font.size == 12


def test_the_curve_of_the_norm():
    even, norm, here = figures.norm_curve(ROW).data
    for factor in (0, 80, 160):
        weights = torch.softmax(FACTORS[factor] * ROW, dim=0)
        jacobian = torch.diag(weights) - torch.outer(weights, weights)
        assert norm.y[factor] == pytest.approx(jacobian.norm().item(), rel=1e-9, abs=1e-15)
    assert FACTORS[80] == 1
    assert here.y[0] == pytest.approx(norm.y[80])
    assert even.y[0] == pytest.approx(math.sqrt(2) / 3)


def test_the_ranges_and_what_lies_outside_them():
    figure = figures.exp_ranges(torch.tensor([12.0, 1.0, -100.0], dtype=torch.float64))
    bars, scores, shifted, crosses = figure.data
    ends = [base + length for base, length in zip(bars.base, bars.x, strict=True)]
    assert ends[0] == pytest.approx(place(11.0859375))
    assert bars.base[2] == pytest.approx(place(-103.97208404541016))
    assert len(scores.x) == len(shifted.x) == 12
    # The numbers of a range stand beside its bar, where no mark and no line covers them.
    assert all(one.text is None for one in figure.data)
    assert figure.layout.yaxis.ticktext[0] == "float16<br>−17.34 … 11.09"
    assert figure.layout.xaxis.ticktext[0] == "−1,000"
    # float16: 12 and −100, −112 when shifted; bfloat16: −100, −112; float32: −112 alone.
    crossed = [(round(y), x) for x, y in zip(crosses.x, crosses.y, strict=True)]
    expected = [(0, 12), (0, -100), (0, -112), (1, -100), (1, -112), (2, -112)]
    assert [line for line, _ in crossed] == [line for line, _ in expected]
    np.testing.assert_allclose([x for _, x in crossed], [place(x) for _, x in expected])


@pytest.mark.parametrize("columns", [1, 2])
def test_both_directions_with_their_sums(columns):
    figure = figures.both_directions(RUN, columns=columns)
    right, wrong = (one for one in figure.data if one.name == "weights")
    np.testing.assert_array_equal(right.z, RUN.trace.weights.numpy())
    expected = torch.softmax(RUN.trace.logits, dim=0)
    np.testing.assert_allclose(wrong.z, expected.numpy(), rtol=1e-5, atol=1e-7)
    sums = [one for one in figure.data if one.type == "scatter" and max(one.x) == 5]
    assert sums[0].text[:5] == ("1",) * 5
    assert sums[1].text[5:] == ("1",) * 5
    assert [float(word) for word in sums[1].text[:5]] == pytest.approx(
        expected.sum(dim=1).tolist(), abs=0.006
    )
    assert figure.layout.xaxis.ticktext == ("the", "cat", ",", "the", "dog")
    assert figure.layout.height == pytest.approx(440 * 2 / columns)


def test_numbers_are_readable_on_their_cells():
    figure = figures.both_directions(RUN)
    texts = [one for one in figure.data if one.type == "scatter" and max(one.x) < 5]
    assert all(len(one.text) == 15 for one in texts)  # none on a masked cell
    for colour in texts[0].textfont.color:
        assert re.fullmatch("#(000000|ffffff)", colour)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_bars_stand_out_from_the_paper(palette):
    assert contrast(rgb(palette.bar), rgb(palette.paper)) >= 3

"""Figures of experiments: what was measured is read back out of them."""

import math
from functools import cache

import plotly.graph_objects as go
import pytest
import torch

from attention_viz import figures
from attention_viz.colours import DARK, LIGHT, contrast
from attention_viz.experiments.draws import Start
from attention_viz.experiments.learning import RATES, SEEDS, Way
from attention_viz.experiments.support import freezing_d_k, measure_support
from attention_viz.experiments.sweep import Sweep, walk


@cache
def measured(**settings):
    sweep = Sweep(**({"stops": (1, 4, 16), "draws": 60} | settings))
    return sweep, list(walk(sweep))


@cache
def support():
    return measure_support(draws=40)


def losses(steps=30):
    shape = steps, len(RATES), SEEDS
    return {way: torch.rand(shape, generator=torch.Generator().manual_seed(0)) for way in Way}


def everything(palette):
    sweep, points = measured()
    many, many_points = measured(keys=1000, draws=20)
    yield figures.spread_curves(sweep, points, palette=palette)
    yield figures.entropy_curves(many, many_points, palette=palette)
    yield figures.derivative_curves(sweep, points, palette=palette)
    yield figures.head_dots(sweep, points[1], palette=palette)
    yield figures.peak_distributions(sweep, points[1], palette=palette)
    yield figures.support_map(support(), palette=palette)
    yield figures.keys_alone(support(), palette=palette)
    yield figures.loss_curves(losses(), palette=palette)


def curve(figure, name):
    (found,) = (trace for trace in figure.data if trace.name == name)
    return found


def test_a_dot_at_1_is_drawn_whole():
    sweep, points = measured()
    figure = figures.head_dots(sweep, points[1])
    assert all(trace.cliponaxis is False for trace in figure.data)
    # What reaches over the axis has room: a dot's radius is 4 pixels.
    assert figure.layout.margin.r >= 8


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_figure_has_its_own_template_and_colours(palette):
    for figure in everything(palette):
        assert figure.layout.template == go.Figure(layout={"template": "none"}).layout.template
        assert figure.layout.paper_bgcolor == palette.paper
        assert figure.layout.font.color == palette.ink


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_series_can_be_told_from_the_paper(palette):
    for colour in palette.series:
        assert contrast(rgb(colour), rgb(palette.paper)) >= 3
    assert len(set(palette.series)) == 4


def rgb(css):
    return tuple(int(css[i : i + 2], 16) for i in (1, 3, 5))


@pytest.mark.parametrize("start", [Start.GAUSSIAN, Start.SHIFT])
def test_spread_curves(start):
    sweep, points = measured(start=start, divisors=("sqrt", "1", "d_k"))
    figure = figures.spread_curves(sweep, points)
    factor = math.sqrt(2) if start is Start.SHIFT else 1
    expected = [trace for trace in figure.data if trace.name == "expected"]
    assert [trace.showlegend for trace in expected] == [True, False, False]
    for i, (name, power) in enumerate((("÷ √d_k", 0), ("undivided", 0.5), ("÷ d_k", -0.5))):
        drawn = curve(figure, name)
        assert list(drawn.x) == [1, 4, 16]
        assert list(drawn.y) == [point.readings[i].spread.mean for point in points]
        assert list(drawn.error_y.array) == [point.readings[i].spread.error for point in points]
        assert list(expected[i].y) == pytest.approx([factor * d**power for d in (1, 4, 16)])


def test_entropy_curves():
    sweep, points = measured()
    figure = figures.entropy_curves(sweep, points)
    for i, name in enumerate(("÷ √d_k", "undivided")):
        entropies = [point.readings[i].entropy for point in points]
        assert list(curve(figure, name).y) == [one.mean / math.log(8) for one in entropies]
        band = figure.data[i]
        assert list(band.y) == [
            *(one.high / math.log(8) for one in entropies),
            *(one.low / math.log(8) for one in reversed(entropies)),
        ]
    assert len(figure.data) == 4


def test_the_random_energy_model_is_drawn_from_1000_keys_on():
    figure = figures.entropy_curves(*measured(keys=1000, draws=20))
    law = curve(figure, "random energy model, n → ∞, undivided")
    assert law.y[0] == pytest.approx((math.log(1000) - 0.5) / math.log(1000))
    assert law.y[-1] == 0
    freezing = curve(figure, "freezes at d_k = 2 ln n = 13.8")
    assert list(freezing.x) == [freezing_d_k(1000)] * 2
    assert len(figures.entropy_curves(*measured(keys=999, draws=20)).data) == 4


@pytest.mark.parametrize(("columns", "places"), [(3, 3), (1, 1)])
def test_derivative_curves(columns, places):
    sweep, points = measured()
    figure = figures.derivative_curves(sweep, points, columns=columns)
    measures = ("jacobian_norm", "query_gradient", "key_gradient")
    for panel, measure in enumerate(measures):
        axes = f"x{panel + 1}" if panel else "x"
        drawn = [t for t in figure.data if t.xaxis == axes and t.name == "undivided, mean"]
        medians = [t for t in figure.data if t.xaxis == axes and t.name == "undivided, median"]
        numbers = [getattr(point.readings[1], measure) for point in points]
        assert list(drawn[0].y) == [one.mean for one in numbers]
        assert list(medians[0].y) == [one.median for one in numbers]
        assert medians[0].error_y.array[0] == numbers[0].median_high - numbers[0].median
    assert set(curve(figure, "even weights").y) == {math.sqrt(7) / 8}
    assert len({tuple(figure.layout[f"xaxis{i}"].domain) for i in ("", 2, 3)}) == places


def test_a_gradient_that_is_not_measured_has_no_panel():
    figure = figures.derivative_curves(*measured(keys=512, draws=20))
    titles = [annotation.text for annotation in figure.layout.annotations]
    assert titles == ["<b>‖d weights / d logits‖</b>", "<b>|dL / dk|, all keys</b>"]


def test_a_median_of_nothing_stays_on_the_axis():
    sweep, points = measured(start=Start.TIED, stops=(1, 2048))
    figure = figures.derivative_curves(sweep, points)
    low, high = figure.layout.yaxis3.range
    assert -9 < low < high < 9


def test_every_head_is_a_dot():
    sweep, points = measured()
    figure = figures.head_dots(sweep, points[1])
    for row, (drawn, reading) in enumerate(zip(figure.data, points[1].readings, strict=True)):
        assert list(drawn.x) == reading.peaks.sort().values.tolist()
        assert all(abs(y - row) <= 0.3501 for y in drawn.y)
    assert [shape.x0 for shape in figure.layout.shapes] == [1 / 8] * 2


def test_distributions_are_of_all_draws():
    sweep, points = measured()
    figure = figures.peak_distributions(sweep, points[1])
    for name, reading in zip(("÷ √d_k", "undivided"), points[1].readings, strict=True):
        bars = curve(figure, name)
        assert sum(bars.y) == pytest.approx(1)
        middle = sum(x * y for x, y in zip(bars.x, bars.y, strict=True))
        assert middle == pytest.approx(reading.peak.mean, abs=1 / 80)
    assert figure.data[1].x[0] == points[1].readings[0].peak.mean


def test_the_map_of_effective_tokens():
    cells, words = figures.support_map(support()).data
    for row, estimates in zip(cells.z, support().effective_support, strict=True):
        assert list(row) == [
            one.mean / n for one, n in zip(estimates, support().counts, strict=True)
        ]
    assert (cells.zmin, cells.zmax) == (0, 1)
    assert words.text[0] == f"{support().effective_support[0][0].mean:.1f}"
    assert words.text[9] == f"{support().effective_support[0][9].mean:.0f}"


def test_the_number_of_keys_alone():
    one, eight = figures.keys_alone(support()).data
    assert list(one.y) == [peak.mean for peak in support().peak[2]]
    assert list(eight.y) == [peak.mean for peak in support().peak[5]]
    assert list(one.x) == list(support().counts)


def test_loss_curves_are_means_and_bands_of_the_seeds():
    figure = figures.loss_curves(losses(steps=25))
    lines = [trace for trace in figure.data if trace.name == "undivided"]
    for rate, line in enumerate(lines):
        every = losses(25)[Way.UNDIVIDED][:20, rate]
        assert list(line.y) == pytest.approx([every[:10].mean().item(), every[10:].mean().item()])
        assert list(line.x) == [4.5, 14.5]
    seeds = losses(25)[Way.DIVIDED][:10, 0].mean(dim=0)
    assert figure.data[0].y[0] == pytest.approx(seeds.max().item())
    assert figure.data[0].y[-1] == pytest.approx(seeds.min().item())


def test_curves_of_a_training_that_has_hardly_begun():
    some = {Way.DIVIDED: losses(12)[Way.DIVIDED], Way.UNDIVIDED: losses(3)[Way.UNDIVIDED]}
    assert len(figures.loss_curves(some).data) == 2 * 2 * 3

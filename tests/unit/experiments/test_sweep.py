"""The sweep: its laws, and the numbers that were measured before it was written."""

import math
from functools import cache

import pytest
import torch
from torch.testing import assert_close

from attention_viz.embeddings import generator
from attention_viz.errors import SettingError
from attention_viz.experiments.draws import OWN_KEY, Start, coordinates
from attention_viz.experiments.support import random_energy_entropy
from attention_viz.experiments.sweep import (
    Point,
    Progress,
    Sweep,
    divisor_at,
    steps,
    stops_between,
    walk,
)
from attention_viz.scaling import LONG_STOPS, STOPS


@cache
def points(**settings):
    return {point.d_k: point for point in walk(Sweep(**settings))}


def table():
    """The sweep of the table: 8 keys, 4000 draws, N(0, 1) entries."""
    return points(stops=(1, 4, 16, 64, 128, 256, 1024))


def assert_measured(one, expected, digits):
    """A number that somebody else measured on as many other draws, and rounded."""
    tolerance = 4 * math.sqrt(2) * one.error + 0.5 * 10**-digits
    assert one.mean == pytest.approx(expected, abs=tolerance), one


@pytest.mark.parametrize(
    ("d_k", "raw", "unscaled", "scaled"),
    [
        (1, 1.00, (0.303, 0.867, 0.350), (0.303, 0.867, 0.350)),
        (4, 2.00, (0.527, 0.620, 0.343), (0.343, 0.841, 0.361)),
        (16, 4.00, (0.749, 0.324, 0.254), (0.357, 0.831, 0.364)),
        (64, 8.01, (0.877, 0.151, 0.150), (0.361, 0.828, 0.365)),
        (256, 16.0, (0.939, 0.074, 0.081), (0.359, 0.829, 0.366)),
        (1024, 32.0, (0.968, 0.038, 0.045), (0.359, 0.829, 0.367)),
    ],
)
def test_the_table(d_k, raw, unscaled, scaled):
    point = table()[d_k]
    assert_measured(point.raw_spread, raw, 2)
    for reading, (peak, entropy, jacobian) in zip(point.readings, (scaled, unscaled), strict=True):
        assert_measured(reading.peak, peak, 3)
        assert_measured(reading.entropy.over(math.log(8)), entropy, 3)
        assert_measured(reading.jacobian_norm, jacobian, 3)


@pytest.mark.parametrize(
    ("d_k", "measure", "median"),
    [
        (4, "jacobian_norm", 0.371),
        (16, "jacobian_norm", 0.284),
        (64, "jacobian_norm", 6.6e-2),
        (256, "jacobian_norm", 1.4e-3),
        (1024, "jacobian_norm", 1.2e-6),
        (4, "query_gradient", 0.44),
        (1024, "query_gradient", 2.7e-5),
    ],
)
def test_medians_without_scaling(d_k, measure, median):
    one = getattr(table()[d_k].readings[1], measure)
    spread = math.log(one.median_high / one.median_low) / 2
    assert math.log(one.median / median) == pytest.approx(0, abs=4 * math.sqrt(2) * spread + 0.02)


def test_the_mean_gradient_grows_while_its_median_vanishes():
    begin, end = (table()[d_k].readings[1].query_gradient for d_k in (4, 1024))
    assert_measured(begin, 0.53, 2)
    assert_measured(end, 1.10, 2)
    assert end.top_share == pytest.approx(0.89, abs=0.03)
    assert end.median < 1e-4 < 0.4 < begin.median


def test_the_jacobian_by_raw_scores():
    for reading, norm in zip(table()[1024].readings, (0.011, 0.046), strict=True):
        assert_measured(reading.jacobian_norm.over(reading.divisor), norm, 3)


def test_winners():
    for point in table().values():
        assert all(reading.moved == 0 for reading in point.readings)
    # A share of 4000 draws has standard error √(0.538 · 0.462 / 4000) = 0.008.
    assert table()[128].changed == pytest.approx(0.538, abs=0.04)
    assert math.isnan(table()[1].changed)


def test_many_draws_at_d_k_64():
    (point,) = points(stops=(64,), draws=20_000, divisors=("sqrt", "1", "d_k")).values()
    scaled, unscaled, by_d_k = point.readings
    assert_measured(scaled.peak, 0.359, 3)
    assert_measured(unscaled.peak, 0.875, 3)
    assert (unscaled.peaks > 0.99).double().mean().item() == pytest.approx(0.37, abs=0.02)
    assert_measured(by_d_k.peak, 0.1485, 4)
    assert_measured(by_d_k.effective_support, 7.95, 2)


def test_many_keys_at_d_k_64():
    (point,) = points(stops=(64,), draws=256, keys=1024).values()
    scaled, unscaled = point.readings
    assert_measured(unscaled.peak, 0.706, 3)
    assert_measured(scaled.peak, 0.0164, 4)
    assert_measured(scaled.effective_support, 624, 0)


def test_the_random_energy_model_is_a_law_of_many_keys():
    (point,) = points(stops=(1024,), draws=128, keys=1024, divisors=("sqrt", "16", "8")).values()
    for reading, spread, nats in zip(point.readings, (1, 2, 4), (6.432, 5.009, 2.365), strict=True):
        assert_measured(reading.entropy, nats, 3)
        assert reading.entropy.mean >= random_energy_entropy(spread, 1024) - 0.01
    assert_measured(table()[1024].readings[0].entropy, 1.721, 3)


@pytest.mark.parametrize(
    ("start", "d_k", "spread"),
    [
        ("torch", 4, 0.336),
        ("torch", 256, 0.336),
        ("shift", 4, math.sqrt(2)),
        ("shift", 256, math.sqrt(2)),
        ("tails", 256, 1.0),
    ],
)
def test_starts_that_grow_like_root_d_k(start, d_k, spread):
    point = points(stops=(4, 256), draws=2000, start=Start(start))[d_k]
    assert_measured(point.readings[0].spread, spread, 3)


def test_starts_that_break_the_argument():
    positive, tied, heavy = (
        points(stops=(2, 64, 256), draws=1000, start=start)
        for start in (Start.POSITIVE, Start.TIED, Start.HEAVY)
    )
    # Even divided, the spread of positive weights grows nearly like √d_k: about tenfold.
    ratio = positive[256].readings[0].spread.mean / positive[2].readings[0].spread.mean
    assert 7 < ratio < 12
    assert_measured(tied[64].readings[0].own, 0.99, 2)
    assert heavy[256].readings[0].spread.mean > 20


def reference(start, d_k, divisor, draws=17, keys=5):
    """One d_k by torch's own softmax and autograd, on the same draws."""
    blocks = list(coordinates(start, draws, keys, seed=3, width=d_k))
    query, key = (torch.cat(parts, dim=-1).double() for parts in zip(*blocks, strict=True))
    query, key = query.requires_grad_(), key.clone().requires_grad_()
    direction = torch.randn(draws, keys, generator=generator(3, "sweep direction")).double()
    scores = (key @ query.unsqueeze(-1)).squeeze(-1)
    weights = torch.softmax(scores / divisor, dim=-1)
    by_query, by_key = torch.autograd.grad((weights * direction).sum(), (query, key))
    return scores, weights, by_query.norm(dim=-1), by_key.flatten(1).norm(dim=-1)


@pytest.mark.parametrize("start", [s for s in Start if s != Start.HEAVY])
@pytest.mark.parametrize("divisor", ["sqrt", "1", "d_k", "2.5"])
def test_agrees_with_softmax_and_autograd(start, divisor):
    number = divisor_at(divisor, 43)
    scores, weights, by_query, by_key = reference(start, 43, number)
    stops = (43,) if start is Start.LAYER_NORM else (3, 32, 43)
    sweep = Sweep(stops, keys=5, draws=17, seed=3, start=start, divisors=(divisor,))
    (reading,) = list(walk(sweep))[-1].readings
    assert reading.divisor == number
    close = {"rel": 2e-4, "abs": 1e-6}  # products are summed in float32 within a block
    assert reading.spread.mean == pytest.approx(
        scores.var(dim=-1).mean().sqrt().item() / number, **close
    )
    assert_close(reading.peaks, weights.amax(dim=-1).float(), rtol=1e-4, atol=1e-6)
    if start in OWN_KEY:
        assert reading.own.mean == pytest.approx(weights[:, 0].mean().item(), **close)
    else:
        assert math.isnan(reading.own.mean)
    assert reading.query_gradient.mean == pytest.approx(by_query.mean().item(), **close)
    assert reading.key_gradient.mean == pytest.approx(by_key.mean().item(), **close)


def test_a_stop_is_the_same_whatever_the_others_are():
    alone = points(stops=(50,), draws=19, keys=3)[50]
    among = points(stops=(1, 7, 31, 32, 33, 50, 64), draws=19, keys=3)[50]
    assert alone.raw_spread.mean == pytest.approx(among.raw_spread.mean, rel=1e-6)
    assert_close(alone.readings[1].peaks, among.readings[1].peaks, rtol=1e-5, atol=1e-6)


def test_at_d_k_1_scaling_does_nothing():
    scaled, unscaled = table()[1].readings
    assert torch.equal(scaled.peaks, unscaled.peaks)
    assert scaled.entropy == unscaled.entropy


def test_errors_are_over_draws_that_are_independent():
    """Means of many seeds scatter by what one seed calls its error; they share nothing."""
    some = [points(stops=(9,), draws=200, seed=seed)[9].readings[0].peak for seed in range(60)]
    scatter = torch.tensor([one.mean for one in some]).std().item()
    told = sum(one.error for one in some) / len(some)
    assert scatter == pytest.approx(told, rel=0.35)  # 60 seeds know it to about 9 %


def test_neighbouring_points_err_together():
    pairs = [points(stops=(100, 101), draws=50, seed=seed) for seed in range(60)]
    means = torch.tensor([[pair[d].readings[0].peak.mean for d in (100, 101)] for pair in pairs])
    assert torch.corrcoef(means.T)[0, 1] > 0.9


@pytest.mark.parametrize(("keys", "draws"), [(64, 1024), (256, 64), (512, 0)])
def test_many_keys_leave_fewer_draws_for_the_gradient_by_the_query(keys, draws):
    assert Sweep((1,), keys=keys, draws=min(4000, 2**18 // keys)).gradient_draws == (
        draws if keys != 64 else 1024
    )


@pytest.mark.parametrize(
    "sweep", [Sweep((3,), keys=512, draws=100), Sweep((3,), draws=100, by_query=False)]
)
def test_a_gradient_that_is_not_measured_is_no_number(sweep):
    (point,) = walk(sweep)
    assert math.isnan(point.readings[0].query_gradient.mean)
    assert point.readings[0].key_gradient.mean > 0


def test_stops():
    assert stops_between(1, 1024) == LONG_STOPS[:36]
    assert LONG_STOPS[: len(STOPS)] == STOPS
    assert stops_between(9, 100) == (9, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 100)
    assert stops_between(5, 5) == (5,)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"keys": 1}, "keys must be in 2 … 1024; got 1"),
        ({"keys": 1025}, "keys must be in 2 … 1024"),
        ({"draws": 1}, "draws must be in 2 … 20000"),
        ({"draws": 20_001}, "draws must be in 2 … 20000"),
        ({"keys": 1024}, "draws must be at most 256 with 1024 keys and start gaussian"),
        (
            {"start": Start.TORCH, "draws": 5000},
            "draws must be at most 4,096 with 8 keys and start",
        ),
        ({"seed": -1}, "seed must be in 0 …"),
        ({"start": "warm"}, "start must be one of gaussian, .*; got 'warm'"),
        ({"stops": ()}, "values of d_k must rise"),
        ({"stops": (4, 4)}, "values of d_k must rise"),
        ({"stops": (0, 4)}, "each d_k must be in 1 … 4096; got 0"),
        ({"stops": (1, 4097)}, "each d_k must be in 1 … 4096; got 4097"),
        ({"divisors": ()}, "divisors must hold at least one"),
        ({"divisors": ("0",)}, "divisor must be sqrt, 1, d_k or a number in .*; got '0'"),
        ({"divisors": ("sqrt_d_model",)}, "divisor must be sqrt, 1, d_k or a number"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(settings, sentence):
    with pytest.raises(SettingError, match=sentence):
        Sweep(**({"stops": (1, 4)} | settings))


@pytest.mark.parametrize(
    ("low", "high", "sentence"),
    [
        (0, 4, "the smallest d_k must be in"),
        (1, 4097, "the largest d_k must be in"),
        (5, 4, "the smallest d_k must not be above the largest; got 5 and 4"),
    ],
)
def test_ranges_that_are_none(low, high, sentence):
    with pytest.raises(SettingError, match=sentence):
        stops_between(low, high)


@pytest.mark.parametrize(("start", "passes"), [(Start.GAUSSIAN, 1), (Start.LAYER_NORM, 2)])
def test_each_block_of_coordinates_is_a_step_of_its_own(start, passes):
    sweep = Sweep((7, 100), keys=3, draws=5, start=start)
    seen = list(steps(sweep))
    progress = [step for step in seen if isinstance(step, Progress)]
    assert [step.share for step in progress] == [i / (4 * passes) for i in range(1, 4 * passes + 1)]
    assert [step.d_k for step in progress][-4:] == [32, 64, 96, 100]
    assert [step.d_k for step in seen if isinstance(step, Point)] == [7, 100]
    assert isinstance(seen[0], Progress) == (start is Start.LAYER_NORM)


def test_the_largest_sweeps_stay_below_500_mb(fresh_pythons):
    program = """
import resource, torch
torch.set_num_threads(1)
from attention_viz.experiments.sweep import Sweep, walk
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before = peak()
for point in walk(Sweep((1, 40), **{settings})): pass
print(peak() - before)
"""
    largest = (
        {"keys": 13, "draws": 20_000, "start": "heavy"},
        {"keys": 64, "draws": 4096, "start": "positive"},
        {"keys": 256, "draws": 1024, "start": "layer_norm"},
    )
    for settings in largest:
        (used,) = fresh_pythons((program.replace("{settings}", repr(settings)), {}))
        assert float(used) < 500, settings

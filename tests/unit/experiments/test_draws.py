"""Queries and keys of many draws: nested, and of the law that their start names."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention_viz.experiments.draws import BLOCK, OWN_KEY, Start, coordinates, expected_spread


def drawn(start, draws, keys, width, seed=0):
    """Queries (draws, width) and keys (draws, keys, width), in float64."""
    blocks = list(coordinates(start, draws, keys, seed=seed, width=width))
    return (torch.cat(parts, dim=-1).double() for parts in zip(*blocks, strict=True))


def scores_of(start, draws, keys, width):
    query, key = drawn(start, draws, keys, width)
    return (key @ query.unsqueeze(-1)).squeeze(-1)


@pytest.mark.parametrize("start", [start for start in Start if start != "layer_norm"])
def test_a_larger_d_k_contains_the_smaller(start):
    small, large = 2 * BLOCK + 3, 5 * BLOCK + 1
    for one, other in zip(drawn(start, 7, 3, small), drawn(start, 7, 3, large), strict=True):
        assert one.shape[-1] == small
        assert_close(one, other[..., :small], rtol=0, atol=0)


@pytest.mark.parametrize("start", list(Start))
def test_a_seed_gives_the_same_numbers_and_another_gives_others(start):
    one, again, other = (next(drawn(start, 5, 3, 11, seed=seed)) for seed in (0, 0, 1))
    assert_close(one, again, rtol=0, atol=0)
    assert not (one == other).any()


@pytest.mark.parametrize("start", list(Start))
def test_the_first_key_is_the_query_where_it_should_be(start):
    query, key = drawn(start, 5, 3, 11)
    assert torch.equal(query, key[:, 0]) == (start in OWN_KEY)
    assert not (query == key[:, 1]).all(dim=-1).any()


@pytest.mark.parametrize(
    ("start", "mean", "variance"),
    [
        (Start.GAUSSIAN, 0, 1),
        (Start.SHIFT, 1, 1),
        (Start.TAILS, 0, 1),
        (Start.TORCH, 0, (1 + 1 / 64) / 3),
        (Start.POSITIVE, 0, 1),
        (Start.TIED, 0, 1),
        (Start.LAYER_NORM, 0, 1),
    ],
)
def test_moments_of_entries(start, mean, variance):
    draws = 3000
    query, key = drawn(start, draws, 2, 64)
    for entries in (query, key[:, -1]):
        # Coordinates of one draw may depend on one another: the error is over draws.
        for moment, expected in (
            (entries.mean(-1), mean),
            ((entries - mean).square().mean(-1), variance),
        ):
            error = moment.std().item() / math.sqrt(draws)
            assert abs(moment.mean().item() - expected) < 4.5 * error + 1e-6


def test_tails_have_more_outliers_than_a_gaussian_and_no_variance_is_worse():
    shares = []
    for start in (Start.GAUSSIAN, Start.TAILS, Start.HEAVY):
        query, _ = drawn(start, 3000, 2, 64)
        shares.append((query.abs() > 5).double().mean().item())
    assert shares[0] < 1e-5 < shares[1] < 1e-2 < shares[2]


def test_layer_norm_is_torch_s_own():
    query, _ = drawn(Start.LAYER_NORM, 7, 3, 40)
    plain, _ = drawn(Start.TIED, 7, 3, 40)
    expected = torch.nn.functional.layer_norm(plain, (40,))
    assert_close(query, expected, rtol=1e-4, atol=1e-4)


def test_layer_norm_of_one_coordinate_is_0():
    assert not any(part.any() for part in drawn(Start.LAYER_NORM, 7, 3, 1))


@pytest.mark.parametrize(("d_k", "divisor"), [pytest.param(64, 8, id="C05"), (256, 16)])
def test_c05_c06_the_own_score_of_a_normalised_row_is_root_d_k(d_k, divisor):
    scaled = scores_of(Start.LAYER_NORM, 50, 7, d_k) / divisor
    assert_close(scaled[:, 0], torch.full((50,), divisor).double(), rtol=0, atol=1e-3)
    assert scaled.abs().max() < divisor + 1e-3


def test_c01_the_variance_of_a_score_is_d_k_times_both_variances():
    query, key = drawn(Start.GAUSSIAN, 20_000, 2, 64)
    scores = (2 * query * 3 * key[:, 0]).sum(dim=-1)
    assert scores.var().item() == pytest.approx(64 * 4 * 9, rel=0.05)
    assert (scores / 8).var().item() == pytest.approx(36, rel=0.05)


def test_c03_coordinates_that_are_all_the_same_add_up_like_d_k():
    query, key = drawn(Start.GAUSSIAN, 20_000, 2, 1)
    scores = 64 * query[:, 0] * key[:, 0, 0]
    assert scores.var().item() == pytest.approx(64**2, rel=0.1)
    assert (scores / 8).var().item() == pytest.approx(64, rel=0.1)


@pytest.mark.parametrize("start", [Start.GAUSSIAN, Start.SHIFT, Start.TAILS, Start.TORCH])
def test_expected_spread_where_the_theory_holds(start):
    draws, d_k = 4000, 64
    variances = scores_of(start, draws, 5, d_k).var(dim=-1) / d_k
    error = variances.std().item() / math.sqrt(draws)
    assert abs(variances.mean().item() - expected_spread(start) ** 2) < 4 * error

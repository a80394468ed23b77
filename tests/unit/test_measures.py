import math

import pytest
import torch
from torch.testing import assert_close

from attention_viz.attention import causal_mask, softmax
from attention_viz.measures import (
    contribution_norms,
    effective_support,
    entropy,
    max_entropy,
    normalised_entropy,
    peak,
    row_sum_tolerance,
    row_sums,
)

NAN = math.nan


def double(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def test_entropy_agrees_with_torch(randn):
    weights = softmax(3 * randn(5, 7))
    expected = torch.distributions.Categorical(probs=weights).entropy()
    assert_close(entropy(weights), expected)


def test_entropy_is_exactly_0_when_one_key_takes_all():
    rows = torch.eye(5)
    assert_close(entropy(rows), torch.zeros(5, dtype=torch.float64), rtol=0, atol=0)
    assert_close(entropy([[1.0]]), double(0.0), rtol=0, atol=0)


@pytest.mark.parametrize("n", [2, 3, 7, 509])
def test_entropy_of_an_even_row_is_ln_n(n):
    for dtype in (torch.float16, torch.float32, torch.float64):
        even = entropy(softmax(torch.zeros(1, n, dtype=dtype)))
        assert_close(even, double(math.log(n)))
        assert even <= max_entropy(torch.zeros(1, n))


def test_entropy_of_rounded_rows_keeps_its_bounds(rng):
    logits = 1e-4 * torch.randn(997, 11, generator=rng)
    nats = entropy(torch.softmax(logits, dim=-1))
    assert (nats <= math.log(11)).all()
    assert (normalised_entropy(torch.softmax(logits, dim=-1)) <= 1).all()


def test_a_row_without_keys_has_no_entropy():
    weights = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    mask = torch.tensor([[True, True, False], [False] * 3, [True] * 3])
    two = math.log(2)
    assert_close(entropy(weights), double(two, NAN, 0), equal_nan=True)
    assert_close(entropy(weights, mask), double(two, NAN, 0), equal_nan=True)
    assert_close(effective_support(weights, mask), double(2, NAN, 1), equal_nan=True)
    assert_close(normalised_entropy(weights, mask), double(1, NAN, 0), equal_nan=True)
    assert_close(max_entropy(weights, mask), double(two, -math.inf, math.log(3)))
    assert entropy(weights, mask).nanmean().item() == pytest.approx(two / 2)


def test_a_mask_decides_what_a_row_may_look_at():
    even = torch.full((2, 3), 1 / 3)
    mask = torch.tensor([[True] * 3, [False] * 3])
    assert entropy(even, mask).isnan().tolist() == [False, True]


def test_even_causal_rows_are_all_spread_as_far_as_they_may_be():
    mask = causal_mask(4)
    weights = mask / mask.sum(dim=-1, keepdim=True)
    logs = double(1, 2, 3, 4).log()
    assert_close(entropy(weights, mask), logs)
    assert_close(max_entropy(weights, mask), logs)
    assert_close(normalised_entropy(weights, mask), double(NAN, 1, 1, 1), equal_nan=True)


def test_with_one_key_there_is_nothing_to_compare_with():
    assert normalised_entropy([[1.0]]).isnan().all()


def test_beside_a_sink_it_is_the_entropy_of_what_reaches_keys():
    weights = softmax([[0.3, 1.1, -0.7]], sinks=[2.0])
    assert row_sums(weights).item() < 0.5
    assert_close(entropy(weights), entropy(softmax([[0.3, 1.1, -0.7]])))


def test_effective_tokens():
    row = [[0.9, 0.07, 0.03]]
    nats = -sum(w * math.log(w) for w in row[0])
    assert_close(effective_support(row), double(math.exp(nats)), rtol=1e-6, atol=0)
    assert effective_support(row).item() == pytest.approx(1.47, abs=0.005)
    assert_close(effective_support(torch.full((1, 7), 1 / 7)), double(7.0))


def test_peak_and_row_sums():
    weights = double([0.25, 0.75], [0.0, 0.0], [0.3, 0.2])
    assert_close(peak(weights), double(0.75, 0, 0.3))
    assert_close(row_sums(weights), double(1, 0, 0.5))


@pytest.mark.parametrize(
    "measure", [entropy, effective_support, normalised_entropy, peak, row_sums]
)
def test_everything_is_computed_in_float64(measure):
    for dtype in (torch.float16, torch.float32, torch.float64):
        result = measure(torch.tensor([[0.25, 0.75], [0.5, 0.5]], dtype=dtype))
        assert result.dtype == torch.float64


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
@pytest.mark.parametrize("n_k", [3, 127, 4099])
def test_right_rows_sum_to_1_within_the_tolerance_of_their_type(dtype, n_k, randn):
    tolerance = row_sum_tolerance(dtype, n_k)
    for spread in (0.0, 1.0, 9.0):
        weights = torch.softmax((spread * randn(13, n_k)).to(dtype), dim=-1)
        assert (row_sums(weights) - 1).abs().max() <= tolerance
        if dtype != torch.float64:  # as ours computes them
            single = softmax((spread * randn(13, n_k)).to(dtype))
            assert (row_sums(single) - 1).abs().max() <= row_sum_tolerance(torch.float32, n_k)
    assert tolerance < 0.005  # a row that lacks half a per cent is still found


def test_contribution_norms_are_lengths_of_weighted_values(randn):
    weights, value = softmax(randn(3, 7)), randn(7, 2)
    terms = weights.unsqueeze(-1) * value
    assert_close(contribution_norms(weights, value), terms.square().sum(dim=-1).sqrt())

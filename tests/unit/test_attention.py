import dataclasses
import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import linear, scaled_dot_product_attention
from torch.testing import assert_close

from attention_viz.attention import (
    Bias,
    Sink,
    SoftCap,
    attend,
    causal_mask,
    row_softmax,
    softmax,
    unscaled_weights,
)
from attention_viz.errors import SettingError


@pytest.fixture
def matrices(randn):
    """Query (3, 5), key (7, 5) and value (7, 2)."""
    return randn(3, 5), randn(7, 5), randn(7, 2)


@pytest.fixture
def mask(rng):
    """(3, 7), each row with keys and without."""
    allowed = torch.rand(3, 7, generator=rng) < 0.5
    assert allowed.any(dim=-1).all()
    assert not allowed.all(dim=-1).any()
    return allowed


def test_every_step_is_the_formula(matrices, mask):
    query, key, value = matrices
    trace = attend(query, key, value, mask=mask, divisor=1.7)
    scores = torch.einsum("id,jd->ij", query, key)
    exponentials = (scores / 1.7).exp() * mask
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    assert_close(trace.scores, scores)
    assert_close(trace.scaled_scores, scores / 1.7)
    assert_close(trace.logits, (scores / 1.7).masked_fill(~mask, -math.inf))
    assert_close(trace.weights, weights)
    assert_close(trace.context, weights @ value)
    assert (trace.d_k, trace.divisor, trace.steps) == (5, 1.7, ())


def test_the_paper_divides_by_sqrt_d_k_and_hides_nothing(matrices):
    trace = attend(*matrices)
    assert trace.divisor == math.sqrt(5)
    assert trace.mask.shape == (3, 7)
    assert trace.mask.all()


@pytest.mark.parametrize("divisor", [None, 0.3, 1, 11.0])
@pytest.mark.parametrize("masked", [False, True])
def test_agrees_with_torch(matrices, mask, divisor, masked):
    allowed = mask if masked else None
    expected = scaled_dot_product_attention(
        *matrices, attn_mask=allowed, scale=1 / (divisor or math.sqrt(5))
    )
    assert_close(attend(*matrices, mask=allowed, divisor=divisor).context, expected)


def test_agrees_with_torch_looking_back(randn):
    query, key, value = randn(7, 5), randn(7, 5), randn(7, 3)
    expected = scaled_dot_product_attention(query, key, value, is_causal=True)
    assert_close(attend(query, key, value, mask=causal_mask(7)).context, expected)


def test_agrees_with_torch_in_float32(matrices):
    single = [matrix.float() for matrix in matrices]
    assert_close(attend(*single).context, scaled_dot_product_attention(*single))


def test_bias_is_what_torch_adds(matrices, mask, randn):
    bias = randn(3, 7)
    expected = scaled_dot_product_attention(*matrices, attn_mask=bias)
    trace = attend(*matrices, steps=[Bias(bias)])
    assert_close(trace.context, expected)
    assert_close(trace.logits - trace.scaled_scores, bias)
    hidden = bias.masked_fill(~mask, -math.inf)
    expected = scaled_dot_product_attention(*matrices, attn_mask=hidden)
    assert_close(attend(*matrices, steps=[Bias(bias)], mask=mask).context, expected)


def test_bias_of_another_precision(matrices):
    bias = torch.arange(21.0).reshape(3, 7)
    single, double = [matrix.float() for matrix in matrices], matrices
    one = attend(*single, steps=[Bias(bias.double())]).context
    assert_close(one.double(), attend(*double, steps=[Bias(bias)]).context, rtol=1e-5, atol=1e-5)


def test_one_head_of_torchs_multihead_attention(randn, rng):
    torch_heads, width = 3, 5
    attention = nn.MultiheadAttention(15, torch_heads, batch_first=True).double()
    nn.init.normal_(attention.in_proj_weight, generator=rng)
    nn.init.normal_(attention.in_proj_bias, generator=rng)
    x = randn(7, 15)
    _, expected = attention(x, x, x, average_attn_weights=False)
    projected = linear(x, attention.in_proj_weight, attention.in_proj_bias)
    query, key, value = projected.unflatten(-1, (3, torch_heads, width)).unbind(dim=-3)
    for head in range(torch_heads):
        trace = attend(query[:, head], key[:, head], value[:, head])
        assert_close(trace.weights, expected[head].detach())


def test_soft_cap_bounds_the_logits(matrices):
    query, key, value = matrices
    trace = attend(10 * query, key, value, steps=[SoftCap(3.0)])
    capped = 3 * torch.tanh(10 * query @ key.mT / math.sqrt(5) / 3)
    assert_close(trace.logits, capped)
    assert_close(trace.weights, torch.softmax(capped, dim=-1))
    assert trace.scaled_scores.abs().max() > 3 >= trace.logits.abs().max()


def test_steps_are_taken_in_order(matrices, randn):
    bias = randn(3, 7)
    scaled = attend(*matrices).scaled_scores
    first = attend(*matrices, steps=[Bias(bias), SoftCap(1.5)])
    last = attend(*matrices, steps=[SoftCap(1.5), Bias(bias)])
    assert_close(first.logits, 1.5 * torch.tanh((scaled + bias) / 1.5))
    assert_close(last.logits, 1.5 * torch.tanh(scaled / 1.5) + bias)
    assert [type(step) for step in first.steps] == [Bias, SoftCap]


def test_a_sink_is_as_exact_as_the_logits():
    logits = torch.tensor([[0.1, 0.2]], dtype=torch.float64)
    right = torch.tensor([[0.1, 0.2, 0.3]], dtype=torch.float64).softmax(-1)[:, :2]
    assert_close(softmax(logits, sinks=[0.3]), right, rtol=0, atol=1e-15)


@pytest.mark.parametrize("logit", [1e300, -1e300, math.nan, math.inf])
def test_a_sink_that_the_logits_cannot_hold_is_refused(logit):
    """In float32 it would be infinite, and the weights no numbers."""
    with pytest.raises(SettingError, match="the logit of a sink must be"):
        softmax([[0.1, 0.2]], sinks=[logit])
    with pytest.raises(SettingError, match="the logit of a sink must be"):
        attend([[1.0]], [[1.0]], [[1.0]], steps=[Sink(logit)])


def test_sink_is_one_more_column_that_gives_nothing(matrices, mask):
    trace = attend(*matrices, mask=mask, steps=[Sink(0.7)])
    hidden = trace.scaled_scores.masked_fill(~mask, -math.inf)
    column = torch.full((3, 1), 0.7, dtype=torch.float64)
    expected = torch.softmax(torch.cat([hidden, column], dim=-1), dim=-1)
    assert_close(trace.weights, expected[:, :-1])
    assert_close(trace.context, expected[:, :-1] @ matrices[2])
    assert_close(1 - trace.weights.sum(dim=-1), expected[:, -1])


@pytest.mark.parametrize("steps", [(), (Sink(0.7),), (SoftCap(2.0),)])
def test_a_row_without_keys_is_0_and_spoils_no_other(matrices, mask, steps):
    hidden = mask.clone()
    hidden[1] = False
    whole, partial = (attend(*matrices, mask=m, steps=steps) for m in (mask, hidden))
    for one, other in ((partial.weights, whole.weights), (partial.context, whole.context)):
        assert not one[1].any()
        assert_close(one[[0, 2]], other[[0, 2]])
    assert (partial.logits[1] == -math.inf).all()


def test_torch_too_gives_0_to_a_row_without_keys(matrices, mask):
    mask[1] = False
    expected = scaled_dot_product_attention(*matrices, attn_mask=mask)
    assert_close(attend(*matrices, mask=mask).context, expected)


@pytest.mark.parametrize(
    ("given", "computed"),
    [
        (torch.float64, torch.float64),
        (torch.float32, torch.float32),
        (torch.float16, torch.float32),
        (torch.bfloat16, torch.float32),
        (torch.int64, torch.float32),
    ],
)
def test_precision(given, computed):
    ones = torch.ones(3, 2, dtype=given)
    trace = attend(ones, ones, ones)
    for name in ("query", "scores", "scaled_scores", "logits", "weights", "context"):
        assert getattr(trace, name).dtype == computed


def test_the_finest_precision_wins():
    single, double = torch.ones(3, 2), torch.ones(3, 2, dtype=torch.float64)
    assert attend(single, single, double).weights.dtype == torch.float64


def test_lists_and_arrays_are_matrices(matrices, mask):
    expected = attend(*matrices, mask=mask).context
    lists = attend(*(matrix.tolist() for matrix in matrices), mask=mask.tolist()).context
    arrays = attend(*(matrix.numpy() for matrix in matrices), mask=mask.numpy()).context
    assert_close(lists.double(), expected, rtol=1e-5, atol=1e-6)
    assert_close(arrays, expected)


def test_arrays_that_may_not_be_written(matrices):
    arrays = [np.broadcast_to(matrix.numpy(), matrix.shape) for matrix in matrices]
    assert_close(attend(*arrays).context, attend(*matrices).context)


def test_arguments_stay_as_they_were(matrices, mask):
    given = [*matrices, mask]
    copies = [each.clone() for each in given]
    attend(*matrices, mask=mask, steps=[Bias(torch.ones(3, 7)), SoftCap(2.0), Sink(1.0)])
    for each, copy in zip(given, copies, strict=True):
        assert_close(each, copy, rtol=0, atol=0)


def test_a_trace_holds_no_gradients_and_cannot_be_changed(matrices):
    query, key, value = matrices
    trace = attend(query.requires_grad_(), key, value)
    assert not trace.weights.requires_grad
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.divisor = 1.0


def test_unscaled_weights_take_the_same_steps_without_the_division(matrices, mask, randn):
    query, key, value = matrices
    bias = randn(3, 7)
    trace = attend(query, key, value, mask=mask, divisor=4.1, steps=[SoftCap(2.0), Bias(bias)])
    logits = 2 * torch.tanh(query @ key.mT / 2) + bias
    expected = torch.softmax(logits.masked_fill(~mask, -math.inf), dim=-1)
    assert_close(unscaled_weights(trace), expected)


def test_softmax_by_hand():
    e = math.e
    expected = torch.tensor([[1 / (1 + e), e / (1 + e)], [0.5, 0.5]], dtype=torch.float64)
    logits = torch.tensor([[0.0, 1.0], [-3.0, -3.0]], dtype=torch.float64)
    assert_close(softmax(logits), expected)


def test_causal_mask_looks_at_itself_and_back():
    expected = [[True, False, False], [True, True, False], [True, True, True]]
    assert causal_mask(3).tolist() == expected


def test_one_row_is_a_row_of_the_matrix(randn):
    logits = randn(3, 7)
    logits[1, 2] = -math.inf
    for row, weights in zip(logits, softmax(logits), strict=True):
        assert_close(row_softmax(row), weights)

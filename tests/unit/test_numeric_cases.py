"""Small inputs on which tools of this kind are known to have gone wrong, each with its right value.

N: numbers; C: what is taught about them.
"""

import contextlib
import math

import pytest
import torch
from torch.testing import assert_close

from attention_viz.attention import attend, causal_mask, softmax
from attention_viz.errors import AttentionVizError, ShapeError
from attention_viz.jacobian import softmax_jacobian
from attention_viz.measures import (
    effective_support,
    entropy,
    normalised_entropy,
    peak,
    row_sum_tolerance,
    row_sums,
)

INF = math.inf


def double(*rows):
    return torch.tensor(rows, dtype=torch.float64)


def attend_scores(scores, **settings):
    """Attention whose raw scores are the given ones: every key has a coordinate of its own."""
    eye = torch.eye(scores.shape[1], dtype=torch.float64)
    return attend(scores, eye, eye, **settings)


@pytest.mark.parametrize(
    ("logits", "weights"),
    [
        pytest.param([1002, 1001, 1000], [0.665240956, 0.244728471, 0.090030573], id="N01"),
        pytest.param([2, 1, 0], [0.665240956, 0.244728471, 0.090030573], id="N01-small"),
        pytest.param(
            [-110208, -110190, -INF, -INF], [1.5229979e-08, 0.99999998477, 0, 0], id="N07"
        ),
        pytest.param([0, -110], [1, 1.6889e-48], id="N13-float64"),
        pytest.param([2, 1, 0.1], [0.659001139, 0.242432971, 0.098565890], id="C07"),
        pytest.param([12, 11, 10.1], [0.659001139, 0.242432971, 0.098565890], id="C07-shifted"),
        pytest.param([4, 2, 0.2], [0.863777118, 0.116899521, 0.019323361], id="C07-doubled"),
    ],
)
def test_softmax(logits, weights):
    assert_close(softmax(double(logits)), double(weights), rtol=1e-4, atol=1e-9)


def test_n05_a_row_without_keys_is_blank_and_spoils_no_other(randn):
    assert not softmax([[-INF] * 4]).any()
    scores, mask = randn(3, 4), torch.ones(3, 4, dtype=torch.bool)
    mask[1] = False
    trace, whole = attend_scores(scores, mask=mask), attend_scores(scores)
    assert not trace.weights[1].any()
    assert_close(trace.weights[[0, 2]], whole.weights[[0, 2]])
    assert_close(entropy(trace.weights, mask)[[0, 2]], entropy(whole.weights)[[0, 2]])
    assert entropy(trace.weights, mask)[1].isnan()


def test_n07_no_mask_constant_can_be_larger_than_a_score():
    scores = double([-110208, -110190, 5, 7])
    trace = attend_scores(scores, mask=torch.tensor([[True, True, False, False]]), divisor=1)
    expected = double([1.5229979e-08, 0.99999998477, 0, 0])
    assert_close(trace.weights, expected, rtol=1e-7, atol=1e-12)


def test_n09_half_precision_is_multiplied_in_float32():
    query = torch.full((1, 128), 24.0, dtype=torch.float16)
    key = torch.stack([query[0], query[0] / 2])
    trace = attend(query, key, key)
    assert_close(trace.scores, torch.tensor([[73728.0, 36864.0]]))
    assert_close(trace.scaled_scores, torch.tensor([[6516.6963, 3258.3481]]))
    assert_close(trace.weights, torch.tensor([[1.0, 0.0]]))


@pytest.mark.parametrize(
    ("dtype", "n_k", "total"),
    [
        pytest.param(torch.bfloat16, 3, 1.001953125, id="N11-bfloat16"),
        pytest.param(torch.float16, 3, 0.999755859375, id="N11-float16"),
        pytest.param(torch.bfloat16, 1000, 0.99945068359375, id="N12"),
    ],
)
def test_row_sums_of_half_precision_are_right_within_its_tolerance(dtype, n_k, total):
    weights = torch.softmax(torch.zeros(1, n_k, dtype=dtype), dim=-1)
    assert row_sums(weights).item() == total
    assert abs(total - 1) <= row_sum_tolerance(dtype, n_k)
    assert abs(total - 1) > row_sum_tolerance(torch.float32, n_k)
    # Computed here, such rows are float32 from the start.
    ours = row_sums(softmax(torch.zeros(1, n_k, dtype=dtype))).item()
    assert abs(ours - 1) <= row_sum_tolerance(torch.float32, n_k)


def test_n13_a_weight_below_float32_is_0_and_its_logit_stays():
    trace = attend([[0.0, -110.0]], torch.eye(2), torch.eye(2), divisor=1)
    assert trace.weights.tolist() == [[1.0, 0.0]]
    assert trace.logits.tolist() == [[0.0, -110.0]]
    assert entropy(trace.weights).item() == 0


def test_n15_entropy_of_certainty_is_exactly_0():
    assert entropy(torch.tensor([[1.0, 0, 0, 0]])).item() == 0


def test_n16_entropy_has_no_epsilon_inside():
    assert entropy(double([1, 0, 0, 0])).item() == 0
    even = torch.full((1, 4), 0.25, dtype=torch.float64)
    assert entropy(even).item() == pytest.approx(math.log(4), abs=1e-15)
    assert entropy(even).item() <= math.log(4)


def test_n17_the_winner_of_float32_logits_keeps_its_gradient():
    jacobian = softmax_jacobian(torch.tensor([[17.0, 0, 0]]))[0]
    expected = double([8.27987e-08, -4.13994e-08, -4.13994e-08])[0]
    assert_close(jacobian[0], expected, rtol=1e-5, atol=0)
    assert abs(jacobian[0].sum().item()) < 1e-15


@pytest.mark.parametrize("shape", [(2, 0), (0, 3)], ids=["N19-no-keys", "N19-no-queries"])
def test_nothing_to_look_at_gives_nothing_or_a_sentence(shape):
    nothing = torch.zeros(shape)
    assert softmax(nothing).shape == shape
    assert softmax_jacobian(nothing).shape == (*shape, shape[-1])
    assert not row_sums(nothing).any()
    for measure in (entropy, effective_support, normalised_entropy, peak):
        with contextlib.suppress(AttentionVizError):
            assert measure(nothing).isnan().all(), measure.__name__
    with pytest.raises(ShapeError, match="at least one row and one column"):
        attend(torch.zeros(shape[0], 5), torch.zeros(shape[1], 5), torch.zeros(shape[1], 5))


def test_n21_whole_numbers_are_scores_too():
    expected = torch.tensor([[0.26894142, 0.73105858]] * 2)
    assert_close(softmax(torch.tensor([[1, 2], [3, 4]])), expected)
    assert_close(softmax([[1, 2], [3, 4]]), expected)
    assert_close(
        attend([[1, 2], [3, 4]], [[1, 0], [0, 1]], [[1], [0]], divisor=1).weights, expected
    )


def test_n24_true_means_may_look():
    trace = attend(torch.zeros(3, 2), torch.zeros(3, 2), torch.eye(3), mask=causal_mask(3))
    third = 1 / 3
    expected = torch.tensor([[1, 0, 0], [0.5, 0.5, 0], [third, third, third]])
    assert_close(trace.weights, expected)
    assert_close(trace.context, expected)


@pytest.mark.parametrize(
    ("scores", "divisor", "weights"),
    [
        pytest.param([8, 4, 0], 1, [0.98169, 0.01798, 0.00033], id="C09"),
        pytest.param([8, 4, 0], 2, [0.8668, 0.1173, 0.0159], id="C10-d_k-4"),
        pytest.param([8, 4, 0], 8, [0.5065, 0.3072, 0.1863], id="C10-d_k-64"),
        pytest.param([1, 5], 1, [0.01798621, 0.98201379], id="C13"),
        pytest.param([16, 8, 0], 8, [0.6652, 0.2447, 0.0900], id="C19"),
        pytest.param([16, 8, 0], math.sqrt(512), [0.4555, 0.3199, 0.2246], id="C19-d_model"),
        pytest.param([3, 3, 1], 1e-6, [0.5, 0.5, 0], id="C23"),
    ],
)
def test_divisors(scores, divisor, weights):
    trace = attend_scores(double(scores), divisor=divisor)
    assert_close(trace.weights, double(weights), rtol=0, atol=6e-5)


def test_c11_the_mask_comes_before_softmax():
    trace = attend_scores(double([1, 2, 3]).expand(3, 3), mask=causal_mask(3), divisor=1)
    expected = double([1, 0, 0], [0.2689, 0.7311, 0], [0.0900, 0.2447, 0.6652])
    assert_close(trace.weights, expected, rtol=0, atol=6e-5)


def test_c15_the_jacobian_is_more_than_its_diagonal():
    expected = double(
        [0.22472, -0.15976, -0.06496], [-0.15976, 0.18366, -0.02390], [-0.06496, -0.02390, 0.08885]
    )
    assert_close(softmax_jacobian([[2, 1, 0.1]])[0], expected, rtol=0, atol=6e-6)

"""More of the known failures, each with its right value; see test_numeric_cases."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention_viz.attention import attend, causal_mask, softmax
from attention_viz.checkpoints import read_checkpoint
from attention_viz.embeddings import layer_norm
from attention_viz.figures import attention_maps, both_directions
from attention_viz.heads import Start, random_head
from attention_viz.jacobian import even_norm, jacobian_norm, softmax_jacobian
from attention_viz.measures import entropy, normalised_entropy
from attention_viz.mistakes import Masking, leak, mask_row, weights_over_queries
from attention_viz.pipeline import run
from attention_viz.precision import Outcome, exp_range, outcome, smallest_subnormal, softmax_steps


def double(*rows):
    return torch.tensor(rows, dtype=torch.float64)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_n01_without_the_shift_large_logits_are_nan(dtype):
    (logits,) = double([1002, 1001, 1000])
    exact = softmax_steps(logits).weights
    assert_close(exact, double([0.665240956, 0.244728471, 0.090030573])[0], rtol=0, atol=1e-9)
    naive = softmax_steps(logits, dtype=dtype, shifted=False)
    assert naive.weights.isnan().all()
    assert outcome(naive, exact) is Outcome.EXP_OVERFLOW


def test_n03_where_exp_leaves_float32():
    steps = softmax_steps(torch.tensor([88.72]), dtype=torch.float32, shifted=False)
    assert steps.exps.item() == pytest.approx(3.3931806e38, rel=1e-7)
    steps = softmax_steps(torch.tensor([88.73]), dtype=torch.float32, shifted=False)
    assert math.isinf(steps.exps.item())
    found = exp_range(torch.float32)
    assert 88.72 < found.last_finite < found.first_infinite < 88.73
    assert f"{found.log_largest:.7g}" == "88.72284"


def test_n07_a_finite_mask_can_be_the_largest_score():
    (scores,) = double([-110208, -110190, 5, 7])
    mask = torch.tensor([True, True, False, False])
    filled = mask_row(scores, mask, Masking.FILL, fill=-1e5)
    assert filled.tolist() == [0, 0, 0.5, 0.5]
    assert leak(filled, mask) == 1
    right = mask_row(scores, mask, Masking.BEFORE)
    (expected,) = double([1.5229979e-08, 0.99999998477, 0, 0])
    assert_close(right, expected, rtol=1e-7, atol=1e-12)


def test_n13_a_weight_that_underflows_is_below_the_least_number():
    (logits,) = double([0, -110])
    assert softmax_steps(logits, dtype=torch.float32).weights.tolist() == [1, 0]
    true = softmax_steps(logits).weights[1].item()
    assert true == pytest.approx(1.6889e-48, rel=1e-4)
    assert true < smallest_subnormal(torch.float32)
    assert f"{smallest_subnormal(torch.float32):.0e}" == "1e-45"


def test_n23_a_head_of_a_layer_is_one_head_not_their_mean(tmp_path):
    layer = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    rng = torch.Generator().manual_seed(0)
    state = {k: torch.randn(v.shape, generator=rng) for k, v in layer.state_dict().items()}
    layer.load_state_dict(state)
    torch.save(state, tmp_path / "layer.pt")
    x = torch.randn(1, 4, 8, generator=rng)
    mean = layer(x, x, x)[1][0].detach()
    each = layer(x, x, x, average_attn_weights=False)[1][0].detach()
    data = (tmp_path / "layer.pt").read_bytes()
    ours = torch.stack(
        [
            read_checkpoint(data, name="layer.pt", num_heads=2, head=i).head(x[0])[1]
            for i in range(2)
        ]
    )
    assert_close(ours, each)
    assert_close(ours.mean(dim=0), mean)
    assert (ours[0] - mean).abs().max() > 0.01


@pytest.mark.parametrize(
    ("d_k", "self_score"), [pytest.param(64, 8, id="C05"), pytest.param(256, 16, id="C06")]
)
def test_layer_normalised_inputs_bound_the_score(d_k, self_score):
    head = random_head(d_k, d_k, start=Start.LAYER_NORM)
    text = " ".join(f"w{i}" for i in range(50))
    trace = run(text, head, seed=1, normalised=True).trace
    assert_close(trace.query, layer_norm(trace.query), rtol=0, atol=1e-3)
    own = torch.full((50,), float(self_score))
    assert_close(trace.scaled_scores.diagonal(), own, rtol=0, atol=1e-3)
    assert trace.scaled_scores.abs().max() <= self_score + 1e-3


def test_c11_a_mask_after_softmax_loses_the_rest():
    scores, mask = double([1, 2, 3])[0], causal_mask(3)
    sums = [mask_row(scores, row, Masking.AFTER).sum().item() for row in mask]
    assert sums == pytest.approx([0.0900305732, 0.3347590442, 1], abs=1e-9)


def test_c13_softmax_over_the_wrong_axis():
    eye = torch.eye(2, dtype=torch.float64)
    wrong = weights_over_queries(attend(double([1, 5], [3, 4]), eye, eye, divisor=1))
    expected = double([0.11920292, 0.73105858], [0.88079708, 0.26894142])
    assert_close(wrong, expected, rtol=0, atol=1e-8)


def test_c15_rows_and_columns_of_the_jacobian_sum_to_0():
    jacobian = softmax_jacobian([[2, 1, 0.1]])[0]
    for axis in (0, 1):
        assert jacobian.sum(dim=axis).abs().max() < 1e-12


def test_c16_the_jacobian_of_even_weights():
    jacobian = softmax_jacobian(double([7, 7, 7, 7]))[0]
    assert_close(jacobian.diagonal(), torch.full((4,), 0.1875, dtype=torch.float64))
    assert jacobian[0, 1].item() == -0.0625
    assert jacobian_norm([[7, 7, 7, 7]]).item() == pytest.approx(0.4330127, abs=1e-7)
    assert even_norm(4) == pytest.approx(0.4330127, abs=1e-7)


def test_c17_under_a_causal_mask_each_row_has_its_own_bound():
    mask = causal_mask(4)
    weights = softmax(torch.zeros(4, 4).masked_fill(~mask, -math.inf))
    expected = double([0, 0.693147, 1.098612, 1.386294])[0]
    assert_close(entropy(weights, mask), expected, rtol=0, atol=1e-6)
    # The first row has one key: 0 of at most 0.
    assert_close(normalised_entropy(weights, mask)[1:], torch.ones(3, dtype=torch.float64))


@pytest.mark.parametrize("figure", [attention_maps, both_directions])
def test_c21_weights_are_drawn_on_0_to_1(figure):
    drawn = figure(run("a b c", random_head(5, 3))).data
    maps = [one for one in drawn if one.type == "heatmap" and "eight" in (one.name or "")]
    assert [(one.zmin, one.zmax) for one in maps] == [(0, 1)] * 2

import math
import statistics

import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from attention_viz.attention import attend
from attention_viz.heads import AttentionHead, Start, random_head
from attention_viz.pipeline import run
from attention_viz.scaling import scores_at_stops

WORDS = "a b c d e f g h i j k"
N = 11
D_MODEL = 67
D_KS = (3, 17, 61)
SEEDS = 150


def runs(start, d_model=D_MODEL, d_k=D_KS[-1], seeds=SEEDS):
    """One sentence through heads of one start, each of a seed and vectors of its own."""
    for seed in range(seeds):
        head = random_head(d_model, d_k, seed=seed, start=start)
        yield run(WORDS, head, seed=seed, normalised=start is Start.LAYER_NORM).trace


def row_variances(start):
    """(SEEDS, len(D_KS)) variance within the rows of raw scores, averaged over the rows of a head.

    A token's score with itself is left out: only scores of different tokens have a closed form.
    """
    other = ~torch.eye(N, dtype=torch.bool)
    scores = torch.stack(
        [scores_at_stops(t.query.double(), t.key.double(), D_KS) for t in runs(start)]
    )
    return scores[..., other].unflatten(-1, (N, N - 1)).var(dim=-1).mean(dim=-1)


def assert_spread(variances, expected):
    """The root of the mean variance is the expected deviation, within 4 standard errors.

    Heads of different seeds are independent, so the error of their mean variance is
    std / √SEEDS; that of its root is 1 / (2 · root) as large. It must be small to say anything.
    """
    root = variances.mean().sqrt().item()
    error = variances.std().item() / math.sqrt(len(variances)) / (2 * root)
    assert error < 0.05 * expected
    assert abs(root - expected) < 4 * error


def test_state_has_the_names_and_shapes_of_the_textbook():
    state = AttentionHead(7, 3).state_dict()
    shapes = {name: tuple(value.shape) for name, value in state.items()}
    weights = {f"{name}.weight": (3, 7) for name in ("query", "key", "value")}
    assert shapes == weights | {f"{name}.bias": (3,) for name in ("query", "key", "value")}
    assert set(AttentionHead(7, 3, bias=False).state_dict()) == set(weights)


def test_forward_agrees_with_torch_and_with_attend(randn):
    head, x = AttentionHead(7, 3).double(), randn(2, 5, 7)
    output, probs = head(x)
    expected = scaled_dot_product_attention(head.query(x), head.key(x), head.value(x))
    assert_close(output, expected)
    for i in range(2):
        trace = attend(head.query(x[i]), head.key(x[i]), head.value(x[i]))
        assert_close(probs[i], trace.weights)
        assert_close(output[i], trace.context)


def test_forward_divides_by_the_width_of_the_head(randn):
    wide = randn(5, 7)
    head = AttentionHead(7, 3).double()
    _, probs = head(wide)
    assert_close(probs, torch.softmax(head.query(wide) @ head.key(wide).T / 3**0.5, dim=-1))


@pytest.mark.parametrize("start", Start)
def test_a_larger_head_contains_the_smaller_exactly(start):
    small, large = (random_head(13, d_k, seed=4, start=start).state_dict() for d_k in (5, 11))
    for name, value in small.items():
        assert_close(large[name][:5], value, rtol=0, atol=0)
    other = random_head(13, 5, seed=3, start=start).state_dict()
    same = [torch.equal(value, other[name]) for name, value in small.items()]
    assert all(same) == (start is Start.LAYER_NORM)


@pytest.mark.parametrize("d_model", [2, 67, 256, 509])
def test_coordinates_are_the_same_at_every_size(d_model):
    small, large = (run(WORDS, random_head(d_model, d_k)).trace for d_k in (16, 64))
    # Products of different sizes may be rounded in another order: equal to float32's precision.
    assert_close(large.query[:, :16], small.query)
    assert_close(large.key[:, :16], small.key)
    assert_close(large.query[:, :16] @ large.key[:, :16].mT, small.scores, rtol=1e-5, atol=1e-4)


def test_the_rows_of_a_head_are_different_draws():
    head = random_head(13, 5, seed=4)
    rows = torch.cat([head.query.weight, head.key.weight, head.value.weight])
    assert len({row[0].item() for row in rows}) == 15


def test_a_random_head_is_not_trained():
    assert not any(p.requires_grad for p in random_head(5, 3).parameters())


def test_the_name_of_a_start_is_enough():
    one, other = (random_head(5, 3, start=start) for start in ("torch", Start.TORCH))
    assert_close(one.query.weight, other.query.weight, rtol=0, atol=0)


def test_gaussian_scores_have_standard_deviation_sqrt_d_k_and_scaled_ones_1():
    variances = row_variances(Start.GAUSSIAN)
    for d_k, of_size in zip(D_KS, variances.T, strict=True):
        assert_spread(of_size, math.sqrt(d_k))
        assert_spread(of_size / d_k, 1)


def test_gaussian_biases_are_0():
    head = random_head(7, 5)
    for linear in (head.query, head.key, head.value):
        assert not linear.bias.any()


def test_torch_start_is_that_of_linear_and_too_small():
    variances = row_variances(Start.TORCH)
    for d_k, of_size in zip(D_KS, variances.T, strict=True):
        # Weights have variance 1 / (3 d_model), and the bias of the query counts too.
        assert_spread(of_size / d_k, math.sqrt(1 + 1 / D_MODEL) / 3)
    assert variances[:, -1].mean().div(D_KS[-1]).sqrt().item() == pytest.approx(0.33, abs=0.02)
    ours, theirs = random_head(D_MODEL, 509, start="torch").query, nn.Linear(D_MODEL, 509)
    for name in ("weight", "bias"):
        sizes = [getattr(linear, name).detach().abs() for linear in (ours, theirs)]
        bound = 1 / math.sqrt(D_MODEL)
        assert max(size.max().item() for size in sizes) <= bound
        assert min(size.max().item() for size in sizes) > 0.98 * bound
        assert ours.weight.mean().abs() < 4 * bound / math.sqrt(3 * D_MODEL * 509)


def test_positive_start_spreads_keys_by_more_than_sqrt_d_k():
    assert (random_head(7, 5, start="positive").query.weight >= 0).all()
    for d_k, of_size in zip(D_KS, row_variances(Start.POSITIVE).T, strict=True):
        # Two entries of a query have covariance 2/π: the mean of |N(0, 1)|, squared.
        assert_spread(of_size / d_k, math.sqrt(1 + (d_k - 1) * (2 / math.pi) ** 2))


def test_tied_start_looks_at_itself():
    head = random_head(7, 5, start="tied")
    assert_close(head.query.weight, head.key.weight, rtol=0, atol=0)
    assert not (head.query.weight == head.value.weight).any()
    own = {
        start: statistics.mean(
            t.weights.diag().mean().item() for t in runs(start, d_model=251, d_k=64, seeds=30)
        )
        for start in (Start.TIED, Start.GAUSSIAN)
    }
    assert own[Start.TIED] == pytest.approx(0.99, abs=0.01)
    assert own[Start.GAUSSIAN] == pytest.approx(1 / N, abs=0.02)


def test_heavy_start_follows_student_and_has_no_variance():
    weight = random_head(499, 401, start="heavy").query.weight.double() * math.sqrt(499)
    assert weight.isfinite().all()
    # Quantile and density of Student's t with 1.5 degrees of freedom, from SciPy 1.17.
    for share, quantile, density in (
        (0.60, 0.3007454, 0.3166879),
        (0.75, 0.8725946, 0.2039642),
        (0.95, 3.7051808, 0.0188024),
        (0.99, 11.1973163, 0.0013283),
    ):
        error = math.sqrt(share * (1 - share) / weight.numel()) / density
        for sign in (-1, 1):
            drawn = torch.quantile(sign * weight.flatten(), share).item()
            assert abs(drawn - quantile) < 4 * error
    spread = (row_variances(Start.HEAVY) / torch.tensor(D_KS)).median(dim=0).values.sqrt()
    assert spread[0] > 3
    assert spread[-1] > 1.5 * spread[0]


@pytest.mark.parametrize("d", [64, 256])
def test_layer_norm_start_scores_itself_sqrt_d_model(d):
    head = random_head(d, d, start="layer_norm")
    trace = run(WORDS, head, normalised=True).trace
    # Layer normalisation bounds the score: |q·k| ≤ d, so no scaled score passes √d.
    assert_close(trace.scaled_scores.diag(), torch.full((N,), d**0.5), rtol=0, atol=1e-3)
    assert trace.scaled_scores.abs().max() <= d**0.5
    assert trace.weights.diag().min() > 0.9

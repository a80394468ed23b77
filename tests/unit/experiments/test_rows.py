"""Measures of many rows: against torch, closed forms, and the measures of one run."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention_viz.attention import softmax
from attention_viz.experiments.rows import measure_rows
from attention_viz.jacobian import softmax_jacobian
from attention_viz.measures import entropy, peak


@pytest.mark.parametrize("spread", [0.1, 1, 8, 32])
@pytest.mark.parametrize("n", [2, 7])
def test_derivatives_agree_with_jacrev(randn, spread, n):
    logits, direction = spread * randn(23, n), randn(23, n)
    rows = measure_rows(logits, direction)
    for i in range(23):
        jacobian = torch.func.jacrev(lambda row: torch.softmax(row, dim=0))(logits[i])
        assert_close(rows.jacobian_norm[i], jacobian.norm(), rtol=1e-8, atol=1e-15)
        assert_close(rows.logit_gradient[i], direction[i] @ jacobian, rtol=1e-8, atol=1e-15)


@pytest.mark.parametrize("spread", [0.1, 1, 8, 100])
def test_agrees_with_the_measures_of_one_run(randn, spread):
    logits = spread * randn(23, 7)
    rows = measure_rows(logits, randn(23, 7))
    weights = softmax(logits)
    assert_close(rows.peak, peak(weights))
    assert_close(rows.first, weights[:, 0])
    assert_close(rows.entropy, entropy(weights), rtol=1e-7, atol=1e-14)
    assert_close(rows.winner, logits.argmax(dim=-1))
    assert_close(rows.jacobian_norm, softmax_jacobian(logits).flatten(1).norm(dim=-1))


@pytest.mark.parametrize("gap", [1, 20, 40, 300])
def test_a_peaked_row_keeps_every_digit(gap):
    logits = torch.tensor([[0.0, -gap]], dtype=torch.float64)
    rows = measure_rows(logits, torch.tensor([[0.0, 1.0]]))
    small = math.exp(-gap) / (1 + math.exp(-gap))
    both = small / (1 + math.exp(-gap))
    assert rows.jacobian_norm.item() == pytest.approx(2 * both, rel=1e-12)
    assert rows.logit_gradient[0].tolist() == pytest.approx([-both, both], rel=1e-12)
    nats = -small * math.log(small) + math.log1p(math.exp(-gap)) / (1 + math.exp(-gap))
    assert rows.entropy.item() == pytest.approx(nats, rel=1e-12)


def test_even_rows():
    rows = measure_rows(torch.full((1, 4), 5.0), torch.ones(1, 4))
    assert rows.peak.item() == 0.25
    assert rows.entropy.item() == pytest.approx(math.log(4), abs=1e-15)
    assert rows.jacobian_norm.item() == pytest.approx(0.4330127, abs=1e-7)
    assert not rows.logit_gradient.any()  # a direction that is the same for every key pulls nowhere


def test_ties_share():
    rows = measure_rows(torch.tensor([[1000.0, 1000.0, 0.0]]), torch.zeros(1, 3))
    assert rows.peak.item() == 0.5
    assert rows.entropy.item() == pytest.approx(math.log(2), abs=1e-15)

"""Training: what division by √d_k decides, and what it does not."""

import math
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from attention_viz.experiments.learning import (
    D_K,
    RATES,
    SEEDS,
    STEPS,
    Way,
    by_way,
    examples,
    start,
    train,
)


def first(way, steps):
    return torch.stack(list(train(way, steps=steps)))


def test_absorbing_the_divisor_is_the_same_start():
    divided, undivided, absorbed = (first(way, 1)[0] for way in Way)
    assert_close(divided, absorbed, rtol=1e-5, atol=1e-5)
    assert not torch.isclose(divided, undivided, rtol=1e-2).any()


def test_the_start_of_a_seed_is_the_same_at_every_rate():
    losses = first(Way.DIVIDED, 1)[0]
    assert losses.shape == (len(RATES), SEEDS)
    assert_close(losses, losses[:1].expand_as(losses), rtol=0, atol=0)


def test_a_trained_query_weight_can_absorb_the_divisor():
    rate = torch.full((len(RATES) * SEEDS, 1, 1), 1.0)
    layer = start(Way.DIVIDED)
    for step in range(3):
        layer = layer.after(layer.losses(examples(step)), rate)
    without = replace(layer, query=layer.query / math.sqrt(D_K), divisor=1.0)
    assert_close(without.losses(examples(3)), layer.losses(examples(3)), rtol=1e-5, atol=1e-5)


def test_runs_do_not_touch_one_another():
    """A run's losses are its own: another rate for the others changes none of them."""
    batch, rates = examples(0), torch.full((len(RATES) * SEEDS, 1, 1), 1.0)
    layer = start(Way.DIVIDED)
    one = layer.after(layer.losses(batch), rates).query
    rates[1:] = 3.0
    other = layer.after(layer.losses(batch), rates).query
    assert_close(one[0], other[0], rtol=0, atol=0)
    assert not torch.equal(one[1], other[1])


def test_a_step_is_torch_s_own_gradient_descent():
    layer, rate = start(Way.UNDIVIDED), torch.full((len(RATES) * SEEDS, 1, 1), 0.5)
    weight = layer.query.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([weight], lr=0.5)
    replace(layer, query=weight).losses(examples(0)).sum().backward()
    optimizer.step()
    moved = layer.after(layer.losses(examples(0)), rate)
    assert_close(moved.query, weight)


def test_the_task_can_be_solved_by_looking_at_the_right_item():
    batch = examples(0)
    found = (batch.names == batch.asked.unsqueeze(-2)).all(dim=-1)
    assert (found.sum(dim=-1) == 1).all()
    assert torch.equal(batch.labels[found].argmax(dim=-1), batch.right.flatten())


def test_at_a_large_rate_only_the_divided_layer_learns():
    divided, undivided = (first(way, 60)[-10:, -1].mean() for way in (Way.DIVIDED, Way.UNDIVIDED))
    assert divided < 0.7
    assert undivided > 1.9  # ln 8 = 2.08 is what guessing costs


def test_losses_so_far_by_way():
    losses = [torch.full((2, 3), float(i)) for i in range(STEPS + 5)]
    ways = by_way(losses)
    assert list(ways) == [Way.DIVIDED, Way.UNDIVIDED]
    assert ways[Way.DIVIDED].shape == (STEPS, 2, 3)
    assert ways[Way.UNDIVIDED][:, 0, 0].tolist() == [STEPS + i for i in range(5)]
    assert by_way([]) == {}


@pytest.mark.parametrize("way", list(Way))
def test_training_is_seeded(way):
    one, again, other = (next(train(way, seed=seed)) for seed in (0, 0, 1))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)

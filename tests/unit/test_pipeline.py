import math

import pytest
import torch
from torch.testing import assert_close

from attention_viz.attention import causal_mask
from attention_viz.embeddings import embed, layer_norm
from attention_viz.heads import random_head
from attention_viz.origins import Given
from attention_viz.pipeline import parse_divisor, run

TEXT = "the cat, the dog"


@pytest.fixture
def head():
    return random_head(13, 7, seed=2)


def test_a_run_is_the_head_on_the_embedded_sentence(head):
    result = run(TEXT, head, seed=3)
    assert result.tokens.pieces == ("the", "cat", ",", "the", "dog")
    assert_close(result.inputs, embed(result.tokens, 13, seed=3))
    trace = result.trace
    assert_close(trace.query, head.query(result.inputs))
    assert_close(trace.key, head.key(result.inputs))
    assert_close(trace.value, head.value(result.inputs))
    context, weights = head(result.inputs)
    assert_close(trace.weights, weights)
    assert_close(trace.context, context)


def test_settings_reach_their_step(head):
    plain = run(TEXT, head)
    tokens = plain.tokens
    assert_close(run(TEXT, head, positions=True).inputs, embed(tokens, 13, seed=2, positions=True))
    assert_close(run(TEXT, head, normalised=True).inputs, layer_norm(plain.inputs))
    assert torch.equal(run(TEXT, head, causal=True).trace.mask, causal_mask(5))
    assert plain.trace.mask.all()
    assert run(TEXT, head, divisor=2).trace.divisor == 2
    assert_close(run(TEXT, head, divisor=2).trace.scores, plain.trace.scores)


def test_positions_come_before_normalisation(head):
    both = run(TEXT, head, positions=True, normalised=True)
    assert_close(both.inputs, layer_norm(embed(both.tokens, 13, seed=2, positions=True)))


@pytest.mark.parametrize(
    ("text", "divisor"),
    [
        ("sqrt", math.sqrt(7)),
        ("1", 1.0),
        ("d_k", 7.0),
        ("sqrt_d_model", math.sqrt(13)),
        ("2.5", 2.5),
        ("1e-3", 0.001),
    ],
)
def test_divisors(text, divisor):
    assert parse_divisor(text, d_k=7, d_model=13) == divisor


def test_a_run_of_a_random_head_can_be_drawn_again():
    head = random_head(13, 7, seed=5)
    once = run("I am good", head, causal=True)
    again = once.origin.run(7)
    assert_close(again.trace.weights, once.trace.weights)
    assert_close(once.origin.run(11).trace.query[:, :7], once.trace.query)


@pytest.mark.parametrize("change", ["weights", "seed", "normalised"])
def test_a_run_that_no_recipe_gives_has_none(change):
    head = random_head(13, 7, seed=5)
    if change == "weights":
        head.key.weight *= 2
    how = {"weights": {}, "seed": {"seed": 4}, "normalised": {"normalised": True}}
    assert isinstance(run("I am good", head, **how[change]).origin, Given)

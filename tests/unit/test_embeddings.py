import math

import pytest
import torch
from torch.testing import assert_close

from attention_viz.embeddings import embed, generator, layer_norm
from attention_viz.tokens import tokenize

SAME = """
from attention_viz import entropy, random_head, run
trace = run("the cät 🐈 the", random_head(67, 13, seed=5), seed=5, positions=True).trace
print(trace.query.tolist(), trace.value.tolist(), trace.weights.tolist())
"""


def test_equal_words_get_equal_vectors_in_any_sentence():
    one, other = embed(tokenize("the cat the"), 11), embed(tokenize("dog the"), 11)
    assert_close(one[0], one[2], rtol=0, atol=0)
    assert_close(one[0], other[1], rtol=0, atol=0)
    assert not (one[0] == one[1]).any()


def test_entries_are_standard_normal():
    numbers = embed(tokenize(" ".join(f"w{i}" for i in range(101))), 211).double()
    n = numbers.numel()
    # Standard errors of the mean, variance and fourth moment of n N(0, 1) numbers.
    assert abs(numbers.mean().item()) < 4 * math.sqrt(1 / n)
    assert abs(numbers.var().item() - 1) < 4 * math.sqrt(2 / n)
    assert abs((numbers**4).mean().item() - 3) < 4 * math.sqrt(96 / n)


def test_positions_are_added_and_rescaled():
    tokens = tokenize("the cat the")
    plain, placed = embed(tokens, 10_007), embed(tokens, 10_007, positions=True)
    places = placed * math.sqrt(2) - plain
    for row in (*placed, *places):
        assert abs(row.var().item() - 1) < 4 * math.sqrt(2 / 10_007)
    correlation = torch.corrcoef(places).fill_diagonal_(0)
    assert correlation.abs().max() < 4 / math.sqrt(10_007)


def test_the_vector_of_a_position_does_not_depend_on_its_word():
    one, other = (embed(tokenize(text), 7, positions=True) for text in ("a b", "a c d"))
    assert_close(one[0], other[0], rtol=0, atol=0)
    difference = (one[1] - other[1]) * math.sqrt(2)
    words = embed(tokenize("b c"), 7)
    assert_close(difference, words[0] - words[1])


@pytest.mark.parametrize("positions", [False, True])
def test_another_seed_is_another_draw(positions):
    tokens = tokenize("the cat")
    one, other = (embed(tokens, 5, seed=seed, positions=positions) for seed in (0, 1))
    assert not (one == other).any()


def test_the_same_numbers_in_every_process(fresh_pythons):
    one, other = fresh_pythons((SAME, {"PYTHONHASHSEED": "1"}), (SAME, {"PYTHONHASHSEED": "2"}))
    assert one == other
    assert "0." in one


def test_layer_norm_rows_have_mean_0_and_variance_1(randn):
    rows = layer_norm(3 + 5 * randn(3, 101))
    assert_close(rows.mean(dim=-1), torch.zeros(3).double())
    assert_close(rows.var(dim=-1, correction=0), torch.ones(3).double(), rtol=0, atol=1e-5)


def test_generator_depends_on_every_part():
    parts = [(0, "query", 1), (1, "query", 0), (0, "key", 1), (0, "query", 11), (0, "query1", 1)]
    parts += [("a", "bc"), ("ab", "c"), ("\ud800",), ("\ud801",)]
    drawn = {torch.rand(1, generator=generator(*each)).item() for each in parts}
    assert len(drawn) == len(parts)
    again = torch.rand(3, generator=generator(*parts[0]))
    assert_close(again, torch.rand(3, generator=generator(*parts[0])), rtol=0, atol=0)

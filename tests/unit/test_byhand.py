import math
import re

import pytest
import torch
from torch.testing import assert_close

from attention_viz import softmax
from attention_viz.byhand import challenges, parse_weights, scores_giving, textbook
from attention_viz.errors import SettingError
from attention_viz.tokens import tokenize


def test_scores_give_their_weights_back_and_are_not_the_only_ones(rng):
    weights = torch.softmax(torch.randn(5, 7, generator=rng, dtype=torch.float64), dim=-1)
    scores = scores_giving(weights)
    assert_close(softmax(scores), weights)
    assert_close(softmax(scores + 3.5), weights)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([[0.0, 1.0]], "each weight must be above 0, since exp is never 0; got 0"),
        ([[-0.5, 1.5]], "above 0, since exp is never 0; got -0.5"),
        ([[0.5, 0.4]], r"each row of weights must sum to 1; got 0\.9"),
    ],
)
def test_weights_that_no_scores_give(weights, sentence):
    with pytest.raises(SettingError, match=sentence):
        scores_giving(weights)


@pytest.mark.parametrize(
    ("typed", "weights"),
    [
        ("0.5,0.3,0.2", (0.5, 0.3, 0.2)),
        (" 0,5 0,3 0,2", (0.5, 0.3, 0.2)),
        ("0,5, 0,3, 0,2", (0.5, 0.3, 0.2)),
        ("0.5, .3;2e-1", (0.5, 0.3, 0.2)),
        ("1,000", (1.0,)),
    ],
)
def test_weights_as_people_type_them(typed, weights):
    assert parse_weights(typed, len(weights)) == weights


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("1,000", "a row must have 3 weights, one a token; got 2"),
        ("0,5,0,3,0,2", "got 6. Put blanks between them"),
        ("0.5 0.3 x", "weights must be numbers such as 0.9; got '0.5 0.3 x'"),
        ("nan 0.5 0.5", "weights must be numbers"),
    ],
)
def test_what_is_no_row_of_weights(typed, sentence):
    with pytest.raises(SettingError, match=re.escape(sentence)):
        parse_weights(typed, 3)


def test_the_textbook_row():
    tokens, scores = textbook()
    assert tokens.pieces == ("I", "am", "good")
    assert_close(softmax(scores)[0], torch.tensor([0.90, 0.07, 0.03], dtype=torch.float64))


def test_each_challenge_is_open_at_first_and_can_be_done():
    tokens, given = textbook()
    only, same, half, five = challenges(tokens)
    assert not any(challenge.is_done(given, given) for challenge in (only, same, half, five))
    scores = given.clone()
    scores[2] = torch.tensor([9.0, 0.0, 0.0])
    assert only.is_done(given, scores)
    assert not only.is_done(given, scores.roll(1, dims=1))
    constants = torch.tensor([[0.0], [5.0], [-2.0]])
    assert same.is_done(given, given[:1] + constants)
    scores = given.clone()
    scores[1] = torch.tensor([4.0, 4.0, -9.0])
    assert half.is_done(given, scores)
    scores[1] = torch.tensor([4.0, 4.0, 4.0])
    assert not half.is_done(given, scores)
    scores = given.clone()
    scores[0] += 5
    assert five.is_done(given, scores)
    scores[0, 1] += 1
    assert not five.is_done(given, scores)
    assert_close(softmax(given)[0], softmax(given + 5)[0])


@pytest.mark.parametrize("n", range(2, 9))
def test_the_gap_that_is_said_to_be_enough_is(n):
    """And a tenth less is not: the bound is ln(99 × others), rounded up."""
    tokens = tokenize("a " * n)
    only = challenges(tokens)[0]
    gap = float(re.search(r"exp\((.+?)\)", only.lesson)[1])
    given = torch.zeros(n, n, dtype=torch.float64)
    for by, enough in ((gap, True), (gap - 0.1, False)):
        scores = given.clone()
        scores[-1, 0] = by
        assert only.is_done(given, scores) == enough
    assert f"= {math.exp(gap):.4g} against {n - 1} ×" in only.lesson

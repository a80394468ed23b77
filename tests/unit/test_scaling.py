import math

import pytest
import torch
from torch.testing import assert_close

from attention_viz import scaling
from attention_viz.attention import causal_mask, softmax
from attention_viz.embeddings import embed, layer_norm
from attention_viz.heads import Start, random_head
from attention_viz.measures import entropy
from attention_viz.scaling import (
    STOPS,
    entropy_band,
    mean_entropies,
    scores_at_stops,
    stops_with,
)
from attention_viz.tokens import tokenize


def test_stops():
    expected = (
        *(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112),
        *(128, 160, 192, 224, 256, 320, 384, 448, 512),
    )
    assert expected == STOPS


def test_other_sizes_become_stops_in_their_place():
    assert stops_with(50, 3, limit=56) == (*(stop for stop in STOPS if stop < 50), 50, 56)
    assert stops_with() == STOPS


def test_scores_at_stops_are_products_of_the_first_coordinates(randn):
    query, key = randn(3, 512), randn(7, 512)
    scores = scores_at_stops(query, key)
    assert scores.shape == (len(STOPS), 3, 7)
    for at_stop, d in zip(scores, STOPS, strict=True):
        assert_close(at_stop, query[:, :d] @ key[:, :d].T)


def test_scores_at_a_few_stops(randn):
    query, key = randn(3, 11), randn(7, 11)
    first, last = scores_at_stops(query, key, (2, 11))
    assert_close(first, query[:, :2] @ key[:, :2].T)
    assert_close(last, query @ key.T)


@pytest.mark.parametrize("masked", [False, True])
def test_mean_entropies_are_the_means_of_entropy(randn, rng, masked):
    logits = 4 * randn(2, 3, 7, 5)
    mask = None
    hidden = logits
    if masked:
        mask = torch.rand(7, 5, generator=rng) < 0.6
        mask[3] = False
        mask[4] = torch.arange(5) == 2
        hidden = logits.masked_fill(~mask, -math.inf)
    result = mean_entropies(logits, mask)
    assert result.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            assert_close(result[i, j], entropy(softmax(hidden[i, j]), mask).nanmean())


def test_mean_entropy_of_peaked_rows_is_0():
    logits = torch.tensor([[1000.0, 0.0, -1000.0]], dtype=torch.float64)
    assert_close(mean_entropies(logits), torch.tensor(0.0, dtype=torch.float64), rtol=0, atol=0)


def test_no_mean_entropy_when_no_row_may_look(randn):
    assert mean_entropies(randn(3, 5), torch.zeros(3, 5, dtype=torch.bool)).isnan()


@pytest.mark.parametrize(
    ("start", "d_model", "positions", "causal"),
    [
        *((start, 31, False, False) for start in Start),
        (Start.TORCH, 2, False, False),  # where the biases count most
        (Start.GAUSSIAN, 31, True, True),
    ],
)
def test_band_holds_nine_in_ten_single_heads(start, d_model, positions, causal, monkeypatch):
    monkeypatch.setattr(scaling, "_CHUNK_NUMBERS", 100_000)  # so that heads come in many parts
    tokens, stops = tokenize("the cat, the dog and me"), (2, 5, 17)
    mask = causal_mask(tokens.n) if causal else None
    band = entropy_band(
        tokens, d_model, start=start, positions=positions, mask=mask, stops=stops, heads=1000
    )
    seeds = 250
    divisors = torch.tensor(stops).sqrt()[:, None, None]
    singles = []
    for seed in range(seeds):
        inputs = embed(tokens, d_model, seed=seed, positions=positions)
        if start is Start.LAYER_NORM:
            inputs = layer_norm(inputs)
        head = random_head(d_model, stops[-1], seed=seed, start=start)
        scores = scores_at_stops(head.query(inputs), head.key(inputs), stops)
        singles.append([mean_entropies(scores / divisors, mask), mean_entropies(scores, mask)])
    for kind, (low, high) in enumerate((band.scaled, band.unscaled)):
        nats = torch.stack([single[kind] for single in singles])
        # Both the band's 1000 heads and these 250 are samples: the share below a 5 % quantile has
        # standard error √(0.05 · 0.95 · (1/1000 + 1/250)) = 0.015, and 4 of them are allowed.
        for share in ((nats < low).double().mean(dim=0), (nats > high).double().mean(dim=0)):
            assert_close(share, torch.full((3,), 0.05).double(), rtol=0, atol=0.062)
        inside = ((nats >= low) & (nats <= high)).double().mean(dim=0)
        assert_close(inside, torch.full((3,), 0.9).double(), rtol=0, atol=0.085)


def test_band_depends_on_repeats_not_on_words():
    one, other, no_repeat = (
        entropy_band(tokenize(text), 13, stops=(3, 7), heads=23).scaled
        for text in ("the cat the", "a dog a", "a dog the")
    )
    assert_close(one, other, rtol=0, atol=0)
    assert not (one == no_repeat).any()


def test_band_has_a_seed():
    tokens = tokenize("the cat sat")
    one, again, other = (
        entropy_band(tokens, 13, stops=(3, 7), heads=23, seed=seed).scaled for seed in (0, 0, 1)
    )
    assert_close(one, again, rtol=0, atol=0)
    assert not (one == other).any()


def test_band_of_the_usual_stops():
    band = entropy_band(tokenize("I am good"), 251)
    assert band.stops == STOPS
    for low, high in (band.scaled, band.unscaled):
        assert low.shape == (len(STOPS),)
        assert (low < high).all()
        assert (low >= 0).all()
        assert (high <= math.log(3)).all()
    at = STOPS.index
    # Without scaling, attention collapses as d_k grows; with it, it stays where it is.
    assert band.unscaled[1, at(512)] < band.unscaled[0, at(1)]
    assert_close(band.scaled[:, at(512)], band.scaled[:, at(128)], rtol=0, atol=0.1)

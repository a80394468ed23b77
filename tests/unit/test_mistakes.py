import math

import pytest
import torch
from torch.testing import assert_close

from attention_viz.attention import attend, causal_mask
from attention_viz.errors import SettingError
from attention_viz.mistakes import (
    Masking,
    leak,
    lost_after,
    mask_row,
    weights_over_queries,
)


def test_before_is_softmax_of_what_is_left(randn):
    scores, mask = randn(7), torch.tensor([True, False, True, True, False, True, False])
    weights = mask_row(scores, mask, Masking.BEFORE)
    assert_close(weights[mask], torch.softmax(scores[mask], dim=-1))
    assert leak(weights, mask) == 0


def test_after_leaves_out_what_the_masked_keys_took(randn):
    scores, mask = randn(7), torch.tensor([True, False, True, True, False, True, False])
    weights = mask_row(scores, mask, Masking.AFTER)
    taken = torch.softmax(scores, dim=-1)[~mask].sum()
    assert_close(weights.sum(), 1 - taken)
    assert leak(weights, mask) == 0


def test_a_number_leaks_what_its_exp_weighs(randn):
    scores, mask = randn(5), torch.tensor([True, True, False, True, False])
    for fill in (-1.0, -5.0, -20.0):
        lost = leak(mask_row(scores, mask, Masking.FILL, fill=fill), mask)
        hidden = 2 * torch.tensor(fill, dtype=torch.float64).exp()
        expected = hidden / (hidden + scores[mask].exp().sum())
        assert_close(lost, expected.item(), rtol=1e-9, atol=0)


def test_a_fill_has_no_default():
    scores, mask = torch.tensor([2.0, 1.0]), torch.tensor([True, False])
    with pytest.raises(SettingError, match="fill must be a number"):
        mask_row(scores, mask, Masking.FILL)


def test_what_a_late_mask_loses_keeps_its_digits():
    lost = lost_after(torch.tensor([40.0, 0.0]), torch.tensor([True, False]))
    assert lost == pytest.approx(math.exp(-40), rel=1e-12)


def test_nothing_left():
    scores, nothing = torch.tensor([2.0, 1.0, 0.1]), torch.zeros(3, dtype=torch.bool)
    assert not mask_row(scores, nothing, Masking.BEFORE).any()
    assert not mask_row(scores, nothing, Masking.AFTER).any()
    filled = mask_row(scores, nothing, Masking.FILL, fill=-1e9)
    assert_close(filled, torch.full((3,), 1 / 3, dtype=torch.float64))
    assert_close(leak(filled, nothing), 1.0)


def test_over_queries_each_column_is_a_softmax(randn):
    trace = attend(randn(5, 3), randn(7, 3), randn(7, 2))
    wrong = weights_over_queries(trace)
    assert_close(wrong, torch.softmax(trace.scaled_scores, dim=0))
    assert_close(wrong.sum(dim=0), torch.ones(7, dtype=torch.float64))


def test_over_queries_masked_cells_take_nothing(randn):
    trace = attend(randn(5, 3), randn(5, 3), randn(5, 2), mask=causal_mask(5))
    wrong = weights_over_queries(trace)
    assert not wrong[~trace.mask].any()
    assert_close(wrong.sum(dim=0), torch.ones(5, dtype=torch.float64))
    assert wrong[4, 4] == 1  # the last key has one query alone

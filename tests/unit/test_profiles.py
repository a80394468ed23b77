"""What tells heads apart, on weights whose answers are plain."""

import math

import pytest
import torch

from attention_viz.profiles import profile
from attention_viz.stage import Tile, pack_gallery


def test_a_head_that_looks_at_the_token_before():
    before = torch.zeros(5, 5)
    before[0, 0] = 1
    before[1:, :-1] += torch.eye(4)
    found = profile(before)
    assert found.previous == found.peak == 1.0
    assert found.itself == pytest.approx(0.2)
    assert found.first == pytest.approx(0.4)
    assert found.entropy == 0.0


def test_equal_weights():
    found = profile(torch.full((3, 7), 1 / 7), self_attention=False)
    assert found.entropy == pytest.approx(math.log(7))
    assert found.first == found.peak == pytest.approx(1 / 7)
    assert math.isnan(found.itself)
    assert math.isnan(found.previous)


def test_a_query_that_may_look_at_nothing_is_left_out_of_the_entropy():
    weights = torch.tensor([[0.0, 0.0], [0.5, 0.5]])
    assert profile(weights, weights > 0).entropy == pytest.approx(math.log(2))


def test_what_is_packed_tells_masked_cells_from_weights_of_0():
    weights = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    mask = torch.tensor([[True, False], [True, True]])
    tile = Tile((0, 1), "1", "one", weights, mask, profile(weights, mask), "layer 0")
    assert pack_gallery([tile], sortable=True)[-4:] == bytes([254, 255, 0, 254])

import math

import torch
from torch.func import jacrev, vmap
from torch.testing import assert_close

from attention_viz.jacobian import (
    even_norm,
    jacobian_norm,
    row_jacobian,
    row_norm,
    softmax_jacobian,
)


def test_agrees_with_automatic_differentiation(randn):
    logits = 2 * randn(3, 7)
    expected = vmap(jacrev(lambda row: torch.softmax(row, dim=-1)))(logits)
    assert_close(softmax_jacobian(logits), expected)


def test_one_row_is_a_row_of_the_matrix(randn):
    logits = 2 * randn(3, 7)
    for row, jacobian, norm in zip(
        logits, softmax_jacobian(logits), jacobian_norm(logits), strict=True
    ):
        assert_close(row_jacobian(row), jacobian)
        assert_close(row_norm(row), norm.item())


def test_four_equal_logits():
    expected = torch.full((4, 4), -0.0625, dtype=torch.float64).fill_diagonal_(0.1875)
    jacobian = softmax_jacobian(torch.zeros(1, 4))[0]
    assert_close(jacobian, expected)
    assert_close(jacobian.norm().item(), 0.4330127, rtol=0, atol=1e-7)


def test_the_winner_keeps_its_digits():
    # 1 - w would be 0 here: w is 1 in float64.
    winner = softmax_jacobian([[40.0, 0.0, 0.0]])[0]
    small = math.exp(-40)
    expected = torch.tensor([2 * small, -small, -small], dtype=torch.float64)
    assert_close(winner[0], expected, rtol=1e-12, atol=0)


def test_masked_keys_move_nothing(randn):
    logits = randn(3, 5)
    logits[:, 2] = -math.inf
    logits[1] = -math.inf
    jacobian = softmax_jacobian(logits)
    assert not jacobian[1].any()
    assert not jacobian[:, 2].any()
    assert not jacobian[:, :, 2].any()
    seen = [0, 1, 3, 4]
    expected = softmax_jacobian(logits[[0, 2]][:, seen])
    assert_close(jacobian[[0, 2]][:, seen][:, :, seen], expected)


def test_one_key_alone_has_no_slope():
    assert_close(softmax_jacobian([[5.0]]), torch.zeros(1, 1, 1, dtype=torch.float64))


def test_the_norm_of_even_weights_is_the_root_of_n_minus_1_over_n():
    for n in (2, 3, 8, 1024):
        assert even_norm(n) == math.sqrt(n - 1) / n
        assert_close(jacobian_norm(torch.zeros(1, n)).item(), even_norm(n))


def test_the_norm_agrees_with_automatic_differentiation(randn):
    logits = 2 * randn(3, 7)
    expected = vmap(jacrev(lambda row: torch.softmax(row, dim=-1)))(logits)
    assert_close(jacobian_norm(logits), expected.flatten(1).norm(dim=1))


def test_the_norm_is_never_above_that_of_two_that_share(randn):
    # The axis of its curve ends at 0.56.
    for spread in (0.1, 1, 10, 40):
        assert jacobian_norm(spread * randn(997, 5)).max() <= 0.5 + 1e-12
    assert_close(jacobian_norm([[9.0, 9.0, -800.0]]).item(), 0.5)

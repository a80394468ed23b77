import pytest
import torch
from torch.func import jacrev
from torch.testing import assert_close

from attention_viz.alternatives import Way, jacobian_by, weights_by

DEFINITIONS = {
    Way.SOFTMAX: lambda scores: torch.softmax(scores, dim=-1),
    Way.RAW: lambda scores: scores * 1,
    Way.DIVISION: lambda scores: scores / scores.sum(),
    Way.SIGMOID: torch.sigmoid,
    Way.HARDMAX: lambda scores: torch.nn.functional.one_hot(scores.argmax(), len(scores)).double(),
}


@pytest.mark.parametrize("way", Way)
def test_agrees_with_torch_and_its_derivatives(way, randn):
    scores = randn(7)
    define = DEFINITIONS[way]
    assert_close(weights_by(way, scores), define(scores))
    assert weights_by(way, scores.float()).dtype == torch.float64
    assert_close(jacobian_by(way, scores), jacrev(define)(scores))


@pytest.mark.parametrize("way", [Way.SOFTMAX, Way.SIGMOID])
def test_slopes_keep_their_digits_where_weights_are_near_1(way):
    scores = torch.tensor([40.0, 0.0], dtype=torch.float64)
    expected = torch.exp(torch.tensor(-40.0, dtype=torch.float64))
    assert_close(jacobian_by(way, scores)[0, 0], expected, rtol=1e-12, atol=0)


def test_scores_that_sum_to_0_have_no_division():
    for scores in ([2.0, -2.0], [0.1, 0.2, -0.3], [0.0, 0.0]):
        row = torch.tensor(scores, dtype=torch.float64)
        assert weights_by(Way.DIVISION, row).isnan().all(), scores
        assert jacobian_by(Way.DIVISION, row).isnan().all()


def test_division_has_negative_weights_and_huge_ones():
    weights = weights_by(Way.DIVISION, torch.tensor([2.0, -1.0, -0.9], dtype=torch.float64))
    expected = torch.tensor([20.0, -10.0, -9.0], dtype=torch.float64)
    assert_close(weights, expected)


def test_hardmax_shares_at_a_tie_and_has_no_derivative_there():
    tied = torch.tensor([3.0, 1.0, 3.0])
    assert weights_by(Way.HARDMAX, tied).tolist() == [0.5, 0, 0.5]
    assert jacobian_by(Way.HARDMAX, tied).isnan().all()
    assert not jacobian_by(Way.HARDMAX, torch.tensor([3.0, 1.0])).any()


def test_hardmax_is_the_limit_of_softmax(randn):
    scores = randn(7)
    assert_close(weights_by(Way.SOFTMAX, 1e6 * scores), weights_by(Way.HARDMAX, scores))

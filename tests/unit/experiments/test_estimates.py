import math

import pytest
import torch

from attention_viz.experiments.estimates import estimate, root


def test_quantiles_and_errors_are_torch_s(randn):
    values = randn(101).exp()
    one = estimate(values)
    low, median, high = torch.quantile(values, torch.tensor([0.05, 0.5, 0.95]).double()).tolist()
    assert (one.low, one.median, one.high) == pytest.approx((low, median, high))
    assert one.mean == pytest.approx(values.mean().item())
    assert one.error == pytest.approx(values.std().item() / math.sqrt(101))
    assert one.median_low < one.median < one.median_high


def test_the_error_of_a_median_is_as_large_as_medians_vary(rng):
    """For N(0, 1) the standard error of the median of m draws is √(π / 2m)."""
    some = [estimate(torch.randn(400, generator=rng)) for _ in range(200)]
    theory = math.sqrt(math.pi / 800)
    widths = sum(one.median_high - one.median_low for one in some) / len(some) / 2
    scatter = torch.tensor([one.median for one in some]).std().item()
    assert widths == pytest.approx(theory, rel=0.1)
    assert scatter == pytest.approx(theory, rel=0.2)


@pytest.mark.parametrize(
    ("values", "share"), [([1.0] * 20, 0.1), ([0.0] * 19 + [7.0], 1), ([3.0, 1.0], 0.75)]
)
def test_what_the_largest_tenth_holds(values, share):
    assert estimate(torch.tensor(values)).top_share == pytest.approx(share)


def test_no_share_of_nothing():
    assert math.isnan(estimate(torch.zeros(20)).top_share)


def test_a_pooled_standard_deviation():
    variances = estimate(torch.tensor([1.0, 4.0, 9.0, 10.0]))
    spread = root(variances)
    assert spread.mean == math.sqrt(6)
    assert spread.median == pytest.approx(math.sqrt(6.5))
    # The change of a root for a small change of what is under it.
    assert spread.error == pytest.approx(
        math.sqrt(6 + variances.error / 1000) * 1000 - math.sqrt(6) * 1000, rel=1e-3
    )


def test_over_divides_all_but_the_share():
    one = estimate(torch.tensor([1.0, 2.0, 3.0, 9.0]))
    half = one.over(2)
    assert (half.mean, half.error, half.high) == (one.mean / 2, one.error / 2, one.high / 2)
    assert half.top_share == one.top_share

"""Many independent draws of one number, summed up with how far the summary may be off."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

import numpy as np
import torch
from torch import Tensor

_LOW, _HIGH = 0.05, 0.95
_TOP: Final = 10  # one in ten
NOTHING: Final = math.nan  # where something was not measured


@dataclass(frozen=True, slots=True)
class Estimate:
    """One measure at one d_k, over independent draws.

    Attributes:
        mean: over the draws.
        error: the mean's standard error.
        low: the 5 % quantile of the draws.
        median: of the draws.
        high: the 95 % quantile of the draws.
        median_low: one standard error below the median, by ranks.
        median_high: one above.
        top_share: the part of the sum that the largest tenth of the draws holds, 0 … 1.
    """

    mean: float
    error: float
    low: float
    median: float
    high: float
    median_low: float
    median_high: float
    top_share: float

    def over(self, divisor: float) -> "Estimate":
        """The same measure of draws that are all divided by a number above 0."""
        numbers = {
            field.name: getattr(self, field.name) / divisor
            for field in fields(self)
            if field.name != "top_share"
        }
        return replace(self, **numbers)


UNMEASURED: Final = Estimate(*[NOTHING] * 8)


def estimate(values: Tensor) -> Estimate:
    """Sum up draws (draws,), at least 2.

    The median's error comes from ranks: the number of draws below the true median is binomial, with
    standard deviation √draws ÷ 2.

    >>> import torch
    >>> one = estimate(torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]))
    >>> one.mean, one.median, round(one.error, 4)
    (3.0, 3.0, 0.7071)
    """
    draws = torch.from_numpy(np.sort(values.numpy(force=True)))  # several times torch's own speed
    count = len(draws)
    middle, half = (count - 1) / 2, math.sqrt(count) / 2
    places = (_LOW * (count - 1), middle, _HIGH * (count - 1), middle - half, middle + half)
    low, median, high, median_low, median_high = _at(draws, places)
    total, top = draws.sum().item(), draws[count - max(1, count // _TOP) :].sum().item()
    return Estimate(
        mean=total / count,
        error=draws.std().item() / math.sqrt(count),
        low=low,
        median=median,
        high=high,
        median_low=median_low,
        median_high=median_high,
        top_share=top / total if total > 0 else NOTHING,
    )


def root(variance: Estimate) -> Estimate:
    """A pooled standard deviation from the variances of rows: the root of each number.

    The error of a root is the error of what is under it, divided by twice the root.
    """
    mean = math.sqrt(variance.mean)
    return Estimate(
        mean=mean,
        error=variance.error / (2 * mean) if mean > 0 else 0.0,
        low=math.sqrt(variance.low),
        median=math.sqrt(variance.median),
        high=math.sqrt(variance.high),
        median_low=math.sqrt(variance.median_low),
        median_high=math.sqrt(variance.median_high),
        top_share=NOTHING,
    )


def _at(draws: Tensor, places: Sequence[float]) -> list[float]:
    """The values at ranks from 0, straight between neighbours; the end beyond it."""
    last = len(draws) - 1
    places = [min(max(place, 0.0), float(last)) for place in places]
    below = [int(place) for place in places]
    lower, upper = draws[below].tolist(), draws[[min(i + 1, last) for i in below]].tolist()
    parts = (place - i for place, i in zip(places, below, strict=True))
    # Not lower + part · (upper - lower), which is not exact at both ends.
    return [(1 - part) * a + part * b for part, a, b in zip(parts, lower, upper, strict=True)]

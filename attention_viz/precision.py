"""Softmax of one row in the number types that torch computes with: where exp leaves their range.

Each step is torch's own in that type. On a CPU torch computes exp and sums of half types in float32
and rounds the result, so what is seen here is each step rounded once, not a chain of half sums.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import torch
from torch import Tensor

from attention_viz.errors import SettingError

TYPES: Final = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
CLOSE: Final = 0.01  # weights that differ by less count as right


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Softmax of one row, step by step, all of one type.

    Attributes:
        scores: (n,) as the type holds them.
        shift: what is subtracted before exp: 0, or the largest score.
        exps: (n,) exp(scores - shift).
        total: their sum.
        weights: (n,) exps / total; NaN where the type has no answer.
    """

    scores: Tensor
    shift: float
    exps: Tensor
    total: float
    weights: Tensor


class Outcome(StrEnum):
    """What became of a row's weights in one type."""

    RIGHT = "right"
    SCORE_OVERFLOW = "score overflow"  # a score is beyond the type already
    EXP_OVERFLOW = "exp overflow"  # exp of a score is: inf / inf is NaN
    SUM_OVERFLOW = "sum overflow"  # each exp fits and their sum does not: all weights are 0
    UNDERFLOW = "underflow"  # every exp is 0: 0 / 0 is NaN
    SUBNORMAL = "subnormal"  # no exp is a normal number, which moves a weight by more than CLOSE
    ROUNDED = "rounded"  # finite, and off by more than CLOSE for want of digits elsewhere


@dataclass(frozen=True, slots=True)
class Range:
    """Where exp leaves a type: neighbouring numbers of that type, found by torch's own exp.

    Attributes:
        last_zero: the largest whose exp is 0.
        first_above_zero: the next one.
        last_finite: the largest whose exp is finite.
        first_infinite: the next one.
        log_largest: ln of the type's largest number, which last_finite approaches from below.
    """

    last_zero: float
    first_above_zero: float
    last_finite: float
    first_infinite: float
    log_largest: float


def softmax_steps(
    scores: Tensor, *, dtype: torch.dtype = torch.float64, shifted: bool = True
) -> Steps:
    """Softmax of one row in one type, with or without the largest score subtracted first.

    Args:
        scores: (n,) finite.
        dtype: of every step.
        shifted: subtract the largest score, which no weight can notice and exp can.

    Raises:
        SettingError: there is no score.

    >>> large = torch.tensor([1002.0, 1001.0])
    >>> softmax_steps(large, dtype=torch.float32, shifted=False).weights
    tensor([nan, nan])
    >>> softmax_steps(large, dtype=torch.float32).weights
    tensor([0.7311, 0.2689])
    """
    if not scores.numel():
        raise SettingError("a row must hold at least one score; got none.")
    stored = scores.to(dtype)
    shift = stored.max() if shifted else torch.zeros((), dtype=dtype)
    exps = (stored - shift).exp()
    total = exps.sum()
    return Steps(stored, shift.item(), exps, total.item(), exps / total)


def outcome(steps: Steps, exact: Tensor) -> Outcome:
    """What became of the weights, against the exact ones (n,) in float64."""
    if not steps.scores.isfinite().all():
        return Outcome.SCORE_OVERFLOW
    if not steps.exps.isfinite().all():
        return Outcome.EXP_OVERFLOW
    if math.isinf(steps.total):
        return Outcome.SUM_OVERFLOW
    if steps.total == 0:
        return Outcome.UNDERFLOW
    if largest_error(steps, exact) <= CLOSE:
        return Outcome.RIGHT
    is_gradual = is_subnormal(steps) and digits_lost(steps) > CLOSE
    return Outcome.SUBNORMAL if is_gradual else Outcome.ROUNDED


def largest_error(steps: Steps, exact: Tensor) -> float:
    """The largest |weight - exact weight|; NaN where there is no weight."""
    return (steps.weights.double() - exact).abs().max().item()


def is_subnormal(steps: Steps) -> bool:
    """Whether the largest exp is above 0 and below the type's normal numbers: gradual underflow.

    >>> is_subnormal(softmax_steps(torch.tensor([-12.0]), dtype=torch.float16, shifted=False))
    True
    """
    return 0 < steps.exps.max().item() < torch.finfo(steps.exps.dtype).tiny


def digits_lost(steps: Steps) -> float:
    """How far exp, sum and division in this type move a weight, 0 … 1; NaN where there is none.

    The scores are taken as the type holds them, so that their own rounding does not count.
    """
    return largest_error(steps, torch.softmax(steps.scores.double(), dim=-1))


def exp_range(dtype: torch.dtype) -> Range:
    """Where exp overflows and underflows in a type.

    >>> half = exp_range(torch.float16)
    >>> half.last_finite, half.first_infinite, round(half.log_largest, 4)
    (11.0859375, 11.09375, 11.0899)
    """
    limits = torch.finfo(dtype)
    log_largest = math.log(limits.max)
    # exp rounds to 0 below half of the smallest number above 0, which is tiny · eps.
    log_least = math.log(limits.tiny) + math.log(limits.eps) - math.log(2)
    last_zero, first_above_zero = _edge(dtype, log_least, lambda x: x.exp() == 0)
    last_finite, first_infinite = _edge(dtype, log_largest, lambda x: x.exp().isfinite())
    return Range(last_zero, first_above_zero, last_finite, first_infinite, log_largest)


def dtype_name(dtype: torch.dtype) -> str:
    """A type as people write it.

    >>> dtype_name(torch.bfloat16)
    'bfloat16'
    """
    return str(dtype).removeprefix("torch.")


def exp_of(value: float) -> float:
    """The exponential in float64, inf where math.exp would raise.

    >>> exp_of(0.0), exp_of(1000.0)
    (1.0, inf)
    """
    return torch.tensor(value, dtype=torch.float64).exp().item()


def spacing(value: Tensor, dtype: torch.dtype) -> float:
    """How far numbers of a type lie apart around this one, which is positive.

    >>> spacing(torch.tensor(1000.0), torch.bfloat16)
    4.0
    """
    return 2.0 ** math.floor(math.log2(value.item())) * torch.finfo(dtype).eps


def smallest_subnormal(dtype: torch.dtype) -> float:
    """The smallest number above 0 that a type holds, with one digit of its binary fraction.

    >>> smallest_subnormal(torch.float16) == 2**-24
    True
    """
    limits = torch.finfo(dtype)
    return limits.tiny * limits.eps


def _edge(
    dtype: torch.dtype, near: float, holds: Callable[[Tensor], Tensor]
) -> tuple[float, float]:
    """The last number of a type at which something holds that ends near here, and the next."""
    upwards = torch.tensor(math.inf, dtype=dtype)
    low = torch.tensor(near, dtype=dtype)
    while not holds(low):
        low = torch.nextafter(low, -upwards)
    while holds(high := torch.nextafter(low, upwards)):
        low = high
    return low.item(), high.item()

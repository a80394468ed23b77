"""What might stand where softmax stands, on one row of scores: weights and derivatives, float64."""

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Final

import torch
from torch import Tensor

from attention_viz.attention import row_softmax
from attention_viz.jacobian import row_jacobian


class Way(StrEnum):
    """How scores become weights."""

    SOFTMAX = "softmax"  # exp(s) / Σ exp(s)
    RAW = "raw scores"  # s
    DIVISION = "division by the sum"  # s / Σ s
    SIGMOID = "sigmoid"  # 1 / (1 + exp(-s)), each score alone
    HARDMAX = "hardmax"  # 1 for the largest, 0 for the rest; ties share


def weights_by(way: Way, scores: Tensor) -> Tensor:
    """(n,) weights of a row, float64; NaN where a division by a sum of 0 says nothing.

    >>> weights_by(Way.DIVISION, torch.tensor([3.0, -1.0]))
    tensor([ 1.5000, -0.5000], dtype=torch.float64)
    >>> weights_by(Way.HARDMAX, torch.tensor([3.0, 1.0, 3.0]))
    tensor([0.5000, 0.0000, 0.5000], dtype=torch.float64)
    """
    return _WAYS[way][0](scores.double())


def jacobian_by(way: Way, scores: Tensor) -> Tensor:
    """(n, n) d weights / d scores, float64; NaN where there is none.

    Hardmax is flat: 0 everywhere but at a tie, where it jumps and has no derivative.

    >>> jacobian_by(Way.SIGMOID, torch.tensor([0.0, 0.0]))
    tensor([[0.2500, 0.0000],
            [0.0000, 0.2500]], dtype=torch.float64)
    """
    return _WAYS[way][1](scores.double())


def _identity(scores: Tensor) -> Tensor:
    return torch.eye(len(scores), dtype=torch.float64)


def _division(scores: Tensor) -> Tensor:
    total = total_of(scores)
    return scores / total if total else torch.full_like(scores, math.nan)


def _division_slopes(scores: Tensor) -> Tensor:
    total = total_of(scores)
    if not total:
        return torch.full((len(scores), len(scores)), math.nan, dtype=torch.float64)
    return (_identity(scores) - (scores / total).unsqueeze(-1)) / total


def total_of(scores: Tensor) -> float:
    """The sum of scores (n,); 0 when it is no more than what writing 0.1 in binary leaves."""
    total = math.fsum(scores.tolist())
    rounding = torch.finfo(torch.float64).eps * scores.abs().sum().item()
    return total if abs(total) > rounding else 0.0


def mix_of(weights: Tensor) -> float:
    """The weighted sum of the values 1 … n, of weights (n,).

    >>> mix_of(torch.tensor([0.5, 0.5, 0.0]))
    1.5
    """
    return (weights @ torch.arange(1, len(weights) + 1, dtype=weights.dtype)).item()


def _sigmoid_slopes(scores: Tensor) -> Tensor:
    # σ(s) σ(-s): 1 - σ(s) would lose its digits where σ is near 1.
    return torch.diag(torch.sigmoid(scores) * torch.sigmoid(-scores))


def _hardmax(scores: Tensor) -> Tensor:
    winners = (scores == scores.max()).double()
    return winners / winners.sum()


def _hardmax_slopes(scores: Tensor) -> Tensor:
    tied = (scores == scores.max()).sum() > 1
    slope = math.nan if tied else 0.0
    return torch.full((len(scores), len(scores)), slope, dtype=torch.float64)


_Row = Callable[[Tensor], Tensor]
_WAYS: Final[dict[Way, tuple[_Row, _Row]]] = {
    Way.SOFTMAX: (row_softmax, row_jacobian),
    Way.RAW: (torch.clone, _identity),
    Way.DIVISION: (_division, _division_slopes),
    Way.SIGMOID: (torch.sigmoid, _sigmoid_slopes),
    Way.HARDMAX: (_hardmax, _hardmax_slopes),
}

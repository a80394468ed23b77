"""What comes in at the doors: matrices and numbers of any kind, checked once, in one precision."""

import contextlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_viz.errors import SettingError, ShapeError

Matrix = Tensor | NDArray[Any] | Sequence[Sequence[float]]


def as_floats(name: str, values: Matrix, *, finite: bool = True) -> Tensor:
    """A matrix as a detached float32 or float64 tensor.

    Raises:
        ShapeError: it is not a matrix.
        SettingError: it holds NaN or infinity; minus infinity is allowed unless finite is asked.
    """
    matrix = _as_tensor(name, values)
    if matrix.layout != torch.strided or matrix.is_meta:
        raise ShapeError(f"{name} must be a dense matrix in memory; got {matrix.layout}.")
    if matrix.ndim != 2 or matrix.is_complex():  # noqa: PLR2004 - a matrix has two axes
        raise ShapeError(
            f"{name} must be a real matrix with 2 axes; got {matrix.dtype} of shape "
            f"{tuple(matrix.shape)}."
        )
    if matrix.dtype != torch.float64:
        matrix = matrix.float()
    if finite:
        check_finite(name, matrix)
    elif not (matrix < math.inf).all():
        raise SettingError(f"{name} must be numbers below infinity; got NaN or infinity.")
    return matrix


def as_mask(mask: Matrix | None, n_q: int, n_k: int) -> Tensor:
    """(n_q, n_k) booleans; True everywhere when there is no mask.

    Raises:
        ShapeError: it has another shape.
        SettingError: it does not hold booleans.
    """
    if mask is None:
        return torch.ones(n_q, n_k, dtype=torch.bool)
    allowed = _as_tensor("mask", mask)
    if allowed.dtype != torch.bool:
        raise SettingError(
            f"mask must be booleans, True where a query may look; got {allowed.dtype}."
        )
    if allowed.shape != (n_q, n_k):
        raise ShapeError(
            f"mask must have shape (n_q, n_k)=({n_q}, {n_k}); got {tuple(allowed.shape)}."
        )
    return allowed


def finite_number(name: str, value: object, *, above: float = -math.inf) -> float:
    """A finite float above a bound.

    Raises:
        SettingError: it is no number, or not above.
    """
    number = math.nan
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with contextlib.suppress(OverflowError):
            number = float(value)
    if not (math.isfinite(number) and number > above):
        bound = "" if above == -math.inf else f" above {above}"
        raise SettingError(f"{name} must be a finite number{bound}; got {value!r:.40}.")
    return number


def check_finite(name: str, matrix: Tensor) -> None:
    """Refuse NaN and infinity.

    Raises:
        SettingError: there is one; it says where.
    """
    # The least and the largest tell of both, in one pass.
    if matrix.numel() and not all(math.isfinite(end.item()) for end in matrix.aminmax()):
        i, j = (~matrix.isfinite()).nonzero()[0].tolist()
        raise SettingError(
            f"{name} must be finite in {str(matrix.dtype).removeprefix('torch.')}; got "
            f"{matrix[i, j].item()} in row {i}, column {j}."
        )


def _as_tensor(name: str, values: Matrix) -> Tensor:
    # A copy: torch warns about arrays that it may not write to, and nothing here writes.
    source = np.array(values) if isinstance(values, np.ndarray) else values
    try:
        return torch.as_tensor(source).detach()
    except (TypeError, ValueError, RuntimeError) as error:
        raise ShapeError(f"{name} must be a matrix of numbers; got {values!r:.80}.") from error

"""Derivatives of softmax, in float64: in float32 the winner's own becomes 0 before the others."""

import math

import torch
from torch import Tensor

from attention_viz.attention import softmax
from attention_viz.matrices import Matrix, as_floats


def softmax_jacobian(logits: Matrix) -> Tensor:
    """(n_q, n_k, n_k) d weights / d logits of each row: diag(w) - w wᵀ, float64.

    Symmetric, rows sum to 0; zeros where nothing may be looked at.

    Args:
        logits: (n_q, n_k); -inf where a query may not look.

    Raises:
        ShapeError: the logits are no matrix.
        SettingError: one is NaN or plus infinity.

    >>> softmax_jacobian([[0.0, 0.0]])
    tensor([[[ 0.2500, -0.2500],
             [-0.2500,  0.2500]]], dtype=torch.float64)
    """
    logits = as_floats("logits", logits, finite=False).double()
    weights = softmax(logits)
    # 1 - w_i as the sum of the others: the subtraction loses every digit when w_i is near 1.
    others = weights @ (1 - torch.eye(logits.shape[-1], dtype=torch.float64))
    off_diagonal = -weights.unsqueeze(-1) * weights.unsqueeze(-2)
    return off_diagonal.diagonal_scatter(weights * others, dim1=-2, dim2=-1)


def jacobian_norm(logits: Matrix) -> Tensor:
    """(n_q,) Frobenius norm of each row's Jacobian: how far weights move when logits do.

    √(n - 1) / n when all n weights are equal; 0 when one has everything.

    >>> jacobian_norm([[0.0, 0.0]])
    tensor([0.5000], dtype=torch.float64)
    """
    norms: Tensor = torch.linalg.matrix_norm(softmax_jacobian(logits))
    return norms


def row_jacobian(logits: Tensor) -> Tensor:
    """(n, n) ``softmax_jacobian`` of one row of logits (n,).

    >>> row_jacobian(torch.tensor([0.0, 0.0]))
    tensor([[ 0.2500, -0.2500],
            [-0.2500,  0.2500]], dtype=torch.float64)
    """
    return softmax_jacobian(logits.unsqueeze(0))[0]


def row_norm(logits: Tensor) -> float:
    """``jacobian_norm`` of one row of logits (n,).

    >>> row_norm(torch.tensor([0.0, 0.0]))
    0.5
    """
    return jacobian_norm(logits.unsqueeze(0)).item()


def even_norm(n: int) -> float:
    """The norm of the Jacobian when n keys share evenly.

    >>> even_norm(2)
    0.5
    """
    return math.sqrt(n - 1) / n

"""What is read off attention weights. Everything is computed in float64; one number a row."""

import math

import torch
from torch import Tensor

from attention_viz.errors import SettingError, ShapeError
from attention_viz.matrices import Matrix, as_floats, as_mask


def row_sums(weights: Matrix) -> Tensor:
    """(n_q,) sum of each row: 1, or 0 with nothing to look at, or below 1 beside a sink.

    Args:
        weights: (n_q, n_k).

    Raises:
        ShapeError: weights are no matrix.
        SettingError: a weight is below 0 or not finite.

    >>> row_sums([[0.25, 0.75], [0.0, 0.0]])
    tensor([1., 0.], dtype=torch.float64)
    """
    return _as_weights(weights).sum(dim=-1)


def row_sum_tolerance(dtype: torch.dtype, n_k: int) -> float:
    """How far a right row of this type may sum from 1: each weight is rounded once.

    Softmax of half precision is summed in float32 and rounded at the end, so the number of keys
    counts with float32's precision, and the type's own precision counts once.
    """
    summed_in = torch.float64 if dtype == torch.float64 else torch.float32
    return torch.finfo(dtype).eps / 2 + n_k * torch.finfo(summed_in).eps


def peak(weights: Matrix) -> Tensor:
    """(n_q,) largest weight of each row, in 0 … 1.

    Args:
        weights: (n_q, n_k) with at least one key.

    Raises:
        ShapeError: weights are no matrix.
        SettingError: a weight is below 0 or not finite.

    >>> peak([[0.25, 0.75]])
    tensor([0.7500], dtype=torch.float64)
    """
    weights = _as_weights(weights)
    if weights.shape[-1] == 0:
        raise ShapeError("weights must have at least one key; got none.")
    return weights.amax(dim=-1)


def entropy(weights: Matrix, mask: Matrix | None = None) -> Tensor:
    """(n_q,) Shannon entropy of each row in nats, in 0 … ln(allowed keys).

    -Σ w ln w, with 0 where w is 0; no small number inside the logarithm, which would bias it. NaN
    where nothing may be looked at: such a row has no distribution. Beside a sink it is the entropy
    of the part of the row that reaches keys.

    Args:
        weights: (n_q, n_k).
        mask: (n_q, n_k) booleans; when None, a row of zeros is one that may look at nothing.

    Raises:
        ShapeError: weights are no matrix, or the mask has another shape.
        SettingError: a weight is below 0 or not finite.

    >>> entropy([[1.0, 0.0], [0.0, 0.0]])
    tensor([0., nan], dtype=torch.float64)

    Source: Shannon 1948, section 6.
    """
    weights = _as_weights(weights)
    if mask is not None:
        weights = weights.masked_fill(allowed_keys(weights, mask).unsqueeze(-1) == 0, 0.0)
    # Rows that were rounded in float32 sum to 1 only nearly, and could pass the bound.
    total = weights.sum(dim=-1)
    terms: Tensor = torch.special.entr(weights / total.unsqueeze(-1))
    nats = torch.minimum(terms.sum(dim=-1), max_entropy(weights, mask))
    return nats.masked_fill(total == 0, math.nan)


def normalised_entropy(weights: Matrix, mask: Matrix | None = None) -> Tensor:
    """(n_q,) entropy ÷ ln(allowed keys), in 0 … 1.

    NaN with fewer than two allowed keys: 0 ÷ 0 says nothing. Leave it out of means.

    Args:
        weights: (n_q, n_k).
        mask: (n_q, n_k) booleans, True where a query may look; everywhere when None.

    Raises:
        ShapeError: weights are no matrix, or the mask has another shape.
        SettingError: a weight is below 0 or not finite.

    >>> normalised_entropy([[0.5, 0.5, 0.0]], torch.tensor([[True, True, False]]))
    tensor([1.], dtype=torch.float64)
    """
    most = max_entropy(weights, mask)
    return entropy(weights, mask) / most.masked_fill(most <= 0, math.nan)


def max_entropy(weights: Matrix, mask: Matrix | None = None) -> Tensor:
    """(n_q,) ln(allowed keys) in nats, the entropy of a row that spreads evenly; -inf for none.

    Args:
        weights: (n_q, n_k), of which only the shape counts.
        mask: (n_q, n_k) booleans, True where a query may look; everywhere when None.

    Raises:
        ShapeError: weights are no matrix, or the mask has another shape.
        SettingError: a weight is below 0 or not finite.

    >>> max_entropy([[1.0, 0.0]])
    tensor([0.6931], dtype=torch.float64)
    """
    return allowed_keys(_as_weights(weights), mask).double().log()


def allowed_keys(weights: Tensor, mask: Matrix | None = None) -> Tensor:
    """(n_q,) how many keys each query may look at; all of them when there is no mask.

    Raises:
        ShapeError: the mask has another shape than the weights.
    """
    return as_mask(mask, *weights.shape).sum(dim=-1)


def effective_support(weights: Matrix, mask: Matrix | None = None) -> Tensor:
    """(n_q,) exp(entropy): "effective tokens", in 1 … allowed keys.

    The number of keys that would have this entropy if they shared evenly; NaN where nothing may be
    looked at.

    Args:
        weights: (n_q, n_k).
        mask: (n_q, n_k) booleans, True where a query may look; everywhere when None.

    Raises:
        ShapeError: weights are no matrix, or the mask has another shape.
        SettingError: a weight is below 0 or not finite.

    >>> effective_support([[0.9, 0.07, 0.03]]).round(decimals=2)
    tensor([1.4700], dtype=torch.float64)

    Source: Hill 1973, "Diversity and evenness", the number of order 1.
    """
    return entropy(weights, mask).exp()


def score_spread(scores: Matrix, mask: Matrix | None = None) -> float:
    """The standard deviation of scores within rows, over the keys that each query may look at.

    Rows are pooled by their variance; NaN when no row has two keys.

    >>> score_spread([[1.0, 3.0], [7.0, 9.0]])
    1.4142135623730951
    """
    scores = as_floats("scores", scores).double()
    seen = as_mask(mask, *scores.shape)
    count = seen.sum(dim=-1, keepdim=True)
    mean = scores.masked_fill(~seen, 0.0).sum(dim=-1, keepdim=True) / count
    squares = (scores - mean).square().masked_fill(~seen, 0.0).sum(dim=-1, keepdim=True)
    return (squares / (count - 1))[count > 1].mean().sqrt().item()


def contribution_norms(weights: Matrix, value: Matrix) -> Tensor:
    """(n_q, n_k) ‖weight · value‖: how much each key adds to each context.

    A large weight on a short value adds little.

    >>> contribution_norms([[0.5, 0.5]], [[3.0, 4.0], [0.0, 1.0]])
    tensor([[2.5000, 0.5000]], dtype=torch.float64)

    Source: Kobayashi et al. 2020, "Attention is not only a weight".
    """
    lengths: Tensor = torch.linalg.vector_norm(as_floats("value", value).double(), dim=-1)
    norms: Tensor = _as_weights(weights) * lengths
    return norms


def _as_weights(weights: Matrix) -> Tensor:
    matrix = as_floats("weights", weights).double()
    if (matrix < 0).any():
        raise SettingError(f"weights must be at least 0; got {matrix.min().item():.4g}.")
    return matrix

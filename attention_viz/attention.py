"""Scaled dot-product attention, one step a line. Rows are queries, columns are keys, everywhere."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attention_viz.errors import SettingError, ShapeError, check_whole
from attention_viz.matrices import Matrix, as_floats, as_mask, check_finite, finite_number


@dataclass(frozen=True, slots=True)
class SoftCap:
    """A step of some models: logits become limit · tanh(logits / limit)."""

    limit: float


@dataclass(frozen=True, slots=True, eq=False)
class Bias:
    """A step of some models: values (n_q, n_k), finite, are added to the logits."""

    values: Tensor


@dataclass(frozen=True, slots=True)
class Sink:
    """A step of some models: one more logit that takes weight and gives nothing.

    Rows of the weights then sum to less than 1; what is missing went to the sink.
    """

    logit: float


Step = SoftCap | Bias | Sink


@dataclass(frozen=True, slots=True, eq=False)
class AttentionTrace:
    """Every step of one attention head, in the order of the paper.

    Attributes:
        query: (n_q, d_k).
        key: (n_k, d_k).
        value: (n_k, d_v).
        scores: (n_q, n_k), query @ key.mT.
        divisor: what scores are divided by; sqrt(d_k) in the paper.
        scaled_scores: (n_q, n_k), scores / divisor.
        steps: what a model adds between scaling and mask, in order; none in the paper.
        mask: (n_q, n_k) booleans, True where a query may look.
        logits: (n_q, n_k), what softmax sees: -inf where it may not look.
        weights: (n_q, n_k), softmax(logits) over keys. Rows sum to 1; to 0 with nothing to look
            at, and to less than 1 beside a sink.
        context: (n_q, d_v), weights @ value.

    >>> trace = attend([[2.0]], [[1.0], [1.0]], [[4.0], [8.0]])
    >>> trace.scores, trace.weights, trace.context
    (tensor([[2., 2.]]), tensor([[0.5000, 0.5000]]), tensor([[6.]]))
    """

    query: Tensor
    key: Tensor
    value: Tensor
    scores: Tensor
    divisor: float
    scaled_scores: Tensor
    steps: tuple[Step, ...]
    mask: Tensor
    logits: Tensor
    weights: Tensor
    context: Tensor

    @property
    def d_k(self) -> int:
        """Width of query and key."""
        return self.query.shape[-1]


def attend(
    query: Matrix,
    key: Matrix,
    value: Matrix,
    *,
    mask: Matrix | None = None,
    divisor: float | None = None,
    steps: Sequence[Step] = (),
) -> AttentionTrace:
    """Run one head and keep every step.

    weights = softmax(query @ key.mT / divisor), masked where mask is False. Integers and half
    precision are computed in float32, where products do not overflow so soon.

    Args:
        query: (n_q, d_k).
        key: (n_k, d_k).
        value: (n_k, d_v).
        mask: (n_q, n_k) booleans, True where a query may look; everywhere when None. A row with no
            True has weights 0.
        divisor: above 0; sqrt(d_k) when None. Larger is softer.
        steps: what a model adds after scaling, in order.

    Raises:
        ShapeError: sizes do not fit together.
        SettingError: the divisor is not above 0, or a number is not finite.

    >>> attend([[1.0, 0.0]], [[0.0, 1.0], [0.0, 2.0]], [[4.0], [8.0]]).context
    tensor([[6.]])

    Source: Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    query, key, value = as_floats("query", query), as_floats("key", key), as_floats("value", value)
    dtype = torch.promote_types(torch.promote_types(query.dtype, key.dtype), value.dtype)
    query, key, value = query.to(dtype), key.to(dtype), value.to(dtype)
    _check_sizes(query, key, value)
    allowed = as_mask(mask, query.shape[0], key.shape[0])
    divisor = _as_divisor(divisor, query.shape[1])

    scores = query @ key.mT
    steps = [_check_step(step, scores.shape, dtype) for step in steps]
    scaled_scores = scores / divisor
    logits = apply_steps(steps, scaled_scores)
    check_finite("scores / divisor", logits)
    logits = logits.masked_fill(~allowed, -math.inf)
    weights = softmax(logits, sinks=[step.logit for step in steps if isinstance(step, Sink)])
    context = weights @ value
    return AttentionTrace(
        query=query,
        key=key,
        value=value,
        scores=scores,
        divisor=divisor,
        scaled_scores=scaled_scores,
        steps=tuple(steps),
        mask=allowed,
        logits=logits,
        weights=weights,
        context=context,
    )


def unscaled_weights(trace: AttentionTrace) -> Tensor:
    """(n_q, n_k) the weights that the same steps give when nothing is divided."""
    return attend(
        trace.query, trace.key, trace.value, mask=trace.mask, divisor=1.0, steps=trace.steps
    ).weights


def apply_steps(steps: Sequence[Step], scaled_scores: Tensor) -> Tensor:
    """(…, n_q, n_k) what a model makes of scaled scores before the mask; a sink changes none."""
    logits = scaled_scores
    for step in steps:
        match step:
            case SoftCap(limit):
                logits = limit * torch.tanh(logits / limit)
            case Bias(values):
                logits = logits + values
            case Sink():
                pass
    return logits


def softmax(logits: Matrix, *, sinks: Sequence[float] = ()) -> Tensor:
    """Each row's exp(logit) over the sum of the row's; a row of nothing but -inf gives zeros.

    torch subtracts the row's largest logit first, so that exp cannot overflow.

    Args:
        logits: (n_q, n_k); -inf where a query may not look.
        sinks: logits that take part in every row's sum and have no column.

    Returns:
        (n_q, n_k) weights in 0 … 1.

    Raises:
        ShapeError: the logits are no matrix.
        SettingError: one is NaN or plus infinity, or a sink is not finite.

    >>> softmax([[1000.0, 1000.0], [3.0, -torch.inf]])
    tensor([[0.5000, 0.5000],
            [1.0000, 0.0000]])

    Source: Bridle 1990, who named it.
    """
    logits = as_floats("logits", logits, finite=False)
    checked = [_sink_logit(sink, logits.dtype) for sink in sinks]
    return softmax_over_keys(logits, [logits.new_tensor(sink) for sink in checked])


def softmax_over_keys(logits: Tensor, sinks: Sequence[Tensor] = ()) -> Tensor:
    """(…, n_q, n_k) ``softmax`` of any number of heads at once; nothing is checked.

    Args:
        logits: (…, n_q, n_k), floats.
        sinks: each one logit a head, of a shape that expands to (…, n_q, 1), in their precision.
    """
    columns = (sink.expand(*logits.shape[:-1], 1) for sink in sinks)
    with_sinks = torch.cat([logits, *columns], dim=-1) if sinks else logits
    weights = torch.softmax(with_sinks, dim=-1)[..., : logits.shape[-1]]
    nothing_allowed = (logits == -math.inf).all(dim=-1, keepdim=True)
    return weights.masked_fill(nothing_allowed, 0.0)


def row_softmax(logits: Tensor) -> Tensor:
    """(n,) ``softmax`` of one row of logits (n,).

    >>> row_softmax(torch.tensor([1000.0, 1000.0]))
    tensor([0.5000, 0.5000])
    """
    return softmax(logits.unsqueeze(0))[0]


def causal_mask(n: int) -> Tensor:
    """(n, n) booleans: a query may look at itself and at what came before.

    Args:
        n: number of tokens, 1 … 2²⁰.

    Raises:
        SettingError: n is outside its range.

    >>> causal_mask(2)
    tensor([[ True, False],
            [ True,  True]])

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    check_whole("n", n, 1, 2**20)
    return torch.ones(n, n, dtype=torch.bool).tril()


def _check_step(step: Step, shape: torch.Size, dtype: torch.dtype) -> Step:
    """The step in the precision of the scores, or a sentence about what is wrong with it."""
    match step:
        case SoftCap(limit):
            return SoftCap(finite_number("the limit of a soft-cap", limit, above=0))
        case Sink(logit):
            return Sink(_sink_logit(logit, dtype))
        case Bias(values):
            matrix = as_floats("bias", values)
            if matrix.shape != shape:
                raise ShapeError(
                    f"bias must have shape (n_q, n_k)={tuple(shape)}; got {tuple(matrix.shape)}."
                )
            return Bias(matrix.to(dtype))
    raise SettingError(f"a step must be a SoftCap, a Bias or a Sink; got {step!r:.40}.")


def _sink_logit(logit: object, dtype: torch.dtype) -> float:
    """A number that is finite in the precision of the logits too."""
    number = finite_number("the logit of a sink", logit)
    largest = torch.finfo(dtype).max
    if abs(number) > largest:
        raise SettingError(f"the logit of a sink must be within ±{largest:.3g}; got {number:.3g}.")
    return number


def _as_divisor(divisor: float | None, d_k: int) -> float:
    if divisor is None:
        return math.sqrt(d_k)
    return finite_number("divisor", divisor, above=0)


def _check_sizes(query: Tensor, key: Tensor, value: Tensor) -> None:
    for name, matrix in (("query", query), ("key", key), ("value", value)):
        if 0 in matrix.shape:
            raise ShapeError(
                f"{name} must have at least one row and one column; got shape "
                f"{tuple(matrix.shape)}."
            )
    if query.shape[1] != key.shape[1]:
        raise ShapeError(
            f"query and key must have the same width d_k; got {query.shape[1]} and {key.shape[1]}."
        )
    if key.shape[0] != value.shape[0]:
        raise ShapeError(
            f"key and value must have the same number of rows n_k; got {key.shape[0]} and "
            f"{value.shape[0]}."
        )

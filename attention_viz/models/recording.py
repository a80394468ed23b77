"""Every attention layer of a Hugging Face model, recorded in one forward.

A model that goes through transformers' attention interface is given a function of ours. It calls
the model's own eager attention, so nothing is changed, and keeps what went in and what came out.
Layer number is the order of the calls: some models share one module between layers, or number none.
"""

import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Final

import torch
from torch import Tensor, nn

from attention_viz.attention import (
    AttentionTrace,
    Bias,
    Sink,
    SoftCap,
    Step,
    apply_steps,
    attend,
    softmax_over_keys,
)
from attention_viz.errors import AttentionVizError

NAME: Final = "attention_viz"  # of our function in transformers' registries
CLOSE: Final = 1e-4  # recomputed weights that are further off are not the model's


@dataclass(frozen=True, slots=True, eq=False)
class OwnWeights:
    """One attention layer whose steps are not known: what it made of a text, and no more.

    Attributes:
        own: (heads, n_q, n_k) the model's own weights.
        residual: largest difference of recomputed weights from them; NaN when none could be.
    """

    own: Tensor
    residual: float

    @property
    def num_heads(self) -> int:
        """Number of query heads."""
        return self.own.shape[0]

    def weights(self, head: int) -> Tensor:
        """(n_q, n_k) the weights of one head."""
        return self.own[head]

    def head_mask(self, head: int) -> Tensor:
        """(n_q, n_k) booleans: where it may look is not known, so everywhere."""
        return torch.ones_like(self.own[head], dtype=torch.bool)


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One attention layer on one text: all that its heads were given.

    Attributes:
        inputs: (n_q, d_model) what the layer was given.
        query: (heads, n_q, d_k) after rotary embedding and norms, before any scaling.
        key: (key_heads, n_k, d_k); each serves heads / key_heads queries.
        value: (key_heads, n_k, d_v).
        mask: (1 or heads, n_q, n_k) booleans, True where a query may look.
        bias: (1 or heads, n_q, n_k) added to the scaled scores; no cells when there is none.
        divisor: what this layer divides by.
        softcap: its limit; 0 when there is none.
        sinks: (heads,) logits; none when there are none.
        residual: largest difference of recomputed weights from the model's own, in any head.
    """

    inputs: Tensor
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor
    bias: Tensor
    divisor: float
    softcap: float
    sinks: Tensor
    residual: float = 0.0

    @property
    def num_heads(self) -> int:
        """Number of query heads."""
        return self.query.shape[0]

    def key_head(self, head: int) -> int:
        """Which key and value a head uses: neighbours share one where keys are grouped."""
        return head // (self.query.shape[0] // self.key.shape[0])

    def steps(self, head: int) -> tuple[Step, ...]:
        """What this layer adds between scaling and mask, in order."""
        steps: list[Step] = []
        if self.softcap:
            steps.append(SoftCap(self.softcap))
        if self.bias.numel():
            steps.append(Bias(self.bias[min(head, self.bias.shape[0] - 1)]))
        if self.sinks.numel():
            steps.append(Sink(self.sinks[head].item()))
        return tuple(steps)

    def head_mask(self, head: int) -> Tensor:
        """(n_q, n_k) booleans, True where a query may look."""
        return self.mask[min(head, self.mask.shape[0] - 1)]

    def trace(self, head: int, divisor: float | None = None) -> AttentionTrace:
        """Every step of one head, computed again; with the layer's own divisor when None."""
        which = self.key_head(head)
        return attend(
            self.query[head],
            self.key[which],
            self.value[which],
            mask=self.head_mask(head),
            divisor=self.divisor if divisor is None else divisor,
            steps=self.steps(head),
        )

    def weights(self, head: int) -> Tensor:
        """(n_q, n_k) the weights of one head."""
        return self.trace(head).weights


@dataclass(frozen=True, slots=True, eq=False)
class RawCall:
    """What one call was given and gave, for the whole batch."""

    module: nn.Module
    inputs: Tensor
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    options: Mapping[str, Any]
    weights: Tensor


@dataclass(slots=True, eq=False)
class _Recorder:
    calls: list[RawCall]
    inputs: Tensor


_recorder: ContextVar[_Recorder] = ContextVar("recorder")


@contextmanager
def recording() -> Iterator[list[RawCall]]:
    """The calls of every attention layer that this thread runs inside."""
    recorder = _Recorder([], torch.empty(0))
    token = _recorder.set(recorder)
    try:
        yield recorder.calls
    finally:
        _recorder.reset(token)


def register() -> None:
    """Make ``attn_implementation=NAME`` known to transformers.

    With a mask function too: without one the mask is silently None, and causal models look ahead.
    """
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(NAME, _attention)
    AttentionMaskInterface.register(NAME, eager_mask)


def note_inputs(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """A forward pre-hook of an attention module: what it was given."""
    recorder = _recorder.get(None)
    if recorder is None:
        return
    given = (value for value in (*args, *kwargs.values()) if isinstance(value, Tensor))
    recorder.inputs = next(given)  # hidden states come first


def _attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    **options: Any,
) -> tuple[Tensor, Tensor]:
    output, weights = _eager(module)(module, query, key, value, attention_mask, **options)
    recorder = _recorder.get(None)
    if recorder is not None:
        recorder.calls.append(
            RawCall(module, recorder.inputs, query, key, value, attention_mask, options, weights)
        )
    return output, weights


def _eager(module: nn.Module) -> Any:
    """The model's own attention, written out in the file that defines its module."""
    for cls in type(module).__mro__:
        own = getattr(sys.modules[cls.__module__], "eager_attention_forward", None)
        if own is not None:
            return own
    raise NotImplementedError(f"{type(module).__name__} has no eager attention")


def read_call(raw: RawCall, item: int = 0, padding: Tensor | None = None) -> Call | OwnWeights:
    """One text of a recorded batch without its padding, every step, if they give its weights.

    Args:
        raw: what a layer was given and gave.
        item: which text of the batch.
        padding: (n,) booleans, True at padding; it is dropped from every side of that length.
    """
    # A slice copies nothing.
    queries, keys = (
        slice(None) if padding is None or len(padding) != n else ~padding
        for n in raw.weights.shape[2:]
    )
    own = raw.weights[item][:, queries][:, :, keys]
    divisor, query = _unscaled(raw, raw.query[item][:, queries])
    mask, bias = _mask_and_bias(raw, item, queries, keys, own.shape[1:])
    sinks = raw.options.get("s_aux")
    call = Call(
        inputs=raw.inputs[item][queries],
        query=query,
        key=raw.key[item][:, keys],
        value=raw.value[item][:, keys],
        mask=mask,
        bias=bias,
        divisor=divisor,
        softcap=float(raw.options.get("softcap") or 0.0),
        sinks=torch.empty(0) if sinks is None else sinks.flatten(),
    )
    residual = _residual(call, own)
    # Not "above CLOSE": a difference that is not a number is no small one.
    return replace(call, residual=residual) if residual <= CLOSE else OwnWeights(own, residual)


def _residual(call: Call, own: Tensor) -> float:
    """The largest difference between the weights computed again and the model's own."""
    try:
        call.trace(0)  # what it refuses in one head, but for what is not finite, it does in all
    except AttentionVizError:
        return math.nan
    logits = _logits(call)
    # The least and the largest tell of NaN and infinity, in one pass over what is large here.
    given = (call.query, call.key, call.value, call.bias, call.sinks, *logits.aminmax())
    if not all(numbers.isfinite().all() for numbers in given):
        return math.nan
    if not call.mask.all():
        logits = logits.masked_fill(~call.mask, -math.inf)
    sinks = [call.sinks.to(logits.dtype).view(-1, 1, 1)] if call.sinks.numel() else []
    differences = softmax_over_keys(logits, sinks).sub_(own).abs_().amax(dim=-1)
    seen = call.mask.any(dim=-1)  # a query that may look nowhere has no distribution
    largest = differences.where(seen, 0.0).max().item()
    return largest if math.isfinite(largest) else math.nan  # the model's own are not finite


def _logits(call: Call) -> Tensor:
    """(heads, n_q, n_k) what ``attend`` has before the mask, of all heads."""
    dtype = torch.float32
    for part in (call.query, call.key, call.value):
        dtype = torch.promote_types(dtype, part.dtype)
    query, key = call.query.to(dtype), call.key.to(dtype)
    # One product for each head, as in a trace: a product of all can be rounded in another way.
    heads = range(call.num_heads)
    scores = torch.stack([query[head] @ key[call.key_head(head)].mT for head in heads])
    of_all = [Bias(call.bias) if isinstance(step, Bias) else step for step in call.steps(0)]
    return apply_steps(of_all, scores.div_(call.divisor))


def _unscaled(raw: RawCall, query: Tensor) -> tuple[float, Tensor]:
    """The layer's divisor, and the query before any scaling.

    Some models scale the query beforehand and tell the interface 1: their number is the module's.
    """
    scaling = raw.options.get("scaling")
    if scaling is None:
        scaling = query.shape[-1] ** -0.5
    before = getattr(raw.module, "scaling", None)
    if scaling == 1.0 and isinstance(before, float) and before != 1.0:
        return 1 / before, query / before
    return 1 / float(scaling), query


def _mask_and_bias(
    raw: RawCall, item: int, queries: Tensor | slice, keys: Tensor | slice, sizes: torch.Size
) -> tuple[Tensor, Tensor]:
    """Where a query may look, and what is added there.

    A mask is a float of 0 and of the least number there is, which takes the score in: adding it
    and taking it off again would lose the score, so it is read and never added.
    """
    added = torch.zeros(1, *sizes)
    mask = torch.ones_like(added, dtype=torch.bool)
    for whole in (raw.mask, raw.options.get("position_bias")):
        if whole is None:
            continue
        of_item = whole[min(item, whole.shape[0] - 1)].expand(-1, raw.weights.shape[2], -1)
        part = of_item[:, queries][:, :, keys]
        if part.dtype == torch.bool:
            mask = mask & part
            continue
        shut = part <= torch.finfo(part.dtype).min / 2
        mask = mask & ~shut
        added = added + part.float().masked_fill(shut, 0.0)
    return mask, added if added.any() else torch.empty(0)

"""What a file of numbers holds: every matrix of a run by its name, its words, its settings."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from attention_viz.attention import Bias, Sink, SoftCap, Step, softmax, unscaled_weights
from attention_viz.export.naming import Fact, settings
from attention_viz.measures import entropy
from attention_viz.models import HeadFacts, ModelRun, WeightsRun
from attention_viz.pipeline import Run
from attention_viz.tokens import Tokens
from attention_viz.version import VERSION


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A matrix, a column or a single number.

    Attributes:
        name: as in ``AttentionTrace``.
        values: (rows, columns), (rows,) or ().
        rows: the tokens that rows stand for; None for a single number.
        columns: the tokens that columns stand for; None where they are coordinates.
        known: as values, False where there is no number, such as a masked weight.
    """

    name: str
    values: Tensor
    rows: Tokens | None
    columns: Tokens | None
    known: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """All numbers of one head on one sentence.

    Attributes:
        tokens: the n_q queries.
        keys: the n_k keys: the same object in self-attention.
        parts: in the order of the paper.
        settings: what was chosen.
        about: what is true of a model's head.
    """

    tokens: Tokens
    keys: Tokens
    parts: tuple[Part, ...]
    settings: Mapping[str, Fact]
    about: Mapping[str, Any] = field(default_factory=dict)


def record_of(run: Run | WeightsRun, *, row: int = 0, scale: str = "fixed") -> Record:
    """Everything that is known of a run.

    Args:
        run: of a head whose steps are known, or of one whose weights alone are.
        row: the picked query, for the settings.
        scale: of the colours of scores, for the settings.

    Raises:
        SettingError: the run has no such row, or there is no such scale.
    """
    chosen = settings(run, row=row, scale=scale)
    if isinstance(run, WeightsRun):
        parts = (
            _whole("weights", run.weights, run.tokens, run.keys),
            _entropies(run.weights, run.mask, run.tokens),
        )
        return Record(run.tokens, run.keys, parts, chosen, _about(run.facts) | {"why": run.why})
    about = _about(run.facts) if isinstance(run, ModelRun) else {}
    return Record(run.tokens, run.keys, tuple(_parts(run)), chosen, about)


def record_by_hand(tokens: Tokens, scores: Tensor) -> Record:
    """Scores (n, n) that nobody computed, and what softmax makes of them."""
    weights = softmax(scores)
    parts = (
        _whole("scores", scores, tokens, tokens),
        _whole("weights", weights, tokens, tokens),
        _entropies(weights, torch.ones_like(weights, dtype=torch.bool), tokens),
    )
    chosen = {"text": tokens.text, "head": "by hand", "version": VERSION}
    return Record(tokens, tokens, parts, chosen)


def _parts(run: Run) -> Iterator[Part]:
    trace, tokens, keys = run.trace, run.tokens, run.keys
    yield _whole("d_k", torch.tensor(trace.d_k))
    yield _whole("divisor", torch.tensor(trace.divisor, dtype=torch.float64))
    yield _whole("inputs", run.inputs, tokens)
    yield _whole("query", trace.query, tokens)
    yield _whole("key", trace.key, keys)
    yield _whole("value", trace.value, keys)
    yield _whole("scores", trace.scores, tokens, keys)
    yield _whole("scaled_scores", trace.scaled_scores, tokens, keys)
    for place, step in enumerate(trace.steps, 1):
        yield _step(f"step_{place}", step, tokens, keys)
    yield _whole("mask", trace.mask, tokens, keys)
    for name, values in (
        ("logits", trace.logits),
        ("weights", trace.weights),
        ("weights_without_scaling", unscaled_weights(trace)),
    ):
        yield Part(name, values, tokens, keys, trace.mask)
    yield _whole("context", trace.context, tokens)
    yield _entropies(trace.weights, trace.mask, tokens)


def _whole(
    name: str, values: Tensor, rows: Tokens | None = None, columns: Tokens | None = None
) -> Part:
    """A part of which no cell is masked."""
    return Part(name, values, rows, columns, values.isfinite())


def _step(name: str, step: Step, tokens: Tokens, keys: Tokens) -> Part:
    match step:
        case SoftCap(limit):
            return _whole(f"{name}_softcap", torch.tensor(limit, dtype=torch.float64))
        case Bias(values):
            return _whole(f"{name}_bias", values, tokens, keys)
        case Sink(logit):
            return _whole(f"{name}_sink", torch.tensor(logit, dtype=torch.float64))


def _entropies(weights: Tensor, mask: Tensor, tokens: Tokens) -> Part:
    nats = entropy(weights, mask)
    return Part("entropy", nats, tokens, None, ~nats.isnan())


def _about(of: HeadFacts) -> dict[str, Any]:
    return {
        "model": of.model,
        "layer": of.layer,
        "head_index": of.head,
        "residual": None if math.isnan(of.residual) else of.residual,
        "extras": list(of.extras),
    }

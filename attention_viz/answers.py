"""The numbers of each question's experiment, computed from the very link that sets it up."""

import math
from collections.abc import Callable
from typing import Final

import torch
from torch import Tensor

from attention_viz import surprises
from attention_viz.alternatives import Way, jacobian_by, mix_of, weights_by
from attention_viz.attention import softmax
from attention_viz.byhand import textbook
from attention_viz.heads import Start
from attention_viz.jacobian import jacobian_norm, row_jacobian
from attention_viz.lessons import Link
from attention_viz.measures import effective_support
from attention_viz.mistakes import weights_over_queries
from attention_viz.pipeline import Recipe, Run, distances, parse_divisor
from attention_viz.precision import TYPES, dtype_name, exp_of, exp_range, softmax_steps
from attention_viz.reading import minus, number, percent, read_row
from attention_viz.rows import parse_row
from attention_viz.surprises import Numbers


def numbers_of(key: str, links: tuple[Link, ...]) -> Numbers:
    """What the texts of a question name: each placeholder and its words.

    Args:
        key: of the question.
        links: to its experiment, and to a second one where it has two.
    """
    return {gap: minus(words) for gap, words in _NUMBERS[key](*links).items()}


def scores_of(link: Link) -> Tensor:
    """(n,) the scores that a link into the Softmax lab types, float64."""
    return torch.tensor(parse_row(link.query["softmax_scores"]), dtype=torch.float64)


def run_of(link: Link) -> Run:
    """The run that a link to a random head shows."""
    query = link.query
    seed, d_model, d_k = (int(query[key]) for key in ("seed", "d_model", "d_k"))
    divisor = parse_divisor(query["divisor"], d_k=d_k, d_model=d_model)
    recipe = Recipe(
        text=query["text"],
        seed=seed,
        d_model=d_model,
        start=Start(query.get("start", Start.GAUSSIAN)),
        positions=query.get("positions") == "true",
        causal=query.get("mask") == "causal",
    )
    return recipe.run(d_k, divisor)


def _purpose(link: Link) -> Numbers:
    steps = softmax_steps(scores_of(link), shifted=False)
    top = int(steps.weights.argmax())
    return {
        "scores": _row(steps.scores),
        "weights": _row(steps.weights),
        "place": str(top + 1),
        "score": number(steps.scores[top].item()),
        "exp": number(steps.exps[top].item()),
        "sum": number(steps.total),
        "weight": number(steps.weights[top].item()),
        "least": number(steps.weights.min().item()),
        "total": number(steps.weights.sum().item()),
    }


def _weights(link: Link) -> Numbers:
    shown, row = run_of(link), int(link.query["row"])
    first, second = shown.trace.weights[row].topk(2).indices.tolist()
    score, other = (shown.trace.scaled_scores[row, key].item() for key in (first, second))
    weight, lower = (shown.trace.weights[row, key].item() for key in (first, second))
    gap = score - other
    return {
        "reading": _reading(shown, row),
        "query": shown.tokens.names[row],
        "first": shown.tokens.names[first],
        "second": shown.tokens.names[second],
        "score": number(score),
        "other": number(other),
        "weight": number(weight),
        "lower": number(lower),
        "gap": number(gap),
        "ratio": number(weight / lower),
        "exp": number(exp_of(gap)),
        "one": "1",
    }


def _sums(link: Link, then: Link) -> Numbers:
    scores, fewer = scores_of(link), scores_of(then)
    shares, each = (weights_by(way, scores) for way in (Way.SOFTMAX, Way.SIGMOID))
    held = weights_by(Way.SIGMOID, scores - math.log(len(scores)))
    beside_sink = weights_by(Way.SOFTMAX, torch.cat([scores, scores[:1]]))[:-1]
    return {
        "n": str(len(scores)),
        "few": str(len(fewer)),
        "one": number(shares.sum().item()),
        "share": number(shares[0].item()),
        "mean": number(mix_of(shares)),
        "each": number(each[0].item()),
        "sigmoid": number(each.sum().item()),
        "mix": number(mix_of(each)),
        "two": number(weights_by(Way.SIGMOID, fewer).sum().item()),
        "held": number(held.sum().item()),
        "sunk": number(beside_sink.sum().item()),
    }


def _without(link: Link) -> Numbers:
    scores = scores_of(link)
    mix, soft = (mix_of(weights_by(way, scores)) for way in (Way.RAW, Way.SOFTMAX))
    raw, norm = (jacobian_by(way, scores).norm() for way in (Way.RAW, Way.SOFTMAX))
    return {
        "n": str(len(scores)),
        "scores": _row(scores),
        "sum": number(scores.sum().item()),
        "mix": number(mix),
        "soft": number(soft),
        "raw": number(raw.item()),
        "norm": number(norm.item()),
    }


def _matrix(link: Link) -> Numbers:
    shown = run_of(link)
    scaled, weights, n = shown.trace.scaled_scores, shown.trace.weights, shown.tokens.n
    (row, key), (other, rival) = _overtaken(scaled, weights)
    return {
        "reading": _reading(shown, int(link.query["row"])),
        "n": str(n),
        "cells": str(n * n),
        "one": number(weights[row].sum().item()),
        "total": number(weights.sum().item()),
        "query": shown.tokens.names[row],
        "score": number(scaled[row, key].item()),
        "weight": number(weights[row, key].item()),
        "rival": shown.tokens.names[other],
        "smaller": number(scaled[other, rival].item()),
        "more": number(weights[other, rival].item()),
    }


def _overtaken(scores: Tensor, weights: Tensor) -> list[tuple[int, int]]:
    """The cells of a larger score and of a smaller one whose weight is larger by most."""
    score, weight = scores.flatten(), weights.flatten()
    larger = score.unsqueeze(1) > score
    ahead = (weight - weight.unsqueeze(1)).masked_fill(~larger, -1.0)
    one, two = divmod(int(ahead.argmax()), score.numel())
    return [divmod(cell, scores.shape[1]) for cell in (one, two)]


def _context(link: Link, then: Link) -> Numbers:
    one, two = run_of(link), run_of(then)
    row, other = int(link.query["row"]), int(then.query["row"])
    inputs, contexts = distances(one, row, two, other)
    return {
        "reading": _reading(one, row),
        "second": _reading(two, other),
        "inputs": number(inputs),
        "contexts": number(contexts),
        "length": number(one.trace.context[row].norm().item()),
        "elsewhere": then.query["text"],
    }


def _large(link: Link) -> Numbers:
    scores = scores_of(link)
    shifted = softmax_steps(scores, dtype=torch.float32).weights
    failed = [
        dtype_name(dtype)
        for dtype in TYPES
        if not softmax_steps(scores, dtype=dtype, shifted=False).weights.isfinite().all()
    ]
    return {
        "scores": _row(scores),
        "types": ", ".join(failed),
        "limit": number(exp_range(torch.float32).log_largest),
        "shifted": _row(shifted),
        "top": number(scores[0].item()),
        "next": number(scores[1].item()),
        "lower": number(shifted[1].item()),
        "zero": number(shifted[2].item()),
        "log": number(torch.log_softmax(scores, dim=-1)[2].item()),
        "one": "1",
    }


def _columns(link: Link) -> Numbers:
    shown, query = run_of(link), int(link.query["row"])
    rows = weights_over_queries(shown.trace).sum(dim=1)
    scores = shown.trace.scores
    key = (query + 1) % shown.tokens.n
    return {
        "n": str(shown.tokens.n),
        "one": number(shown.trace.weights[query].sum().item()),
        "zero": "0",
        "low": number(rows.min().item()),
        "high": number(rows.max().item()),
        "query": shown.tokens.names[query],
        "key": shown.tokens.names[key],
        "there": number(scores[query, key].item()),
        "back": number(scores[key, query].item()),
    }


def _slopes(link: Link, then: Link) -> Numbers:
    scores, even = scores_of(link), scores_of(then)
    top = int(scores.argmax())
    return {
        "weight": f"{weights_by(Way.SOFTMAX, scores).max().item():.6f}",
        "norm": number(jacobian_norm(scores.unsqueeze(0)).item()),
        "even": number(jacobian_norm(even.unsqueeze(0)).item()),
        "own": number(row_jacobian(scores)[top, top].item()),
        "flat": number(row_jacobian(even)[top, top].item()),
        "zero": number(jacobian_by(Way.HARDMAX, scores).norm().item()),
        "one": "1",
    }


def _good(_link: Link) -> Numbers:
    tokens, scores = textbook()
    weights = softmax(scores)
    first, second, third = (f"{weight:.2f}" for weight in weights[0].tolist())
    return {
        "reading": read_row(tokens, weights, weights > 0, 0),
        "first": first,
        "second": second,
        "third": third,
        "most": percent(weights[0, 0].item()),
        "effective": number(effective_support(weights[:1]).item()),
    }


def _reading(shown: Run, row: int) -> str:
    return read_row(shown.tokens, shown.trace.weights, shown.trace.mask, row)


def _row(values: Tensor) -> str:
    return ", ".join(number(value) for value in values.tolist())


_NUMBERS: Final[dict[str, Callable[..., Numbers]]] = {
    "purpose": _purpose,
    "weights": _weights,
    "sums": _sums,
    "without": _without,
    "matrix": _matrix,
    "context": _context,
    "large": _large,
    "columns": _columns,
    "slopes": _slopes,
    "good": _good,
    **surprises.NUMBERS,
}

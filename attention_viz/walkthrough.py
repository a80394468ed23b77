"""One run gone through by hand: for each step the numbers of its text, and the answers to fill in.

The names of words are the placeholders of the lesson ``steps``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

import torch
from torch import Tensor

from attention_viz.attention import unscaled_weights
from attention_viz.errors import SettingError
from attention_viz.experiments.sweep import Point, Sweep
from attention_viz.pipeline import Run
from attention_viz.reading import percent, read_row
from attention_viz.rows import write_row
from attention_viz.scaling import STOPS
from attention_viz.worked import Answer, Worked, count, counted, near, say

SHIFT: Final = 5.0  # that changes no weight when it is added to a whole row
_FIRST: Final = 3  # numbers of a vector that a sentence names


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Where a run is looked at: one query and the two keys that it weighs most.

    With one allowed key both are the same.
    """

    run: Run
    row: int
    key: int
    other: int

    @property
    def place(self) -> int:
        """The coordinate of query and key that is multiplied as a blank."""
        return min(1, self.run.trace.d_k - 1)

    @property
    def names(self) -> dict[str, str]:
        """The query and both keys, for a sentence."""
        keys = self.run.keys.names
        query = self.run.tokens.names[self.row]
        return {"query": query, "key": keys[self.key], "other": keys[self.other]}


def spot(run: Run, row: int) -> Spot:
    """The row of a run, and the keys to look at in it.

    Raises:
        SettingError: the mask leaves this query no key.
    """
    allowed = run.trace.mask[row].nonzero().flatten().tolist()
    if not allowed:
        name = run.tokens.names[row]
        raise SettingError(f"{name} may look at no key, so it has no weights: choose another row.")
    weights = run.trace.weights[row]
    ranked = sorted(allowed, key=lambda key: -weights[key].item())
    return Spot(run, row, ranked[0], ranked[min(1, len(ranked) - 1)])


def row_with_choice(run: Run, row: int) -> int:
    """The row, or if it has no two keys to share between, the last one that has."""
    choices = (run.trace.mask.sum(dim=-1) > 1).nonzero().flatten().tolist()
    return row if row in choices or not choices else choices[-1]


def mix(scores: Sequence[float], values: Sequence[float]) -> Worked:
    """Scores of three keys, their weights, and the mix of three values."""
    row, mixed = torch.tensor(scores).double(), torch.tensor(values).double()
    weights = torch.softmax(row, dim=0)
    words = {
        "scores": ", ".join(map(say, scores)),
        "written": quote(write_row(scores)),
        "shift": say(SHIFT),
        "score": say(scores[0]),
        "exp": say(row[0].exp()),
        "total": say(row.exp().sum()),
        "weight": say(weights[0]),
        "value": say(values[0]),
        "term": say(weights[0] * values[0]),
    }
    return Worked(words, (near(weights @ mixed),))


def growth(sweep: Sweep, point: Point, *, other: int) -> Worked:
    """Largest weights and derivatives at one d_k, undivided and divided, over random heads."""
    divided, undivided = point.readings
    words = {
        "d_k": str(point.d_k),
        "root": say(math.sqrt(point.d_k)),
        "draws": str(sweep.draws),
        "keys": str(sweep.keys),
        "unscaled": f"{undivided.peak.mean:.2f}",
        "scaled": f"{divided.peak.mean:.2f}",
        "flat": f"{undivided.jacobian_norm.median:.2f}",
        "steep": f"{divided.jacobian_norm.median:.2f}",
        "other": str(other),
        "start": str(STOPS[3]),
    }
    return Worked(words, (near(math.sqrt(other)),))


def product(at: Spot) -> Worked:
    """Two products of a query and its heaviest key."""
    query, key = at.run.trace.query[at.row], at.run.trace.key[at.key]
    place = at.place
    words = {
        "query": at.names["query"],
        "key": at.names["key"],
        "q": say(query[0]),
        "k": say(key[0]),
        "product": say(query[0] * key[0]),
        "score": say(at.run.trace.scores[at.row, at.key]),
        "place": str(place + 1),
        "d_k": str(at.run.trace.d_k),
        "other_q": say(query[place]),
        "other_k": say(key[place]),
        "row": str(at.row),
    }
    return Worked(words, (near(query[place] * key[place]),))


def inputs(at: Spot) -> Worked:
    """The size of the inputs."""
    n, d_model = at.run.inputs.shape
    words = {
        "tokens": counted(n, "token"),
        "n": str(n),
        "d_model": str(d_model),
        "query": at.names["query"],
        "first": _beginning(at.run.inputs[at.row]),
    }
    return Worked(words, (count(n * d_model),))


def projections(at: Spot) -> Worked:
    """The sizes of query, key and value."""
    trace = at.run.trace
    words = {
        **_sizes(at.run),
        "query": at.names["query"],
        "first": _beginning(trace.query[at.row]),
        "larger": str(_larger(trace.d_k)),
    }
    held = trace.query.numel() + trace.key.numel() + trace.value.numel()
    return Worked(words, (count(held),))


def pairs(at: Spot) -> Worked:
    """How many scores there are, and one of them."""
    trace, sizes = at.run.trace, _sizes(at.run)
    words = {
        **{name: sizes[name] for name in ("n_q", "n_k", "d_k")},
        "query": at.names["query"],
        "key": at.names["key"],
        "score": say(trace.scores[at.row, at.key]),
        "reversed": quote(" ".join(reversed(at.run.tokens.text.split()))),
    }
    scores = trace.scores.numel()
    return Worked(words, (count(scores), count(scores * trace.d_k), count(4 * scores)))


def division(at: Spot) -> Worked:
    """One score divided, and another to divide."""
    trace, d_k = at.run.trace, at.run.trace.d_k
    scores, scaled = trace.scores[at.row], trace.scaled_scores[at.row]
    peak, unscaled = (each[at.row].max() for each in (trace.weights, unscaled_weights(trace)))
    words = {
        **at.names,
        "divisor": say(trace.divisor),
        "d_k": str(d_k),
        "root": say(math.sqrt(d_k)),
        "score": say(scores[at.key]),
        "scaled": say(scaled[at.key]),
        "other_score": say(scores[at.other]),
        "larger": str(_larger(d_k)),
        "peak": say(peak),
        "unscaled": say(unscaled),
        "row": str(at.row),
    }
    root, apart = math.sqrt(_larger(d_k)), (scaled[at.key] - scaled[at.other]).abs()
    return Worked(words, (near(root), near(scaled[at.other]), near(apart)))


def shares(at: Spot) -> Worked:
    """Exp and weight of the heaviest key, and of the one after it."""
    weights = at.run.trace.weights[at.row].double()
    heaviest, next_ = weights[at.key], weights[at.other]
    words = {
        **at.names,
        "total": say(1 / heaviest),
        "weight": say(heaviest),
        "other_exp": say(next_ / heaviest),
        "shift": say(SHIFT),
    }
    return Worked(words, (near(next_), near(heaviest), near(1 - heaviest)))


def context(at: Spot) -> Worked:
    """What two keys add to the first coordinate of a context."""
    weights, value = at.run.trace.weights[at.row], at.run.trace.value
    sizes = _sizes(at.run)
    words = {
        **at.names,
        "weight": say(weights[at.key]),
        "value": say(value[at.key, 0]),
        "term": say(weights[at.key] * value[at.key, 0]),
        "other_weight": say(weights[at.other]),
        "other_value": say(value[at.other, 0]),
        "n_q": sizes["n_q"],
        "d_v": sizes["d_v"],
        "row": str(at.row),
    }
    answers = (
        near(weights[at.other] * value[at.other, 0]),
        near(value[at.key, 0]),
        count(at.run.trace.context.numel()),
    )
    return Worked(words, answers)


def reading(at: Spot) -> Worked:
    """The row as shares of a mix."""
    run, weights = at.run, at.run.trace.weights[at.row].double()
    words = {
        "reading": read_row(run.tokens, run.trace.weights, run.trace.mask, at.row, keys=run.keys),
        "key": at.names["key"],
        "share": percent(weights[at.key].item()),
        "row": str(at.row),
    }
    rest = 100 * (weights.sum() - weights[at.key]).item()
    mixed = int((weights > 0).sum())
    return Worked(words, (Answer(rest, within=1, whole=True), count(mixed), count(1)))


OF_RUNS: Final[dict[str, Callable[[Spot], Worked]]] = {
    "product": product,
    "inputs": inputs,
    "projections": projections,
    "pairs": pairs,
    "division": division,
    "shares": shares,
    "context": context,
    "reading": reading,
}


def _beginning(vector: Tensor) -> str:
    return ", ".join(map(say, vector[:_FIRST]))


def _larger(d_k: int) -> int:
    larger: int = min(4 * d_k, STOPS[-1])
    return larger


def _sizes(run: Run) -> dict[str, str]:
    trace = run.trace
    n_q, n_k = trace.scores.shape
    sizes = {"n_q": n_q, "n_k": n_k, "d_k": trace.d_k, "d_v": trace.value.shape[1]}
    return {name: str(size) for name, size in sizes.items()}

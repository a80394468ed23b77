"""The same small attention layer trained with and without division by √d_k, from the same start."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, one_hot

from attention_viz.embeddings import generator

STEPS: Final = 200
SEEDS: Final = 5
RATES: Final = (0.1, 1.0, 10.0)
D_K: Final = 256
_D_MODEL: Final = 32
_KEYS: Final = 8
_CLASSES: Final = 8
_EXAMPLES: Final = 32  # in a step


class Way(StrEnum):
    """What is done about √d_k."""

    DIVIDED = "divided"  # scores ÷ √d_k
    UNDIVIDED = "undivided"  # nothing
    ABSORBED = "absorbed"  # nothing is divided, but W_q begins ÷ √d_k: the same start as divided


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """Weights of many layers at once, (runs, rows, columns) each, and what divides the scores."""

    query: Tensor
    key: Tensor
    value: Tensor
    divisor: float

    def losses(self, batch: "Batch") -> Tensor:
        """(runs,) mean cross-entropy in nats."""
        query = batch.asked @ self.query
        runs, count, keys, _ = batch.names.shape
        key = (batch.names.flatten(1, 2) @ self.key).reshape(runs, count, keys, -1)
        scores = (key @ query.unsqueeze(-1)).squeeze(-1)
        weights = torch.softmax(scores / self.divisor, dim=-1)
        context = (weights.unsqueeze(-2) @ batch.labels).squeeze(-2)
        answers = context @ self.value
        each = cross_entropy(answers.flatten(0, 1), batch.right.flatten(), reduction="none")
        return each.reshape(runs, count).mean(dim=-1)

    def after(self, losses: Tensor, rate: Tensor) -> "Layer":
        """One step of plain gradient descent, each run at its own rate (runs, 1, 1)."""
        weights = (self.query, self.key, self.value)
        slopes = torch.autograd.grad(losses.sum(), weights)
        query, key, value = (
            (weight.detach() - rate * slope).requires_grad_()
            for weight, slope in zip(weights, slopes, strict=True)
        )
        return Layer(query, key, value, self.divisor)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Examples of the task: among named items, find the one that is asked for and say its label.

    Attributes:
        names: (runs, examples, keys, d_model), N(0, 1).
        labels: (runs, examples, keys, classes), one-hot.
        asked: (runs, examples, d_model), the name of one of the items.
        right: (runs, examples), its label.
    """

    names: Tensor
    labels: Tensor
    asked: Tensor
    right: Tensor


def start(way: Way, seed: int = 0) -> Layer:
    """The layers before the first step, N(0, 1/d_model): the same for every way and rate."""
    rng = generator(seed, "learning")
    shapes = ((_D_MODEL, D_K), (_D_MODEL, D_K), (_CLASSES, _CLASSES))
    scales = (_D_MODEL**-0.5, _D_MODEL**-0.5, 1.0)
    query, key, value = (
        (scale * torch.randn(SEEDS, *shape, generator=rng)).repeat(len(RATES), 1, 1)
        for shape, scale in zip(shapes, scales, strict=True)
    )
    if way is Way.ABSORBED:
        query = query / math.sqrt(D_K)
    divisor = math.sqrt(D_K) if way is Way.DIVIDED else 1.0
    return Layer(query.requires_grad_(), key.requires_grad_(), value.requires_grad_(), divisor)


def examples(step: int, seed: int = 0) -> Batch:
    """New examples for each step and each of the seeds; every rate sees the same ones."""
    rng = generator(seed, "learning", step)
    shape = (SEEDS, _EXAMPLES, _KEYS)
    names = torch.randn(*shape, _D_MODEL, generator=rng)
    labels = torch.randint(_CLASSES, shape, generator=rng)
    which = torch.randint(_KEYS, (SEEDS, _EXAMPLES, 1), generator=rng)
    asked = names.take_along_dim(which.unsqueeze(-1), dim=2).squeeze(2)
    right = labels.take_along_dim(which, dim=2).squeeze(2)
    parts = (names, one_hot(labels, _CLASSES).float(), asked, right)
    return Batch(*(part.repeat(len(RATES), *[1] * (part.ndim - 1)) for part in parts))


def train(way: Way, seed: int = 0, steps: int = STEPS) -> Iterator[Tensor]:
    """Train all runs at once, and yield each step's losses (rates, seeds) in nats, on new examples.

    A layer that has nothing to go by loses ln 8 = 2.08 nats at best.
    """
    rate = torch.tensor(RATES).repeat_interleave(SEEDS)[:, None, None]
    layer = start(way, seed)
    for step in range(steps):
        losses = layer.losses(examples(step, seed))
        layer = layer.after(losses, rate)
        yield losses.detach().reshape(len(RATES), SEEDS)


def train_all(seed: int = 0) -> Iterator[Tensor]:
    """The losses of every step of every way, one way after the other."""
    for way in Way:
        yield from train(way, seed)


def by_way(losses: Sequence[Tensor]) -> dict[Way, Tensor]:
    """What ``train_all`` has yielded so far: (steps, rates, seeds) of each way that has begun."""
    begun = list(Way)[: -(-len(losses) // STEPS)]
    return {
        way: torch.stack(list(losses[i * STEPS : (i + 1) * STEPS])) for i, way in enumerate(begun)
    }

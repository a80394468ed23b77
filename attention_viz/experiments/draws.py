"""Queries and keys of many independent rows, coordinate by coordinate, so that d_k can grow."""

import math
from collections.abc import Callable, Generator, Iterator
from enum import StrEnum
from typing import Final

import torch
from torch import Tensor

from attention_viz import heads
from attention_viz.embeddings import generator
from attention_viz.heads import draw_bias, draw_weight, student

BLOCK: Final = 32  # coordinates drawn at once
WIDTH: Final = 64  # d_model of the ways to start that project inputs
_TAIL_DEGREES: Final = 5.0  # Student's t: heavier tails than a Gaussian, but a variance


class Start(StrEnum):
    """How queries and keys of a sweep are drawn.

    The first gives independent entries of mean 0 and variance 1, and so Var(q·k) = d_k. Each of the
    others changes one thing; ``shift`` and ``tails`` are here because √d_k still holds for them.
    """

    GAUSSIAN = "gaussian"  # N(0, 1) entries
    SHIFT = "shift"  # N(1, 1) entries
    TAILS = "tails"  # Student's t with 5 degrees of freedom, variance 1
    TORCH = "torch"  # a new nn.Linear on N(0, 1) inputs, d_model 64
    POSITIVE = "positive"  # the same with weights |N(0, 1/d_model)|
    TIED = "tied"  # q is the first key, which is the query's own token
    LAYER_NORM = "layer_norm"  # the same, rows normalised over the largest d_k
    HEAVY = "heavy"  # Student's t with 1.5 degrees of freedom: no variance


OWN_KEY: Final = frozenset({Start.TIED, Start.LAYER_NORM})
PROJECTED: Final = frozenset({Start.TORCH, Start.POSITIVE})


def coordinates(
    start: Start, draws: int, keys: int, *, seed: int, width: int
) -> Iterator[tuple[Tensor, Tensor]]:
    """Blocks of coordinates of queries (draws, b) and keys (draws, keys, b), until width is full.

    Block i depends on (seed, i) and on the numbers of draws and keys, never on the width, except
    that ``layer_norm`` needs whole rows: there the width is the one that is normalised over.
    """
    blocks = coordinates_or_waits(start, draws, keys, seed=seed, width=width)
    return (block for block in blocks if block is not None)


def coordinates_or_waits(
    start: Start, draws: int, keys: int, *, seed: int, width: int
) -> Iterator[tuple[Tensor, Tensor] | None]:
    """The same, after a None for each block that ``layer_norm`` reads ahead for its moments."""
    blocks = _source(start, draws, keys, seed)
    if start is Start.LAYER_NORM:
        mean, deviation = yield from _moments(blocks, width)
        blocks = _normalised(blocks, mean, deviation)
    for first in range(0, width, BLOCK):
        # Without a name of its own a block is not held while its reader waits.
        yield _parted(start, blocks(first // BLOCK)[..., : width - first])


def passes(start: Start) -> int:
    """How often all blocks are drawn."""
    return 2 if start is Start.LAYER_NORM else 1


def expected_spread(start: Start) -> float:
    """What one coordinate adds to the spread of scores within rows: √(E[q²] · Var(k)).

    If coordinates are independent, the spread of d_k of them is √d_k times as large: σ_q σ_k √d_k
    with means of 0. A constant added to every key cancels within a row, one added to the query does
    not. For ``heavy``, which has no variance, it is what a variance of 1 would give.

    >>> expected_spread(Start.GAUSSIAN), round(expected_spread(Start.SHIFT), 3)
    (1.0, 1.414)
    """
    if start is Start.SHIFT:
        return math.sqrt(2)
    if start is Start.TORCH:
        # Uniform ±1/√d_model: variance 1/(3 d_model) of each weight and of the bias.
        return math.sqrt((1 + 1 / WIDTH) / 3 * (1 / 3))
    return 1.0


_Blocks = Callable[[int], Tensor]


def _parted(start: Start, rows: Tensor) -> tuple[Tensor, Tensor]:
    return rows[:, 0], rows if start in OWN_KEY else rows[:, 1:]


def _source(start: Start, draws: int, keys: int, seed: int) -> _Blocks:
    """A function that draws block i, (draws, rows, BLOCK), row 0 the query."""
    if start in PROJECTED:
        return _projected(heads.Start(start), draws, keys, seed)
    shape = (draws, keys if start in OWN_KEY else keys + 1, BLOCK)
    return lambda i: _ENTRIES[start](shape, generator(seed, "sweep", i))


def _projected(start: heads.Start, draws: int, keys: int, seed: int) -> _Blocks:
    """Each draw is a head of its own on inputs of its own."""
    inputs = torch.randn(draws, keys + 1, WIDTH, generator=generator(seed, "sweep inputs"))

    def block(i: int) -> Tensor:
        rng = generator(seed, "sweep", i)
        parts = []
        for tokens in (inputs[:, :1], inputs[:, 1:]):
            weight = draw_weight(start, (draws, BLOCK, WIDTH), rng)
            bias = draw_bias(start, (draws, 1, BLOCK), WIDTH, rng)
            parts.append(torch.baddbmm(bias, tokens, weight.mT))
        return torch.cat(parts, dim=1)

    return block


def _moments(blocks: _Blocks, width: int) -> Generator[None, None, tuple[Tensor, Tensor]]:
    """(draws, rows, 1) mean and standard deviation over the width, with a pause at each block."""
    total = squares = torch.zeros(1, dtype=torch.float64)
    for first in range(0, width, BLOCK):
        rows = blocks(first // BLOCK)[..., : width - first]
        total = total + rows.sum(dim=-1, keepdim=True, dtype=torch.float64)
        squares = squares + rows.square().sum(dim=-1, keepdim=True, dtype=torch.float64)
        del rows  # not held during the pause
        yield
    mean = total / width
    return mean, (squares / width - mean.square()).clamp(min=0).sqrt()


def _normalised(blocks: _Blocks, mean: Tensor, deviation: Tensor) -> _Blocks:
    # A width of 1 has no spread: its only coordinate becomes 0, as in layer_norm.
    factor = torch.where(deviation > 0, 1 / deviation, 0.0)
    mean, factor = mean.float(), factor.float()
    return lambda i: blocks(i).sub_(mean).mul_(factor)


def _normal(shape: tuple[int, ...], rng: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=rng)


_ENTRIES: Final[dict[Start, Callable[[tuple[int, ...], torch.Generator], Tensor]]] = {
    Start.GAUSSIAN: _normal,
    Start.SHIFT: lambda shape, rng: _normal(shape, rng) + 1,
    Start.TAILS: lambda shape, rng: (
        student(shape, rng, _TAIL_DEGREES) * (1 - 2 / _TAIL_DEGREES) ** 0.5
    ),
    Start.TIED: _normal,
    Start.LAYER_NORM: _normal,
    Start.HEAVY: student,
}

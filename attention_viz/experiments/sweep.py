"""One sweep of d_k: the same draws at every size, a larger one holding the smaller."""

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import torch
from torch import Tensor

from attention_viz.embeddings import MAX_SEED, generator
from attention_viz.errors import SettingError, check_whole
from attention_viz.experiments.draws import (
    BLOCK,
    OWN_KEY,
    PROJECTED,
    Start,
    coordinates_or_waits,
    passes,
)
from attention_viz.experiments.estimates import UNMEASURED, Estimate, estimate, root
from attention_viz.experiments.rows import Rows, measure_rows
from attention_viz.pipeline import parse_divisor
from attention_viz.scaling import LONG_STOPS

MOST_KEYS: Final = 1024
MOST_DRAWS: Final = 20_000
# What is held at once, under 500 MB: draws · keys numbers of several kinds, and a weight for each
# draw of the ways to start that project inputs.
MOST_SCORES: Final = 2**18
_MOST_HEADS: Final = 2**12
# The derivative by the query needs keys · keys numbers a draw, so many keys leave fewer draws.
_MOST_PRODUCTS: Final = 2**22
_FEWEST: Final = 32  # draws that a gradient is still reported of


@dataclass(frozen=True, slots=True)
class Sweep:
    """What to measure. Checked when it is made.

    Attributes:
        stops: rising values of d_k, up to the last of LONG_STOPS.
        keys: n, 2 … MOST_KEYS.
        draws: rows, each with a query and keys of its own; draws · keys is at most MOST_SCORES.
        seed: 0 … MAX_SEED.
        start: how entries are drawn.
        divisors: names or numbers, as ``parse_divisor`` reads them, without sqrt_d_model.
        by_query: whether to measure |dL/dq|, which with many keys is most of the work.

    Raises:
        SettingError: a value outside its range.
    """

    stops: tuple[int, ...]
    keys: int = 8
    draws: int = 4000
    seed: int = 0
    start: Start = Start.GAUSSIAN
    divisors: tuple[str, ...] = ("sqrt", "1")
    by_query: bool = True

    def __post_init__(self) -> None:
        check_whole("keys", self.keys, 2, MOST_KEYS)
        check_whole("draws", self.draws, 2, MOST_DRAWS)
        check_whole("seed", self.seed, 0, MAX_SEED)
        if self.start not in list(Start):
            raise SettingError(f"start must be one of {', '.join(Start)}; got {self.start!r:.40}.")
        _check_stops(self.stops)
        _check_size(self)
        if not self.divisors:
            raise SettingError("divisors must hold at least one; got none.")
        for divisor in self.divisors:
            divisor_at(divisor, 1)

    @property
    def gradient_draws(self) -> int:
        """How many draws the derivative by the query is measured on; 0 with too many keys."""
        if not self.by_query:
            return 0
        fits = min(self.draws, _MOST_PRODUCTS // self.keys**2)
        return fits if fits >= min(_FEWEST, self.draws) else 0


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What softmax makes of scores ÷ one divisor, at one d_k.

    Attributes:
        divisor: the number.
        spread: standard deviation of the logits within rows, pooled over the draws.
        peak: largest weight of a row.
        entropy: nats.
        effective_support: effective tokens, exp(entropy).
        own: weight of the query's own key; not measured where the start has none.
        jacobian_norm: Frobenius norm of d weights / d logits.
        query_gradient: |dL/dq|, see ``walk``.
        key_gradient: |dL/dk| over all keys of a row.
        moved: share of draws whose winner is not that of the raw scores.
        peaks: (draws,) every draw's peak.
    """

    divisor: float
    spread: Estimate
    peak: Estimate
    entropy: Estimate
    effective_support: Estimate
    own: Estimate
    jacobian_norm: Estimate
    query_gradient: Estimate
    key_gradient: Estimate
    moved: float
    peaks: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """All that is measured at one d_k.

    Attributes:
        d_k: the size.
        raw_spread: standard deviation of the raw scores within rows, pooled over the draws.
        readings: one a divisor, in the order of the sweep.
        changed: share of draws whose winner is another one than at half this d_k; NaN where half
            was not measured.
    """

    d_k: int
    raw_spread: Estimate
    readings: tuple[Reading, ...]
    changed: float


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a sweep is after a block of coordinates.

    Attributes:
        share: of all blocks that are to be drawn, 0 … 1.
        d_k: coordinates that the scores hold so far.
    """

    share: float
    d_k: int


def stops_between(low: int, high: int) -> tuple[int, ...]:
    """LONG_STOPS from low to high, with both ends among them.

    >>> stops_between(5, 9)
    (5, 6, 7, 8, 9)

    Raises:
        SettingError: not 1 ≤ low ≤ high ≤ the last stop.
    """
    check_whole("the smallest d_k", low, 1, LONG_STOPS[-1])
    check_whole("the largest d_k", high, 1, LONG_STOPS[-1])
    if low > high:
        raise SettingError(f"the smallest d_k must not be above the largest; got {low} and {high}.")
    return tuple(sorted({low, high, *(d for d in LONG_STOPS if low <= d <= high)}))


def divisor_at(name: str, d_k: int) -> float:
    """The number that a divisor of a sweep stands for at this d_k.

    Raises:
        SettingError: neither sqrt, 1, d_k nor a number in 0.000001 … 1000000.
    """
    if name != "sqrt_d_model":  # a sweep has no d_model
        with suppress(SettingError):
            return parse_divisor(name, d_k=d_k, d_model=d_k)
    raise SettingError(
        f"divisor must be sqrt, 1, d_k or a number in 0.000001 … 1000000; got {name[:40]!r}."
    )


def walk(sweep: Sweep) -> Iterator[Point]:
    """Measure at each stop in turn; what is held does not grow with d_k.

    Derivatives are of L = g · weights, with a direction g of N(0, 1) entries that each draw keeps
    at every d_k: a random direction of the output when values are N(0, 1). Then dL/d logits = J g,
    dL/dq = keysᵀ J g ÷ divisor, and dL/dk_j = (J g)_j q ÷ divisor.

    Points of one walk share their draws, so neighbours err together; each one's error is over
    independent draws.
    """
    return (step for step in steps(sweep) if isinstance(step, Point))


def steps(sweep: Sweep) -> Iterator[Point | Progress]:
    """The points of ``walk``, with how far it is after each block, so that others can have a turn.

    No step takes longer than to draw a block of coordinates or to measure at one d_k.
    """
    growing = _Growing(sweep)
    winners: dict[int, Tensor] = {}
    shape = (sweep.draws, sweep.keys)
    direction = torch.randn(shape, generator=generator(sweep.seed, "sweep direction"))
    for d_k in growing.reach_each(sweep.stops):
        if isinstance(d_k, Progress):
            yield d_k
            continue
        winners[d_k] = growing.scores.argmax(dim=-1)
        before = winners.get(d_k // 2) if d_k % 2 == 0 else None
        changed = math.nan if before is None else _share(winners[d_k] != before)
        variance = estimate(row_variances(growing.scores))
        readings = tuple(
            growing.read(divisor_at(divisor, d_k), variance, winners[d_k], direction)
            for divisor in sweep.divisors
        )
        yield Point(d_k, root(variance), readings, changed)


@dataclass(slots=True, eq=False)
class _Growing:
    """Scores and products of keys, block by block of coordinates."""

    sweep: Sweep
    scores: Tensor = field(init=False)  # (draws, keys), raw
    _squares: Tensor = field(init=False)  # (draws,) |q|²
    _products: Tensor = field(init=False)  # (gradient draws, keys, keys) key · key

    def reach_each(self, stops: tuple[int, ...]) -> Iterator[int | Progress]:
        """Take in coordinates up to each stop, and stop there; pause after each block."""
        sweep, n = self.sweep, self.sweep.keys
        self.scores = torch.zeros(sweep.draws, n, dtype=torch.float64)
        self._squares = torch.zeros(sweep.draws, dtype=torch.float64)
        self._products = torch.zeros(sweep.gradient_draws, n, n, dtype=torch.float64)
        here, ahead = 0, iter(stops)
        stop = next(ahead)
        law, width = Start(sweep.start), stops[-1]
        total = passes(law) * math.ceil(width / BLOCK)
        blocks = coordinates_or_waits(law, sweep.draws, n, seed=sweep.seed, width=width)
        for done, block in enumerate(blocks, 1):
            if block is None:
                yield Progress(done / total, 0)
                continue
            query, keys = block
            start, end = here, here + query.shape[-1]
            while here < end:
                part = slice(here - start, min(stop, end) - start)
                self._take_in(query[:, part], keys[..., part])
                here = start + part.stop
                if here == stop:
                    yield stop
                    stop = next(ahead, end)
            del block, query, keys  # not held during the pause
            yield Progress(done / total, here)

    def _take_in(self, query: Tensor, keys: Tensor) -> None:
        self.scores += torch.bmm(keys, query.unsqueeze(-1)).squeeze(-1)
        self._squares += query.square().sum(dim=-1)
        some = keys[: len(self._products)]
        self._products += torch.bmm(some, some.mT)

    def read(
        self, divisor: float, variance: Estimate, winner: Tensor, direction: Tensor
    ) -> Reading:
        """What softmax makes of scores ÷ divisor."""
        rows = measure_rows(self.scores / divisor, direction)
        return Reading(
            divisor=divisor,
            spread=root(variance).over(divisor),
            peak=estimate(rows.peak),
            entropy=estimate(rows.entropy),
            effective_support=estimate(rows.entropy.exp()),
            own=estimate(rows.first) if self.sweep.start in OWN_KEY else UNMEASURED,
            jacobian_norm=estimate(rows.jacobian_norm),
            query_gradient=self._query_gradient(rows, divisor),
            key_gradient=estimate(
                rows.logit_gradient.norm(dim=-1) * self._squares.sqrt() / divisor
            ),
            moved=_share(rows.winner != winner),
            peaks=rows.peak.float(),
        )

    def _query_gradient(self, rows: Rows, divisor: float) -> Estimate:
        if not len(self._products):
            return UNMEASURED
        logit_gradient = rows.logit_gradient[: len(self._products)]
        squares = (
            torch.bmm(self._products, logit_gradient.unsqueeze(-1)).squeeze(-1) * logit_gradient
        ).sum(dim=-1)
        return estimate(squares.clamp(min=0).sqrt() / divisor)


def row_variances(rows: Tensor) -> Tensor:
    """(rows,) unbiased; many times faster than torch's own on short rows."""
    beyond = rows - rows.mean(dim=-1, keepdim=True)
    return beyond.square().sum(dim=-1) / (rows.shape[-1] - 1)


def _share(which: Tensor) -> float:
    return which.double().mean().item()


def _check_stops(stops: tuple[int, ...]) -> None:
    for stop in stops:
        check_whole("each d_k", stop, 1, LONG_STOPS[-1])
    if not stops or any(low >= high for low, high in pairwise(stops)):
        raise SettingError(f"values of d_k must rise; got {stops!r:.60}.")


def _check_size(sweep: Sweep) -> None:
    most = MOST_SCORES // sweep.keys
    if sweep.start in PROJECTED:
        most = min(most, _MOST_HEADS)
    if sweep.draws > most:
        raise SettingError(
            f"draws must be at most {most:,} with {sweep.keys} keys and start {sweep.start}, so "
            f"that they fit into memory; got {sweep.draws:,}."
        )

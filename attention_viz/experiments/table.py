"""Experiments as tables: a row for each d_k, or for each of what was compared."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from torch import Tensor

from attention_viz.experiments.estimates import Estimate
from attention_viz.experiments.learning import RATES, Way
from attention_viz.experiments.support import Support
from attention_viz.experiments.sweep import Point, Reading, Sweep
from attention_viz.reading import known

SIDES: Final = ("scaled", "unscaled")
_MEASURES: Final = (
    "peak",
    "entropy",
    "effective_support",
    "jacobian_norm",
    "query_gradient",
    "key_gradient",
)

Cell = str | float | None
Row = Mapping[str, float | None]


def table_row(sweep: Sweep, point: Point) -> Row:
    """What was measured at one d_k; None where nothing could be.

    ``_error`` is a standard error over independent draws, ``_low`` and ``_high`` are the 5 % and
    95 % quantiles of the draws, ``_top_tenth`` is the share that their largest tenth holds.

    Args:
        sweep: its first divisor is the scaled side, its second is 1.
        point: of its walk.
    """
    row: dict[str, float] = {"d_k": point.d_k, "divisor": point.readings[0].divisor}
    row |= _mean("raw_spread", point.raw_spread)
    row |= _mean("scaled_spread", point.readings[0].spread)
    for side, reading in zip(SIDES, point.readings, strict=True):
        row |= _measured(f"{side}_", reading, math.log(sweep.keys))
    row["winner_changed_by_scaling"] = point.readings[0].moved
    row["winner_changed_from_half"] = point.changed
    return known(row)


def divisor_rows(sweep: Sweep, points: Sequence[Point]) -> Iterator[Mapping[str, Cell]]:
    """The same of any divisors: a row for each of them at each d_k."""
    for point in points:
        for name, reading in zip(sweep.divisors, point.readings, strict=True):
            row = {"divisor_value": reading.divisor, **_mean("raw_spread", point.raw_spread)}
            row |= _mean("spread", reading.spread) | _measured("", reading, math.log(sweep.keys))
            row["winner_changed_by_scaling"] = reading.moved
            yield {"d_k": point.d_k, "divisor": name, **known(row)}


def support_rows(support: Support) -> Iterator[Mapping[str, Cell]]:
    """A row for each spread and number of keys."""
    for i, spread in enumerate(support.spreads):
        for j, keys in enumerate(support.counts):
            row = _mean("effective_support", support.effective_support[i][j])
            yield {"spread": spread, "keys": keys, **row, **_mean("peak", support.peak[i][j])}


def loss_rows(losses: Mapping[Way, Tensor]) -> Iterator[Mapping[str, Cell]]:
    """A row for each way, step, rate and seed of the training."""
    for way, steps in losses.items():
        for step, rates in enumerate(steps.tolist(), 1):
            for rate, seeds in zip(RATES, rates, strict=True):
                for seed, loss in enumerate(seeds):
                    yield {
                        "way": way.value,
                        "step": step,
                        "rate": rate,
                        "seed": seed,
                        **known({"loss": loss}),
                    }


def _measured(prefix: str, reading: Reading, most: float) -> dict[str, float]:
    row: dict[str, float] = {}
    for measure in _MEASURES:
        estimate: Estimate = getattr(reading, measure)
        name = prefix + measure
        row |= _mean(name, estimate)
        row |= {f"{name}_low": estimate.low, f"{name}_median": estimate.median}
        row[f"{name}_high"] = estimate.high
        if measure == "entropy":
            row |= _mean(f"{prefix}normalised_entropy", estimate.over(most))
        if measure.endswith("gradient"):
            row[f"{name}_top_tenth"] = estimate.top_share
    return row


def _mean(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.mean, f"{name}_error": estimate.error}

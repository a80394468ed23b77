"""A sweep as a table: a row for each d_k, a column for each measure, scaled and unscaled."""

import math
from collections.abc import Mapping
from typing import Final

from attention_viz.experiments.estimates import Estimate
from attention_viz.experiments.sweep import Point, Reading, Sweep

SIDES: Final = ("scaled", "unscaled")
_MEASURES: Final = ("peak", "entropy", "effective", "jacobian", "query_gradient", "key_gradient")

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
        row |= _side(side, reading, math.log(sweep.keys))
    row["winner_changed_by_scaling"] = point.readings[0].moved
    row["winner_changed_from_half"] = point.changed
    return {name: None if math.isnan(value) else value for name, value in row.items()}


def _side(side: str, reading: Reading, most: float) -> dict[str, float]:
    row: dict[str, float] = {}
    for measure in _MEASURES:
        estimate: Estimate = getattr(reading, measure)
        name = f"{side}_{measure}"
        row |= _mean(name, estimate)
        row |= {f"{name}_low": estimate.low, f"{name}_median": estimate.median}
        row[f"{name}_high"] = estimate.high
        if measure == "entropy":
            row |= _mean(f"{side}_normalised_entropy", estimate.over(most))
        if measure.endswith("gradient"):
            row[f"{name}_top_tenth"] = estimate.top_share
    return row


def _mean(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.mean, f"{name}_error": estimate.error}

"""The numbers of the surprises: each is a sweep of the Scaling lab, measured once and kept."""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from attention_viz.experiments.draws import Start
from attention_viz.experiments.sweep import Point, Sweep, stops_between, walk
from attention_viz.experiments.words import plus_minus
from attention_viz.lessons import Link
from attention_viz.reading import number, percent

Numbers = dict[str, str]


def sweep_of(link: Link) -> Sweep:
    """The sweep that a link into the Scaling lab measures."""
    said = {key.removeprefix("scaling_"): word for key, word in link.query.items()}
    return Sweep(
        stops_between(int(said["low"]), int(said["high"])),
        keys=int(said["keys"]),
        draws=int(said["draws"]),
        seed=int(said["seed"]),
        start=Start(said["start"]),
        divisors=tuple(said["divisors"].split(",")),
    )


@cache
def points_of(sweep: Sweep) -> Mapping[int, Point]:
    """The points of a sweep by their d_k; the few sweeps of the questions stay in memory."""
    return {point.d_k: point for point in walk(sweep)}


def _peak(link: Link) -> Numbers:
    sweep, point = _measured(link)
    scaled, undivided, _ = point.readings
    return {
        "n": str(sweep.keys),
        "d_k": str(point.d_k),
        "draws": f"{sweep.draws:,}",
        "peak": plus_minus(scaled.peak),
        "even": number(1 / sweep.keys),
        "spread": plus_minus(scaled.spread),
        "undivided": plus_minus(undivided.peak),
        "high": f"{scaled.peak.high:.2f}",
    }


def _even(link: Link) -> Numbers:
    sweep, point = _measured(link)
    root, _, whole = point.readings
    return {
        "n": str(sweep.keys),
        "d_k": str(point.d_k),
        "draws": f"{sweep.draws:,}",
        "effective": plus_minus(whole.effective_support),
        "root": plus_minus(root.effective_support),
        "spread": plus_minus(whole.spread),
        "begin": f"{whole.entropy.mean / math.log(sweep.keys):.3f}",
        "height": plus_minus(whole.entropy.over(math.log(sweep.keys))),
    }


def _many(link: Link) -> Numbers:
    sweep, point = _measured(link)
    divided, undivided = point.readings
    return {
        "n": str(sweep.keys),
        "d_k": str(point.d_k),
        "draws": f"{sweep.draws:,}",
        "peak": plus_minus(undivided.peak),
        "divided": plus_minus(divided.peak),
        "effective": plus_minus(divided.effective_support),
        "spread": plus_minus(undivided.spread),
        "few": plus_minus(undivided.effective_support),
    }


def _winners(link: Link) -> Numbers:
    sweep, point = _measured(link)
    return {
        "n": str(sweep.keys),
        "d_k": str(point.d_k),
        "half": str(point.d_k // 2),
        "draws": f"{sweep.draws:,}",
        "moved": percent(max(reading.moved for reading in point.readings)),
        "changed": percent(point.changed),
    }


def _gradients(link: Link) -> Numbers:
    sweep = sweep_of(link)
    points = points_of(sweep)
    low, high = sweep.stops[0], sweep.stops[-1]
    divided, end = (reading.query_gradient for reading in points[high].readings)
    begin = points[low].readings[1].query_gradient
    return {
        "n": str(sweep.keys),
        "low": str(low),
        "high": str(high),
        "draws": f"{sweep.gradient_draws:,}",
        "first": number(begin.mean),
        "begin": plus_minus(begin),
        "last": plus_minus(end),
        "growth": f"{end.mean / begin.mean:.1f}",
        "before": f"{begin.median:.2g}",
        "after": f"{end.median:.2g}",
        "fall": f"{float(f'{begin.median / end.median:.1g}'):,.0f}",
        "share": percent(end.top_share),
        "divided": f"{divided.median:.2g}",
    }


def _measured(link: Link) -> tuple[Sweep, Point]:
    sweep = sweep_of(link)
    return sweep, points_of(sweep)[int(link.query["scaling_d_k"])]


NUMBERS: Final[dict[str, Callable[[Link], Numbers]]] = {
    "peak": _peak,
    "even": _even,
    "many": _many,
    "winners": _winners,
    "gradients": _gradients,
}

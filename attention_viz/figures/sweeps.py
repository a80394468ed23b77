"""What a sweep of d_k measured, as curves: spread, entropy, derivatives."""

import math
from collections.abc import Callable, Sequence
from typing import Final

import plotly.graph_objects as go

from attention_viz.colours import LIGHT, Palette
from attention_viz.experiments.draws import expected_spread
from attention_viz.experiments.estimates import Estimate
from attention_viz.experiments.support import (
    freezing_d_k,
    random_energy_entropy,
)
from attention_viz.experiments.sweep import Point, Reading, Sweep, divisor_at
from attention_viz.experiments.words import divisor_words, shows_random_energy
from attention_viz.figures.lines import (
    Panel,
    Trace,
    axis,
    band,
    d_k_axis,
    line,
    measured,
    medians,
    panels,
)
from attention_viz.jacobian import even_norm

_LEAST: Final = 1e-8  # what a logarithmic axis of gradients goes down to


def spread_curves(sweep: Sweep, points: Sequence[Point], *, palette: Palette = LIGHT) -> go.Figure:
    """Standard deviation within rows against d_k, one curve a divisor, with lines of theory."""
    sizes = [point.d_k for point in points]
    factor = expected_spread(sweep.start)
    traces = []
    for i, name in enumerate(sweep.divisors):
        expected = [factor * math.sqrt(d) / divisor_at(name, d) for d in sizes]
        traces += [
            line("expected", sizes, expected, palette.quiet, showlegend=i == 0),
            measured(divisor_words(name), sizes, _read(points, i, "spread"), i, palette)
            | {"mode": "markers"},
        ]
    panel = Panel(
        "Standard deviation of scores within a row",
        d_k_axis(palette),
        axis("", palette, type="log", dtick="D2", tickformat="~g"),
        traces,
    )
    return panels([panel], columns=1, palette=palette, legend_lines=2)


def entropy_curves(sweep: Sweep, points: Sequence[Point], *, palette: Palette = LIGHT) -> go.Figure:
    """Entropy ÷ ln n against d_k with the band of 9 in 10 draws; 1 is an even row.

    From 1000 keys on, with the random energy model and its freezing point.
    """
    sizes, most = [point.d_k for point in points], math.log(sweep.keys)
    bands, curves = [], []
    for i, name in enumerate(sweep.divisors):
        entropies = [e.over(most) for e in _read(points, i, "entropy")]
        low, high = [e.low for e in entropies], [e.high for e in entropies]
        bands.append(band(sizes, low, high, i, palette))
        curves.append(measured(divisor_words(name), sizes, entropies, i, palette))
    limit = _random_energy(sweep, sizes, palette) if shows_random_energy(sweep) else []
    y_axis = axis("", palette, range=[-0.03, 1.03])
    panel = Panel(
        f"Entropy ÷ ln {sweep.keys}",
        d_k_axis(palette),
        y_axis,
        [*bands, *limit, *curves],
    )
    return panels([panel], columns=1, palette=palette, legend_lines=3 if limit else 1)


def derivative_curves(
    sweep: Sweep, points: Sequence[Point], *, columns: int = 3, palette: Palette = LIGHT
) -> go.Figure:
    """Derivatives by logits, by the query and by the keys: means and medians over the draws."""
    sizes = [point.d_k for point in points]
    even = line("even weights", sizes, [even_norm(sweep.keys)] * len(sizes), palette.quiet)
    shown = [
        Panel(
            "‖d weights / d logits‖",
            d_k_axis(palette),
            axis("", palette, rangemode="tozero"),
            [even, *_mean_and_median(sweep, points, "jacobian_norm", palette)],
        )
    ]
    if sweep.gradient_draws:
        shown.append(_gradient_panel("|dL / dq|", sweep, points, "query_gradient", palette))
    shown.append(_gradient_panel("|dL / dk|, all keys", sweep, points, "key_gradient", palette))
    return panels(shown, columns=min(columns, len(shown)), palette=palette, legend_lines=3)


def _gradient_panel(
    title: str, sweep: Sweep, points: Sequence[Point], name: str, palette: Palette
) -> Panel:
    traces = _mean_and_median(sweep, points, name, palette)
    powers = {"type": "log", "dtick": 1, "exponentformat": "power"}
    return Panel(
        title,
        d_k_axis(palette),
        axis("", palette, range=_log_range(traces), **powers),
        [trace | {"showlegend": False} for trace in traces],
    )


def _mean_and_median(
    sweep: Sweep, points: Sequence[Point], name: str, palette: Palette
) -> list[Trace]:
    sizes = [point.d_k for point in points]
    draw: dict[str, Callable[..., Trace]] = {"mean": measured, "median": medians}
    return [
        trace(f"{divisor_words(divisor)}, {kind}", sizes, _read(points, i, name), i, palette)
        for i, divisor in enumerate(sweep.divisors)
        for kind, trace in draw.items()
    ]


def _log_range(traces: Sequence[Trace]) -> list[float]:
    """From the smallest value, but not below what can be told from nothing, to the largest."""
    values = [max(value, _LEAST) for trace in traces for value in trace["y"]]
    return [math.log10(min(values)) - 0.2, math.log10(max(values)) + 0.4]


def _random_energy(sweep: Sweep, sizes: Sequence[int], palette: Palette) -> list[Trace]:
    most, freezing = math.log(sweep.keys), freezing_d_k(sweep.keys)
    fine = [sizes[0] * (sizes[-1] / sizes[0]) ** (i / 200) for i in range(201)]
    traces = [
        line(
            "random energy model, n → ∞, undivided",
            fine,
            [random_energy_entropy(math.sqrt(d), sweep.keys) / most for d in fine],
            palette.ink,
        )
    ]
    if sizes[0] < freezing < sizes[-1]:
        words = f"freezes at d_k = 2 ln n = {freezing:.1f}"
        stroke = {"line": {"dash": "dot"}}
        traces.append(line(words, [freezing, freezing], [0, 1], palette.quiet, **stroke))
    return traces


def _read(points: Sequence[Point], place: int, measure: str) -> list[Estimate]:
    readings: list[Reading] = [point.readings[place] for point in points]
    return [getattr(reading, measure) for reading in readings]

"""The figures of the scaling lab, each with the sentence that carries its numbers."""

from collections.abc import Callable, Sequence
from typing import Final

import streamlit as st

from attention_viz import figures
from attention_viz.experiments import words
from attention_viz.experiments.breaking import about_start
from attention_viz.experiments.learning import by_way
from attention_viz.experiments.sweep import Point, Sweep
from attention_viz.experiments.table import loss_rows, support_rows, sweep_rows
from attention_viz.places import FIGURES
from attention_viz.ui import browser, downloads, experiments, lab, show
from attention_viz.ui.lab import Lab


def draw(chosen: Lab) -> None:
    """The figure that is chosen; those of a sweep measure it first.

    Each has a place of its own. In one place for all, what another figure said would stand there
    until this one is measured.
    """
    for name in FIGURES:
        if name != chosen.figure:
            st.empty()
            continue
        with st.container():
            _DRAWN.get(name, _sweep)(chosen)


def _sweep(chosen: Lab) -> None:
    sweep = chosen.sweep
    points = experiments.sweep_points(sweep)
    if points:
        _OF_SWEEPS[chosen.figure](sweep, points, chosen)
        show.fact(words.SHARED)
        downloads.draw_table(
            lambda: list(sweep_rows(sweep, points)), lab.file_name(chosen, "sweep")
        )
        show.heading("Break it on purpose")
        show.text(about_start(sweep, points))


def _spread(sweep: Sweep, points: Sequence[Point], chosen: Lab) -> None:
    told = words.about_spread(sweep, points)
    figure = figures.spread_curves(sweep, points, palette=show.palette())
    show.chart(
        figure,
        key="scaling_spread_chart",
        alt=f"Curves against d_k. {told}",
        name=lab.file_name(chosen, "spread"),
    )
    show.text(told)


def _peaks(sweep: Sweep, points: Sequence[Point], chosen: Lab) -> None:
    point = min(points, key=lambda one: abs(one.d_k - chosen.d_k))
    told = words.about_peaks(sweep, point)
    figure = figures.peak_distributions(
        sweep, point, columns=1 if browser.is_narrow() else 2, palette=show.palette()
    )
    show.chart(
        figure,
        key="scaling_peaks_chart",
        alt=f"Histograms. {told}",
        name=lab.file_name(chosen, f"peaks_dk{point.d_k}"),
    )
    show.text(told)


def _entropy(sweep: Sweep, points: Sequence[Point], chosen: Lab) -> None:
    told = words.about_entropy(sweep, points)
    figure = figures.entropy_curves(sweep, points, palette=show.palette())
    show.chart(
        figure,
        key="scaling_entropy_chart",
        alt=f"Curves against d_k. {told}",
        name=lab.file_name(chosen, "entropy"),
    )
    show.text(told)


def _derivatives(sweep: Sweep, points: Sequence[Point], chosen: Lab) -> None:
    told = words.about_derivatives(sweep, points)
    figure = figures.derivative_curves(
        sweep, points, columns=1 if browser.is_narrow() else 3, palette=show.palette()
    )
    show.chart(
        figure,
        key="scaling_derivatives_chart",
        alt=f"Curves against d_k. {told}",
        name=lab.file_name(chosen, "derivatives"),
    )
    show.table(words.derivatives_table(sweep, points), key="scaling_derivatives_table")
    show.text(f"{told} {words.mean_and_typical(sweep, points)}")
    show.fact(words.DERIVATIVES)
    note = words.gradients_note(sweep)
    if note:
        show.fact(note)


def _keys(chosen: Lab) -> None:
    measured = experiments.support(chosen.seed)
    told = words.about_support(measured)
    palette = show.palette()
    map_, alone = (
        figures.support_map(measured, palette=palette),
        figures.keys_alone(measured, palette=palette),
    )
    name = f"effective-support_seed{chosen.seed}"
    places = st.columns([3, 2]) if not browser.is_narrow() else [st.container(), st.container()]
    with places[0]:
        show.chart(
            map_,
            key="scaling_support_chart",
            alt=f"Heatmap of effective tokens. {told}",
            name=f"{name}_map",
        )
    with places[1]:
        show.chart(
            alone,
            key="scaling_keys_chart",
            alt=f"Largest weight by keys. {told}",
            name=f"{name}_keys",
        )
    show.text(told)
    downloads.draw_table(lambda: list(support_rows(measured)), name)


def _training(chosen: Lab) -> None:
    losses = experiments.training_losses(chosen.seed)
    if not losses:
        return
    ways = by_way(losses)
    told = words.about_learning(ways)
    figure = figures.loss_curves(
        ways, columns=1 if browser.is_narrow() else 3, palette=show.palette()
    )
    name = f"training_seed{chosen.seed}"
    show.chart(figure, key="scaling_training_chart", alt=f"Loss curves. {told}", name=name)
    show.text(told)
    show.fact(words.TASK)
    downloads.draw_table(lambda: list(loss_rows(ways)), name)


_DRAWN: Final[dict[str, Callable[[Lab], None]]] = {"keys": _keys, "training": _training}
_OF_SWEEPS: Final[dict[str, Callable[[Sweep, Sequence[Point], Lab], None]]] = {
    "spread": _spread,
    "peaks": _peaks,
    "entropy": _entropy,
    "derivatives": _derivatives,
}

"""Sentences: each carries the numbers of the experiment that it is about."""

import math
from dataclasses import replace
from functools import cache

import pytest
import torch

from attention_viz.experiments import words
from attention_viz.experiments.breaking import FEWEST, WIDEST, about_start
from attention_viz.experiments.draws import Start
from attention_viz.experiments.estimates import UNMEASURED, estimate
from attention_viz.experiments.learning import RATES, SEEDS, STEPS, Way
from attention_viz.experiments.support import measure_support
from attention_viz.experiments.sweep import Sweep, walk
from attention_viz.experiments.words import plus_minus


@cache
def measured(**settings):
    sweep = Sweep(**({"stops": (1, 4, 8, 256), "draws": 300} | settings))
    return sweep, list(walk(sweep))


@pytest.mark.parametrize(
    ("mean", "error", "words"),
    [
        (32.0312, 0.1306, "32.03 ± 0.13"),
        (0.34561, 0.00221, "0.3456 ± 0.0022"),
        (621.4, 280.2, "621 ± 2.8e+02"),
        (2.0, 0.0, "2 ± 0"),
        (1e-9, 2e-10, "1e-09 ± 2e-10"),
    ],
)
def test_a_mean_has_the_digits_of_its_error(mean, error, words):
    assert plus_minus(replace(UNMEASURED, mean=mean, error=error)) == words


def test_heads():
    sweep, points = measured()
    told = words.about_heads(sweep, points[-1])
    for reading in points[-1].readings:
        assert f"averages {reading.peak.mean:.2f}" in told
    above = (points[-1].readings[1].peaks > 0.99).double().mean().item()
    assert f"{100 * above:.0f}\u00a0%" in told
    assert "300 heads at d_k 256, 8 keys" in told
    assert "divides nothing" not in told


def test_c09_at_d_k_1_the_sentence_says_that_nothing_happens():
    sweep, points = measured()
    assert words.about_heads(sweep, points[0]).endswith("√d_k is 1 and divides nothing.")


@pytest.mark.parametrize(
    ("guess", "verdict"), [("all", "You guessed it"), ("stays", "Not so"), ("away", "Not so")]
)
def test_a_guess_is_judged_by_what_was_measured(guess, verdict):
    sweep, points = measured()
    told = words.about_guess(guess, sweep, points)
    assert told.startswith(verdict)
    assert f"to {points[-1].readings[1].peak.mean:.2f} at d_k 256" in told


def test_a_guess_that_it_stays_is_right_where_it_stays():
    sweep, points = measured(stops=(256, 320))
    assert words.about_guess("stays", sweep, points).startswith("You guessed it")


def test_a_peak_that_rises_but_not_near_1_earns_no_credit():
    sweep, points = measured(stops=(1, 2), draws=4000)
    assert points[-1].readings[1].peak.mean < 0.5
    told = words.about_guess("all", sweep, points)
    assert told.startswith("Not there yet, try a larger d_k: undivided")
    assert words.about_guess("stays", sweep, points).startswith("Not so")


@pytest.mark.parametrize("guess", ["all", "stays", "away"])
def test_with_one_d_k_no_guess_is_right(guess):
    sweep, points = measured(stops=(64,))
    assert words.about_guess(guess, sweep, points).startswith("With one d_k nothing can be seen")


def test_spread():
    sweep, points = measured(divisors=("sqrt", "1", "2.5"))
    told = words.about_spread(sweep, points)
    assert f"from {plus_minus(points[0].raw_spread)} to {plus_minus(points[-1].raw_spread)}" in told
    assert f"÷ √d_k it is {plus_minus(points[-1].readings[0].spread)}" in told
    assert f"÷ 2.5 it is {plus_minus(points[-1].readings[2].spread)}" in told
    assert "independent" in told


def test_peaks():
    sweep, points = measured()
    told = words.about_peaks(sweep, points[2])
    scaled, _ = points[2].readings
    assert f"÷ √d_k the mean is {plus_minus(scaled.peak)}" in told
    assert f"between {scaled.peak.low:.2f} and {scaled.peak.high:.2f}" in told
    assert f"From d_k 4 to 8 the winner changes in {100 * points[2].changed:.0f}" in told
    assert "changes the winner in 0\u00a0% of rows" in told
    assert "From d_k" not in words.about_peaks(sweep, points[0])


def test_nothing_is_said_of_dividing_where_nothing_is_divided():
    sweep, points = measured(divisors=("1",))
    assert "Dividing" not in words.about_peaks(sweep, points[2])


def test_entropy_names_the_random_energy_model_only_for_many_gaussian_keys():
    sweep, points = measured()
    told = words.about_entropy(sweep, points)
    last = points[-1].readings[1].entropy.over(math.log(8))
    assert "undivided from 0.8" in told
    assert f"to {last.mean:.3f}" in told
    assert "random energy" not in told
    sweep, points = measured(keys=1000, draws=40, stops=(1, 16))
    told = words.about_entropy(sweep, points)
    assert "n → ∞" in told
    assert "freezes at d_k = 2 ln n = 13.8" in told
    assert f"At d_k 16 it says 0 nats and {plus_minus(points[1].readings[1].entropy)}" in told
    sweep, points = measured(keys=1000, draws=40, stops=(1, 16), start=Start.TIED)
    assert "random energy" not in words.about_entropy(sweep, points)


def test_derivatives_are_three_sentences_and_a_table():
    sweep, points = measured()
    told = words.about_derivatives(sweep, points)
    begin, end = points[0].readings[1].jacobian_norm, points[-1].readings[1].jacobian_norm
    assert f"undivided from {begin.median:.2g} to {end.median:.2g}. " in told
    assert "= 0.331" in told
    gradient = points[-1].readings[1].query_gradient
    assert told.endswith(f"→ {gradient.median:.2g}.")
    assert told.count(". ") == 2
    assert "look at the median" in words.mean_and_typical(sweep, points)
    assert not words.mean_and_typical(*measured(stops=(1, 2)))
    lines = words.derivatives_table(sweep, points)
    assert [line["derivative"] for line in lines] == [
        f"{way}: {name}"
        for way in ("÷ √d_k", "undivided")
        for name in ("Jacobian norm", "|dL/dq|", "|dL/dk|")
    ]
    gradient = points[-1].readings[1].query_gradient
    assert list(lines[4].values())[2:] == pytest.approx(
        [
            gradient.median,
            points[0].readings[1].query_gradient.mean,
            gradient.mean,
            gradient.error,
            100 * gradient.top_share,
        ],
        rel=5e-3,
    )
    assert words.gradients_note(sweep) == ""


def test_what_is_not_measured_is_said():
    sweep, points = measured(keys=512, draws=40, stops=(1, 4))
    assert len(words.derivatives_table(sweep, points)) == 4
    assert "not measured with 512 keys" in words.gradients_note(sweep)
    assert "first 64 of 1,000 draws" in words.gradients_note(Sweep((1,), keys=256, draws=1000))


def test_support():
    support = measure_support(draws=50)
    told = words.about_support(support)
    assert plus_minus(support.peak[5][-1]) in told
    assert "50 draws" in told


def losses(divided, undivided, absorbed):
    shape = STEPS, len(RATES), SEEDS
    values = zip(Way, (divided, undivided, absorbed), strict=True)
    return {way: torch.full(shape, value) for way, value in values}


def test_learning():
    told = words.about_learning(losses(0.25, 2.08, 0.75))
    assert "at rate 10: 0.25 ± 0 divided, 2.08 ± 0 undivided, 0.75 ± 0 undivided from" in told
    assert "can absorb" in told
    some = losses(0.25, 2.08, 0.75)
    some[Way.DIVIDED][:, 2] = torch.arange(1.0, 6.0)
    assert "at rate 10: 3.00 ± 0.71 divided" in words.about_learning(some)
    del some[Way.ABSORBED]
    assert "stopped before its end" in words.about_learning(some)


@pytest.mark.parametrize(
    ("start", "holds"),
    [
        (Start.GAUSSIAN, True),
        (Start.SHIFT, True),
        (Start.TAILS, True),
        (Start.TORCH, True),
        (Start.POSITIVE, False),
        (Start.TIED, False),
        (Start.LAYER_NORM, False),
        (Start.HEAVY, False),
    ],
)
def test_each_start_says_whether_the_line_holds_by_what_was_measured(start, holds):
    sweep, points = measured(start=start, draws=1000)
    told = about_start(sweep, points)
    assert told.startswith("The line holds" if holds else "The line fails")
    assert plus_minus(points[-1].raw_spread) in told
    assert ("on itself" in told) == (start in {Start.TIED, Start.LAYER_NORM})


@pytest.mark.parametrize("keys", [2, 8])
@pytest.mark.parametrize("draws", [2, 3, 20, 100])
def test_few_draws_do_not_make_the_line_fail(draws, keys):
    """Nor hold: with less than 100 draws there is no verdict, with 100 at most one in 60 errs."""
    told = [
        about_start(sweep, list(walk(sweep)))
        for sweep in (Sweep((1, 16), keys=keys, draws=draws, seed=seed) for seed in range(60))
    ]
    assert sum(text.startswith("The line fails") for text in told) <= (draws >= FEWEST)
    if draws < FEWEST:
        assert all(text.startswith("Too few draws to tell: at d_k 16") for text in told)
        assert "To tell takes 100 draws" in told[0]


def test_wide_errors_do_not_make_the_line_hold():
    sweep, points = measured(keys=2, draws=100, stops=(1,))
    assert points[0].raw_spread.error > WIDEST
    assert about_start(sweep, points).startswith("Too few draws to tell")


def test_layer_norm_of_one_coordinate_has_no_verdict():
    sweep, points = measured(start=Start.LAYER_NORM, stops=(1,))
    assert points[0].raw_spread.mean == 0
    assert about_start(sweep, points).startswith("Nothing to tell at d_k 1")
    assert "√d_k exactly" not in about_start(sweep, points)


def test_a_reason_says_from_where_it_applies():
    sweep, points = measured(start=Start.TIED, keys=1024, draws=200, stops=(4,))
    told = about_start(sweep, points)
    assert told.startswith("The line holds")
    assert "not visibly at this d_k, number of keys" in told
    assert "With 1024 keys that begins near d_k = 2 ln n = 13.9" in told
    sweep, points = measured(start=Start.POSITIVE)
    assert "from d_k 2 on" in about_start(sweep, points)


@pytest.mark.parametrize(("keys", "d_k"), [(8, 4), (8, 64), (64, 16)])
def test_the_spread_of_a_row_with_its_own_key_is_what_the_reason_says(keys, d_k):
    _, (point,) = measured(start=Start.TIED, keys=keys, draws=2000, stops=(d_k,))
    expected = math.sqrt(d_k * (1 + (d_k + 1) / keys))
    assert point.raw_spread.mean == pytest.approx(expected, abs=4 * point.raw_spread.error)


def test_no_sentence_says_nan():
    for start in Start:
        sweep, points = measured(start=start, draws=40, divisors=("d_k",))
        said = [
            words.about_spread(sweep, points),
            words.about_entropy(sweep, points),
            words.about_derivatives(sweep, points),
            about_start(sweep, points),
            *(words.about_peaks(sweep, point) for point in points),
        ]
        assert not any("nan" in sentence or "inf" in sentence for sentence in said)


def test_an_estimate_of_equal_draws_is_told_without_an_error():
    assert plus_minus(estimate(torch.ones(9))) == "1 ± 0"

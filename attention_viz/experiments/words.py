"""What an experiment found, as sentences that carry its numbers and its conditions."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from torch import Tensor

from attention_viz.experiments.draws import Start, expected_spread
from attention_viz.experiments.estimates import Estimate, estimate
from attention_viz.experiments.learning import D_K, RATES, SEEDS, STEPS, Way
from attention_viz.experiments.support import (
    Support,
    freezing_d_k,
    random_energy_entropy,
)
from attention_viz.experiments.sweep import Point, Sweep
from attention_viz.jacobian import even_norm
from attention_viz.reading import number, percent

SHARED: Final = (
    "Bars and ± are standard errors over independent draws. All d_k share their draws, since a "
    "larger d_k contains the smaller, so neighbouring points err together."
)
TASK: Final = (
    "The task: eight items, each with a name and a label; find the item whose name is asked for, "
    "and say its label. Plain gradient descent, 32 new examples a step, d_k 256, the same start "
    "and the same examples for every way and rate. Lines are means of 10 steps; bands reach over "
    "all seeds."
)
DERIVATIVES: Final = (
    "L stands for a loss: how far the output lies along one direction, drawn at random. |dL/dq| is "
    "how far L moves for a small move of the query, so it is what reaches the query as gradient; "
    "|dL/dk| the same for the keys. Top tenth: the part of the sum that a tenth of the rows holds "
    "at the largest d_k."
)
_NEARLY_ALL: Final = 0.99
_NEAR: Final = 0.1  # of 1 or of 1/n: so near a mean largest weight has arrived
_MOST_DIGITS: Final = 6  # after the point; smaller numbers are written with an exponent
_LATE: Final = 20  # steps that a final loss is a mean of
ALIKE: Final = 4  # standard errors that still count as agreement


def divisor_words(name: str) -> str:
    """A divisor of a sweep, for people.

    >>> divisor_words("sqrt"), divisor_words("1"), divisor_words("2.5")
    ('÷ √d_k', 'undivided', '÷ 2.5')
    """
    return {"sqrt": "÷ √d_k", "1": "undivided"}.get(name, f"÷ {name}")


def plus_minus(estimate: Estimate) -> str:
    """A mean and its standard error, both to the error's second digit.

    >>> plus_minus(Estimate(2.5, 0.645, *[0.0] * 6))
    '2.50 ± 0.65'
    >>> plus_minus(Estimate(0.125, 0.0, *[0.0] * 6))
    '0.125 ± 0'
    """
    mean, error = estimate.mean, estimate.error
    if error == 0:
        return f"{number(mean)} ± 0"
    digits = 1 - math.floor(math.log10(error))
    if not 0 <= digits <= _MOST_DIGITS:
        return f"{mean:.3g} ± {error:.2g}"
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def about_heads(sweep: Sweep, point: Point) -> str:
    """The peaks of single heads at one d_k."""
    told = [
        f"{divisor_words(name)} it averages {reading.peak.mean:.2f} and is above {_NEARLY_ALL} in "
        f"{percent((reading.peaks > _NEARLY_ALL).double().mean().item())} of them"
        for name, reading in zip(sweep.divisors, point.readings, strict=True)
    ]
    nothing = " At d_k 1, √d_k is 1 and divides nothing." if point.d_k == 1 else ""
    return (
        f"The largest weight of {sweep.draws} heads at d_k {point.d_k}, {sweep.keys} keys: "
        f"{'; '.join(told)}.{nothing}"
    )


def about_guess(guess: str, sweep: Sweep, points: Sequence[Point]) -> str:
    """Whether a guess about the undivided peak was right: "away", "stays" or "all".

    It goes to 1 if it rises and ends at 0.9 or above, and falls to 1/n if it falls and ends within
    0.1 of it; what moves less far leaves both open.
    """
    if len(points) == 1:
        return "With one d_k nothing can be seen: choose two ends that differ."
    place = sweep.divisors.index("1")
    begin, end = (point.readings[place].peak for point in (points[0], points[-1]))
    divided = points[-1].readings[sweep.divisors.index("sqrt")].peak
    return (
        f"{_judged(guess, begin, end, 1 / sweep.keys)}: undivided, the mean largest weight "
        f"goes from {begin.mean:.2f} at d_k {points[0].d_k} to {end.mean:.2f} at d_k "
        f"{points[-1].d_k}; divided by √d_k it is {divided.mean:.2f} there."
    )


def _judged(guess: str, begin: Estimate, end: Estimate, least: float) -> str:
    change = end.mean - begin.mean
    if abs(change) < ALIKE * math.hypot(begin.error, end.error):
        moves, arrived = "stays", True
    elif change > 0:
        moves, arrived = "all", end.mean >= 1 - _NEAR
    else:
        moves, arrived = "away", end.mean <= least + _NEAR
    if guess != moves:
        return "Not so"
    return "You guessed it" if arrived else "Not there yet, try a larger d_k"


def about_spread(sweep: Sweep, points: Sequence[Point]) -> str:
    """Raw and divided scores within rows, from the first d_k to the last."""
    first, last = points[0], points[-1]
    divided = "".join(
        f"; {divisor_words(name)} it is {plus_minus(reading.spread)}"
        for name, reading in zip(sweep.divisors, last.readings, strict=True)
        if name != "1"
    )
    return (
        f"From d_k {first.d_k} to {last.d_k} the standard deviation of raw scores within rows goes "
        f"from {plus_minus(first.raw_spread)} to {plus_minus(last.raw_spread)}"
        f"{divided}. The lines are {number(expected_spread(sweep.start))} · √d_k and what division "
        "makes of it, right if coordinates are independent, with mean 0 and a variance. Softmax "
        "does not see a constant that all keys share: it moves all scores of a row alike."
    )


def about_peaks(sweep: Sweep, point: Point) -> str:
    """The largest weight over many draws at one d_k."""
    told = "; ".join(
        f"{divisor_words(name)} the mean is {plus_minus(reading.peak)}, and 9 in 10 rows lie "
        f"between {reading.peak.low:.2f} and {reading.peak.high:.2f}"
        for name, reading in zip(sweep.divisors, point.readings, strict=True)
    )
    changed = (
        ""
        if math.isnan(point.changed)
        else (
            f" From d_k {point.d_k // 2} to {point.d_k} the winner changes in "
            f"{percent(point.changed)} of rows."
        )
    )
    moved = [r.moved for n, r in zip(sweep.divisors, point.readings, strict=True) if n != "1"]
    dividing = f" Dividing changes the winner in {percent(max(moved))} of rows." if moved else ""
    return (
        f"Largest weight of a row at d_k {point.d_k}, {sweep.keys} keys, {sweep.draws:,} draws: "
        f"{told}.{dividing}{changed}"
    )


def about_entropy(sweep: Sweep, points: Sequence[Point]) -> str:
    """Entropy from the first d_k to the last; with many keys, beside the random energy model."""
    most, first, last = math.log(sweep.keys), points[0], points[-1]
    told = "; ".join(
        f"{divisor_words(name)} from {begin.entropy.mean / most:.3f} to "
        f"{end.entropy.mean / most:.3f} ± {end.entropy.error / most:.1g}"
        for name, begin, end in zip(sweep.divisors, first.readings, last.readings, strict=True)
    )
    return (
        f"Mean entropy ÷ ln {sweep.keys}, d_k {first.d_k} to {last.d_k}: {told}. The bands hold "
        "9 in 10 draws. Dividing by √d_k does not make attention even: that would be 1."
        + _random_energy(sweep, points)
    )


def shows_random_energy(sweep: Sweep) -> bool:
    """Whether the law for infinitely many keys is worth drawing: many keys, Gaussian scores."""
    return sweep.keys >= 1000 and sweep.start is Start.GAUSSIAN  # noqa: PLR2004 - the n of the law


def _random_energy(sweep: Sweep, points: Sequence[Point]) -> str:
    if not shows_random_energy(sweep) or "1" not in sweep.divisors:
        return ""
    frozen = [point for point in points if point.d_k > freezing_d_k(sweep.keys)]
    beyond = ""
    if frozen:
        entropy = frozen[0].readings[sweep.divisors.index("1")].entropy
        theory = random_energy_entropy(math.sqrt(frozen[0].d_k), sweep.keys)
        beyond = (
            f" At d_k {frozen[0].d_k} it says {number(theory)} nats and {plus_minus(entropy)} is "
            "measured: any finite number of keys lies above the limit."
        )
    return (
        f" The random energy model (n → ∞) gives ln n - d_k ÷ 2 without division, and freezes at "
        f"d_k = 2 ln n = {freezing_d_k(sweep.keys):.1f}.{beyond}"
    )


def about_derivatives(sweep: Sweep, points: Sequence[Point]) -> str:
    """What happens to the typical row's Jacobian; the rest is in ``derivatives_table``."""
    first, last = points[0], points[-1]
    told = "; ".join(
        f"{divisor_words(name)} from {begin.jacobian_norm.median:.2g} to "
        f"{end.jacobian_norm.median:.2g}"
        for name, begin, end in zip(sweep.divisors, first.readings, last.readings, strict=True)
    )
    return (
        f"Median Jacobian norm by logits, d_k {first.d_k} to {last.d_k}, {sweep.keys} keys: "
        f"{told}. With all weights equal it is √(n - 1) ÷ n = {even_norm(sweep.keys):.3f}, large "
        "while keys are few; but an even row has chosen nothing yet."
        f"{_undivided(sweep, points)}"
    )


def _undivided(sweep: Sweep, points: Sequence[Point]) -> str:
    """What "vanishing" means: the mean and the typical row go apart."""
    if "1" not in sweep.divisors or not sweep.gradient_draws:
        return ""
    place = sweep.divisors.index("1")
    begin, end = (point.readings[place].query_gradient for point in (points[0], points[-1]))
    return (
        f" Undivided, |dL/dq| has mean {number(begin.mean)} → {plus_minus(end)} and median "
        f"{begin.median:.2g} → {end.median:.2g}."
    )


def mean_and_typical(sweep: Sweep, points: Sequence[Point]) -> str:
    """Why the mean gradient grows undivided where the typical row's falls; empty if it does not."""
    if "1" not in sweep.divisors or not sweep.gradient_draws:
        return ""
    place = sweep.divisors.index("1")
    begin, end = (point.readings[place].query_gradient for point in (points[0], points[-1]))
    if end.mean <= begin.mean or end.median >= begin.median:
        return ""
    return (
        "The mean grows and the median falls: most rows pass on almost nothing, and a few near a "
        "tie pass on much, since the keys are long. For the typical row look at the median."
    )


def derivatives_table(
    sweep: Sweep, points: Sequence[Point]
) -> list[Mapping[str, str | float | None]]:
    """Each derivative at the first and the last d_k, a line for each divisor; 3 digits.

    None where nothing could be measured. ± is a standard error, ``top tenth`` the per cent of the
    sum that a tenth of the rows holds. L is a random direction of the output.
    """
    first, last = points[0], points[-1]
    names = {
        "jacobian_norm": "Jacobian norm",
        "query_gradient": "|dL/dq|",
        "key_gradient": "|dL/dk|",
    }
    if not sweep.gradient_draws:
        del names["query_gradient"]
    return [
        {
            "derivative": f"{divisor_words(divisor)}: {name}",
            **_derivative(first.d_k, getattr(begin, measure), last.d_k, getattr(end, measure)),
        }
        for divisor, begin, end in zip(sweep.divisors, first.readings, last.readings, strict=True)
        for measure, name in names.items()
    ]


def _derivative(at: int, begin: Estimate, to: int, end: Estimate) -> dict[str, float | None]:
    cells = {
        f"median, d_k {at}": begin.median,
        f"median, d_k {to}": end.median,
        f"mean, d_k {at}": begin.mean,
        f"mean, d_k {to}": end.mean,
        "± of that": end.error,
        "top tenth, %": 100 * end.top_share,
    }
    return {
        name: None if math.isnan(cell) else float(f"{cell:.3g}") for name, cell in cells.items()
    }


def gradients_note(sweep: Sweep) -> str:
    """On how many draws |dL/dq| was measured, if not on all; empty otherwise."""
    if sweep.gradient_draws == 0:
        return f"|dL/dq| is not measured with {sweep.keys} keys: it would need too much memory."
    if sweep.gradient_draws < sweep.draws:
        return (
            f"|dL/dq| is measured on the first {sweep.gradient_draws:,} of {sweep.draws:,} draws."
        )
    return ""


def about_support(support: Support) -> str:
    """Effective tokens: the number of keys alone does not undo a large spread."""
    few, many = support.counts.index(8), len(support.counts) - 1
    one, eight = support.spreads.index(1.0), support.spreads.index(8.0)
    tokens, peaks = support.effective_support, support.peak
    return (
        f"At spread 8, which is d_k 64 undivided, a row of {support.counts[many]} keys looks at "
        f"{plus_minus(tokens[eight][many])} effective tokens, and its largest weight is "
        f"{plus_minus(peaks[eight][many])}, against {plus_minus(peaks[eight][few])} "
        f"with {support.counts[few]} keys: more keys alone hardly spread it. At spread 1 it looks "
        f"at {number(tokens[one][many].mean)} of {support.counts[many]}, largest weight "
        f"{number(peaks[one][many].mean)}. {support.draws} draws of q · k at d_k 64, "
        "N(0, 1) entries, scores × spread ÷ 8."
    )


def about_learning(losses: Mapping[Way, Tensor]) -> str:
    """Losses at the start and at the end; what division decides and what it does not."""
    if len(losses) < len(Way) or len(losses[Way.ABSORBED]) < STEPS:
        return "Training was stopped before its end: continue it for the comparison."
    begin = {way: every[0].mean().item() for way, every in losses.items()}
    ends = "; ".join(
        f"at rate {number(rate)}: {plus_minus(late(losses, Way.DIVIDED, i))} divided, "
        f"{plus_minus(late(losses, Way.UNDIVIDED, i))} undivided, "
        f"{plus_minus(late(losses, Way.ABSORBED, i))} undivided from W_q ÷ √d_k"
        for i, rate in enumerate(RATES)
    )
    return (
        f"Division by √d_k = {math.sqrt(D_K):.0f} sets the start, and adds nothing that could not "
        "be learned: W_q ÷ √d_k without division is the same layer, so a trained W_q can absorb "
        "it. But from there a step of the same rate moves the scores further: the start is the "
        f"same, the way is not. First loss {begin[Way.DIVIDED]:.2f} nats divided, "
        f"{begin[Way.UNDIVIDED]:.2f} undivided, "
        f"{begin[Way.ABSORBED]:.2f} undivided with W_q started ÷ √d_k. Last {_LATE} of {STEPS} "
        f"steps, mean of {SEEDS} seeds ± its standard error: {ends}."
    )


def late(losses: Mapping[Way, Tensor], way: Way, rate: int) -> Estimate:
    """The loss of the last steps at one rate, over the seeds."""
    return estimate(losses[way][-_LATE:, rate].double().mean(dim=0))

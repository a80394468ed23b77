"""Break it on purpose: for each way to start, whether the theory holds, measured, and why."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from attention_viz.experiments.draws import OWN_KEY, WIDTH, Start, expected_spread
from attention_viz.experiments.sweep import Point, Sweep
from attention_viz.experiments.words import ALIKE, plus_minus
from attention_viz.reading import number, percent

FEWEST: Final = 100  # draws: with fewer a standard error is itself too uncertain
WIDEST: Final = 0.05  # standard error that may still say "holds", as a part of the line
_BROKEN: Final = {Start.POSITIVE, Start.TIED, Start.LAYER_NORM}
_HOLDS: Final = "The line holds"
_FAILS: Final = "The line fails"
_TOO_FEW: Final = "Too few draws to tell"
_RULE: Final = (
    f"To tell takes {FEWEST} draws, and to say that the line holds a standard error of at most "
    f"{percent(WIDEST)} of it. "
)
_UNSEEN: Final = (
    "This way to start breaks the argument, but not visibly at this d_k, number of keys and number "
    "of draws. Why it does: "
)


def about_start(sweep: Sweep, points: Sequence[Point]) -> str:
    """Whether the theory holds for this way to start, measured, and why."""
    last = points[-1]
    if sweep.start is Start.LAYER_NORM and sweep.stops[-1] == 1:
        return _ALL_ZERO
    verdict = _verdict(sweep, last)
    numbers = (
        f"{verdict}: at d_k {last.d_k} the raw spread is {plus_minus(last.raw_spread)}, the line "
        f"says {number(_line(sweep, last))}. "
    )
    rule = _RULE if verdict == _TOO_FEW else ""
    unseen = _UNSEEN if verdict == _HOLDS and sweep.start in _BROKEN else ""
    reason = _WHY[sweep.start] + _own_wins(sweep)
    return numbers + rule + unseen + reason + _own_weight(sweep, last)


def _line(sweep: Sweep, point: Point) -> float:
    return expected_spread(sweep.start) * math.sqrt(point.d_k)


def _verdict(sweep: Sweep, point: Point) -> str:
    """Fails beyond ALIKE standard errors; holds within them, if they are narrow.

    Without a variance the line cannot hold, whatever was measured.
    """
    line, error = _line(sweep, point), point.raw_spread.error
    if sweep.draws < FEWEST:
        return _TOO_FEW
    if sweep.start is Start.HEAVY or abs(point.raw_spread.mean - line) > ALIKE * error:
        return _FAILS
    return _HOLDS if error <= WIDEST * line else _TOO_FEW


def _own_wins(sweep: Sweep) -> str:
    """From which d_k on a token wins its own row; only where the first key is its own."""
    if sweep.start not in OWN_KEY:
        return ""
    return (
        f" With {sweep.keys} keys that begins near d_k = 2 ln n = {2 * math.log(sweep.keys):.1f}, "
        "where √d_k passes the largest of the others' scores. The spread, about √(1 + d_k ÷ n) "
        "times the line, shows it once d_k is not small beside n."
    )


def _own_weight(sweep: Sweep, last: Point) -> str:
    if sweep.start not in OWN_KEY or "sqrt" not in sweep.divisors:
        return ""
    own = last.readings[sweep.divisors.index("sqrt")].own
    return f" Divided by √d_k, a token at d_k {last.d_k} puts {plus_minus(own)} on itself."


_ALL_ZERO: Final = (
    "Nothing to tell at d_k 1: normalising one coordinate leaves 0, so every score is 0 and every "
    "weight 1/n. Start from d_k 2, where the own scaled score of a row is √d_k."
)
_WHY: Final[Mapping[Start, str]] = {
    Start.GAUSSIAN: "Entries are independent, with mean 0 and variance 1, as the argument assumes.",
    Start.SHIFT: (
        "Every entry has mean 1. What a constant adds to all keys of a row alike cancels in "
        "softmax; the query's own mean makes each key's part larger, √2 in all, the same at every "
        "d_k. So √d_k is still the right divisor, up to that constant."
    ),
    Start.TAILS: (
        "Entries are Student's t with 5 degrees of freedom: far more outliers than a Gaussian has, "
        "but a variance, and that is all the argument needs."
    ),
    Start.TORCH: (
        "nn.Linear starts with weights of variance 1 ÷ (3 d_model), here d_model "
        f"{WIDTH}: query and key entries have variance near ⅓. Scores grow like √d_k, but are a "
        "third as large, so attention starts flatter than the argument wants."
    ),
    Start.POSITIVE: (
        "All weights are positive, so the coordinates of a key rise and fall together: from d_k 2 "
        "on their products add up like d_k, not like √d_k, and after ÷ √d_k the spread still grows."
    ),
    Start.TIED: (
        "The first key is the query itself: q · q is near d_k, not near √d_k, so once d_k is large "
        "a token wins its own row even divided. Among the other keys the argument still holds."
    ),
    Start.LAYER_NORM: (
        "Query and keys are layer-normalised rows without projections, and the first key is the "
        "query's own: at the d_k that is normalised over, from 2 on, its scaled score is √d_k "
        "exactly, and no score can be larger. Normalised rows are no independent rows: a row is "
        "still itself."
    ),
    Start.HEAVY: (
        "Student's t with 1.5 degrees of freedom has no variance, so there is nothing for √d_k to "
        "undo: a few products decide each score, the measured spread is that of the largest draws, "
        "and its standard error cannot be trusted."
    ),
}

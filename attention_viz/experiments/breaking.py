"""Break it on purpose: for each way to start, whether the theory holds, measured, and why."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from attention_viz.experiments.draws import OWN_KEY, WIDTH, Start, expected_spread
from attention_viz.experiments.sweep import Point, Sweep
from attention_viz.experiments.words import ALIKE, plus_minus
from attention_viz.reading import number

_BROKEN: Final = {Start.POSITIVE, Start.TIED, Start.LAYER_NORM}
_UNSEEN: Final = (
    "This way to start breaks the argument, but not visibly at this d_k with so few draws. Why it "
    "does: "
)


def about_start(sweep: Sweep, points: Sequence[Point]) -> str:
    """Whether the theory holds for this way to start, measured, and why."""
    last = points[-1]
    expected = expected_spread(sweep.start)
    measured, error = last.raw_spread.mean, last.raw_spread.error
    line = expected * math.sqrt(last.d_k)
    holds = sweep.start is not Start.HEAVY and abs(measured - line) <= ALIKE * error
    verdict = "The line holds" if holds else "The line fails"
    numbers = (
        f"{verdict}: at d_k {last.d_k} the raw spread is {plus_minus(last.raw_spread)}, the line "
        f"says {number(line)}. "
    )
    unseen = _UNSEEN if holds and sweep.start in _BROKEN else ""
    return numbers + unseen + _WHY[sweep.start] + _own_weight(sweep, last)


def _own_weight(sweep: Sweep, last: Point) -> str:
    if sweep.start not in OWN_KEY or "sqrt" not in sweep.divisors:
        return ""
    own = last.readings[sweep.divisors.index("sqrt")].own
    return f" Divided by √d_k, a token at d_k {last.d_k} puts {plus_minus(own)} on itself."


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
        "All weights are positive, so the coordinates of a key rise and fall together: their "
        "products add up like d_k, not like √d_k, and after ÷ √d_k the spread still grows."
    ),
    Start.TIED: (
        "The first key is the query itself: q · q is near d_k, not near √d_k, so from some d_k on "
        "a token wins its own row even divided. Among the other keys the argument still holds."
    ),
    Start.LAYER_NORM: (
        "Query and keys are layer-normalised rows without projections, and the first key is the "
        "query's own: at the largest d_k its scaled score is √d_k exactly, and no score can be "
        "larger. Normalised rows are no independent rows: a row is still itself."
    ),
    Start.HEAVY: (
        "Student's t with 1.5 degrees of freedom has no variance, so there is nothing for √d_k to "
        "undo: a few products decide each score, the measured spread is that of the largest draws, "
        "and its standard error cannot be trusted."
    ),
}

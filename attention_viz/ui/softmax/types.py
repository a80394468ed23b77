"""Very large and very small scores: softmax in four number types, with and without the shift."""

import math
from typing import Final

import streamlit as st
import torch
from torch import Tensor

from attention_viz import figures
from attention_viz.jacobian import even_norm, row_norm
from attention_viz.places import SOURCES
from attention_viz.precision import (
    TYPES,
    Outcome,
    Steps,
    digits_lost,
    dtype_name,
    exp_range,
    is_subnormal,
    largest_error,
    outcome,
    smallest_subnormal,
    softmax_steps,
    spacing,
)
from attention_viz.reading import number
from attention_viz.ui import browser, downloads, show
from attention_viz.ui.softmax import choices, sentence
from attention_viz.ui.softmax.choices import Choices, picture_name

_PEAKED: Final = 0.99  # a largest weight from which the row counts as saturated
_MOST_WEIGHTS: Final = 6  # written out in a cell
_MOST_DIGITS: Final = 1e6


def draw(now: Choices) -> None:
    """The ranges of the types, and what each makes of the row."""
    st.segmented_control(
        "Which scores",
        list(SOURCES),
        key=choices.key("source"),
        format_func=SOURCES.__getitem__,
        required=True,
        help="The row of the sentence is picked below; Explore shares it.",
    )
    scores = now.row() if now.source == "typed" else sentence.row_scores(raw=now.source == "raw")
    show.chart(
        figures.exp_ranges(scores, palette=show.palette()),
        key="softmax_ranges",
        name=picture_name("softmax-ranges", scores),
        alt=_alt(scores),
    )
    show.fact(
        "The shift: the largest score is subtracted from every score first. Softmax does not "
        "change by it, and no exp is above 1."
    )
    show.says(overflow(scores), saturation(scores), *rounded(scores), *zeros(scores))
    lines = table(scores)
    if browser.is_narrow():
        show.says(*(_line(line) for line in lines))
    else:
        show.words(lines)
    downloads.draw_table(lambda: numbers(scores), "softmax-types")
    with st.expander("Where exp leaves each type"):
        show.words(limits())
        show.fact(
            "Each step is torch's own in that type. On a CPU torch computes exp and sums of "
            "float16 and bfloat16 in float32 and rounds the result."
        )


def overflow(scores: Tensor) -> str:
    """In which types the way without the shift fails on these scores, or loses digits."""
    naive = [softmax_steps(scores, dtype=dtype, shifted=False) for dtype in TYPES]
    start = "Overflow and underflow, matters of the type"
    found = [*_failed(scores, naive), *_gradual(naive)]
    if found:
        return " ".join([f"{start}.", *found])
    return (
        f"{start}: none that counts here. exp of the largest score, "
        f"{number(scores.max().item())}, is {number(scores.max().exp().item())}, a normal number "
        "in all four types."
    )


def _failed(scores: Tensor, naive: list[Steps]) -> list[str]:
    """Where there are no weights."""
    exact = softmax_steps(scores).weights
    failed = [
        steps
        for steps in naive
        if not steps.weights.isfinite().all() or outcome(steps, exact) is Outcome.SUM_OVERFLOW
    ]
    if not failed:
        return []
    return [
        f"Without the shift there are no weights in {_types(failed)}; in {_types(failed[:1])} "
        f"{_happened(failed[0], exact)}."
    ]


def _gradual(naive: list[Steps]) -> list[str]:
    """Where there are weights, of exps that have lost digits."""
    lossy = [steps for steps in naive if is_subnormal(steps)]
    if not lossy:
        return []
    moved = ", ".join(f"{number(digits_lost(steps))} in {_types([steps])}" for steps in lossy)
    return [
        f"Without the shift every exp is subnormal in {_types(lossy)}, too small to keep all its "
        f"digits (gradual underflow): this moves weights by up to {moved}."
    ]


def rounded(scores: Tensor) -> list[str]:
    """Which types have too few digits for these scores, shifted or not."""
    exact = softmax_steps(scores).weights
    shifted = [softmax_steps(scores, dtype=dtype) for dtype in TYPES]
    off = [steps for steps in shifted if outcome(steps, exact) is Outcome.ROUNDED]
    if not off:
        return []
    errors = ", ".join(
        f"{number(largest_error(steps, exact))} in {_types([steps])}" for steps in off
    )
    return [
        f"Rounding, which no shift mends, for want of digits in {_types(off)}: with the "
        f"shift too weights are off by up to {errors}.{_coarse(scores, off)}"
    ]


def _coarse(scores: Tensor, off: list[Steps]) -> str:
    """How far apart numbers of a type lie at the size of scores that it cannot hold."""
    largest = scores.abs().max()
    apart = ", ".join(
        f"{number(spacing(largest, steps.scores.dtype))} apart in {_types([steps])}"
        for steps in off
        if not steps.scores.double().equal(scores)
    )
    if not apart:
        return ""
    return (
        f" At {number(largest.item())} neighbouring numbers lie {apart}: the scores are "
        "rounded before softmax begins."
    )


def saturation(scores: Tensor) -> str:
    """Whether the exact weights are peaked, whatever the type."""
    weights = softmax_steps(scores).weights
    peak = weights.max().item()
    # Not 1 - peak, which is 0 long before the others are.
    others = weights.sort().values[:-1].sum().item()
    norm = number(row_norm(scores))
    even = number(even_norm(len(scores)))
    start = "Saturation, a matter of the weights: "
    if peak < _PEAKED:
        return (
            f"{start}none here. The largest weight is {number(peak)}, and the norm of the Jacobian "
            f"{norm}; even weights have {even}."
        )
    return (
        f"{start}all but {number(others)} of the row is on one score, in float64 with the shift, "
        f"where nothing overflows. No type mends that: the norm of the Jacobian is {norm}; even "
        f"weights have {even}."
    )


def zeros(scores: Tensor) -> list[str]:
    """What the shifted float32 weights lose to 0, and where it is still to be read."""
    steps = softmax_steps(scores, dtype=torch.float32)
    logs = torch.log_softmax(scores, dim=-1)
    lost = (steps.weights == 0).nonzero().flatten().tolist()
    if not lost:
        return []
    smallest = min(logs[i].item() for i in lost)
    return [
        f"{len(lost)} of {len(scores)} weights are 0 in float32, whose smallest number is "
        f"{smallest_subnormal(torch.float32):.0e}. None is 0 in truth: the logarithm of the "
        f"smallest weight is {number(smallest)}."
    ]


def table(scores: Tensor) -> list[dict[str, str]]:
    """One line a type: its weights both ways, and what became of them."""
    exact = softmax_steps(scores).weights
    lines = []
    for dtype in TYPES:
        naive, shifted = (softmax_steps(scores, dtype=dtype, shifted=s) for s in (False, True))
        lines.append(
            {
                "type": dtype_name(dtype),
                "exp(score) ÷ sum": _weights(naive),
                "without the shift": _happened(naive, exact),
                "exp(score − largest) ÷ sum": _weights(shifted),
                "with it": _happened(shifted, exact),
            }
        )
    return lines


def numbers(scores: Tensor) -> list[dict[str, str | float | None]]:
    """One line a weight, in each type with and without the shift; None where there is no number."""
    exact = softmax_steps(scores).weights
    return [
        {
            "type": dtype_name(dtype),
            "shift": "largest" if shifted else "none",
            "outcome": outcome(steps, exact).value,
            "place": i + 1,
            "score": scores[i].item(),
            "exp": _finite(steps.exps[i].item()),
            "weight": _finite(steps.weights[i].item()),
        }
        for dtype in TYPES
        for shifted in (False, True)
        for steps in [softmax_steps(scores, dtype=dtype, shifted=shifted)]
        for i in range(len(scores))
    ]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _line(line: dict[str, str]) -> str:
    """A line of the table as a sentence, for a screen too narrow for columns."""
    kind, naive, became, shifted, mended = line.values()
    return f"{kind}: without the shift {naive} ({became}); with it {shifted} ({mended})."


def limits() -> list[dict[str, str]]:
    """One line a type: the neighbouring numbers between which exp leaves it."""
    return [
        {
            "type": dtype_name(dtype),
            "largest number": _largest(dtype),
            "its ln": f"{limit.log_largest:.7g}",
            "last finite exp": f"{limit.last_finite:.10g}",
            "first infinite": f"{limit.first_infinite:.10g}",
            "exp is 0 up to": f"{limit.last_zero:.8g}",
            "and above from": f"{limit.first_above_zero:.8g}",
        }
        for dtype in TYPES
        for limit in [exp_range(dtype)]
    ]


def _happened(steps: Steps, exact: Tensor) -> str:
    """What became of the weights, in the numbers at hand."""
    dtype = steps.scores.dtype
    most = _largest(dtype)
    largest = number(steps.scores.max().item())
    match outcome(steps, exact):
        case Outcome.SCORE_OVERFLOW:
            return f"a score is beyond ±{most} and becomes infinite"
        case Outcome.EXP_OVERFLOW:
            return f"exp({largest}) is beyond {most}: ∞ ÷ ∞ is NaN"
        case Outcome.SUM_OVERFLOW:
            return f"each exp fits, their sum is beyond {most}: all weights 0"
        case Outcome.UNDERFLOW:
            return f"even exp({largest}) rounds to 0: 0 ÷ 0 is NaN"
        case Outcome.SUBNORMAL:
            return (
                f"off by up to {number(largest_error(steps, exact))}: every exp is below "
                f"{torch.finfo(dtype).tiny:.2g}, subnormal, with too few digits"
            )
        case Outcome.ROUNDED:
            return f"off by up to {number(largest_error(steps, exact))}: too few digits"
        case Outcome.RIGHT:
            error = largest_error(steps, exact)
            return f"right to within {error:.1g}" if error else "right"


def _types(steps: list[Steps]) -> str:
    return ", ".join(dtype_name(one.scores.dtype) for one in steps)


def _largest(dtype: torch.dtype) -> str:
    """The largest number of a type, with all its digits while they are few."""
    largest = torch.finfo(dtype).max
    return f"{largest:,.0f}" if largest < _MOST_DIGITS else f"{largest:.4g}"


def _weights(steps: Steps) -> str:
    values = steps.weights.double().tolist()
    if len(values) > _MOST_WEIGHTS:
        return f"{len(values)} weights, largest {number(steps.weights.double().max().item())}"
    # What is 0 beside NaN or infinity is no small weight.
    is_small = steps.weights.isfinite().all() and math.isfinite(steps.total)
    zero = f"0 (< {smallest_subnormal(steps.scores.dtype):.0e})" if is_small else "0"
    return ", ".join(
        zero if value == 0 else number(value).replace("nan", "NaN") for value in values
    )


def _alt(scores: Tensor) -> str:
    ranges = "; ".join(
        f"{dtype_name(dtype)} from {number(limit.last_zero)} to {number(limit.last_finite)}"
        for dtype in TYPES
        for limit in [exp_range(dtype)]
    )
    return (
        f"Where exp is above 0 and finite: {ranges}. {len(scores)} scores from "
        f"{number(scores.min().item())} to {number(scores.max().item())} are marked on it, and the "
        "same minus the largest."
    )

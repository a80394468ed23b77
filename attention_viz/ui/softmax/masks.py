"""Masks: before softmax, after it, by a number that may not be low enough, over everything."""

from typing import Final

import streamlit as st
import torch
from torch import Tensor

from attention_viz import figures
from attention_viz.mistakes import Masking, leak, lost_after, mask_row
from attention_viz.reading import SMALL, minus, number, percent, share_and_rest
from attention_viz.ui import browser, show
from attention_viz.ui.softmax import choices
from attention_viz.ui.softmax.choices import FILLS, Choices

# The first two lie below a constant that is meant to be lower than any score.
_LOW_SCORES: Final = (-110208.0, -110190.0, 5.0, 7.0)
_LOW_MASK: Final = (True, True, False, False)
_LOW_FILL: Final = -100_000.0


def draw(now: Choices) -> None:
    """The choice of what is hidden, and the three ways."""
    scores = now.row()
    n = len(scores)
    _choose(n)
    mask = allowed(now, n)
    hidden = "-".join(map(str, now.hidden)) or "none"
    columns = 1 if browser.is_narrow() else 3
    show.chart(
        figures.mask_bars(scores, mask, now.fill, columns=columns, palette=show.palette()),
        key="softmax_masks",
        name=choices.picture_name("softmax-masks", scores, f"hidden{hidden}", f"fill{now.fill:g}"),
        alt=f"One row masked in three ways. {after(scores, mask)} {filled(scores, mask, now.fill)}",
    )
    show.says(
        before(scores, mask),
        after(scores, mask),
        filled(scores, mask, now.fill),
        *([nothing_left(scores, now.fill)] if mask.any() else []),
        known(),
    )


def _choose(n: int) -> None:
    st.pills(
        "Masked keys",
        list(range(1, n + 1)),
        selection_mode="multi",
        key=choices.key("hidden"),
    )
    st.selectbox(
        "The large negative number",
        FILLS,
        key=choices.key("fill"),
        format_func=lambda fill: minus(f"{fill:,.0f}"),
    )


def allowed(now: Choices, n: int) -> Tensor:
    """(n,) booleans, True where the query may look."""
    return torch.tensor([place not in now.hidden for place in range(1, n + 1)])


def before(scores: Tensor, mask: Tensor) -> str:
    """The right way."""
    left = int(mask.sum())
    if left == 0:
        return (
            "Nothing is left to look at: a row of −∞ alone has no softmax, and torch.softmax "
            "answers NaN. Its line stays blank here, and its context is 0, as in torch's own "
            "scaled_dot_product_attention."
        )
    total = mask_row(scores, mask, Masking.BEFORE).sum().item()
    return (
        f"−∞ before softmax: exp(−∞) is 0, and {left} of {len(scores)} keys share the whole row; "
        f"it sums to {number(total)}."
    )


def after(scores: Tensor, mask: Tensor) -> str:
    """The mask too late."""
    total, lost = mask_row(scores, mask, Masking.AFTER).sum().item(), lost_after(scores, mask)
    start = f"0 after softmax: the row sums to {share_and_rest(total, lost)}"
    if mask.all():
        return f"{start}, since nothing is masked."
    if lost == 0:
        return f"{start}, even in float64, where the weights of the masked keys were 0 before."
    return (
        f"{start}. The masked keys took part in the sum that all were divided by, and "
        f"{number(lost) if lost < SMALL else percent(lost)} of the mix is missing from the context."
    )


def filled(scores: Tensor, mask: Tensor, fill: float) -> str:
    """A number in place of −∞."""
    weights = mask_row(scores, mask, Masking.FILL, fill=fill)
    lost = leak(weights, mask)
    start = f"{fill:,.0f} before softmax: "
    if mask.all():
        return f"{start}nothing is masked, so nothing can leak."
    if not mask.any():
        return (
            f"{start}all keys have the same score, so each gets {number(weights[0].item())}, "
            "whatever its own was; all of it leaks, and the sum looks right."
        )
    largest = number(scores[mask].max().item())
    if lost == 0:
        return (
            f"{start}nothing leaks, even in float64: it lies "
            f"{number(scores[mask].max().item() - fill)} below the largest allowed score, "
            f"{largest}."
        )
    return (
        f"{start}{number(lost)} of the row leaks to masked keys; the largest allowed is {largest}."
    )


def nothing_left(scores: Tensor, fill: float) -> str:
    """What the three ways make of this row once every key is masked."""
    none = torch.zeros(len(scores), dtype=torch.bool)
    late = mask_row(scores, none, Masking.AFTER).sum().item()
    weights = mask_row(scores, none, Masking.FILL, fill=fill)
    return (
        f"With all {len(scores)} keys masked, −∞ leaves a row with no softmax, 0 after softmax a "
        f"row that sums to {number(late)}, and {fill:,.0f} gives each masked key "
        f"{number(weights[0].item())}."
    )


def known() -> str:
    """A constant that was thought to be low enough, computed on scores that undo it."""
    scores, mask = torch.tensor(_LOW_SCORES), torch.tensor(_LOW_MASK)
    weights = mask_row(scores, mask, Masking.FILL, fill=_LOW_FILL)
    return (
        f"It can fail: with scores of {_LOW_SCORES[0]:,.0f} and {_LOW_SCORES[1]:,.0f}, a mask "
        f"of {_LOW_FILL:,.0f} is the largest score of all, and {percent(leak(weights, mask))} of "
        "the row goes to the masked keys."
    )

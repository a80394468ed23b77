"""Derivatives: how each weight moves with each score, and how that fades as the row sharpens."""

from typing import Final

import streamlit as st
import torch
from torch import Tensor

from attention_viz import figures
from attention_viz.jacobian import even_norm, row_jacobian, row_norm
from attention_viz.reading import number
from attention_viz.ui import show
from attention_viz.ui.softmax.choices import Choices, picture_name

_SHARPER: Final = 10.0
_MANY: Final = 1024  # keys, for what flat weights come to


def draw(now: Choices) -> None:
    """The Jacobian and the curve of its norm."""
    scores = now.row()
    cells, curve = st.columns([2, 3])
    with cells:
        st.markdown("**diag(p) − p pᵀ**")
        show.chart(
            figures.jacobian_map(scores, palette=show.palette()),
            key="softmax_jacobian",
            name=picture_name("softmax-jacobian", scores),
            alt=_alt(scores),
        )
    with curve:
        st.markdown("**Its norm as the scores are stretched**")
        show.chart(
            figures.norm_curve(scores, palette=show.palette()),
            key="softmax_norms",
            name=picture_name("softmax-norms", scores),
            alt=f"Norm of the Jacobian against a factor on the scores. {sharpening(scores)}",
        )
    show.says(balance(scores), sharpening(scores), flat(scores), argmax(scores))


def balance(scores: Tensor) -> str:
    """What one score gives to its own weight it takes from the others, in the numbers shown."""
    jacobian = row_jacobian(scores)
    top = int(scores.argmax())
    own = number(jacobian[top, top].item())
    others = number((jacobian[:, top].sum() - jacobian[top, top]).item())
    worst = jacobian.sum(dim=-1).abs().max().item()
    return (
        f"Raise score {top + 1} a little: weight {top + 1} gains {own} for each unit, the others "
        f"together {others}. Rows and columns sum to 0, in float64 here to within {number(worst)}."
    )


def sharpening(scores: Tensor) -> str:
    """The norm now, and with the scores ten times as large."""
    now, then = (row_norm(scores * factor) for factor in (1.0, _SHARPER))
    tied = int((scores == scores.max()).sum())
    start = (
        f"By its scores, the norm of this row is {number(now)}; with scores {number(_SHARPER)} "
        f"times as large it is {number(then)}."
    )
    if tied == 1:
        return f"{start} One score is the largest, so the norm ends at 0."
    return (
        f"{start} {tied} scores share the top, so it ends at √{tied - 1} ÷ {tied} = "
        f"{number(even_norm(tied))}, not at 0."
    )


def flat(scores: Tensor) -> str:
    """What even weights have, for this many keys and for very many."""
    n = len(scores)
    return (
        f"Even weights move easily while keys are few: {n} of them have √{n - 1} ÷ {n} = "
        f"{number(even_norm(n))}, but {_MANY} have {number(even_norm(_MANY))}, since each then "
        f"holds a share of 1 in {_MANY}. And flat is no cure at any number: an even row has chosen "
        "nothing yet."
    )


def argmax(scores: Tensor) -> str:
    """What softmax stands in for."""
    n = len(scores)
    tied = int((scores == scores.max()).sum())
    answer = f"answers {int(scores.argmax()) + 1} here and has slope 0 until another overtakes"
    if tied > 1:
        answer = f"cannot choose between the {tied} largest here, and jumps when one of them moves"
    return (
        f"Softmax is the smooth stand-in for argmax, which {answer}. Being differentiable is not "
        f"what raw scores lack: their Jacobian is the identity, of norm √{n} = {number(n**0.5)}."
    )


def _alt(scores: Tensor) -> str:
    jacobian = row_jacobian(scores)
    own = ", ".join(number(slope) for slope in torch.diagonal(jacobian).tolist())
    least = number(jacobian.min().item() + 0.0)  # no "-0" is spoken
    return (
        f"Heatmap of how {len(scores)} weights move with {len(scores)} scores. Each with its own: "
        f"{own}. The least off the diagonal is {least}."
    )

"""Ways to get attention wrong that look right: the wrong axis, the wrong place for a mask."""

import math
from enum import StrEnum

from torch import Tensor

from attention_viz.attention import AttentionTrace, row_softmax, softmax
from attention_viz.errors import SettingError


class Masking(StrEnum):
    """Where a mask takes part in a row."""

    BEFORE = "before"  # -inf instead of the score, then softmax: right
    AFTER = "after"  # softmax, then 0 instead of the weight
    FILL = "fill"  # a large negative number instead of the score, then softmax


def mask_row(
    scores: Tensor, mask: Tensor, masking: Masking, *, fill: float | None = None
) -> Tensor:
    """(n,) weights of one row under a mask, float64.

    Args:
        scores: (n,) finite.
        mask: (n,) booleans, True where the query may look.
        masking: where the mask takes part.
        fill: the number that ``FILL`` writes over a masked score; the others need none.

    Raises:
        SettingError: ``FILL`` is given no number.

    >>> import torch
    >>> scores, mask = torch.tensor([1.0, 2.0]), torch.tensor([True, False])
    >>> mask_row(scores, mask, Masking.BEFORE)
    tensor([1., 0.], dtype=torch.float64)
    >>> mask_row(scores, mask, Masking.AFTER)
    tensor([0.2689, 0.0000], dtype=torch.float64)
    """
    scores = scores.double()
    if masking is Masking.AFTER:
        return row_softmax(scores) * mask
    if masking is Masking.BEFORE:
        return row_softmax(scores.masked_fill(~mask, -math.inf))
    if fill is None:
        raise SettingError("fill must be a number when masked scores are filled; got None.")
    return row_softmax(scores.masked_fill(~mask, fill))


def leak(weights: Tensor, mask: Tensor) -> float:
    """How much weight lands where the query may not look.

    >>> import torch
    >>> leak(torch.tensor([0.75, 0.25]), torch.tensor([True, False]))
    0.25
    """
    return weights[~mask].sum().item()


def lost_after(scores: Tensor, mask: Tensor) -> float:
    """What a row of scores (n,) lacks to 1 when it is masked after softmax.

    Summed over the masked keys: 1 minus the others' sum is 0 long before this is.

    >>> import torch
    >>> lost_after(torch.tensor([0.0, 0.0]), torch.tensor([True, False]))
    0.5
    """
    return leak(row_softmax(scores.double()), mask)


def weights_over_queries(trace: AttentionTrace) -> Tensor:
    """(n_q, n_k) softmax down the columns instead of along the rows: each column sums to 1.

    >>> import torch
    >>> from attention_viz.attention import attend
    >>> eye = torch.eye(2)
    >>> weights_over_queries(attend([[1.0, 5.0], [3.0, 4.0]], eye, eye, divisor=1))
    tensor([[0.1192, 0.7311],
            [0.8808, 0.2689]])
    """
    return softmax(trace.logits.mT).mT

"""What tells one head from another: a few numbers of its weights, each a mean over queries."""

from dataclasses import dataclass

from torch import Tensor

from attention_viz.matrices import Matrix
from attention_viz.measures import entropy, peak


@dataclass(frozen=True, slots=True)
class Profile:
    """One head on one text.

    Attributes:
        entropy: of a query's weights, in nats; a query that may look at nothing is left out.
        peak: largest weight of a query.
        first: weight on the first key.
        previous: weight of each query but the first on the key before it; NaN for other keys than
            the queries themselves, or for a single one.
        itself: weight of each query on itself; NaN likewise.
    """

    entropy: float
    peak: float
    first: float
    previous: float
    itself: float


def profile(weights: Tensor, mask: Matrix | None = None, *, self_attention: bool = True) -> Profile:
    """The profile of one head.

    Args:
        weights: (n_q, n_k).
        mask: (n_q, n_k) booleans, True where a query may look; everywhere when None.
        self_attention: whether the keys are the queries themselves.

    >>> import torch
    >>> profile(torch.tensor([[1.0, 0.0], [0.75, 0.25]])).previous
    0.75
    """
    before = weights.diagonal(-1) if self_attention else weights[:0, 0]
    own = weights.diagonal() if self_attention else weights[:0, 0]
    return Profile(
        entropy=entropy(weights, mask).nanmean().item(),
        peak=peak(weights).mean().item(),
        first=weights[:, 0].mean().item(),
        previous=before.mean().item(),
        itself=own.mean().item(),
    )

"""Many rows of logits at once: what softmax makes of them, and its derivatives, in float64."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Measures of rows of weights, one number a row unless it says otherwise.

    Attributes:
        winner: (rows,) the key with the largest weight.
        peak: (rows,) that weight, in 0 … 1.
        first: (rows,) the weight of key 0.
        entropy: (rows,) nats, in 0 … ln n.
        jacobian_norm: (rows,) Frobenius norm of d weights / d logits.
        logit_gradient: (rows, n) d loss / d logits for loss = direction · weights.
    """

    winner: Tensor
    peak: Tensor
    first: Tensor
    entropy: Tensor
    jacobian_norm: Tensor
    logit_gradient: Tensor


def measure_rows(logits: Tensor, direction: Tensor) -> Rows:
    """What softmax makes of each row, with every digit kept however peaked the row is.

    The subtraction 1 - w of the winner loses its digits once w is near 1. So the winner is set
    aside, and what it lacks is the sum over the others.

    Args:
        logits: (rows, n), finite.
        direction: (rows, n), d loss / d weights.

    >>> import torch
    >>> rows = measure_rows(torch.tensor([[0.0, 0.0]]), torch.tensor([[1.0, 0.0]]))
    >>> rows.peak.item(), rows.jacobian_norm.item(), rows.logit_gradient.tolist()
    (0.5, 0.5, [[0.25, -0.25]])
    """
    logits, direction = logits.double(), direction.double()
    top, winner = logits.max(dim=-1, keepdim=True)
    below = logits - top
    others = below.exp().scatter_(-1, winner, 0.0)
    rest = others.sum(dim=-1, keepdim=True)
    peak = 1 / (1 + rest)
    others *= peak
    lacks = rest * peak
    entropy = rest.log1p() - (others * below).sum(dim=-1, keepdim=True)

    squares = others.square()
    two = squares.sum(dim=-1, keepdim=True)
    # Σ w²(1 - w)² on the diagonal; beside it Σ w_i² w_j², of pairs with the winner and without.
    diagonal = (peak * lacks).square() + (squares * (1 - others).square()).sum(-1, keepdim=True)
    beside = 2 * peak.square() * two + two.square() - squares.square().sum(-1, keepdim=True)

    beyond = direction - direction.gather(-1, winner)
    mean = (others * beyond).sum(dim=-1, keepdim=True)
    logit_gradient = (others * (beyond - mean)).scatter_(-1, winner, -peak * mean)
    weights = others.scatter(-1, winner, peak)
    return Rows(
        winner=winner[:, 0],
        peak=peak[:, 0],
        first=weights[:, 0],
        entropy=entropy[:, 0],
        jacobian_norm=(diagonal + beside).sqrt()[:, 0],
        logit_gradient=logit_gradient,
    )

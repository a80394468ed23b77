"""How many keys a row really looks at, by the spread of its logits and by the number of keys."""

import math
from dataclasses import dataclass
from typing import Final

import torch

from attention_viz.attention import softmax
from attention_viz.errors import check_whole
from attention_viz.experiments.draws import Start, coordinates
from attention_viz.experiments.estimates import Estimate, estimate
from attention_viz.matrices import finite_number
from attention_viz.measures import effective_support, peak

SPREADS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
COUNTS: Final = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
D_K: Final = 64
_DRAWS: Final = 256


@dataclass(frozen=True, slots=True)
class Support:
    """Rows of many spreads and many keys.

    Attributes:
        spreads: standard deviations of the logits within a row.
        counts: numbers of keys n.
        draws: rows behind each estimate; a row with fewer keys is the beginning of a longer one.
        effective_support: effective tokens, [spread][count].
        peak: largest weights, [spread][count].
    """

    spreads: tuple[float, ...]
    counts: tuple[int, ...]
    draws: int
    effective_support: tuple[tuple[Estimate, ...], ...]
    peak: tuple[tuple[Estimate, ...], ...]


def measure_support(
    *,
    seed: int = 0,
    spreads: tuple[float, ...] = SPREADS,
    counts: tuple[int, ...] = COUNTS,
    draws: int = _DRAWS,
) -> Support:
    """Measure rows of q·k at d_k = 64, times spread ÷ 8, so that spread 8 is d_k 64 undivided.

    Args:
        seed: of queries and keys with N(0, 1) entries.
        spreads: what the standard deviation within rows shall be.
        counts: how many of the keys a row has.
        draws: rows, each of its own query and keys.
    """
    scores = torch.zeros(draws, max(counts), dtype=torch.float64)
    for query, keys in coordinates(Start.GAUSSIAN, draws, max(counts), seed=seed, width=D_K):
        scores += torch.bmm(keys, query.unsqueeze(-1)).squeeze(-1)
    rows = [
        [softmax(scores[:, :n] * (spread / math.sqrt(D_K))) for n in counts] for spread in spreads
    ]
    return Support(
        spreads,
        counts,
        draws,
        effective_support=tuple(tuple(estimate(effective_support(w)) for w in row) for row in rows),
        peak=tuple(tuple(estimate(peak(w)) for w in row) for row in rows),
    )


def random_energy_entropy(spread: float, keys: int) -> float:
    """Mean entropy in nats over n Gaussian logits as n grows without bound: ln n - spread² ÷ 2.

    It reaches 0 at spread = √(2 ln n), where the model freezes, and stays 0. Rows of any real
    length lie above it: far above near and beyond the freezing point.

    >>> round(random_energy_entropy(1.0, 1024), 3), random_energy_entropy(4.0, 1024)
    (6.431, 0.0)

    Source: Derrida 1981, Physical Review B 24, 2613.
    """
    check_whole("keys", keys, 2, 2**62)
    spread = finite_number("spread", spread)
    # The slope of the energy changes at the freezing point; the entropy meets 0 there.
    return max(math.log(keys) - spread**2 / 2, 0.0)


def freezing_d_k(keys: int) -> float:
    """The d_k at which undivided scores of n keys reach the freezing spread: 2 ln n.

    >>> round(freezing_d_k(1024), 2)
    13.86
    """
    return 2 * math.log(keys)

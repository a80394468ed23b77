"""Scores at all stops of the slider, beside one product of matrices for each.

    python benchmarks/scores.py [--runs 50]

On one thread; both take turns, and the first turn does not count.
"""

import sys
from typing import Final

import harness
import torch
from processes import seconds
from table import Budget, in_turns
from torch import Tensor

from attention_viz.scaling import STOPS, scores_at_stops

TOKENS: Final = 128
MOST: Final = Budget(10)  # milliseconds


def one_by_one(query: Tensor, key: Tensor) -> list[Tensor]:
    """A product for each stop, of the coordinates up to it."""
    return [query[:, :d] @ key[:, :d].mT for d in STOPS]


def main() -> int:
    """Measure, print, judge."""
    parser = harness.parser(__doc__)
    parser.add_argument("--runs", type=int, default=50)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    harness.begin()
    rng = torch.Generator().manual_seed(0)
    query, key = (torch.randn(TOKENS, STOPS[-1], generator=rng) for _ in range(2))
    turns = [
        (
            1000 * seconds(lambda: scores_at_stops(query, key)),
            1000 * seconds(lambda: one_by_one(query, key)),
        )
        for _ in range(1 + chosen.runs)
    ][1:]
    what = f"scores at all {len(STOPS)} stops, {TOKENS} tokens, one thread"
    return harness.conclude(
        [in_turns(what, "ms", turns, "a product for each stop", MOST)], chosen.findings
    )


if __name__ == "__main__":
    sys.exit(main())

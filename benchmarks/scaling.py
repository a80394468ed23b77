"""A sweep of d_k beside the loop that anybody would write: one size after the other, drawn anew.

    python benchmarks/scaling.py [--runs 9]

Both measure the same: 36 values of d_k from 1 to 1024, 8 keys, 4000 draws, every measure scaled and
unscaled, by the same functions on one thread. The loop draws queries and keys of each size and
multiplies them whole, for the scores and for the derivative by the query; the sweep draws each
coordinate once and adds what it brings. They take turns; the first turn does not count. Counted is
the processor's time: with one thread it is what a free machine takes, however busy this one is.
"""

import math
import statistics
import sys
from typing import Final

import harness
import torch
from processes import seconds
from table import Budget, in_turns
from torch import Tensor

from attention_viz.experiments.estimates import Estimate, estimate
from attention_viz.experiments.rows import measure_rows
from attention_viz.experiments.sweep import Sweep, row_variances, stops_between, walk

SWEEP: Final = Sweep(stops_between(1, 1024))
MOST: Final = Budget(0.25, on_ratio=True)  # of the loop's time


def loop() -> list[list[Estimate]]:
    """Every d_k by itself, all draws at once."""
    rng = torch.Generator().manual_seed(0)
    points = []
    for d_k in SWEEP.stops:
        query = torch.randn(SWEEP.draws, d_k, generator=rng)
        keys = torch.randn(SWEEP.draws, SWEEP.keys, d_k, generator=rng)
        direction = torch.randn(SWEEP.draws, SWEEP.keys, generator=rng)
        scores = torch.bmm(keys, query.unsqueeze(-1)).squeeze(-1).double()
        point = [estimate(row_variances(scores))]
        for divisor in (math.sqrt(d_k), 1.0):
            rows = measure_rows(scores / divisor, direction)
            measures = (rows.peak, rows.entropy, rows.entropy.exp(), rows.jacobian_norm)
            gradients = _gradients(rows.logit_gradient / divisor, query, keys)
            point += [estimate(values) for values in (*measures, *gradients)]
        points.append(point)
    return points


def _gradients(logit_gradient: Tensor, query: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
    by_query = torch.bmm(logit_gradient.float().unsqueeze(1), keys).squeeze(1)
    return by_query.norm(dim=-1), logit_gradient.norm(dim=-1) * query.norm(dim=-1)


def sweep() -> list[object]:
    """The same by one walk."""
    return list(walk(SWEEP))


def main() -> int:
    """Measure, print, judge."""
    parser = harness.parser(__doc__)
    parser.add_argument("--runs", type=int, default=9, help="of each")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    harness.begin()
    turns = [(seconds(sweep), seconds(loop)) for _ in range(1 + chosen.runs)][1:]
    rows = []
    for name, times in zip(("one walk", "a loop"), zip(*turns, strict=True), strict=True):
        numbers = (statistics.median(times), min(times), max(times))
        rows.append([name, *(f"{each:.3f}" for each in numbers)])
    harness.show((f"{len(SWEEP.stops)} values of d_k", "median s", "least", "most"), rows)
    what = f"sweep of {len(SWEEP.stops)} d_k, {SWEEP.draws} draws"
    found = in_turns(what, "s", turns, "a loop, every size drawn anew", MOST)
    print("ratio of each turn:", *(f"{each:.2f}" for each in found.ratios))
    return harness.conclude([found], chosen.findings)


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.fuzz --seed 0`: many inputs of every kind, counted; or one by its number."""

import argparse
import logging
import os
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
logging.disable(logging.WARNING)  # Streamlit says often that nobody is looking at its pages

from tests.fuzz.addresses import ADDRESSES
from tests.fuzz.cases import MEGABYTES, SECONDS, Kind, Totals, case, run
from tests.fuzz.checkpoints import CHECKPOINTS
from tests.fuzz.sentences import SENTENCES

KINDS = {kind.name: kind for kind in (SENTENCES, ADDRESSES, CHECKPOINTS)}


def main() -> int:
    """Run what is asked for; 1 when anything failed, took too long or too much memory."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS, action="append", help="all when left out")
    parser.add_argument("--count", type=int, default=20_000, help="of each kind")
    parser.add_argument("--only", type=int, help="show this case alone")
    asked = parser.parse_args()
    faults = 0
    for name in asked.kind or KINDS:
        if asked.only is None:
            faults += report(name, asked.seed, run(KINDS[name], asked.seed, range(asked.count)))
        else:
            faults += show(KINDS[name], asked.seed, asked.only)
    return int(faults > 0)


def report(name: str, seed: int, totals: Totals) -> int:
    """Print what came of many cases; how many faults there were."""
    count = totals.outcomes.total()
    outcomes = ", ".join(f"{number:,} {what}" for what, number in totals.outcomes.most_common())
    print(
        f"{name}, seed {seed}: {count:,} cases ({outcomes}); {totals.seconds:.0f} s of the "
        f"processor, at most {totals.worst:.2f} s (case {totals.worst_number}); "
        f"{totals.megabytes:.0f} MB above the base.",
        flush=True,
    )
    for number, fault in totals.failed[:20]:
        print(f"  --kind {name} --seed {seed} --only {number}: {fault}")
    if not totals.is_bounded:
        print(f"  more than {SECONDS:.0f} s or {MEGABYTES} MB.")
    return len(totals.failed) + (not totals.is_bounded)


def show(kind: Kind, seed: int, number: int) -> int:
    """Print how one case begins, and what came of it; ``case`` gives it whole."""
    print(f"{kind.name} {number}: {case(kind, seed, number)!r:.2000}")
    return report(kind.name, seed, run(kind, seed, [number]))


if __name__ == "__main__":
    sys.exit(main())

"""The size of an exported page, beside the same maps as a Plotly file.

    python benchmarks/exports.py

A random head at every stop of the slider, all in one file, against one picture with Plotly inside.
"""

import sys
from typing import Final

import harness
from table import Budget, beside
from views import of_run

import attention_viz as av
from attention_viz import figures

MOST: Final = {16: Budget(250), 128: Budget(4000)}  # kB, for so many tokens


def kilobytes(document: str) -> float:
    """As a file."""
    return len(document.encode()) / 1000


def main() -> int:
    """Measure, print, judge."""
    chosen = harness.parser(__doc__).parse_args()
    findings = []
    for tokens, budget in MOST.items():
        text = " ".join(f"w{i}" for i in range(tokens))
        run = av.run(text, av.random_head(256, 64))
        still = figures.attention_maps(run).to_html()
        what = f"exported page, {tokens} tokens, all stops"
        sizes = ([kilobytes(of_run(run))], "one still Plotly figure", [kilobytes(still)])
        findings.append(beside(what, "kB", *sizes, budget))
    return harness.conclude(findings, chosen.findings)


if __name__ == "__main__":
    sys.exit(main())

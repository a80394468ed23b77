"""How long until the first heatmap, beside the least that a page with torch can be?

    python benchmarks/startup.py [--runs 7]

Each run starts a server, waits until it answers, and then sends it its first visitor, in a fresh
browser profile: so the imports happen in that visit. Measured is, in the browser, from the start of
the navigation to the end of the frame with the first picture: the cells of the weights not all of
one colour, or, on the bare page, its line of text. Both pages take turns; the first turn does not
count, it fills the machine's file cache.
"""

import statistics
import sys
from pathlib import Path
from typing import Final

import harness
from playwright.sync_api import Browser
from table import Budget, in_turns

TOKENS: Final = 4
MOST: Final = Budget(1.5, on_ratio=True)  # times the bare page
PAGES: Final = {"this app": harness.APP, "bare page with torch": harness.PAGES / "bare.py"}


def first_picture(browser: Browser, script: Path) -> tuple[float, float]:
    """Seconds of a server's start, and of its first visit."""
    text = "" if script == harness.APP else "A page with torch"
    with harness.serve(script) as server, harness.visit(browser, text=text) as page:
        page.goto(server.address(TOKENS))
        harness.settle(page)
        return server.seconds, float(page.evaluate("probe.first")) / 1000


def main() -> int:
    """Measure, print, judge."""
    parser = harness.parser(__doc__)
    parser.add_argument("--runs", type=int, default=7, help="of each page")
    chosen = parser.parse_args()
    harness.begin()
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in PAGES}
    with harness.chromium() as (browser, _):
        for run in range(1 + chosen.runs):
            for name, script in PAGES.items():
                measured = first_picture(browser, script)
                print(f"{name}: {measured[1]:.2f} s", file=sys.stderr)
                if run:
                    times[name].append(measured)
    rows = []
    for name, measured in times.items():
        starts, visits = (sorted(each) for each in zip(*measured, strict=True))
        seconds = (statistics.median(visits), visits[0], visits[-1], statistics.median(starts))
        rows.append([name, *(f"{each:.2f}" for each in seconds)])
    harness.show(("page", "first picture s", "least", "most", "server start s"), rows)
    app, bare = times.values()
    turns = [(ours[1], theirs[1]) for ours, theirs in zip(app, bare, strict=True)]
    found = in_turns("first heatmap after start", "s", turns, "bare page with torch", MOST)
    print("ratio of each turn:", *(f"{each:.2f}" for each in found.ratios))
    return harness.conclude([found], chosen.findings)


if __name__ == "__main__":
    sys.exit(main())

"""How live is the d_k slider, beside what a person would otherwise use?

    python benchmarks/live_drag.py [--tokens 16 64 128]

Three pages in one run and one browser: the stage of this project; st.select_slider, which is
st.slider with values of one's own, with st.plotly_chart; one Plotly figure with a frame for every
d_k. On a busy machine only the ratios mean something, and of several drags the one counts in which
the rest of the machine did least. Takes three minutes a size.
"""

import itertools
import statistics
import sys
from contextlib import ExitStack
from typing import Final

import harness
from table import Budget, Finding, beside
from visits import Kind, Result, Visit

# Pictures a frame of the idle page, and a step's time as a share of st.select_slider's.
LEAST_FRAMES: Final = Budget(0.9, on_ratio=True, at_least=True)
MOST_TIME: Final = Budget(1 / 15, on_ratio=True)
BUSY: Final = 200  # milliseconds of CPU a second of others that leave the result open

STAGE: Final = Kind("the stage", harness.APP, "input[aria-label=d_k]")
SLIDER: Final = Kind(
    "st.select_slider + chart",
    harness.PAGES / "slider_and_chart.py",
    "[data-testid=stSlider] [role=group] > div",
)
FRAMES: Final = Kind(
    "Plotly frames", harness.PAGES / "frames.py", ".slider-rail-touch-rect", has_keys=False
)

HEADS: Final = (
    "page",
    "idle f/s",
    "frames/s",
    "moved/s",
    "pictures/s",
    "of idle",
    "of moved",
    "step ms",
    "p95",
    "cold MB",
    "kB/step",
    "browser ms/s",
    "server ms/s",
    "others ms/s",
)
LEGEND: Final = """\
idle: the page at rest. moved: frames before which the slider got another value. pictures: frames
that brought another picture. step: a key press (Plotly's slider: a click) to the end of the frame
that shows it. cold: the first visit. ms/s: CPU while dragging, of 1000 a processor."""


def line(tokens: int, kind: Kind, result: Result) -> list[str]:
    """One line of the table."""
    one, waits = result.drag, result.waits
    return [
        f"{kind.name}, {tokens}",
        *(f"{rate:.1f}" for rate in (one.idle, one.frames, one.moved, one.pictures)),
        f"{one.share:.2f}",
        f"{one.pictures / (one.moved or 1):.2f}",
        f"{statistics.median(waits):.0f}",
        f"{statistics.quantiles(waits, n=20)[-1]:.0f}",
        f"{result.cold / 1e6:.2f}",
        f"{result.step / 1e3:.1f}",
        *(f"{used:.0f}" for used in (one.browser, one.server, one.others)),
    ]


def found(tokens: int, stage: Result, slider: Result, frames: Result) -> list[Finding]:
    """What is said of one size."""
    size, drag = f"{tokens} tokens", stage.drag
    live = (f"pictures while dragging, {size}", "a second", [drag.pictures])
    press = (f"a key press painted, {size}", "ms", stage.waits)
    return [
        beside(*live, "frames of the page at rest", [drag.idle], LEAST_FRAMES),
        beside(*live, "Plotly frames", [frames.drag.pictures]),
        beside(*press, "st.select_slider + st.plotly_chart", slider.waits, MOST_TIME),
        beside(*press, "a click on Plotly frames", frames.waits),
    ]


def main() -> int:
    """Measure, print, judge."""
    parser = harness.parser(__doc__)
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 64, 128])
    chosen = parser.parse_args()
    sizes = chosen.tokens
    harness.begin()
    results = {}
    with ExitStack() as stack:
        browser, port = stack.enter_context(harness.chromium())
        kinds = (STAGE, SLIDER, FRAMES)
        servers = [stack.enter_context(harness.serve(kind.script)) for kind in kinds]
        for tokens, (kind, server) in itertools.product(sizes, zip(kinds, servers, strict=True)):
            with harness.visit(browser) as page:
                results[tokens, kind] = Visit(page, kind, server, tokens).measure(port)
            print(f"{kind.name}, {tokens} tokens: measured", file=sys.stderr)
    harness.show(HEADS, [line(*key, result) for key, result in results.items()])
    print(LEGEND)
    findings = [each for n in sizes for each in found(n, *(results[n, kind] for kind in kinds))]
    others = max(results[n, STAGE].drag.others for n in sizes)
    if others > BUSY:
        print(f"Others used {others:.0f} ms/s beside the stage: measure again when all is quiet.")
    return harness.conclude(findings, chosen.findings)


if __name__ == "__main__":
    sys.exit(main())

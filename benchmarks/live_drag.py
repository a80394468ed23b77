"""How live is the d_k slider, beside what a person would otherwise use?

    python benchmarks/live_drag.py [--tokens 16 64 128]

Three pages in one run and one browser: the stage of this project; st.slider with st.plotly_chart;
one Plotly figure with a frame for every d_k. On a busy machine only the ratios mean something.
"""

import argparse
import itertools
import os
import statistics
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

import harness
from hand import Hand
from playwright.sync_api import Browser, Page

from attention_viz import STOPS

ROUNDS: Final = 7
IDLE: Final = 1.0  # seconds of each round without a hand on the slider,
DRAG: Final = 3.0  # and with
PRESSES: Final = 20
WARM: Final = 2  # presses before, which do not count
QUIET: Final = 600  # milliseconds in which a change reaches the server and comes back
EDGE: Final = 11  # pixels from the end of the slider to the middle of its thumb there
MOST_FRAMES: Final = 0.9  # budgets: pictures a frame of the idle page,
MOST_TIME: Final = 1 / 15  # and the time of a step, as a share of st.slider's


@dataclass(frozen=True, slots=True)
class Kind:
    """A page, and what the hand takes hold of."""

    name: str
    script: str
    track: str
    has_keys: bool = True


STAGE: Final = Kind("the stage", "../../app.py", "input[aria-label=d_k]")
SLIDER: Final = Kind(
    "st.slider + chart", "slider_and_chart.py", "[data-testid=stSlider] [role=group] > div"
)
FRAMES: Final = Kind("Plotly frames", "frames.py", ".slider-rail-touch-rect", has_keys=False)


@dataclass(frozen=True, slots=True)
class Round:
    """A while without, and a while with a hand on the slider. Rates are per second."""

    idle: float  # frames of the page when nothing moves
    frames: float
    moved: float  # frames before which the slider got another value
    pictures: float
    browser: float  # milliseconds of CPU
    server: float

    @property
    def share(self) -> float:
        """Of the frames of an idle page, those that brought another picture."""
        return self.pictures / self.idle


@dataclass(frozen=True, slots=True)
class Result:
    """What one page did at one size."""

    drag: Round  # the middle one by its share
    waits: list[float]  # milliseconds of each step
    cold: int  # bytes of the first visit
    step: float  # bytes of one step


class Visit:
    """One page in the browser."""

    def __init__(self, page: Page, kind: Kind, server: harness.Server, port: int) -> None:
        self.page, self.kind, self.server = page, kind, server
        self.bytes = 0
        session = page.context.new_cdp_session(page)
        target = session.send("Target.getTargetInfo")["targetInfo"]["targetId"]
        self.debugging = f"ws://127.0.0.1:{port}/devtools/page/{target}"
        session.send("Network.enable")
        session.on("Network.loadingFinished", lambda done: self.count(done["encodedDataLength"]))
        page.on("websocket", self.listen)

    def listen(self, socket: Any) -> None:
        for event in ("framereceived", "framesent"):
            socket.on(event, lambda payload: self.count(len(payload)))

    def count(self, size: float) -> None:
        self.bytes += int(size)

    def measure(self, tokens: int) -> Result:
        """Load, step by step, then drag."""
        self.page.goto(f"{self.server.address}/?text={harness.words(tokens)}")
        harness.settle(self.page)
        self.page.wait_for_timeout(2 * QUIET)
        box = self.page.locator(self.kind.track).bounding_box()
        assert box is not None
        self.y = box["y"] + box["height"] / 2
        left, length = box["x"] + EDGE, box["width"] - 2 * EDGE
        self.places = [left + length * i / (len(STOPS) - 1) for i in range(len(STOPS))]
        cold = self.bytes
        waits = [self.step(i) for i in range(WARM + PRESSES)]
        step = (self.bytes - cold) / len(waits)
        rounds = sorted((self.drag() for _ in range(ROUNDS)), key=lambda one: one.share)
        return Result(rounds[ROUNDS // 2], waits[WARM:], cold, step)

    def step(self, i: int) -> float:
        """Milliseconds from a key press to the end of the first frame with another picture.

        Plotly's own slider takes no keys: there the next stop is clicked.
        """
        if self.kind.has_keys:
            self.page.locator("input[aria-label=d_k]").press("ArrowRight")
        else:
            self.page.mouse.click(self.places[STOPS.index(4) + 1 + i], self.y)
        self.page.wait_for_function(f"probe.waits.length > {i}", polling=50)
        self.page.wait_for_timeout(QUIET)
        return float(self.page.evaluate("probe.waits.at(-1)"))

    def drag(self) -> Round:
        """Idle, then over the slider from its first stop to its last, and again.

        A slow drag from end to end passes 32 stops and so brings 32 pictures, however fast they are
        drawn. So each move goes on to the next stop, faster than the page can draw: every frame
        brings a new value, and what is counted is how many of them bring a new picture.
        """
        hand = Hand(self.debugging)
        hand.press(self.places[0], self.y)
        self.page.wait_for_timeout(2 * QUIET)
        pids = harness.browser_pids()

        def now() -> list[float]:
            counted = self.page.evaluate("[probe.frames, probe.moved, probe.pictures]")
            used = harness.cpu_seconds(*pids), harness.cpu_seconds(self.server.pid)
            return [time.perf_counter(), *counted, *(1000 * each for each in used)]

        begin = now()
        self.page.wait_for_timeout(1000 * IDLE)
        middle = now()
        hand.move(DRAG, itertools.cycle(self.places), self.y)
        end = now()
        hand.release(self.places[-1], self.y)
        self.page.wait_for_timeout(2 * QUIET)
        idle = (middle[1] - begin[1]) / (middle[0] - begin[0])
        seconds, *counts = (after - before for before, after in zip(middle, end, strict=True))
        return Round(idle, *(count / seconds for count in counts))


HEADS: Final = """\
                         frames/s   dragging, a second   picture per  step, ms      cold  a step CPU ms/s
tokens page                  idle frames moved pictures   idle moved  median p95      MB     kB browser server"""


def show(tokens: int, kind: Kind, result: Result) -> None:
    """One line of the table."""
    one, waits = result.drag, result.waits
    print(
        f"{tokens:6} {kind.name:18} {one.idle:7.1f} {one.frames:6.1f} {one.moved:5.1f} "
        f"{one.pictures:8.1f} {one.share:6.2f} {one.pictures / (one.moved or 1):5.2f} "
        f"{statistics.median(waits):7.0f} {statistics.quantiles(waits, n=20)[-1]:4.0f} "
        f"{result.cold / 1e6:7.2f} {result.step / 1e3:6.1f} {one.browser:7.0f} {one.server:6.0f}",
        flush=True,
    )


def judge(tokens: int, stage: Result, slider: Result) -> bool:
    """Print the budgets at one size; whether both are met."""
    live = stage.drag.share
    quick = statistics.median(stage.waits) / statistics.median(slider.waits)
    lines = (
        (live >= MOST_FRAMES, f"a new picture on {live:.2f} of the idle page's frames (>= 0.9)"),
        (quick <= MOST_TIME, f"a key press painted in 1/{1 / quick:.1f} of st.slider's time (1/15)"),
    )
    for met, line in lines:
        print(f"{'met   ' if met else 'MISSED'} {tokens:4} tokens: {line}")
    return all(met for met, _ in lines)


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 64, 128])
    sizes = parser.parse_args().tokens
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the start")
    print(HEADS)
    results = {}
    with ExitStack() as stack:
        browser, port = stack.enter_context(harness.chromium())
        kinds = (STAGE, SLIDER, FRAMES)
        servers = [stack.enter_context(harness.serve(harness.PAGES / k.script)) for k in kinds]
        for tokens, (kind, server) in itertools.product(sizes, zip(kinds, servers, strict=True)):
            with harness.visit(browser) as page:
                results[tokens, kind] = Visit(page, kind, server, port).measure(tokens)
            show(tokens, kind, results[tokens, kind])
    met = [judge(n, results[n, STAGE], results[n, SLIDER]) for n in sizes]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())

"""A page with a d_k slider, moved step by step and dragged, and what could be seen of it."""

import itertools
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import harness
from hand import Hand
from playwright.sync_api import Page
from processes import browser_pids, busy_seconds, cpu_seconds

from attention_viz.scaling import STOPS

START: Final = STOPS.index(4)  # where the slider of all three pages begins
ROUNDS: Final = 5
IDLE: Final = 1.0  # seconds of each round without a hand on the slider,
DRAG: Final = 3.0  # and with
PRESSES: Final = 20
WARM: Final = 2  # presses before, which do not count
QUIET: Final = 600  # milliseconds in which a change reaches the server and comes back
EDGE: Final = 11  # pixels from the end of the slider to the middle of its thumb there


@dataclass(frozen=True, slots=True)
class Kind:
    """A page, and what the hand takes hold of."""

    name: str
    script: Path
    track: str
    has_keys: bool = True


@dataclass(frozen=True, slots=True)
class Round:
    """A while without, and a while with a hand on the slider. All is per second."""

    idle: float  # frames while nothing moved
    frames: float
    moved: float  # frames before which the slider got another value
    pictures: float
    browser: float  # milliseconds of CPU
    server: float
    others: float  # all other processes of the machine, this one among them

    @property
    def share(self) -> float:
        """Pictures a frame of the idle page."""
        return self.pictures / self.idle


@dataclass(frozen=True, slots=True)
class Result:
    """What one page did at one size."""

    drag: Round  # the one of several in which the rest of the machine did least
    waits: list[float]  # milliseconds of each step
    cold: int  # bytes of the first visit
    step: float  # bytes of one step


class Visit:
    """One page, loaded and ready to be moved."""

    def __init__(self, page: Page, kind: Kind, server: harness.Server, tokens: int) -> None:
        self.page, self.kind, self.server = page, kind, server
        self.traffic = harness.Traffic(page)
        page.goto(server.address(tokens))
        harness.settle(page)
        page.wait_for_timeout(2 * QUIET)
        box = page.locator(kind.track).bounding_box()
        assert box is not None
        self.y = box["y"] + box["height"] / 2
        left, gap = box["x"] + EDGE, (box["width"] - 2 * EDGE) / (len(STOPS) - 1)
        self.places = [left + gap * i for i in range(len(STOPS))]

    def measure(self, port: int) -> Result:
        """Step by step, then drag."""
        cold = self.traffic.bytes
        waits = [self.step(i) for i in range(WARM + PRESSES)]
        step = (self.traffic.bytes - cold) / len(waits)
        quietest = min((self.drag(port) for _ in range(ROUNDS)), key=lambda one: one.others)
        return Result(quietest, waits[WARM:], cold, step)

    def step(self, i: int) -> float:
        """Milliseconds from a key press to the end of the first frame with another picture.

        Plotly's own slider takes no keys: there the next stop is clicked.
        """
        if self.kind.has_keys:
            self.page.locator("input[aria-label=d_k]").press("ArrowRight")
        else:
            self.page.mouse.click(self.places[START + 1 + i], self.y)
        self.page.wait_for_function(f"probe.waits.length > {i}", polling=50)
        self.page.wait_for_timeout(QUIET)
        return float(self.page.evaluate("probe.waits.at(-1)"))

    def drag(self, port: int) -> Round:
        """Idle, then over the slider from its first stop to its last, and again.

        A slow drag from end to end brings a picture a stop, however fast they are drawn. So each
        move goes to the next stop, sooner than a page could draw it: every frame brings a new
        value, and what is counted is how many of them bring a new picture.
        """
        hand = Hand(self.page, port)
        hand.press(self.places[0], self.y)
        self.page.wait_for_timeout(2 * QUIET)
        pids = browser_pids()

        def now() -> list[float]:
            counts = self.page.evaluate("[probe.frames, probe.moved, probe.pictures]")
            ours = [cpu_seconds(*pids), cpu_seconds(self.server.pid)]
            used = [*ours, busy_seconds() - sum(ours)]  # ticks of 10 ms: may fall below 0
            return [time.perf_counter(), *counts, *(1000 * each for each in used)]

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

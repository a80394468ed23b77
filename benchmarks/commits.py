"""What a committed change of the stage costs the server, and what the server keeps of it.

    python benchmarks/commits.py [--commits 300] [--tokens 4 16 64 128] [--gc shipped|default]

A real browser opens the page and makes one change. The message that it sends for it is then sent
again by a bare websocket, each time with another d_k: so that what is measured is the server, and
thousands of changes take minutes. Each size has a server of its own.

--gc default collects all generations after every run, as Streamlit does unless it is told not to:
with torch imported that is most of what a small change costs. --gc shipped is the project's
configuration, without it (runner.postScriptGC). Under both, what the imports made is frozen
(ui/collector.py), so that Python's own collections have little to walk. What grows with the tokens
is the message of the maps, which is packed and hashed again for each commit.
"""

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Final

import harness
from playwright.sync_api import Browser
from processes import cpu_seconds, memory_mb
from table import Budget, Finding
from visitors import Script, Visitor, overheard
from websockets.sync.client import ClientConnection, connect

from attention_viz.scaling import STOPS

MOST: Final = Budget(30)  # milliseconds of server CPU a commit,
MOST_TOKENS: Final = 64  # up to this size
TENTHS: Final = 10


@dataclass(frozen=True, slots=True)
class Result:
    """What the commits at one size cost."""

    first: float  # milliseconds of CPU, when a stop is met for the first time
    again: list[float]  # and later, in each tenth of the commits
    sent: float  # bytes a commit, to the server
    received: float
    memory: list[float]  # MB after each tenth of the commits


class Session:
    """One visitor's connection, and the bytes that pass."""

    def __init__(self, socket: ClientConnection, script: Script) -> None:
        self.socket = socket
        self.visitor = Visitor(script)
        self.sent = self.received = 0
        self._exchange(self.visitor.opening())

    def commit(self, d_k: int) -> None:
        """Another d_k, and wait for the end of what follows."""
        self._exchange(self.visitor.change(d_k))

    def _exchange(self, message: bytes) -> None:
        self.socket.send(message)
        self.sent += len(message)
        ended = False
        while not ended:
            answer = self.socket.recv(timeout=60)
            assert isinstance(answer, bytes)
            self.received += len(answer)
            ended = self.visitor.hears(answer)


def measure(browser: Browser, tokens: int, commits: int, *options: str) -> Result:
    """Commit so many changes on a server of their own."""
    with harness.serve(harness.APP, *options) as server:
        script = overheard(browser, server, tokens)
        with connect(server.stream, subprotocols=["streamlit"], max_size=None) as socket:
            session = Session(socket, script)
            first = cost(session, server.pid, STOPS)
            session.sent = session.received = 0
            stops, memory, again = cycle(STOPS), [], []
            for _ in range(TENTHS):
                again.append(cost(session, server.pid, list(islice(stops, commits // TENTHS))))
                memory.append(memory_mb(server.pid))
        made = commits // TENTHS * TENTHS
        return Result(first, again, session.sent / made, session.received / made, memory)


def cost(session: Session, pid: int, stops: Sequence[int]) -> float:
    """Milliseconds of the server's CPU a commit."""
    before = cpu_seconds(pid)
    for d_k in stops:
        session.commit(d_k)
    return 1000 * (cpu_seconds(pid) - before) / len(stops)


LEGEND: Final = """\
ms: CPU of the server a commit, when a stop is met for the first time, and again (the median tenth
of the commits). in, out: of the server, a commit. MB: its resident memory after each tenth."""


def line(tokens: int, result: Result) -> list[str]:
    """One line of the table."""
    return [
        str(tokens),
        *(f"{used:.1f}" for used in (result.first, statistics.median(result.again))),
        *(f"{count:.0f}" for count in (result.sent, result.received, *result.memory)),
    ]


def found(tokens: int, result: Result) -> list[Finding]:
    """What is said of one size."""
    what = f"server CPU of a committed change, {tokens} tokens"
    budget = MOST if tokens <= MOST_TOKENS else None
    return [
        Finding(f"{what}, a stop met first", "ms", (result.first,), budget=budget),
        Finding(what, "ms", tuple(result.again), budget=budget),
    ]


def main() -> int:
    """Measure, print, judge."""
    parser = harness.parser(__doc__)
    parser.add_argument("--commits", type=int, default=300, help="at least 10")
    parser.add_argument("--tokens", type=int, nargs="+", default=[4, 16, 64, 128])
    parser.add_argument("--gc", choices=("shipped", "default"), default="shipped")
    chosen = parser.parse_args()
    options = ("--runner.postScriptGC", "true") if chosen.gc == "default" else ()
    harness.begin()
    print(f"{chosen.commits} commits at each size, --gc {chosen.gc}")
    with harness.chromium() as (browser, _):
        results = {n: measure(browser, n, chosen.commits, *options) for n in chosen.tokens}
    tenths = [f"MB {i}/{TENTHS}" for i in range(1, 1 + TENTHS)]
    heads = ("tokens", "ms first", "ms again", "bytes in", "bytes out", *tenths)
    harness.show(heads, [line(n, result) for n, result in results.items()])
    print(LEGEND)
    findings = [each for n, result in results.items() for each in found(n, result)]
    return harness.conclude(findings, chosen.findings)


if __name__ == "__main__":
    sys.exit(main())

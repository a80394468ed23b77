"""What a committed change of the stage costs the server, and what the server keeps of it.

    python benchmarks/commits.py [--commits 300] [--tokens 4 16 64 128] [--gc shipped|default]

A real browser opens the page and makes one change. The message that it sends for it is then sent
again by a bare websocket, each time with another d_k: so that what is measured is the server, and
thousands of changes take minutes. Each size has a server of its own.

--gc shipped is the project's configuration: no collection after a run (runner.postScriptGC), and
what the imports made is frozen. --gc default turns the collection on, as Streamlit does.
"""

import argparse
import json
import os
import sys
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Final

import harness
from playwright.sync_api import Browser
from processes import cpu_seconds, memory_mb
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

MOST_MS: Final = 30  # budget: server CPU a commit,
MOST_TOKENS: Final = 64  # up to this size
# All that the slider has, as attention_viz.STOPS; to import that would import torch.
STOPS: Final = (
    *range(1, 9),
    *(10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128),
    *(160, 192, 224, 256, 320, 384, 448, 512),
)
TENTHS: Final = 10


@dataclass(frozen=True, slots=True)
class Result:
    """What the commits at one size cost."""

    first: float  # milliseconds of CPU, when a stop is met for the first time
    again: float
    sent: float  # bytes a commit, to the server
    received: float
    memory: list[float]  # MB after each tenth of the commits


class Session:
    """One visitor without a browser, who says what a browser has said."""

    def __init__(self, socket: ClientConnection, opening: bytes, change: bytes) -> None:
        self.socket = socket
        self.change = BackMsg.FromString(change)
        states = self.change.rerun_script.widget_states.widgets
        self.stage = next(state for state in states if '"view"' in state.json_value)
        self.sent = self.received = 0
        self._exchange(opening)

    def commit(self, d_k: int) -> None:
        """Another d_k, and wait for the end of what follows."""
        state = json.loads(self.stage.json_value)
        state["view"]["d_k"] = d_k
        self.stage.json_value = json.dumps(state, separators=(",", ":"))
        self._exchange(self.change.SerializeToString())

    def _exchange(self, message: bytes) -> None:
        self.socket.send(message)
        self.sent += len(message)
        kind = ""
        while kind != "script_finished":
            answer = self.socket.recv(timeout=60)
            assert isinstance(answer, bytes)
            self.received += len(answer)
            kind = ForwardMsg.FromString(answer).WhichOneof("type") or ""


def overheard(browser: Browser, server: harness.Server, tokens: int) -> tuple[bytes, bytes]:
    """What a browser sends to open the page, and for one change."""
    messages: list[bytes] = []
    with harness.visit(browser) as page:
        page.on(
            "websocket",
            lambda socket: socket.on("framesent", lambda said: messages.append(bytes(said))),
        )
        page.goto(server.address(tokens))
        harness.settle(page)
        page.wait_for_timeout(1000)
        page.locator("input[aria-label=d_k]").press("ArrowRight")
        page.wait_for_timeout(2000)
    return messages[0], messages[-1]


def measure(browser: Browser, tokens: int, commits: int, *options: str) -> Result:
    """Commit so many changes on a server of their own."""
    with harness.serve(harness.APP, *options) as server:
        opening, change = overheard(browser, server, tokens)
        address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
        with connect(address, subprotocols=["streamlit"], max_size=None) as socket:
            session = Session(socket, opening, change)
            first = cost(session, server.pid, STOPS)
            session.sent = session.received = 0
            stops, memory, again = cycle(STOPS), [], 0.0
            for _ in range(TENTHS):
                again += cost(session, server.pid, list(islice(stops, commits // TENTHS)))
                memory.append(memory_mb(server.pid))
        made = commits // TENTHS * TENTHS
        return Result(first, again / TENTHS, session.sent / made, session.received / made, memory)


def cost(session: Session, pid: int, stops: tuple[int, ...] | list[int]) -> float:
    """Milliseconds of the server's CPU a commit."""
    before = cpu_seconds(pid)
    for d_k in stops:
        session.commit(d_k)
    return 1000 * (cpu_seconds(pid) - before) / len(stops)


LEGEND: Final = """\
ms: CPU of the server a commit, when a stop is met for the first time, and again. in, out: of the
server, a commit. MB: resident memory of the server after each tenth of the commits."""


def line(tokens: int, result: Result) -> list[str]:
    """One line of the table."""
    return [
        str(tokens),
        *(f"{used:.1f}" for used in (result.first, result.again)),
        *(f"{count:.0f}" for count in (result.sent, result.received, *result.memory)),
    ]


def judge(tokens: int, result: Result) -> bool:
    """Print the budget at one size; whether it is met."""
    most = max(result.first, result.again)
    fits = most <= MOST_MS
    print(harness.verdict(met=fits), f"{tokens:4} tokens: {most:.1f} ms a commit, <= {MOST_MS}")
    return fits


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--commits", type=int, default=300, help="at least 10")
    parser.add_argument("--tokens", type=int, nargs="+", default=[4, 16, 64, 128])
    parser.add_argument("--gc", choices=("shipped", "default"), default="shipped")
    chosen = parser.parse_args()
    options = ("--runner.postScriptGC", "true") if chosen.gc == "default" else ()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the start")
    print(f"{chosen.commits} commits at each size, --gc {chosen.gc}")
    with harness.chromium() as (browser, _):
        results = {n: measure(browser, n, chosen.commits, *options) for n in chosen.tokens}
    tenths = [f"MB {i}/{TENTHS}" for i in range(1, 1 + TENTHS)]
    heads = ("tokens", "ms first", "ms again", "bytes in", "bytes out", *tenths)
    harness.show(heads, [line(n, result) for n, result in results.items()])
    print(LEGEND)
    met = [judge(n, result) for n, result in results.items() if n <= MOST_TOKENS]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())

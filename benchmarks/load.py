"""How many people can change the stage at once, and what each of them costs the server?

    python benchmarks/load.py [--people 1 10 30 60] [--tokens 16 64] [--seconds 30]
    python benchmarks/load.py --soak 30 --people 30 --tokens 16

People without browsers over real websockets, each with a head of its own, each with a change a
second at moments of its own. They say what a browser has said. A change waits from the moment when
it is due to the end of the server's answer, so that a late server cannot hide behind the next one.
Each number of people has a server of its own. Half of them come first, and fill what all share:
what the server holds more when the other half has come is the memory of each.

--soak lets them go on for so many minutes and prints the server's memory after each: what it holds
at the end is compared with the tenth minute.
"""

import asyncio
import math
import random
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

import harness
import table
from processes import cpu_seconds, memory_mb
from table import Budget, Finding, number
from visitors import Script, Visitor, overheard
from websockets.asyncio.client import ClientConnection, connect

from attention_viz.scaling import STOPS

PEOPLE: Final = 30  # budgets of so many:
MOST_WAIT: Final = Budget(150)  # milliseconds of 19 in 20 changes,
MOST_CPU: Final = Budget(30)  # of server CPU a change,
MOST_MEMORY: Final = Budget(1)  # and MB of each person
GROWTH: Final = Budget(1.1)  # memory at the end of a soak, of that in its tenth minute
SETTLED: Final = 10  # minutes
PARTS: Final = 5  # of the time, each with its own numbers
LEAST_GAP, MOST_GAP = 0.5, 1.5  # seconds between a person's changes: one on average


@dataclass(frozen=True, slots=True)
class Part:
    """What so many people met in a while."""

    waits: list[float]  # milliseconds
    cpu: float  # milliseconds a change
    memory: float  # MB of the server at its end

    def quantile(self, share: float) -> float:
        """The wait that this share of changes does not exceed."""
        return sorted(self.waits)[math.ceil(share * len(self.waits)) - 1]


class Person:
    """One visitor's websocket."""

    def __init__(self, socket: ClientConnection, script: Script, seed: int) -> None:
        self.socket = socket
        self.visitor = Visitor(script, seed)
        self.rng = random.Random(seed)  # noqa: S311

    async def open(self) -> None:
        """The page."""
        await self._exchange(self.visitor.opening())

    async def commit(self, d_k: int) -> None:
        """Another d_k, and the end of what follows."""
        await self._exchange(self.visitor.change(d_k))

    async def live(self, seconds: float) -> list[float]:
        """A change a second; milliseconds that each waited."""
        clock = asyncio.get_running_loop().time
        due = clock() + self.rng.random()
        end, waits = clock() + seconds, []
        while due < end:
            await asyncio.sleep(due - clock())
            await self.commit(self.rng.choice(STOPS))
            waits.append(1000 * (clock() - due))
            due += self.rng.uniform(LEAST_GAP, MOST_GAP)
        return waits

    async def _exchange(self, message: bytes) -> None:
        await self.socket.send(message)
        ended = False
        while not ended:
            answer = await self.socket.recv(decode=False)
            ended = self.visitor.hears(answer)


@asynccontextmanager
async def visitors(
    server: harness.Server, script: Script, seeds: Sequence[int]
) -> AsyncIterator[list[Person]]:
    """People with the page open, who came one after the other and have made each change once."""
    async with AsyncExitStack() as stack:
        people = []
        for seed in seeds:
            socket = connect(server.stream, subprotocols=["streamlit"], max_size=None)
            people.append(Person(await stack.enter_async_context(socket), script, seed))
            await people[-1].open()
            for d_k in STOPS:
                await people[-1].commit(d_k)
        yield people


async def live(server: harness.Server, people: list[Person], seconds: float) -> Part:
    """What they meet in so many seconds."""
    before = cpu_seconds(server.pid)
    waits = await asyncio.gather(*(person.live(seconds) for person in people))
    every = [wait for person in waits for wait in person]
    used = 1000 * (cpu_seconds(server.pid) - before) / len(every)
    return Part(every, used, memory_mb(server.pid))


async def crowd(
    server: harness.Server, script: Script, count: int, seconds: float
) -> tuple[list[Part], float]:
    """The parts of the time that so many people spend, and MB of each person."""
    half = count // 2
    async with visitors(server, script, range(half)) as first:
        before = memory_mb(server.pid)
        async with visitors(server, script, range(half, count)) as second:
            each = (memory_mb(server.pid) - before) / (count - half)
            people = first + second
            parts = [await live(server, people, seconds / PARTS) for _ in range(PARTS)]
    return parts, each


async def soak(server: harness.Server, script: Script, count: int, minutes: int) -> list[float]:
    """MB of the server after each minute."""
    memory = []
    async with visitors(server, script, range(count)) as people:
        for minute in range(1, 1 + minutes):
            part = await live(server, people, 60)
            memory.append(part.memory)
            wait = number(part.quantile(0.95))
            print(f"minute {minute:3}: {part.memory:.0f} MB, p95 {wait} ms", flush=True)
    return memory


def found(people: int, tokens: int, parts: list[Part], each: float) -> list[Finding]:
    """What is said of one crowd."""
    of = f"{crowd_of(people)}, {tokens} tokens"
    halves, most = ([part.quantile(share) for part in parts] for share in (0.5, 0.95))
    used = tuple(part.cpu for part in parts)
    wait, cpu, memory = (MOST_WAIT, MOST_CPU, MOST_MEMORY) if people == PEOPLE else (None,) * 3
    findings = [
        Finding(f"wait for a change, p50, {of}", "ms", tuple(halves)),
        Finding(f"wait for a change, p95, {of}", "ms", tuple(most), budget=wait),
        Finding(f"server CPU of a change, {of}", "ms", used, budget=cpu),
    ]
    if people > 1:  # the first to come fill what all share
        findings.append(Finding(f"memory of each, {of}", "MB", (each,), budget=memory))
    return findings


def crowd_of(people: int) -> str:
    """How many, in words."""
    return f"{people} people" if people > 1 else "1 person"


def scripts(sizes: Sequence[int]) -> dict[int, Script]:
    """What browsers say at these sizes; their own event loop has ended then."""
    with harness.chromium() as (browser, _), harness.serve(harness.APP) as server:
        return {tokens: overheard(browser, server, tokens) for tokens in sizes}


def measure(tokens: int, script: Script, people: int, seconds: float) -> list[Finding]:
    """One crowd on a server of its own."""
    with harness.serve(harness.APP) as server:
        parts, each = asyncio.run(crowd(server, script, people, seconds))
    changes = sum(len(part.waits) for part in parts)
    slowest = max(wait for part in parts for wait in part.waits)
    print(
        f"{crowd_of(people)}, {tokens} tokens: {changes} changes, slowest {slowest:.0f} ms",
        flush=True,
    )
    return found(people, tokens, parts, each)


def endure(tokens: int, script: Script, people: int, minutes: int) -> list[Finding]:
    """A soak of one crowd on a server of its own."""
    with harness.serve(harness.APP) as server:
        memory = asyncio.run(soak(server, script, people, minutes))
    if minutes <= SETTLED:
        print(f"Nothing to compare: a soak needs more than {SETTLED} minutes.")
        return []
    grown = memory[-1] / memory[SETTLED - 1]
    what = f"memory of the server after {minutes} minutes, {people} people, {tokens} tokens"
    return [Finding(f"{what}, of that after {SETTLED}", "×", (grown,), budget=GROWTH)]


def main() -> int:
    """Measure, print, judge."""
    parser = harness.parser(__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[1, 10, 30, 60])
    parser.add_argument("--tokens", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--seconds", type=float, default=30, help="of each crowd")
    parser.add_argument("--soak", type=int, metavar="MINUTES", default=0)
    chosen = parser.parse_args()
    harness.begin()
    findings = []
    for tokens, script in scripts(chosen.tokens).items():
        for people in chosen.people:
            if chosen.soak:
                findings += endure(tokens, script, people, chosen.soak)
            else:
                findings += measure(tokens, script, people, chosen.seconds)
    print(table.markdown(findings))
    return harness.conclude(findings, chosen.findings)


if __name__ == "__main__":
    sys.exit(main())

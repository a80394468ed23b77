"""Two servers behind nginx, people on both, and a server killed under them: what is lost?

    python benchmarks/balanced.py

nginx runs with examples/nginx.conf. Each person has an address of their own and moves about. Then
the server that holds the person with a file is killed while one of its people drags; it is started
again, the file is given again, and the other server is killed: so most people lose a server. Each
time every page must show what it showed, go on, and show the same after a reload. Exits with status
1 if anything was lost that the address holds. Needs Chromium and nginx; takes some minutes.
"""

import argparse
import difflib
import itertools
import os
import secrets
import signal
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

import harness
from balancer import balance
from people import PEOPLE, WITH_FILE, Person, arrive, give_file
from playwright.sync_api import Browser

NAMES: Final = ("one", "two")  # of the servers, as the example has them
LOST: Final = "a file cannot travel"  # what a page says of an upload that it no longer has
MOST_LINES: Final = 12  # of what is different that are printed
LEGEND: Final = """\
s away: until a server had answered again, 0.0 where nothing was lost. same: the page showed what it
had shown. moves: a movement then changed address and picture, below the stage too. reload: showed
the same again. errors: of the browser's console, while there was no server, and after."""
HEADS: Final = ("who", "server", "s away", "same", "moves", "reload", "errors away", "after")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a person when a server was killed.

    Attributes:
        who: the person.
        servers: which held the visit before and after.
        away: seconds until a server had answered again; 0 if it stayed connected.
        same: whether the page showed what it had shown.
        moves: whether what the person did then changed address and picture, on the server too.
        reload: whether a reload showed the same.
        errors: of the console, before the page was back and afterwards.
    """

    who: str
    servers: tuple[str, str]
    away: float
    same: bool
    moves: bool
    reload: bool
    errors: tuple[int, int]

    @property
    def is_well(self) -> bool:
        """Whether nothing was lost."""
        return self.same and self.moves and self.reload and not self.errors[1]

    @property
    def row(self) -> list[str]:
        """Of the table."""
        facts = [("no", "yes")[fact] for fact in (self.same, self.moves, self.reload)]
        way = " > ".join(dict.fromkeys(self.servers))
        return [self.who, way, f"{self.away:.1f}", *facts, *map(str, self.errors)]


class House:
    """The servers, and the address in front of them."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.servers = {name: self._serve() for name in NAMES}
        ports = {name: server.port for name, server in self.servers.items()}
        self.address = stack.enter_context(balance(ports))

    def kill(self, name: str) -> None:
        """End a server as a machine ends it that loses its power."""
        os.kill(self.servers[name].pid, signal.SIGKILL)

    def restart(self, name: str) -> None:
        """Start a killed server again, at its old place."""
        self.servers[name] = self._serve(self.servers[name].port)

    def _serve(self, port: int | None = None) -> harness.Server:
        return self._stack.enter_context(harness.serve(harness.APP, port=port))


def gather(browser: Browser, house: House) -> list[Person]:
    """Everybody comes and moves once; then more, until both servers have visitors."""
    people: list[Person] = []
    for place in itertools.chain([WITH_FILE, *PEOPLE], itertools.cycle(PEOPLE)):
        holders = {person.holder for person in people}
        if len(people) > len(PEOPLE) and holders == set(NAMES):
            break
        person = arrive(browser, place, house.address)
        person.move()
        people.append(person)
        print(f"{place.who} is with server {person.holder}", flush=True)
    return people


def lose(house: House, owner: Person, others: list[Person]) -> list[Outcome]:
    """Kill the server of the one with a file while somebody drags; what becomes of the others."""
    name = owner.holder
    before = {person: (person.holder, person.picture) for person in others}
    struck = [person for person in (*others, owner) if person.holder == name]
    for person in (*others, owner):
        person.errors.clear()
    dragging = next((p for p in struck if p.place.is_staged and p is not owner), None)
    if dragging is not None:
        dragging.begin_drag()
    for person in struck:
        person.runs = 0
    house.kill(name)
    begin = time.monotonic()
    print(f"server {name} is killed; it had {len(struck)} of {1 + len(others)}", flush=True)
    if dragging is not None:
        print(f"{dragging.place.who} drags", flush=True)
        before[dragging] = (name, dragging.drag_on())
    return [judge(person, *before[person], begin) for person in others]


def judge(person: Person, holder: str, shown: list[str], begin: float) -> Outcome:
    """What became of one person."""
    person.settle()
    same = report(person, shown, "after the server was killed")
    errors, away = len(person.errors), max(person.heard - begin, 0.0)
    person.errors.clear()
    url, picture = person.page.url, person.picture
    person.move()
    moves = person.page.url != url and person.picture != picture and follows(person)
    picture = person.picture
    person.reload()
    reload = report(person, picture, "after a reload")
    return Outcome(
        who=person.place.who,
        servers=(holder, person.holder),
        away=away,
        same=same,
        moves=moves,
        reload=reload,
        errors=(errors, len(person.errors)),
    )


def follows(person: Person) -> bool:
    """Whether the server draws what the stage shows, where there is a stage."""
    return not person.place.is_staged or person.server_follows()


def report(person: Person, shown: list[str], when: str) -> bool:
    """Whether a page shows what it showed; print what is different."""
    if person.shows(shown):
        return True
    lines = list(difflib.unified_diff(shown, person.picture, lineterm="", n=0))[2:MOST_LINES]
    print(f"{person.place.who}, {when}:", *lines, sep="\n    ", flush=True)
    return False


def tells_of_file(owner: Person) -> bool:
    """Whether the page says that it no longer has an upload; print what it says."""
    owner.settle()
    said = [words for words in owner.picture if LOST in words]
    print(f"{owner.place.who} reads:", *said or ["nothing of it"], flush=True)
    return bool(said)


def main() -> int:
    """Everybody loses a server, one after the other; print what became of each."""
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    os.environ["STREAMLIT_SERVER_COOKIE_SECRET"] = secrets.token_hex()
    outcomes, told = [], []
    with ExitStack() as stack:
        browser, _ = stack.enter_context(harness.chromium())
        house = House(stack)
        owner, *others = gather(browser, house)
        for _ in NAMES:
            give_file(owner)
            holder = owner.holder
            outcomes += lose(house, owner, others)
            told.append(tells_of_file(owner))
            house.restart(holder)
    harness.show(HEADS, [outcome.row for outcome in outcomes])
    print(LEGEND)
    return 0 if all(told) and all(outcome.is_well for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())

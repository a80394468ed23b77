"""People in front of several servers: each on a page of their own, and what they see of it."""

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qs, urlsplit

import numpy as np
import safetensors.numpy
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    WebSocket,
)
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

PATIENCE: Final = 60.0  # seconds in which a page must have come back,
STILL: Final = 800  # and milliseconds after which what is shown no longer changes
DRAG: Final = (0.3, 0.5, 0.7, 0.6)  # of the slider's width
COOKIE: Final = "attention_viz"  # of the balancer: who holds the visit
# All words, numbers and values of widgets on the page, those inside components too; not what is
# only spoken, of the last movement.
_READ: Final = """() => {
  const found = [];
  const walk = (node) => {
    if (["STYLE", "SCRIPT"].includes(node.nodeName) || node.className === "unseen") return;
    if (node.nodeType === Node.TEXT_NODE && node.data.trim()) found.push(node.data.trim());
    if (node.nodeName === "INPUT")
      found.push(`${node.ariaLabel ?? node.type}: ${node.checked || node.value}`);
    for (const child of (node.shadowRoot ?? node).childNodes) walk(child);
  };
  for (const part of ["stSidebar", "stMain"])
    for (const place of document.querySelectorAll(`[data-testid=${part}]`)) walk(place);
  return found;
}"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a person is, and what they do there; it must change both address and picture."""

    who: str
    path: str
    move: Callable[[Page], None]

    @property
    def is_staged(self) -> bool:
        """Whether it is the page Explore."""
        return self.path.partition("?")[0] == ""


def slide(page: Page) -> None:
    """Move d_k by a step."""
    page.get_by_role("slider", name="d_k").first.press("ArrowRight")


def temper(page: Page) -> None:
    """Another divisor."""
    marks = page.get_by_role("group", name="divisor")
    marks.locator("[aria-pressed=false]:visible").first.click()


def section(page: Page) -> None:
    """The next section of the Softmax lab."""
    choices = page.get_by_role("radiogroup", name="Section").get_by_role("radio")
    states = [choice.is_checked() for choice in choices.all()]
    choices.nth(states.index(True) + 1).click()


def following(page: Page) -> None:
    """The next step, or question."""
    page.get_by_role("button", name="Next", exact=True).click()


PEOPLE: Final = (
    Place("an idle reader", "?text=I+am+good&seed=4&d_k=64&row=1", slide),
    Place("one from the bare address", "", slide),
    Place("one with a mask", "?text=the+cat+and+the+dog&seed=7&d_k=8&mask=causal", slide),
    Place("one with a demo head", "?text=the+cat+sat.+the+cat&head=induction&row=3", temper),
    Place("one in the Scaling lab", "scaling?scaling_d_k=64&scaling_keys=16&scaling_seed=3", slide),
    Place("one in the Softmax lab", "softmax?softmax_scores=3%2C+1%2C+0.2", section),
    Place("one at a step", "steps?step=3&seed=9&text=one+two+three", following),
    Place("one with a question", "questions?question=2", following),
)
WITH_FILE: Final = Place("one with a file", "?text=I+am+good&seed=4&d_k=16", slide)


@dataclass(eq=False)  # no slots: Playwright keeps something of its own on who listens
class Person:
    """One visitor, in a browser profile of their own."""

    place: Place
    context: BrowserContext
    page: Page
    runs: int = 0  # that a server has finished for this page since it was connected
    heard: float = 0.0  # when the first of them was
    errors: list[str] = field(default_factory=list)  # of the console
    places: list[tuple[float, float]] = field(default_factory=list)  # of a drag

    @property
    def holder(self) -> str:
        """The server that holds the visit."""
        cookies = self.context.cookies()
        return next((c["value"] for c in cookies if c["name"] == COOKIE), "nobody")

    @property
    def picture(self) -> list[str]:
        """All that can be read on the page."""
        found: list[str] = self.page.evaluate(_READ)
        return found

    def come(self, address: str) -> None:
        """Open the page, and listen."""
        self.page.on("websocket", self._connected)
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(f"{address}/{self.place.path}")
        self.settle()

    def settle(self) -> None:
        """Wait until a server has answered on this connection and nothing changes any more."""
        until = time.monotonic() + PATIENCE
        before: list[str] = []
        while time.monotonic() < until:
            self.page.wait_for_timeout(STILL)
            app = self.page.locator("[data-testid=stApp]")
            rests = app.get_attribute("data-test-script-state") == "notRunning"
            now = self.picture
            if self.runs and rests and now == before:
                return
            before = now
        raise TimeoutError(f"{self.place.who}: the page did not come to rest")

    def shows(self, picture: list[str]) -> bool:
        """Whether the page comes to show this."""
        until = time.monotonic() + PATIENCE / 4
        while self.picture != picture and time.monotonic() < until:
            self.page.wait_for_timeout(STILL)
        return self.picture == picture

    def move(self) -> None:
        """Do what a person does here, and wait for what follows."""
        self.place.move(self.page)
        self.settle()

    def reload(self) -> None:
        """Ask for the page again."""
        self.runs = 0
        self.page.reload()
        self.settle()

    def begin_drag(self) -> None:
        """Take hold of the slider of d_k and move it."""
        box = self.page.get_by_role("slider", name="d_k").bounding_box()
        assert box is not None
        self.places = [
            (box["x"] + share * box["width"], box["y"] + box["height"] / 2) for share in DRAG
        ]
        self.page.mouse.move(*self.places[0])
        self.page.mouse.down()

    def drag_on(self) -> list[str]:
        """Move on while there may be no server; what is shown when the slider is let go."""
        for place in self.places:
            self.page.mouse.move(*place)
            self.page.wait_for_timeout(STILL)
        shown = self.picture
        self.page.mouse.up()
        return shown

    def server_follows(self) -> bool:
        """Whether what the server draws below the stage is of what the stage shows."""
        query = parse_qs(urlsplit(self.page.url).query)
        d_k, divisor = query["d_k"][0], query["divisor"][0]
        wanted = math.sqrt(int(d_k)) if divisor == "sqrt" else float(divisor)
        choice = self.page.get_by_role("radio", name="Torch code", exact=True)
        choice.click()
        self.settle()
        said = re.search(r"divisor = ([\d.]+)", self.page.get_by_test_id("stCode").inner_text())
        choice.click()
        self.settle()
        return said is not None and math.isclose(float(said[1]), wanted, rel_tol=1e-6)

    def _connected(self, socket: WebSocket) -> None:
        self.runs = 0
        socket.on("framereceived", self._received)

    def _received(self, message: str | bytes) -> None:
        kind = ForwardMsg.FromString(message).WhichOneof("type")  # type: ignore[arg-type]
        if kind == "script_finished":
            self.heard = self.heard if self.runs else time.monotonic()
            self.runs += 1

    def _said(self, message: ConsoleMessage) -> None:
        # Opened at the address of a page, Streamlit first looks for its server below that address.
        if message.type == "error" and "_stcore" not in message.location.get("url", ""):
            self.errors.append(message.text)


def arrive(browser: Browser, place: Place, address: str) -> Person:
    """A new visitor, who is there."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    person = Person(place, context, context.new_page())
    person.come(address)
    return person


def give_file(person: Person) -> None:
    """Choose a head from a file, and upload one; it is there afterwards."""
    page = person.page
    rng = np.random.default_rng(0)
    names = ("query", "key", "value")
    weights = {f"{name}.weight": rng.normal(size=(5, 8)).astype("float32") for name in names}
    page.get_by_role("combobox", name="Head", exact=True).click()
    page.get_by_role("option", name="A file of your own").click()
    data = safetensors.numpy.save(weights)
    mime = "application/octet-stream"
    file = {"name": "mine.safetensors", "mimeType": mime, "buffer": data}
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    page.get_by_text("A loaded head: its d_k is 5.").wait_for()
    person.settle()

"""A mouse whose hand does not wait for the page."""

import json
import time
from collections.abc import Iterable
from typing import Final

from playwright.sync_api import Page
from websockets.sync.client import connect

EVERY: Final = 0.006  # seconds from one move to the next


class Hand:
    """Mouse events sent straight to the browser's debugging port, none waiting for an answer.

    Playwright sends a move when the page has handled the one before. On a busy machine that takes
    longer than a frame, and frames pass without a move. Chromium gives a page only the last move
    before each frame, so that moves sent more often cost the page nothing.
    """

    def __init__(self, page: Page, port: int) -> None:
        session = page.context.new_cdp_session(page)
        target = session.send("Target.getTargetInfo")["targetInfo"]["targetId"]
        self.socket = connect(f"ws://127.0.0.1:{port}/devtools/page/{target}", max_queue=None)
        self.sent = 0

    def press(self, x: float, y: float) -> None:
        """The left button down."""
        self._send("mousePressed", x, y)

    def release(self, x: float, y: float) -> None:
        """The left button up; the hand is gone."""
        self._send("mouseReleased", x, y)
        self.socket.close()

    def move(self, seconds: float, places: Iterable[float], y: float) -> None:
        """With the button held, from place to place at one height."""
        end = time.perf_counter() + seconds
        for x in places:
            self._send("mouseMoved", x, y)
            time.sleep(EVERY)
            if time.perf_counter() > end:
                return

    def _send(self, kind: str, x: float, y: float) -> None:
        self.sent += 1
        event = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}
        message = {"id": self.sent, "method": "Input.dispatchMouseEvent", "params": event}
        self.socket.send(json.dumps(message))

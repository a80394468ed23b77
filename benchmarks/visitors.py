"""A visitor without a browser, who says over a websocket what a browser has said."""

import json
from dataclasses import dataclass
from typing import Final

import harness
from playwright.sync_api import Browser
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

SEED: Final = 25  # of a visitor who has not chosen one


@dataclass(frozen=True, slots=True)
class Script:
    """What a browser sends to open the page, and for one change of the stage."""

    opening: bytes
    change: bytes


def overheard(browser: Browser, server: harness.Server, tokens: int) -> Script:
    """What this browser sends for a sentence of so many words."""
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
    return Script(messages[0], messages[-1])


class Visitor:
    """Says the script in its turn, with a head of its own, and remembers what it was sent."""

    def __init__(self, script: Script, seed: int = SEED) -> None:
        self._opening = BackMsg.FromString(script.opening)
        self._change = BackMsg.FromString(script.change)
        states = self._change.rerun_script.widget_states.widgets
        self._state = next(state for state in states if '"view"' in state.json_value)
        self._trigger = next(state for state in states if state.json_trigger_value)
        for message in (self._opening, self._change):
            message.rerun_script.query_string += f"&seed={seed}"
        next(state for state in states if state.id.endswith("-seed")).int_value = seed
        # The browser keeps large messages and says so, or the server would send them again.
        del self._change.rerun_script.cached_message_hashes[:]

    def opening(self) -> bytes:
        """Open the page."""
        return self._opening.SerializeToString()

    def change(self, d_k: int) -> bytes:
        """Another d_k."""
        state = json.loads(self._state.json_value)
        state["view"]["d_k"] = d_k
        report = {"event": "view", "value": state["view"]}
        self._state.json_value = json.dumps(state, separators=(",", ":"))
        self._trigger.json_trigger_value = json.dumps([report], separators=(",", ":"))
        return self._change.SerializeToString()

    def hears(self, answer: bytes) -> bool:
        """One message of the server; whether it is the last of its answer.

        Raises:
            RuntimeError: the page has failed.
        """
        message = ForwardMsg.FromString(answer)
        if message.metadata.cacheable:
            self._change.rerun_script.cached_message_hashes.append(message.hash)
        if message.delta.new_element.WhichOneof("type") == "exception":
            raise RuntimeError(f"the page failed: {message.delta.new_element.exception.message}")
        return message.WhichOneof("type") == "script_finished"

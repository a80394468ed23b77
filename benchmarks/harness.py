"""What the benchmarks share: a server, a browser, and one visitor's page."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from machine import FLAGS, chromium_path, free_port, wait_until_healthy
from playwright.sync_api import Browser, Page, WebSocket, expect, sync_playwright
from table import Finding, cells, save

ROOT: Final = Path(__file__).parents[1]
APP: Final = ROOT / "app.py"
PAGES: Final = Path(__file__).parent / "pages"
PROBE: Final = Path(__file__).parent / "probe.js"
sys.path.insert(0, str(ROOT))  # a checkout whose package is not installed


@dataclass(frozen=True, slots=True)
class Server:
    """A running Streamlit server.

    Attributes:
        port: of its page, on this machine.
        pid: of its process.
        seconds: from the start of the process to its first answer.
    """

    port: int
    pid: int
    seconds: float

    def address(self, tokens: int) -> str:
        """Of the page with a sentence of so many distinct words."""
        text = "+".join(f"w{i}" for i in range(tokens))
        return f"http://127.0.0.1:{self.port}/?text={text}"

    @property
    def stream(self) -> str:
        """The address of its websocket."""
        return f"ws://127.0.0.1:{self.port}/_stcore/stream"


@contextmanager
def serve(script: Path, *options: str, port: int | None = None) -> Iterator[Server]:
    """Run a script under Streamlit, in its own folder and so with that folder's configuration."""
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", script.name]
    command += ["--server.headless", "true", "--server.fileWatcherType", "none"]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port)]
    command += ["--browser.gatherUsageStats", "false", *options]
    surroundings = os.environ | {"PYTHONPATH": str(ROOT)}
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command, cwd=script.parent, env=surroundings, stdout=log, stderr=log
        )
        try:
            wait_until_healthy(port, process)
            yield Server(port, process.pid, time.perf_counter() - begin)
        finally:
            process.terminate()
            process.wait()
            log.seek(0)
            written = log.read()
    if "Traceback" in written:
        raise RuntimeError(f"{script.name} failed:\n{written}")


@contextmanager
def chromium() -> Iterator[tuple[Browser, int]]:
    """The installed Chromium, without a window, and its debugging port."""
    port = free_port()
    flags = [*FLAGS, f"--remote-debugging-port={port}"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=flags)
        yield browser, port
        browser.close()


@contextmanager
def visit(browser: Browser, *, text: str = "") -> Iterator[Page]:
    """A blank page of a new visitor, nothing cached, with the probe in it.

    Args:
        browser: where.
        text: what stands for a picture on a page that has none.
    """
    # An exported page forbids to evaluate a string, which is how Playwright waits.
    context = browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True)
    page = context.new_page()
    page.add_init_script(path=PROBE)
    page.add_init_script(f"probe.text = {text!r}")
    yield page
    context.close()


def settle(page: Page) -> None:
    """Wait until the first picture is there and the script has ended."""
    page.wait_for_function("probe.first > 0", timeout=120_000)
    done = page.locator("[data-testid=stApp][data-test-script-state=notRunning]")
    expect(done).to_be_visible(timeout=60_000)


class Traffic:
    """The bytes that a page receives, and those that it sends through its websocket."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", lambda done: self._add(done["encodedDataLength"]))
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        for event in ("framereceived", "framesent"):
            socket.on(event, lambda payload: self._add(len(payload)))

    def _add(self, size: float) -> None:
        self.bytes += int(size)


def show(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: words in the first column, numbers in the others."""
    first, *widths = (max(map(len, column)) for column in zip(heads, *rows, strict=True))
    for name, *numbers in (heads, *rows):
        cells = (f"{cell:>{width}}" for cell, width in zip(numbers, widths, strict=True))
        print("  ".join([f"{name:<{first}}", *cells]), flush=True)


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Of a benchmark's command line; the first line of its docstring says what it does."""
    made = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    made.add_argument(
        "--findings", type=Path, metavar="FILE", help="keep them for the table of all benchmarks"
    )
    return made


def begin() -> None:
    """Say what else the machine is doing."""
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the start")


def conclude(findings: Sequence[Finding], file: Path | None) -> int:
    """Print the budgets, keep the findings; the exit status."""
    for finding in findings:
        if finding.budget is not None:
            what, measured, peer, ratio, allowed, verdict = cells(finding)
            words = ", ".join(filter(None, (measured, ratio and f"{ratio} of {peer}", allowed)))
            print(f"{verdict:<6} {what}: {words}")
    if file is not None:
        save(findings, file)
    return 0 if all(finding.is_met for finding in findings) else 1

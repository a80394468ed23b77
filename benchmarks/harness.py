"""What the benchmarks share: a server, a browser, and what their processes cost. Linux only."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = Path(__file__).parent / "pages"
PROBE: Final = Path(__file__).parent / "probe.js"
_FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_MEMORY_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Server:
    """A running Streamlit server.

    Attributes:
        address: of its page.
        pid: of its process.
        seconds: from the start of the process to its first answer.
    """

    address: str
    pid: int
    seconds: float


@contextmanager
def serve(script: Path, *options: str) -> Iterator[Server]:
    """Run a script under Streamlit, in its folder and so with its folder's configuration."""
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", script.name]
    command += ["--server.headless", "true", "--server.fileWatcherType", "none"]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port)]
    command += ["--browser.gatherUsageStats", "false", *options]
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            command,
            cwd=script.parent,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=log,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(address, process)
            yield Server(address, process.pid, time.perf_counter() - begin)
        finally:
            process.terminate()
            process.wait()
            log.seek(0)
            written = log.read()
    if "Traceback" in written:
        raise RuntimeError(f"{script.name} failed:\n{written}")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1)  # noqa: S310 - our own
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError("the server ended before it answered")


@contextmanager
def chromium() -> Iterator[tuple[Browser, int]]:
    """The installed Chromium, without a window, and its debugging port."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise FileNotFoundError("Chromium is missing: apt-get install chromium")
    port = _free_port()
    flags = [*_FLAGS, f"--remote-debugging-port={port}"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser, port
        browser.close()


@contextmanager
def visit(browser: Browser, *, text: str = "") -> Iterator[Page]:
    """A blank page of a new visitor, nothing cached, with the probe in it.

    Args:
        browser: where.
        text: what stands for a picture on a page that has none.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800})
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


def words(n: int) -> str:
    """A sentence of n distinct words, as an address holds it."""
    return "+".join(f"w{i}" for i in range(n))


def cpu_seconds(*pids: int) -> float:
    """What these processes have used so far, all threads."""
    return sum(sum(map(int, _stat(pid)[11:13])) for pid in pids) / _TICKS


def memory_mb(pid: int) -> float:
    """What the process holds in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * _MEMORY_PAGE / 1e6


def browser_pids() -> list[int]:
    """The processes of the browser that this process has started."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(_stat(int(folder.name))[1])
        except OSError:
            continue  # it ended while we looked
    return [pid for pid in parents if _name(pid).startswith("chrom") and _is_ours(pid, parents)]


def _is_ours(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text()


def _stat(pid: int) -> list[str]:
    """The fields after the name of the command, which may hold blanks itself."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()

"""What browser tests and benchmarks take from this machine: Chromium, a free port, a server."""

import shutil
import socket
import subprocess
import time
import urllib.request
from typing import Final

# Chromium without a window, which asks nothing of the network by itself.
FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_PATIENCE: Final = 60  # seconds in which a server has come up, on a busy machine too


def chromium_path() -> str:
    """The installed Chromium.

    Raises:
        FileNotFoundError: there is none.
    """
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise FileNotFoundError("Chromium is missing: apt-get install chromium")
    return path


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def wait_until_healthy(port: int, process: subprocess.Popen[bytes]) -> None:
    """Until a page of Streamlit would be served at a port.

    Raises:
        RuntimeError: the process has ended before.
        TimeoutError: nothing answers.
    """
    end = time.monotonic() + _PATIENCE
    while process.poll() is None:
        if time.monotonic() > end:
            raise TimeoutError(f"nothing answers at port {port} after {_PATIENCE} s")
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5)
        except OSError:
            time.sleep(0.02)  # nothing announces that a process has come up
        else:
            return
    raise RuntimeError(f"the server ended before it answered, with status {process.returncode}")

"""A real server and Debian's Chromium. In CI a missing browser is a failure, elsewhere a skip."""

import base64
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from attention_viz import stage

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser():
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        wanted = "Chromium is missing: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(wanted)
        pytest.skip(wanted)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def axe():
    """The file of axe-core, which finds what a person without eyes, or with weak ones, lacks."""
    path = ROOT / "node_modules" / "axe-core" / "axe.min.js"
    if not path.exists():
        wanted = "axe-core is missing: npm ci"
        if os.environ.get("CI") == "true":
            pytest.fail(wanted)
        pytest.skip(wanted)
    return path


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The address of a running app, with the shipped configuration."""
    with (tmp_path_factory.mktemp("server") / "log").open("w+") as log:
        with serving(free_port(), log) as (address, _):
            yield address
        log.seek(0)
        assert "Traceback" not in log.read()


def free_port():
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def serving(port, log=subprocess.DEVNULL):
    """A running app: its address and its process, which ends with this."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    process = subprocess.Popen(
        [*command, "--server.port", str(port)], cwd=ROOT, stdout=log, stderr=log
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(address, process)
        yield address, process
    finally:
        process.terminate()
        process.wait()


def _wait(address, process):
    for _ in range(300):
        assert process.poll() is None, "the server ended"
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1)  # noqa: S310 - our own
        except OSError:
            process.poll() or _pause()
        else:
            return
    pytest.fail("the server did not answer")


def _pause():
    # Waits for a process to come up, which nothing announces; not for a page.
    import time

    time.sleep(0.1)


@pytest.fixture
def visit(browser, server):
    """Open a page as one visitor; at the end: no console error, no dialog, no other host."""
    contexts, faults = [], []

    def open_page(query="", *, width=1280, height=800, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: _is_fault(m) and faults.append(m.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda r: _is_foreign(r.url, server) and faults.append(r.url))
        page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        page.goto(f"{server}/{query}")
        settle(page)
        # The last thing that a page draws. Streamlit still sets the first values of widgets until
        # then, over whatever a driver quicker than a person has typed.
        expect(page.get_by_role("button", name="Copy link")).to_be_visible()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults


def _is_fault(message):
    # Loaded at the address of a page, Streamlit first looks for its server below that address.
    is_search = "_stcore" in message.location.get("url", "")
    return message.type == "error" and not is_search


def _is_foreign(url, server):
    return not url.startswith((server, server.replace("http", "ws"), "data:", "blob:"))


def settle(page):
    """Wait until the script has run and the page has drawn what it sent."""
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
    expect(page.locator("[data-stale=true]")).to_have_count(0)


@pytest.fixture
def mount(browser):
    """Draw a made-up scene with the stage's own files, without a server."""
    contexts, faults = [], []

    def draw(scene, *, width=1000, height=800, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: m.type == "error" and faults.append(m.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        data = scene if isinstance(scene, bytes) else stage.pack(scene)
        page.set_content(_PAGE.format(html=stage.HTML, css=stage.css(), js=stage.js()))
        page.evaluate("data => show(data)", base64.b64encode(data).decode())
        return page

    yield draw
    for context in contexts:
        context.close()
    assert not faults


_PAGE = """<!doctype html><style>:root {{ color-scheme: light dark }} {css}</style>{html}
<script type="module">{js}
window.said = [];
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const setStateValue = (name, value) => window.said.push([name, value]);
window.show = text => {{
  window.end = mount({{ data: bytes(text), parentElement: document, setStateValue }});
}};
</script>"""

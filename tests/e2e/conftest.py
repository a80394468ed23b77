"""A real server and a real browser. In CI a missing browser is a failure, elsewhere a skip."""

import base64
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from attention_viz import stage
from benchmarks.machine import FLAGS, chromium_path, free_port, wait_until_healthy
from tests.e2e.runs import is_to_come, watch

ROOT = Path(__file__).parents[2]
SOURCES = (".streamlit", "app.py", "assets", "attention_viz", "pyproject.toml", "README.md")
SDIST = "from setuptools import build_meta; build_meta.build_sdist('dist')"
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
# What is served takes its port last.
APP = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
APP += ["--server.port"]
LINK = "button:has-text('Copy link')"
PLOT = ".js-plotly-plot .main-svg"
PHONE = 390  # pixels wide
ONE_PROCESS = "--process-per-site"  # what one tab has compiled, another need not compile again
MOBILE = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/156.0 Mobile Safari/537.36"
# Each address, and what is there once the page is drawn.
DRAWN = {
    "?present=1": ".question",
    "steps": ".mechanism [role=button]",
    "questions": LINK,
    "heads": ".lines .tile",  # the model has been read
    "scaling": PLOT,
    "softmax": PLOT,
    "hand": ".stage .surface",
    "teachers": LINK,
    "teachers?teachers_part=mistakes": LINK,
    "teachers?teachers_part=class": LINK,
    "words": LINK,
    "": LINK,
}
A_FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
WIDE = """() => [...document.querySelectorAll("[data-testid=stMain] *")]
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"""
# A first visit imports torch: on a machine that is busy with other tests, half a minute.
SECONDS = 60
expect.set_options(timeout=1000 * SECONDS)


@pytest.fixture(scope="session")
def playwright():
    """What drives browsers; a process has one."""
    with sync_playwright() as one:
        yield one


@pytest.fixture(scope="session")
def browser(playwright):
    try:
        path = chromium_path()
    except FileNotFoundError as error:
        lacks(str(error))
    chromium = playwright.chromium.launch(executable_path=path, args=[*FLAGS, ONE_PROCESS])
    yield chromium
    chromium.close()


def lacks(wanted):
    """End a test for which something is not installed, and say what."""
    if os.environ.get("CI") == "true":
        pytest.fail(wanted)
    pytest.skip(wanted)


@pytest.fixture(scope="session")
def axe():
    """The file of axe-core, which finds what a person without eyes, or with weak ones, lacks."""
    path = ROOT / "node_modules" / "axe-core" / "axe.min.js"
    if not path.exists():
        lacks("axe-core is missing: npm ci")
    return path


@dataclass(frozen=True)
class Served:
    """A running app: its address, its process, and what it has logged."""

    address: str
    process: subprocess.Popen
    log: Path


@pytest.fixture(scope="session")
def serve(tmp_path_factory):
    """serve(command, cwd=…, env=…): what is served while the block lasts, at a free port."""

    @contextmanager
    def run(command, **options):
        path = tmp_path_factory.mktemp("server") / "log"
        with serving(free_port(), path, command, **options) as running:
            yield running
        assert "Traceback" not in path.read_text()

    return run


@pytest.fixture(scope="session")
def served(serve):
    """The app with the shipped configuration."""
    with serve(APP, cwd=ROOT) as running:
        yield running


@pytest.fixture(scope="session")
def server(served):
    """The address of a running app."""
    return served.address


@contextmanager
def serving(port, log=Path(os.devnull), command=None, **options):
    """What a command serves while the block lasts, the app unless another is given."""
    if command is None:
        command, options = APP, {"cwd": ROOT}
    with log.open("w") as file:
        process = subprocess.Popen([*command, str(port)], stdout=file, stderr=file, **options)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_healthy(port, process)
        yield Served(address, process, log)
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel of a source distribution, as an index would serve them."""
    folder = tmp_path_factory.mktemp("sources")
    for name in (*SOURCES, "requirements.txt"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder)
    subprocess.run([sys.executable, "-c", SDIST], cwd=folder, check=True, capture_output=True)
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    subprocess.run([*PIP, "wheel", *offline, "-w", folder, sdist], check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory):
    """The command, an empty folder, and an environment in which only the wheel is found."""
    site, empty = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("empty")
    subprocess.run([*PIP, "install", "--no-index", "--no-deps", "-t", site, wheel], check=True)
    env = os.environ | {"PYTHONPATH": str(site), "STREAMLIT_SERVER_HEADLESS": "true"}
    return site / "bin" / "attention-viz", {"cwd": empty, "env": env}


@pytest.fixture(scope="module")
def window(browser, server):
    """window(**options): a window in which one tab stays, and with it what it has compiled."""
    opened = {}

    def find(**options):
        key = str(sorted(options.items()))
        if key not in opened:
            opened[key] = browser.new_context(**options)
            opened[key].new_page().goto(f"{server}/_stcore/health")
        return opened[key]

    yield find
    for context in opened.values():
        context.close()


@pytest.fixture
def visit(window, server):
    """Open a page as one visitor; at the end: no console error, no dialog, no other host."""
    contexts, faults = [], []

    def open_page(query="", *, width=1280, height=800, **options):
        if width <= PHONE:
            options = {"user_agent": MOBILE} | options
        context = window(**options)
        contexts.append(context)
        page = context.new_page()
        watch(page)
        page.set_viewport_size({"width": width, "height": height})
        page.on("console", lambda m: _is_fault(m) and faults.append(m.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda r: _is_foreign(r.url, server) and faults.append(r.url))
        page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        page.goto(f"{server}/{query}")
        arrive(page)
        return page

    yield open_page
    for context in contexts:
        first, *others = context.pages
        for page in others:
            page.close()
        first.evaluate("localStorage.clear()")
        context.clear_cookies()
    assert not faults


def _is_fault(message):
    # Loaded at the address of a page, Streamlit first looks for its server below that address.
    is_search = "_stcore" in message.location.get("url", "")
    return message.type == "error" and not is_search


def _is_foreign(url, server):
    return not url.startswith((server, server.replace("http", "ws"), "data:", "blob:"))


def settle(page):
    """Wait until the script has run and the page has drawn what it sent."""
    page.evaluate(A_FRAME)  # what was done last is then on its way
    end = time.monotonic() + SECONDS
    while is_to_come(page) and time.monotonic() < end:
        page.wait_for_timeout(20)  # in which frames are heard; in a sleep they are not
    assert not is_to_come(page), "a run was asked for and has not ended"
    expect(page.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
    expect(page.locator("[data-stale=true]")).to_have_count(0)


def enter(field, text, key="Enter"):
    """Type into a field of a page at rest: a person has read it before, a driver has not."""
    settle(field.page)
    field.fill(text)
    field.press(key)


def arrive(page):
    """Wait until a page is drawn whole and listens to whatever a person does."""
    settle(page)
    # The last thing that a page draws. Streamlit still sets the first values of widgets until
    # then, over whatever a driver quicker than a person has typed.
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    expect(page.locator("[role=tooltip]")).to_be_attached()  # the meanings of terms
    settle(page)


def expect_word(page, key, word, default):
    """The address has followed: it holds a key and its word, unless that is the default."""
    held = f"[?&]{key}={word}(&|$)" if word != default else f"^(?!.*[?&]{key}=)"
    expect(page).to_have_url(re.compile(held))


def expect_fit(page):
    """Once the page rests, nothing in it reaches over the edge of the window."""
    comes_to(lambda: page.evaluate(WIDE), [])


def comes_to(read, right):
    """Read a page until it shows what is right, as expect() does for texts and not for numbers.

    A picture is drawn before its tables are.
    """
    end = time.monotonic() + SECONDS
    while (shown := read()) != right and time.monotonic() < end:
        time.sleep(0.05)
    assert shown == right


def numbers(table, row="tbody tr"):
    """The numbers of a table, or of some of its rows."""
    return [float(text) for text in table.locator(row).locator("td").all_text_contents()]


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

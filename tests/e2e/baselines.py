"""`python -m tests.e2e.baselines`: draw the baseline pictures again. Look before you keep them.

Half of the page's size and 256 colours: enough to tell a cut label, and small in the repository.
"""

import argparse
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

import attention_viz as av
from benchmarks.machine import FLAGS, chromium_path, free_port
from tests.e2e.conftest import DRAWN, PHONE, serving, settle

FOLDER = Path(__file__).with_name("baselines")
SIZES = {(1280, 800): "light", (1920, 1080): "dark", (390, 844): "light"}
ADDRESSES = ["", "?present=1", *(address for address in DRAWN if address.isalpha())]
TRIES = 40  # pictures of a page that still moves
# A narrow window that no phone names as its own is drawn again once its browser has said so.
STACKED = """() => [...document.querySelectorAll(".js-plotly-plot")].every((plot) =>
  Object.entries(plot._fullLayout ?? {}).every(([name, axis]) =>
    !/^xaxis\\d*$/.test(name) || axis.domain[1] - axis.domain[0] > 0.5))"""


def pictures(
    browser: Browser, server: str, width: int, height: int, folder: Path
) -> Iterator[tuple[str, Image.Image]]:
    """Each page and an exported one at this size: its name, and its picture once it rests."""
    scheme = SIZES[width, height]
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    for address in ADDRESSES:
        page.goto(f"{server}/{address}")
        settle(page)
        expect(page.locator(DRAWN[address]).first).to_be_visible(timeout=60_000)
        if width == PHONE:
            page.wait_for_function(STACKED)
        yield f"{_name(address)}-{width}.png", _resting(page)
    path = folder / "exported.html"
    av.to_html(av.run("Wie geht es dir", av.random_head(256, 64, seed=25)), path)
    page.goto(path.as_uri())
    yield f"exported-{width}.png", _resting(page)
    context.close()


def _name(address: str) -> str:
    return {"": "explore", "?present=1": "presenter"}.get(address, address)


def _resting(page: Page) -> Image.Image:
    expect(page.locator("[data-testid=stSkeleton]")).to_have_count(0)  # of a chart to come
    page.evaluate("document.fonts.ready.then(() => null)")
    last = b""
    for _ in range(TRIES):
        shot = page.screenshot(animations="disabled", caret="hide")
        if shot == last:
            picture = Image.open(io.BytesIO(shot)).convert("RGB")
            return picture.resize((picture.width // 2, picture.height // 2), Image.Resampling.BOX)
        last = shot
    raise AssertionError(f"{page.url} does not come to rest")


def main() -> None:
    """Draw all of them."""
    argparse.ArgumentParser(prog="python -m tests.e2e.baselines", description=__doc__).parse_args()
    FOLDER.mkdir(exist_ok=True)
    with serving(free_port()) as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        for width, height in SIZES:
            with tempfile.TemporaryDirectory() as folder:
                for name, picture in pictures(browser, app.address, width, height, Path(folder)):
                    # The other methods give up a colour that few pixels have, such as that of text.
                    small = picture.quantize(method=Image.Quantize.MAXCOVERAGE)
                    small.save(FOLDER / name, optimize=True)


if __name__ == "__main__":
    main()

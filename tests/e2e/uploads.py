"""`python -m tests.e2e.uploads --count 200`: a visit uploads file after file; memory comes back."""

import argparse
import sys

import safetensors.torch
from playwright.sync_api import Page, expect, sync_playwright

import attention_viz as av
from benchmarks.machine import FLAGS, chromium_path, free_port
from benchmarks.processes import memory_mb
from tests.e2e.conftest import serving, settle
from tests.e2e.test_upload import choose_file, open_files

WARM = 10  # uploads before the memory is looked at for the first time
MOST = 64  # MB that may be kept beyond it


def main() -> int:
    """Print the server's memory before, on the way and after; 1 when it does not come back."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.uploads", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    count = parser.parse_args().count
    with serving(free_port()) as app, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        page = chromium.new_page()

        def open_page(query):
            page.goto(f"{app.address}/{query}")
            settle(page)
            return page

        open_files(open_page)
        before = 0.0
        for number in range(count):
            upload(page, number)
            held = memory_mb(app.process.pid)
            if number == WARM:
                before = held
            if number % 20 == 0:
                print(f"{number} uploads: {held:.0f} MB", flush=True)
        kept = memory_mb(app.process.pid) - before
    print(f"{count} uploads of about 0.8 MB: {kept:+.0f} MB since number {WARM}; most {MOST}.")
    return int(kept > MOST)


def upload(page: Page, number: int) -> None:
    """Another head each time, and the page shows it."""
    d_k = 69 + number % 7
    state = av.random_head(1024, d_k, seed=number).state_dict()
    choose_file(page, f"{number}.safetensors", safetensors.torch.save(state))
    expect(page.get_by_text(f"its d_k is {d_k}.")).to_be_visible()


if __name__ == "__main__":
    sys.exit(main())

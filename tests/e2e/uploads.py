"""`python -m tests.e2e.uploads --count 200`: a visit uploads file after file; memory comes back."""

import argparse
import shutil
import sys
from pathlib import Path

import safetensors.torch
from playwright.sync_api import expect, sync_playwright

import attention_viz as av
from tests.e2e.conftest import FLAGS, free_port, serving, settle
from tests.e2e.test_upload import choose_file, open_files

WARM = 10  # uploads before the memory is looked at for the first time
MOST = 64  # MB that may be kept beyond it


def main() -> int:
    """Print the server's memory before, on the way and after; 1 when it does not come back."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.uploads", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    count = parser.parse_args().count
    with serving(free_port()) as app, sync_playwright() as playwright:
        path = shutil.which("chromium")
        page = playwright.chromium.launch(executable_path=path, args=FLAGS).new_page()

        def open_page(query):
            page.goto(f"{app.address}/{query}")
            settle(page)
            return page

        open_files(open_page)
        before = 0.0
        for number in range(count):
            size = 5 + number % 7
            state = av.random_head(1024, 64 + size, seed=number).state_dict()
            choose_file(page, f"{number}.safetensors", safetensors.torch.save(state))
            expect(page.get_by_text(f"its d_k is {64 + size}.")).to_be_visible()
            if number == WARM:
                before = resident(app.process.pid)
            if number % 20 == 0:
                print(f"{number} uploads: {resident(app.process.pid):.0f} MB", flush=True)
        kept = resident(app.process.pid) - before
        print(f"{count} uploads of about 0.8 MB: {kept:+.0f} MB since number {WARM}; most {MOST}.")
    return int(kept > MOST)


def resident(pid: int) -> float:
    """Memory that a process of this machine holds, in MB (Linux)."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    sys.exit(main())

"""Known failures of speed and size that only a served app shows, by their ids."""

import re
from pathlib import Path

import pytest
import safetensors.torch
import torch
from playwright.sync_api import expect

from benchmarks.processes import memory_mb
from tests.e2e.conftest import enter, settle
from tests.e2e.test_upload import open_files

pytestmark = pytest.mark.e2e


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_p07_an_upload_leaves_no_memory_behind(visit, served, tmp_path):
    page = open_files(visit)
    path = tmp_path / "large.safetensors"
    width = 2900  # three weights of 33 MB
    state = {f"{name}.weight": torch.zeros(width, width) for name in ("query", "key", "value")}
    safetensors.torch.save_file(state, path)
    before = memory_mb(served.process.pid)
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text(f"A loaded head: its d_k is {width}.")).to_be_visible()
    page.get_by_role("button", name=re.compile("Remove|Delete")).first.click()
    expect(page.get_by_text("Until a file is read")).to_be_visible()
    page.get_by_role("combobox", name="Head", exact=True).click()
    page.get_by_role("option", name="Random").click()
    settle(page)
    kept = []
    for word in ("one", "two", "three", "four", "five"):  # what a run leaves goes with later ones
        enter(page.get_by_label("Sentence"), f"{word} more run")
        expect(page.locator(".reading")).to_contain_text(word)
        kept.append(memory_mb(served.process.pid) - before)
    assert min(kept) < 150  # MB


def test_p09_no_watcher_walks_into_torch(visit, served):
    visit()
    assert "torch.classes" not in served.log.read_text()

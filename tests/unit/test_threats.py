"""The threats that SECURITY.md lists, and the tests that it says cover them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text("utf-8")
ROWS = [line for line in TEXT.splitlines() if line.startswith("| ") and "what could" not in line]


def test_every_threat_names_a_test_that_exists():
    assert len(ROWS) > 15
    for row in ROWS:
        names = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert names, row
        for path, name in names:
            code = (ROOT / path).read_text("utf-8")
            assert re.search(rf"^def {name}\(", code, re.MULTILINE), f"{path}::{name}"


def test_every_kind_of_stranger_has_its_part():
    parts = re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    words = ["visitor of a served app", "file from", "link from", "model from"]
    assert all(any(word in part for part in parts) for word in words)

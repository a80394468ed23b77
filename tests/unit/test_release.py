"""What the steps of a release in CONTRIBUTING.md rely on."""

import re
from pathlib import Path

from attention_viz.version import VERSION

ROOT = Path(__file__).parents[2]


def test_the_changes_begin_with_those_of_this_version():
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search("^## (.+),", changes, re.MULTILINE)[1] == VERSION

"""Every known failure is a test."""

import subprocess
import sys

from tests.cases import CASES, case_ids


def test_every_case_is_collected(request):
    """Of all tests, however few were asked for."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    root = request.config.rootpath
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True)
    names = [line.rpartition("::")[2] for line in listed.stdout.splitlines()]
    found = {case for name in names for case in case_ids(name)}
    assert not set(CASES) - found

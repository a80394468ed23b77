"""What all tests share: seeded numbers, processes of their own, and how Hypothesis looks."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import torch
from hypothesis import settings

import attention_viz
from tests.cases import case_ids

# Matrices here are small: a second thread costs more time than it saves, most on a busy machine.
torch.set_num_threads(1)
# No deadline: the first call of torch takes over a second.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI", "").lower() in {"1", "true"} else "local")


def pytest_terminal_summary(terminalreporter):
    """Each known failure of tools like this, by its id: whether its tests passed."""
    outcomes = {}
    for outcome in ("passed", "skipped", "failed", "error"):  # the worst one last
        for report in terminalreporter.stats.get(outcome, []):
            if report.when == "call" or outcome != "passed":
                outcomes |= dict.fromkeys(case_ids(report.nodeid), outcome)
    if not outcomes:
        return
    terminalreporter.section("known failures of tools like this, by id")
    words = [f"{case} {outcome}" for case, outcome in sorted(outcomes.items())]
    for first in range(0, len(words), 10):
        terminalreporter.line("  ".join(words[first : first + 10]))


@pytest.fixture
def rng():
    return torch.Generator().manual_seed(0)


@pytest.fixture
def randn(rng):
    """randn(3, 5): N(0, 1) numbers in float64."""
    return partial(torch.randn, generator=rng, dtype=torch.float64)


@pytest.fixture
def fresh_pythons():
    """Run programs, each in a new process and all at once: the list of what they print.

    A program is its code and what it changes in the environment.
    """
    root = str(Path(attention_viz.__file__).parents[1])

    def run(*programs):
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", code],
                env=os.environ | {"PYTHONPATH": root, "PYTHONUTF8": "1"} | environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
            for code, environment in programs
        ]
        printed = []
        for process in processes:
            out, err = process.communicate()
            assert process.returncode == 0, err
            printed.append(out)
        return printed

    return run

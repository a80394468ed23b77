"""Every benchmark, one after the other, and one table of what they found.

    pip install -r benchmarks/requirements.txt && npm install --prefix benchmarks
    python -m benchmarks [--quick]

All sizes take about an hour and a half, half an hour of it the soak, and write RESULTS.md beside
this file. --quick takes some minutes and prints only. Exit status 1 if a budget is missed or a
benchmark failed.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from benchmarks.machine import chromium_path
from benchmarks.table import Finding, load, markdown

FOLDER: Final = Path(__file__).parent
RESULTS: Final = FOLDER / "RESULTS.md"
PACKAGES: Final = ("torch", "streamlit", "plotly", "transformers", "playwright", "bertviz")


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One file, and what it is given."""

    name: str
    quick: str = ""
    full: str = ""

    def command(self, *, quick: bool) -> str:
        """As one would type it."""
        return f"python benchmarks/{self.name} {self.quick if quick else self.full}".strip()


ALL: Final = (
    Benchmark("live_drag.py", quick="--tokens 16"),
    Benchmark("startup.py", quick="--runs 1"),
    Benchmark("commits.py", quick="--commits 50 --tokens 16 64"),
    Benchmark("scores.py"),
    Benchmark("exports.py"),
    Benchmark("scaling.py", quick="--runs 3"),
    Benchmark("models.py", quick="--tokens 16 64 --runs 1"),
    Benchmark("load.py", quick="--people 30 --seconds 10"),
    Benchmark(
        "load.py",
        quick="--soak 1 --people 30 --tokens 16",
        full="--soak 30 --people 30 --tokens 16",
    ),
)


def run(command: str) -> list[Finding] | None:
    """What a benchmark finds; None if it fails. It prints as it goes."""
    print(f"\n$ {command}", flush=True)
    _, *words = command.split()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "findings.json"
        subprocess.run(
            [sys.executable, *words, "--findings", str(file)], cwd=FOLDER.parent, check=False
        )
        return load(file) if file.exists() else None


def report(findings: Sequence[Finding], commands: Sequence[str], commit: str) -> str:
    """The table, and what it was measured on and by."""
    missed = sum(not finding.is_met for finding in findings)
    budgets = sum(finding.budget is not None for finding in findings)
    parts = [
        "# What was measured",
        f"{datetime.now(UTC):%Y-%m-%d}, `python -m benchmarks` at {commit}: {missed} of "
        f"{budgets} budgets missed. A ratio is to what was measured beside it in the same run, "
        "and carries over to other machines; times do not.",
        markdown(findings),
        f"**Machine.** {machine()}",
        f"**Versions.** {versions()}",
        "**Commands.**\n\n```sh\n" + "\n".join(commands) + "\n```",
    ]
    return "\n\n".join(parts) + "\n"


def commit() -> str:
    """What was measured, as git calls it."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        said = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False)
    except FileNotFoundError:  # no git here
        return "an unknown commit"
    return said.stdout.strip() or "an unknown commit"


def machine() -> str:
    """The processor, how many cores there are, and the memory."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return f"{name}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}."


def versions() -> str:
    """Of Python, the packages and the browser."""
    command = [chromium_path(), "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    browser = " ".join(said.stdout.split()[:2])
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"Python {platform.python_version()}, {packages}, {browser}."


def main() -> int:
    """Run all, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing written")
    quick = parser.parse_args().quick
    try:
        versions()  # what is missing is said now, and not at the end
    except PackageNotFoundError as error:
        parser.error(
            f"{error.name} is missing: pip install -r benchmarks/requirements.txt adds it."
        )
    measured = commit()
    commands = [benchmark.command(quick=quick) for benchmark in ALL]
    found = {command: run(command) for command in commands}
    findings = [finding for each in found.values() for finding in each or ()]
    words = report(findings, commands, measured)
    print(f"\n{words}")
    failed = [command for command, each in found.items() if each is None]
    for command in failed:
        print("FAILED", command)
    if not quick and not failed:
        RESULTS.write_text(words)
    return 0 if not failed and all(finding.is_met for finding in findings) else 1


if __name__ == "__main__":
    sys.exit(main())

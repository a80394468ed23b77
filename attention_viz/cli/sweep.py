"""The command sweep: what happens as d_k grows, into a file."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from attention_viz.cli.output import output_path
from attention_viz.errors import SettingError
from attention_viz.experiments.draws import Start
from attention_viz.experiments.sweep import Point, Sweep, stops_between, walk
from attention_viz.experiments.table import sweep_row, sweep_rows, sweep_settings
from attention_viz.export.tables import table_text
from attention_viz.files import whole_file
from attention_viz.scaling import LONG_STOPS

_EXAMPLE: Final = "example: python -m attention_viz sweep --d-k 1:1024 --keys 8 -o sweep.csv"
_ENDINGS: Final = (".csv", ".json")


def add_to(commands: Any) -> None:
    """Add the command to the parser's."""
    sweep = commands.add_parser(
        "sweep", help="softmax at every d_k, scaled and unscaled, into a file", epilog=_EXAMPLE
    )
    sweep.add_argument(
        "--d-k",
        default="1:1024",
        metavar="LOW:HIGH",
        help="(default 1:1024) a row for both ends and each stop between: "
        + " ".join(map(str, LONG_STOPS)),
    )
    sweep.add_argument("--keys", type=int, default=8, metavar="N", help="of a row (8)")
    sweep.add_argument("--draws", type=int, default=4000, metavar="N", help="rows (4000)")
    sweep.add_argument("--seed", type=int, default=0, metavar="N")
    sweep.add_argument(
        "--divisor",
        default="sqrt",
        metavar="D",
        help="what the scaled side divides by: sqrt (of d_k; default), 1, d_k or a number",
    )
    sweep.add_argument(
        "--start",
        choices=[start.value for start in Start],
        default=Start.GAUSSIAN.value,
        help="how queries and keys are drawn",
    )
    sweep.add_argument(
        "-o", "--output", type=output_path, required=True, metavar="FILE.csv|FILE.json"
    )
    sweep.set_defaults(run=run_sweep)


def run_sweep(chosen: argparse.Namespace) -> None:
    """Measure, and write the file when all is measured."""
    sweep = Sweep(
        stops_between(*_range(chosen.d_k)),
        keys=chosen.keys,
        draws=chosen.draws,
        seed=chosen.seed,
        start=Start(chosen.start),
        divisors=(chosen.divisor, "1"),
    )
    path: Path = chosen.output
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise SettingError(f"output must end in {' or '.join(_ENDINGS)}; got {path.name[:40]!r}.")
    with whole_file(path) as file:
        points = list(_told(sweep))
        if ending == ".csv":
            text = table_text(list(sweep_rows(sweep, points)))
        else:
            text = _json(sweep, points)
        file.write(text.encode("ascii"))


def _told(sweep: Sweep) -> Iterator[Point]:
    """The points, each told of on stderr."""
    for point in walk(sweep):
        yield point
        print(f"d_k {point.d_k} of {sweep.stops[-1]}", file=sys.stderr)


def _range(text: str) -> tuple[int, int]:
    low, colon, high = text.partition(":")
    digits = [part for part in (low, high or low) if part.isascii() and part.isdigit()]
    if len(digits) < 2 or (colon and not high) or max(map(len, digits)) > 9:  # noqa: PLR2004
        raise SettingError(f"d_k must be a range such as 1:1024; got {text[:40]!r}.")
    return int(digits[0]), int(digits[1])


def _json(sweep: Sweep, points: Sequence[Point]) -> str:
    rows = [sweep_row(sweep, point) for point in points]
    said = {"settings": sweep_settings(sweep), "rows": rows}
    return f"{json.dumps(said, allow_nan=False, indent=1)}\n"

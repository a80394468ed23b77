"""The command export: one sentence's attention as a file, by the ending of its name."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from attention_viz.cli.choosing import add_head_options, chosen_run, read_choice
from attention_viz.cli.output import output_path
from attention_viz.colours import Scale
from attention_viz.errors import SettingError
from attention_viz.export.naming import file_name
from attention_viz.export.page import APP, to_html
from attention_viz.export.record import Record, record_of
from attention_viz.export.tables import csv_bytes, json_bytes, long_csv, npz_bytes
from attention_viz.files import whole_file
from attention_viz.listing import torch_listing
from attention_viz.models import WeightsRun
from attention_viz.pipeline import Run
from attention_viz.scenes import check_shown

_EXAMPLE: Final = 'example: python -m attention_viz export "I am good" --d-k 64 -o good.html'
_TABLES: Final[Mapping[str, Callable[[Record], bytes]]] = {
    "csv": csv_bytes,
    "json": json_bytes,
    "npz": npz_bytes,
}
_PICTURES: Final = ("png", "svg", "pdf")
_ENDINGS: Final = ("html", *_PICTURES, *_TABLES, "py")


def add_to(commands: Any) -> None:
    """Add the command to the parser's."""
    export = commands.add_parser(
        "export", help="one sentence's attention as a file", epilog=_EXAMPLE
    )
    add_head_options(export)
    _add_output(export)
    _add_looks(export)
    export.set_defaults(run=run_export)


def _add_output(export: argparse.ArgumentParser) -> None:
    export.add_argument(
        "-o",
        "--output",
        type=output_path,
        required=True,
        metavar="FILE",
        help="its ending says what is written: .html (interactive, offline), .png .svg .pdf (for "
        "print), .csv .json .npz (all numbers; of a long sentence the CSV has more lines than a "
        "spreadsheet opens), .py (lines of torch that give the same numbers); "
        "in a folder, HTML under its usual name",
    )


def _add_looks(export: argparse.ArgumentParser) -> None:
    export.add_argument("--row", type=int, default=0, metavar="N", help="picked query, from 0")
    export.add_argument(
        "--scale",
        choices=list(map(str, Scale)),
        default=Scale.FIXED.value,
        help="colours of scores: fixed (±3), fit (largest of both maps), own (largest of each)",
    )
    export.add_argument("--no-title", action="store_true", help="of a picture")
    export.add_argument(
        "--link",
        default=APP,
        metavar="ADDRESS",
        help=f"where the HTML says that the app is ({APP})",
    )


def run_export(chosen: argparse.Namespace) -> None:
    """Write one file, and say on stderr where it is."""
    path: Path = chosen.output
    ending = "html" if path.is_dir() else path.suffix.lower().removeprefix(".")
    if ending not in _ENDINGS:
        raise SettingError(
            f"output must end in {', '.join(f'.{one}' for one in _ENDINGS)}, or be a folder; got "
            f"{path.name[:40]!r}."
        )
    run = chosen_run(read_choice(chosen))
    check_shown(run, chosen.row, chosen.scale)
    if path.is_dir():
        path /= file_name(run, ending)
    with whole_file(path) as file:
        file.write(_content(run, ending, chosen))
    print(f"{path} is written", file=sys.stderr)
    if ending == "csv" and (warning := long_csv(record_of(run))):
        print(warning, file=sys.stderr)


def _content(run: Run | WeightsRun, ending: str, chosen: argparse.Namespace) -> bytes:
    shown: dict[str, Any] = {"row": chosen.row, "scale": chosen.scale}
    if ending in _TABLES:
        return _TABLES[ending](record_of(run, **shown))
    if ending in _PICTURES:
        # Plotly and the browser's driver take a second to import: only for a picture.
        from attention_viz.export import pictures

        return pictures.draw(pictures.still_figure(run, **shown, title=not chosen.no_title), ending)
    if isinstance(run, WeightsRun):
        raise SettingError(f"{run.why} Its weights go into .png, .svg, .pdf, .csv, .json or .npz.")
    if ending == "py":
        return torch_listing(run).encode()
    return to_html(run, **shown, link=chosen.link).encode()

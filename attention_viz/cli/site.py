"""The command site: a list of sentences and heads as a static site."""

import argparse
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch

from attention_viz.cli.choosing import Choice, chosen_run
from attention_viz.demo import demo_heads
from attention_viz.errors import AttentionVizError, SettingError
from attention_viz.export.site import Entry, Site, write_site
from attention_viz.models import WeightsRun

_EXAMPLE: Final = "example: python -m attention_viz site examples/lessons.toml -o public"
_NUMBER: Final = (int,)
_WORDS: Final = (str,)
_SITE: Final = {"title": _WORDS, "intro": _WORDS, "link": _WORDS, "page": (list,)}
# What a page may say, as the options of the other commands do.
_PAGE: Final[Mapping[str, tuple[type, ...]]] = {
    "text": _WORDS,
    "title": _WORDS,
    "note": _WORDS,
    "seed": _NUMBER,
    "d_k": _NUMBER,
    "d_model": _NUMBER,
    "divisor": (str, int, float),
    "start": _WORDS,
    "positions": (bool,),
    "causal": (bool,),
    "head": _WORDS,
    "num_heads": _NUMBER,
    "model": _WORDS,
    "layer": _NUMBER,
    "index": _NUMBER,
}
_TOO_LARGE: Final = 2**63
_KINDS: Final = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
Page = dict[str, Any]


def add_to(commands: Any) -> None:
    """Add the command to the parser's."""
    site = commands.add_parser(
        "site", help="a list of sentences and heads as a static site", epilog=_EXAMPLE
    )
    site.add_argument(
        "lessons",
        type=Path,
        metavar="LESSONS.toml",
        help=f"title, intro and link, and a [[page]] for each page, with {', '.join(_PAGE)}",
    )
    site.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="a new one, or one that this command made, which is replaced",
    )
    site.set_defaults(run=run_site)


def run_site(chosen: argparse.Namespace) -> None:
    """Check the list, then write all pages."""
    # Matrices here are small: on a busy machine a second thread costs far more than it saves.
    torch.set_num_threads(1)
    lessons = _read(chosen.lessons)
    pages = lessons.pop("page")
    write_site(chosen.output, Site(**lessons), _entries(pages, chosen.lessons.parent))


def _read(path: Path) -> dict[str, Any]:
    name = path.name or str(path)
    try:
        lessons = tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise SettingError(f"{name} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # not TOML, or not even text
        raise SettingError(f"{name} must be TOML: {error}.") from error
    except RecursionError as error:
        raise SettingError(f"{name} must hold no lists within lists within lists.") from error
    _check(lessons, _SITE, name)
    if not lessons.get("page"):
        raise SettingError(f"{name} must hold at least one [[page]].")
    for number, page in enumerate(lessons["page"], start=1):
        where = f"page {number}"
        if not isinstance(page, dict):
            raise SettingError(f"{where} must be a table that begins with [[page]].")
        _check(page, _PAGE, where)
        if "text" not in page:
            raise SettingError(f"{where}: text is missing.")
    return lessons


def _check(found: Mapping[str, Any], kinds: Mapping[str, tuple[type, ...]], where: str) -> None:
    for key, value in found.items():
        if key not in kinds:
            raise SettingError(f"{where}: no key is called {key[:40]!r}; use {', '.join(kinds)}.")
        # Not isinstance: to Python, true is a whole number.
        if type(value) not in kinds[key]:
            words = " or ".join(_KINDS.get(kind, "a list of [[page]]") for kind in kinds[key])
            raise SettingError(f"{where}: {key} must be {words}; got {_shown(value)}.")
        # No number beyond what TOML asks of a reader; Python cannot even write the longest of them.
        if isinstance(value, int) and abs(value) >= _TOO_LARGE:
            raise SettingError(f"{where}: {key} must be a number of at most 64 bits.")


def _shown(value: Any) -> str:
    kinds = {list: "a list", dict: "a table", int: "a whole number"}
    return kinds.get(type(value)) or repr(str(value)[:40])


def _entries(pages: Sequence[Page], folder: Path) -> Iterator[Entry]:
    for number, page in enumerate(pages, start=1):
        try:
            entry = _entry(page, folder)
        except AttentionVizError as error:
            raise SettingError(f"page {number}: {error}") from error
        yield entry
        print(f"page {number} of {len(pages)}", file=sys.stderr)


def _entry(page: Page, folder: Path) -> Entry:
    said = dict(page)
    title, note = said.pop("title", ""), said.pop("note", "")
    if "index" in said:
        said["head_index"] = said.pop("index")
    if "divisor" in said:
        said["divisor"] = str(said["divisor"])
    if "head" in said and said["head"] not in {head.name for head in demo_heads()}:
        said["head"] = str(folder / said["head"])
    run = chosen_run(Choice(**said))
    if isinstance(run, WeightsRun):
        raise SettingError(f"{run.why} A page needs every step.")
    return Entry(run, title, note)

"""The command line: the same numbers as the pages, as a table, as JSON or as a file."""

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Final, NoReturn

from attention_viz.cli import app, export, show, site, sweep
from attention_viz.errors import AttentionVizError, PictureError

_COULD_NOT: Final = 1
_ASKED_WRONGLY: Final = 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence, where argparse would print its usage too."""
        self.exit(_ASKED_WRONGLY, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, 1 when it could not, 2 when it was asked wrongly."""
    chosen = _parser().parse_args(arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal that cannot show a character gets its code instead of a traceback.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with _end_as_an_interrupt():
            chosen.run(chosen)
        sys.stdout.flush()
    except PictureError as error:
        print(f"attention_viz: {error}", file=sys.stderr)
        return _COULD_NOT
    except AttentionVizError as error:
        print(f"attention_viz: {error}", file=sys.stderr)
        return _ASKED_WRONGLY
    except OSError as error:
        # The reader of a pipe has seen enough, or the disk is full. Python would complain once more
        # when it closes the output.
        if not isinstance(error, BrokenPipeError):
            print(f"attention_viz: the output cannot be written: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _COULD_NOT
    except KeyboardInterrupt:
        print("attention_viz: stopped", file=sys.stderr)
        return _COULD_NOT
    return 0


@contextmanager
def _end_as_an_interrupt() -> Iterator[None]:
    """What ends this process ends it as Ctrl-C does, so that nothing half written is left."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _parser() -> _Parser:
    parser = _Parser(prog="attention_viz", description=__doc__)
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="show|export|sweep|site|app"
    )
    for command in (show, export, sweep, site, app):
        command.add_to(commands)
    return parser

"""Writing a folder: never half written, and never over what somebody else put there."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from attention_viz.errors import SettingError

MARKER: Final = ".attention-viz"  # lists the files that were written


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """A folder that takes its name once it is whole, in the place of one that was made so before.

    Raises:
        SettingError: there is something of that name that was not made here; before anything is
            computed.
        OSError: the place cannot be written.
    """
    path = Path(path).resolve()
    _check(path)
    part, old = (path.with_name(f".{path.name}.{os.getpid()}.{end}") for end in ("part", "old"))
    part.mkdir()
    try:
        yield part
        names = sorted(file.name for file in part.iterdir())
        (part / MARKER).write_text("\n".join(names), "utf-8")
        _replace(path, part, old)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _replace(path: Path, part: Path, old: Path) -> None:
    if not path.exists():
        part.rename(path)
        return
    path.rename(old)
    try:
        part.rename(path)
    except OSError:
        old.rename(path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _check(path: Path) -> None:
    if not path.exists():
        return
    if not path.is_dir():
        raise SettingError(f"output must be a folder; {path.name} is a file.")
    marker = path / MARKER
    ours = {MARKER, *marker.read_text("utf-8").split("\n")} if marker.is_file() else set()
    others = sorted(child.name for child in path.iterdir() if child.name not in ours)
    if others:
        raise SettingError(
            f"output must be a new folder or one that this command made; {path.name} holds "
            f"{others[0]}, which it did not. Choose another name."
        )

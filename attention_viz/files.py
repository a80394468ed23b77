"""Writing files: nothing is ever half written."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

_PERMISSIONS: Final = 0o777


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A file that takes its name once it is whole; until then whatever had the name stays.

    Raises:
        OSError: the place cannot be written, or is no file, such as a folder or a device; before
            anything is computed.
    """
    path = Path(os.path.realpath(path))
    replaced = _permissions(path)
    part = beside(path, "part")
    # Whoever may not read the file that is replaced may not read the new one while it is written.
    allowed = 0o666 if replaced is None else replaced
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, allowed)) as file:
            yield file
        if replaced is not None:
            part.chmod(replaced)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def beside(path: Path, ending: str) -> Path:
    """A hidden name in the same folder that nobody else has, and that fits where any name does."""
    return path.with_name(f".{secrets.token_hex(8)}.{ending}")


def permissions(found: os.stat_result) -> int:
    """Who may do what, without the kind of the file."""
    return found.st_mode & _PERMISSIONS


def _permissions(path: Path) -> int | None:
    """Those of the file that is replaced; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        if not path.parent.is_dir():
            why = f"there is no folder {path.parent}; make it, or give another"
            raise FileNotFoundError(errno.ENOENT, why, str(path)) from None
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise FileExistsError(
            errno.EEXIST, "a device, a pipe or a socket has this name; give another", str(path)
        )
    return permissions(found)

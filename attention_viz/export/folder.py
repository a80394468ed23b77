"""Writing a folder: never half written, and never over what somebody else put there."""

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from attention_viz.errors import SettingError
from attention_viz.files import beside, permissions

# Lists the files that were written, each with the hash of its bytes, as sha256sum does.
MARKER: Final = ".attention-viz"


@contextmanager
def whole_folder(path: str | Path) -> Iterator[Path]:
    """A folder that takes its name once it is whole, in the place of one that was made so before.

    Raises:
        SettingError: there is something of that name that was not made here, or that cannot be
            replaced; before anything is computed. Again at the end, when somebody has put
            something there in the meantime, which stays.
        OSError: the place cannot be written.
    """
    path = Path(os.path.realpath(path))
    replaced = path.stat() if os.path.lexists(path) else None
    _check_place(path)
    part = beside(path, "part")
    # Whoever may not see the folder that is replaced may not see the new one while it is written.
    part.mkdir(0o777 if replaced is None else permissions(replaced))
    try:
        yield part
        _mark(part)
        if replaced is not None:
            part.chmod(permissions(replaced))
        _put(part, path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _mark(folder: Path) -> None:
    lines = [f"{_hash(file)}  {file.name}\n" for file in sorted(folder.iterdir())]
    (folder / MARKER).write_text("".join(lines), "utf-8")


def _put(part: Path, path: Path) -> None:
    """Give a whole folder its name; the old one is looked at again once nobody can reach it."""
    if not os.path.lexists(path):
        part.rename(path)
        return
    old = beside(path, "old")
    try:
        path.rename(old)
        _check(old, path.name)
        part.rename(path)
    finally:  # also of an interrupt, wherever it came
        if part.exists():
            _put_back(old, path)
        else:
            _remove(old)


def _put_back(old: Path, path: Path) -> None:
    if old.exists():
        old.rename(path)


def _remove(old: Path) -> None:
    """Remove what was made here, and the folder unless somebody has just put something into it."""
    marked = _marked(old)
    for child in [child for child in old.iterdir() if _is_ours(child, marked)]:
        child.unlink()
    with suppress(OSError):
        old.rmdir()


def _check_place(path: Path) -> None:
    if not os.path.lexists(path):
        return
    if not path.is_dir():
        raise SettingError(f"output must be a folder; {path.name} is a file.")
    # The one cannot be renamed, and of the other a shell would be left in a folder that is gone.
    if os.path.ismount(path) or path.samefile(os.curdir):
        raise SettingError(
            "output must be a folder that can be replaced, which the present one and the root of a "
            "disk cannot; name a folder that is not there yet."
        )
    _check(path, path.name)


def _check(folder: Path, name: str) -> None:
    """Refuse a folder that holds anything but the very files that its marker lists."""
    marked = _marked(folder)
    others = sorted(child.name for child in folder.iterdir() if not _is_ours(child, marked))
    if others:
        raise SettingError(
            f"output must be a new folder or one that this command made; {name} holds {others[0]}, "
            "which it did not write as it is. Choose another name."
        )


def _is_ours(child: Path, marked: Mapping[str, str]) -> bool:
    if child.name == MARKER:
        return bool(marked)
    return child.name in marked and _is_regular(child) and _hash(child) == marked[child.name]


def _marked(folder: Path) -> Mapping[str, str]:
    """From the name of each file that was written to the hash of its bytes; none by a stranger."""
    marker = folder / MARKER
    if not _is_regular(marker):
        return {}
    try:
        lines = marker.read_text("utf-8").split("\n")
    except UnicodeDecodeError:
        return {}
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}


def _is_regular(path: Path) -> bool:
    """Whether it is a file itself: no link to one, and nothing that would wait for a writer."""
    return os.path.lexists(path) and stat.S_ISREG(path.lstat().st_mode)


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()

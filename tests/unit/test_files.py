"""Files are written whole, or what was there stays."""

import os
import stat
from contextlib import ExitStack

import pytest

from attention_viz.files import whole_file


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_writers_of_one_path_do_not_meet(tmp_path):
    path = tmp_path / "a.csv"
    with ExitStack() as writers:
        files = [writers.enter_context(whole_file(path)) for _ in range(4)]
        for number, file in enumerate(files):
            file.write(f"{number}".encode())
    assert path.read_text() == "0"  # the last to end
    assert list(tmp_path.iterdir()) == [path]


def test_any_name_that_the_disk_takes(tmp_path):
    path = tmp_path / f"{'a' * 251}.csv"
    with whole_file(path) as file:
        file.write(b"whole")
    assert path.read_bytes() == b"whole"


def test_who_may_read_it_stays(tmp_path):
    path, new, plain = (tmp_path / name for name in ("private", "new", "plain"))
    path.touch(0o600)
    plain.touch()
    for one in (path, new):
        with whole_file(one) as file:
            (part,) = tmp_path.glob(".*.part")
            assert mode(part) == mode(path if one == path else plain)
            file.write(b"1")
    assert mode(path) == 0o600
    assert mode(new) == mode(plain)


def test_what_is_no_file_is_never_replaced(tmp_path):
    pipe, link = tmp_path / "pipe.csv", tmp_path / "link.csv"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(FileExistsError, match="a device, a pipe or a sock"), whole_file(path):
            pytest.fail("before anything is computed")
    assert pipe.is_fifo()
    assert sorted(tmp_path.iterdir()) == [link, pipe]


def test_a_link_to_a_file_stays_a_link_and_a_loop_is_an_error(tmp_path):
    target, link, loop = (tmp_path / name for name in ("target", "link", "loop"))
    target.touch()
    link.symlink_to(target)
    loop.symlink_to(loop)
    with whole_file(link) as file:
        file.write(b"1")
    assert link.is_symlink()
    assert target.read_bytes() == b"1"
    with pytest.raises(OSError, match="symbolic links"), whole_file(loop):
        pytest.fail("before anything is computed")

"""What processes cost, read from /proc: Linux only."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_MEMORY_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(*pids: int) -> float:
    """What these processes have used so far, all threads."""
    return sum(sum(map(int, _stat(pid)[11:13])) for pid in pids) / _TICKS


def seconds(measured: Callable[[], object]) -> float:
    """How long this process works for one call: what a free machine takes, on one thread."""
    begin = time.process_time()
    measured()
    return time.process_time() - begin


def busy_seconds() -> float:
    """What all processes of the machine have used so far, all processors."""
    user, nice, system = Path("/proc/stat").read_text().split()[1:4]
    return (int(user) + int(nice) + int(system)) / _TICKS


def memory_mb(pid: int) -> float:
    """What the process holds in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * _MEMORY_PAGE / 1e6


def browser_pids() -> list[int]:
    """The processes of the browser that this process has started."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int(_stat(int(folder.name))[1])
        except OSError:
            continue  # it ended while we looked
    return [pid for pid in parents if _is_ours(pid, parents) and _name(pid).startswith("chrom")]


def _is_ours(pid: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == os.getpid():
            return True
    return False


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text()


def _stat(pid: int) -> list[str]:
    """The fields after the name of the command, which may hold blanks itself."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()

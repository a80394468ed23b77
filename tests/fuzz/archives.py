"""PyTorch files: a pickle and numbers in a zip file whose check sums are right again."""

import io
import random
import struct
import warnings
import zipfile
from collections.abc import Callable
from typing import Final

from tests.fuzz import opcodes
from tests.fuzz.damage import flipped

Entries = list[tuple[str, bytes]]
_METHODS: Final = (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_PICKLE: Final = "archive/data.pkl"


def changed(rng: random.Random, data: bytes) -> bytes:
    """A file that torch.save wrote with one kind of damage, or one that it would not write."""
    return rng.choice((flipped, _pickle, _pickle, _parts, _state, _call, _bomb))(rng, data)


def entries_of(data: bytes) -> Entries:
    """The parts by their names."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(entry.filename, archive.read(entry)) for entry in archive.infolist()]


def zipped(entries: Entries, method: int = zipfile.ZIP_STORED) -> bytes:
    """Parts as a file."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", method) as archive:
        warnings.simplefilter("ignore")  # names twice, on purpose
        for name, data in entries:
            archive.writestr(name, data)
    return file.getvalue()


def _frame(code: bytes) -> Entries:
    return [(_PICKLE, code), ("archive/version", b"3\n"), ("archive/byteorder", b"little")]


def _pickle(rng: random.Random, data: bytes) -> bytes:
    (name, code), *rest = entries_of(data)
    return zipped([(name, opcodes.damaged(rng, code)), *rest])


def _state(rng: random.Random, _: bytes) -> bytes:
    numbers = bytes(rng.choice((140, 140, 140, 0, 139, 2**16)))
    return zipped([*_frame(opcodes.a_state(rng)), ("archive/data/0", numbers)])


def _call(rng: random.Random, data: bytes) -> bytes:
    """In the open, or behind the right pickle of another file."""
    code, good = opcodes.a_call(rng), entries_of(data)
    twice = [(_PICKLE, code), *good]
    capitals = [(_PICKLE.replace("data", "DATA"), code), *good]
    ways = (_frame(code), twice, twice[::-1], capitals)
    return rng.choice((code, *map(zipped, ways)))


def _parts(rng: random.Random, data: bytes) -> bytes:
    """The same parts under other names, in another order, missing, twice, packed, or many."""
    entries = entries_of(data)
    rng.choice(_CHANGES)(rng, entries)
    method = rng.choice((zipfile.ZIP_STORED,) * 7 + _METHODS)
    file = zipped(entries, method)
    return rng.choice((file, file, b"junk" + file, file + b"junk", file + file))


def _renamed(rng: random.Random, entries: Entries) -> None:
    place = rng.randrange(len(entries))
    name, part = entries[place]
    folder = rng.choice(("b", "..", "", "/etc", "a\0b", "\u202e"))
    entries[place] = name.replace("archive", folder), part


def _dropped(rng: random.Random, entries: Entries) -> None:
    del entries[rng.randrange(len(entries))]


def _twice(rng: random.Random, entries: Entries) -> None:
    name, _ = rng.choice(entries)
    entries.append((rng.choice((name, name.upper())), rng.randbytes(9)))


def _other_bytes(rng: random.Random, entries: Entries) -> None:
    place = rng.randrange(len(entries))
    entries[place] = entries[place][0], rng.choice((b"", b"big", b"\xff" * 99, bytes(2**20)))


def _many(rng: random.Random, entries: Entries) -> None:
    entries += [(f"archive/data/{i}", b"") for i in range(9, rng.choice((99, 99, 99, 5000)))]


def _script(_: random.Random, entries: Entries) -> None:
    entries.append(("archive/constants.pkl", b"\x80\x02}."))


_CHANGES: Final[tuple[Callable[[random.Random, Entries], None], ...]] = (
    _renamed,
    _dropped,
    _twice,
    _other_bytes,
    _many,
    _script,
    lambda rng, entries: rng.shuffle(entries),
)


def _bomb(rng: random.Random, data: bytes) -> bytes:
    """Zeros that unpack to far more than they are, zip files within, and sizes that are lies."""
    zeros = bytes(rng.choice((2**16, 2**22)))
    inner = zipped([("archive/data/0", zeros)], zipfile.ZIP_DEFLATED)
    extra = rng.choice((("archive/data/0", zeros), (_PICKLE, zeros), ("a.zip", inner)))
    file = bytearray(
        zipped([*entries_of(data), extra], rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
    )
    if rng.random() < 0.5:
        sizes = file.rfind(b"PK\x01\x02") + rng.choice((20, 24))
        struct.pack_into("<I", file, sizes, rng.choice((0, 9, 2**31, 2**32 - 1)))
    return bytes(file)

"""safetensors files with something wrong in the header, or in the numbers."""

import json
import random
import struct
from collections.abc import Callable
from typing import Any, Final

from tests import hostile
from tests.fuzz.damage import HUGE, flipped

Header = dict[str, Any]
_NUMBERS: Final = (0.0, -0.0, 1.0, 3.4e38, -3.4e38, float("inf"), float("-inf"), float("nan"))
_FLOATS: Final = ("F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F4")
_TYPES: Final = (*_FLOATS, "I64", "I8", "U8", "BOOL", "C64", "")
_VALUES: Final = (None, {}, [], 3, "abc", [1, 2, 3], float("nan"), "\ud800")
_VOCABULARIES: Final = (
    *('["a", "b", ""]', '["\\ud800", "b", "c"]', "[1, 2, 3]"),
    *("9" * 5000, "[" * 9000),
)


def a_name(rng: random.Random) -> str:
    """Of a tensor, such as no program would choose."""
    length = rng.choice((199, 200, 201, 9000))
    letters = "".join(chr(rng.randrange(0xD800)) for _ in range(rng.randrange(9)))
    known = ("query.weight", "in_proj_weight", ".query.weight", f"{'m' * 180}.query.weight")
    return rng.choice((*hostile.EVERY, *known, "", "k" * length, letters))


def changed(rng: random.Random, data: bytes) -> bytes:
    """A file of safetensors with one kind of damage."""
    return rng.choice((flipped, _header, _header, _values, _huge))(rng, data)


def _apart(data: bytes) -> tuple[Header, bytes]:
    (length,) = struct.unpack_from("<Q", data)
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def _together(header: bytes, body: bytes, length: int | None = None) -> bytes:
    return struct.pack("<Q", len(header) if length is None else length) + header + body


def _header(rng: random.Random, data: bytes) -> bytes:
    header, body = _apart(data)
    for _ in range(rng.randrange(1, 4)):
        key = rng.choice([key for key in header if key != "__metadata__"] or ["query.weight"])
        rng.choice(_CHANGES)(rng, header, key)
    text = json.dumps(header).encode()
    if rng.random() < 0.1:  # every key twice
        text = text[:-1] + b"," + text[1:]
    body = rng.choice((body, body, body, body[:-1], body + b"\0", b""))
    return _together(text, body, rng.choice((None,) * 8 + (7, 2**15, 2**20, 2**40, 2**64 - 1)))


def _entry(header: Header, key: str) -> Header:
    entry = header.get(key)
    return entry if isinstance(entry, dict) else {}


def _shape(rng: random.Random, header: Header, key: str) -> None:
    some = [rng.choice(HUGE) for _ in range(rng.randrange(5))]
    header[key] = _entry(header, key) | {"shape": some}


def _axes(rng: random.Random, header: Header, key: str) -> None:
    ones = [1] * rng.choice((3, 60, 70, 5000))
    header[key] = _entry(header, key) | {"shape": [*ones, 5, 7]}


def _offsets(rng: random.Random, header: Header, key: str) -> None:
    some = [rng.choice(HUGE) for _ in range(rng.choice((0, 2, 2, 2)))]
    header[key] = _entry(header, key) | {"data_offsets": some}


def _type(rng: random.Random, header: Header, key: str) -> None:
    header[key] = _entry(header, key) | {"dtype": rng.choice(_TYPES)}


def _renamed(rng: random.Random, header: Header, key: str) -> None:
    header[a_name(rng)] = header.pop(key, {})


def _dropped(_: random.Random, header: Header, key: str) -> None:
    header.pop(key, None)


def _odd(rng: random.Random, header: Header, key: str) -> None:
    field, value = rng.choice(("dtype", "shape", "data_offsets", "x")), rng.choice(_VALUES)
    header[key] = rng.choice((value, _entry(header, key) | {field: value}))


def _many(rng: random.Random, header: Header, key: str) -> None:
    header |= {f"{key}{i}": header.get(key) for i in range(rng.choice((1, 5, 300)))}


def _metadata(rng: random.Random, header: Header, _: str) -> None:
    vocabulary = {"vocab": rng.choice(_VOCABULARIES)}
    other = {a_name(rng): a_name(rng)}
    header["__metadata__"] = rng.choice((None, {}, [], {"vocab": 3}, vocabulary, other))


_CHANGES: Final[tuple[Callable[[random.Random, Header, str], None], ...]] = (
    _shape,
    _axes,
    _offsets,
    _type,
    _renamed,
    _dropped,
    _odd,
    _many,
    _metadata,
)


def _values(rng: random.Random, data: bytes) -> bytes:
    """With other numbers where the numbers are."""
    header, body = _apart(data)
    numbers = bytearray(body)
    for _ in range(rng.choice((1, 1, 99))):
        struct.pack_into("<f", numbers, 4 * rng.randrange(len(body) // 4), rng.choice(_NUMBERS))
    return _together(json.dumps(header).encode(), bytes(numbers))


def _huge(rng: random.Random, _: bytes) -> bytes:
    """Thousands of names, or brackets, up to and over what is read."""
    empty = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    count = rng.choice((100, 100, 100, 12_000))
    many = json.dumps({f"k{i}": empty for i in range(count)}).encode()
    nested = b'{"a":' + b"[" * rng.choice((100, 100_000)) + b"}"
    return _together(rng.choice((many, nested, b"{" + b" " * 2**20 + b"}")), bytes(8))

"""Pickles put together by hand: states with one thing wrong, calls, and things within things."""

import random
import struct
from typing import Any, Final

from tests.fuzz.damage import HUGE

FIRED: Final[list[str]] = []  # what ran that should not have
_HERE: Final = __name__.encode()
_STORAGES: Final = ("Float", "Half", "BFloat16", "Double", "Long", "Byte", "Bool", "ComplexFloat")
_PLACES: Final = ("cpu", "cpu", "cpu", "meta", "cuda:0", "xla:9")
_PARTS: Final = ("query.weight", "key.weight", "value.weight")
_EMPTY: Final = b"ccollections\nOrderedDict\n)R"
_STEPS: Final = (
    b"(",
    b"t",
    b"}",
    b"]",
    b"R",
    b"b",
    b"Q",
    b"0",
    b"h\0",
    b"q\0",
    b"\x85",
    b"u",
    b"e",
)


def fire(word: str = "") -> str:
    """What a crafted pickle tries to call."""
    FIRED.append(word)
    return word


def whole(value: int) -> bytes:
    """A whole number of any size."""
    size = value.bit_length() // 8 + 1
    return b"\x8a" + bytes([size]) + value.to_bytes(size, "little", signed=True)


def _word(text: str) -> bytes:
    letters = text.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(letters)) + letters


def _tuple(*parts: bytes) -> bytes:
    return b"(" + b"".join(parts) + b"t"


def damaged(rng: random.Random, code: bytes) -> bytes:
    """With bytes changed, steps put in or left out, and numbers made large."""
    changed = bytearray(code)
    for _ in range(rng.randrange(1, 5)):
        place = rng.randrange(2, len(changed))
        small = [at for at in range(2, len(changed) - 1) if changed[at] == ord("K")] or [place]
        match rng.randrange(4):
            case 0:
                changed[place] = rng.randrange(256)
            case 1:
                changed[place:place] = rng.choice((whole(rng.choice(HUGE)), *_STEPS))
            case 2:
                del changed[place : place + rng.randrange(1, 5)]
            case 3:
                at = rng.choice(small)
                changed[at : at + 2] = whole(rng.choice(HUGE))
    return bytes(changed)


def a_state(rng: random.Random) -> bytes:
    """Three weights of 5 × 7 that share one stored tensor, each with something odd or nothing."""
    items = [_word(key) + _tensor(_oddity(rng)) for key in _PARTS]
    return b"\x80\x02}(" + b"".join(items) + b"u."


def _oddity(rng: random.Random) -> dict[str, Any]:
    huge = rng.choice(HUGE)
    return rng.choice(
        (
            {},
            {},
            {"size": [huge, 7]},
            {"size": [5, huge]},
            {"size": [huge, rng.choice(HUGE)], "stride": [0, 0]},
            {"stride": [huge, 1]},
            {"stride": [7, huge]},
            {"offset": huge},
            {"count": huge},
            {"kind": rng.choice(_STORAGES)},
            {"size": [5, 7] + [1] * 2000, "stride": [7, 1] + [1] * 2000},
            {"size": [2] * 60, "stride": [0] * 60},
            {"place": rng.choice(_PLACES)},
            {"bit": rng.choice(("conj", "neg", "x"))},
        )
    )


def _tensor(odd: dict[str, Any]) -> bytes:
    """A tensor as torch writes it, but for what is odd."""
    about: dict[str, Any] = {
        "size": [5, 7],
        "stride": [7, 1],
        "offset": 0,
        "count": 35,
        "kind": "Float",
        "place": "cpu",
        "bit": "",
    }
    about |= odd
    kind = b"ctorch\n" + about["kind"].encode() + b"Storage\n"
    stored = _tuple(
        _word("storage"), kind, _word("0"), _word(about["place"]), whole(about["count"])
    )
    sizes = [_tuple(*map(whole, about[name])) for name in ("size", "stride")]
    more = [b"}(" + _word(about["bit"]) + b"\x88u"] if about["bit"] else []
    given = _tuple(stored + b"Q", whole(about["offset"]), *sizes, b"\x89", _EMPTY, *more)
    return b"ctorch._utils\n_rebuild_tensor_v2\n" + given + b"R"


_CANARY: Final = _word("canary")
_LONG: Final = whole(2**31)
# What a pickle might call, and sizes that it might claim.
_CALLS: Final = (
    b"c" + _HERE + b"\nfire\n" + _CANARY + b"\x85R",
    _word(__name__) + _word("fire") + b"\x93" + _CANARY + b"\x85R",
    b"(" + _CANARY + b"i" + _HERE + b"\nfire\n",
    b"c" + _HERE + b"\nfire\n" + _CANARY + b"\x85\x81",
    b"cbuiltins\nexec\n" + _word(f"from {__name__} import fire; fire()") + b"\x85R",
    b"cbuiltins\nbytearray\n" + _LONG + b"\x85R",
    b"ctorch\nFloatStorage\n" + _LONG + b"\x85R",
    b"ctorch.storage\nUntypedStorage\n" + _LONG + b"\x85R",
    b"ctorch\nSize\n" + _tuple(*[_LONG] * 9) + b"\x85R",
    b"ccollections\nOrderedDict\n]\x85R",
    b"ccollections\nCounter\n" + _CANARY + b"\x85R",
    b"\x8c\x02os\x8c\x06system\x93" + _word("true") + b"\x85R",
    b"c_codecs\nencode\n" + _CANARY + _word("rot13") + b"\x86R",
    b"ctorch._utils\n_rebuild_parameter\n" + _CANARY + b"\x89)\x87R",
    b"ctorch._utils\n_rebuild_tensor_v3\n" + _tuple(*[_CANARY] * 8) + b"R",
    _EMPTY + b"}" + _CANARY + _CANARY + b"sb",
    b")" * 200_000,
    b"\x8e" + struct.pack("<Q", 2**40),
    b"\x96" + struct.pack("<Q", 2**40),
    _CANARY * 20_000,
)


def a_call(rng: random.Random) -> bytes:
    """A pickle that calls something, asks for much, or nests."""
    way = rng.choice((*_CALLS, *_nested(rng)))
    return b"\x80" + bytes([rng.choice((2, 3, 4, 5))]) + way + b"."


def _nested(rng: random.Random) -> tuple[bytes, ...]:
    """Things within things."""
    return (
        b")" + b"\x85" * rng.choice((7, 9, 20_000, 200_000)),
        b"]" * rng.choice((9, 50_000)) + b"a" * rng.choice((8, 40_000)),
        b"(" * rng.choice((9, 50_000)) + b"t" * rng.choice((8, 40_000)),
        b"}" + (_CANARY + b"}") * rng.choice((5, 999)) + b"s" * 4,
    )

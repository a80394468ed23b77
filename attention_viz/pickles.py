"""What a pickle would do, read off its opcodes before anything is done.

torch's ``weights_only`` refuses foreign code, and still lets a few hundred bytes ask for gigabytes,
or nest until the process dies. A saved state_dict needs very little; nothing else is let through.
"""

import pickletools
import re
from dataclasses import dataclass
from typing import Final

from attention_viz.errors import CheckpointError
from attention_viz.tokens import visible

MAX_BYTES: Final = 2**18  # of the pickle itself, which holds names and sizes: some 2000 tensors
MAX_DEPTH: Final = 8
_ALLOWED: Final = re.compile(
    r"collections OrderedDict"
    r"|torch\._utils _rebuild_(tensor_v2|tensor_v3|parameter)"
    r"|torch (\w+Storage|float\w+|bfloat16)"
    r"|torch\.storage UntypedStorage"
)
_WORDS: Final = {"BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"}
_PLAIN: Final = _WORDS | {
    *("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "NONE", "NEWTRUE", "NEWFALSE"),
    *("EMPTY_TUPLE", "EMPTY_DICT", "EMPTY_LIST"),
}
_TUPLES: Final = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_SILENT: Final = {"PROTO", "STOP", "FRAME"}


@dataclass(frozen=True, slots=True)
class _Item:
    """What the stack would hold: how deep it nests, and what it is where that counts."""

    depth: int = 0
    kind: str = ""


def check_pickle(name: str, data: bytes) -> None:
    """Refuse a pickle that holds more than names, numbers and tensors.

    Raises:
        CheckpointError: anything else, or a damaged pickle.
    """
    if len(data) > MAX_BYTES:
        raise CheckpointError(f"{name} holds more names than a state_dict has. Save one layer.")
    machine = _Machine(name)
    try:
        for opcode, argument, _ in pickletools.genops(data):
            machine.step(opcode.name, argument)
    except CheckpointError:
        raise
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise CheckpointError(f"{name} is damaged or cut short. Save it again.") from error


class _Machine:
    """The stack of the unpickler, without the objects."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.stack: list[_Item] = []
        self.marks: list[int] = []
        self.memo: dict[object, _Item] = {}

    def step(self, code: str, argument: object) -> None:
        """Do one opcode."""
        if code in _PLAIN:
            kind = "word" if code in _WORDS else code
            self.stack.append(_Item(0, kind))
        elif code in _TUPLES:
            self._nest(self._take(_TUPLES[code]))
        elif code not in _SILENT:
            act = getattr(self, f"_{code.lower()}", None)
            if act is None:
                raise CheckpointError(self._refused(f"the step {code}"))
            act(argument)

    def _global(self, argument: object) -> None:
        if not _ALLOWED.fullmatch(str(argument)):
            raise CheckpointError(self._refused(visible(str(argument)[:80].replace(" ", "."))))
        self.stack.append(_Item(0, str(argument)))

    def _mark(self, _: object) -> None:
        self.marks.append(len(self.stack))

    def _tuple(self, _: object) -> None:
        self._nest(self._since_mark())

    def _reduce(self, _: object) -> None:
        call, given = self._take(2)
        if call.kind == "collections OrderedDict" and given.kind != "EMPTY_TUPLE":
            raise CheckpointError(self._refused("an OrderedDict that is built of something"))
        self.stack.append(_Item(given.depth))

    def _binpersid(self, _: object) -> None:
        self.stack.append(_Item(self._take(1)[0].depth))

    def _build(self, _: object) -> None:
        self._take(1)

    def _setitem(self, _: object) -> None:
        self._put(self._take(2))

    def _setitems(self, _: object) -> None:
        self._put(self._since_mark())

    def _append(self, _: object) -> None:
        self._deepen(self._take(1))

    def _appends(self, _: object) -> None:
        self._deepen(self._since_mark())

    def _binput(self, argument: object) -> None:
        self.memo[argument] = self.stack[-1]

    _long_binput = _binput

    def _binget(self, argument: object) -> None:
        self.stack.append(self.memo[argument])

    _long_binget = _binget

    def _put(self, pairs: list[_Item]) -> None:
        if any(key.kind != "word" for key in pairs[::2]):
            raise CheckpointError(self._refused("names that are no words"))
        self._deepen(pairs)

    def _deepen(self, items: list[_Item]) -> None:
        """Items go into the dict or list below them."""
        into = self._take(1)[0]
        self._nest([*items, into])

    def _nest(self, items: list[_Item]) -> None:
        depth = 1 + max((item.depth for item in items), default=0)
        if depth > MAX_DEPTH:
            raise CheckpointError(self._refused("things within things, too deep"))
        self.stack.append(_Item(depth))

    def _take(self, count: int) -> list[_Item]:
        items = self.stack[-count:]
        if len(items) < count:
            raise IndexError
        del self.stack[-count:]
        return items

    def _since_mark(self) -> list[_Item]:
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def _refused(self, what: str) -> str:
        return (
            f"{self.name} holds {what}, and only tensors are read, since a pickle can run code. "
            "Save the plain state_dict, or safetensors."
        )

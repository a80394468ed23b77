"""A stranger's file -> named tensors, without running or unpacking anything it should not.

safetensors hold numbers alone, and pickles are read with torch's ``weights_only``, which refuses
everything else. Sizes are checked before any arithmetic.
"""

import json
import math
import re
import struct
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np
import safetensors.torch
import torch
from torch import Tensor

from attention_viz.errors import CheckpointError
from attention_viz.pickles import check_pickle
from attention_viz.tokens import shorten, visible

MAX_BYTES: Final = 256 * 2**20
MAX_NUMBERS: Final = MAX_BYTES // 4  # in all: a type of one byte takes four in float32
MAX_HEADER: Final = 2**20
MAX_PARTS: Final = 4096  # of a zip file: each costs far more memory than it takes in the file
MAX_NAME: Final = 200  # letters of a tensor's name
_PICKLES: Final = (".pt", ".pth", ".bin")
_PART_MARK: Final = b"PK\x01\x02"  # before each part in the directory of a zip file
# What torch reads of a file; it takes capitals for small letters.
_PARTS: Final = re.compile(r"data\.pkl|version|byteorder|data/[0-9]+", re.ASCII)


def read_tensors(name: str, data: bytes) -> tuple[dict[str, Tensor], Mapping[str, str]]:
    """The tensors of a file by name, and safetensors' metadata.

    Args:
        name: of the file; its ending decides how it is read.
        data: its bytes.

    Raises:
        CheckpointError: it is no whole file of tensors, or holds anything else.
    """
    suffix = Path(name).suffix.lower()
    kind = _kind(data)
    if suffix == ".safetensors":
        if kind in {"zip", "pickle"}:
            raise CheckpointError(f"{name} is a PyTorch pickle, not safetensors; name it .pt.")
        tensors, metadata = _safetensors(name, data)
        return _checked_contents(name, tensors), metadata
    if suffix in _PICKLES:
        if kind == "safetensors":
            raise CheckpointError(
                f"{name} is safetensors, not a PyTorch file; name it .safetensors."
            )
        return _checked_contents(name, _pickled(name, data, kind)), {}
    raise CheckpointError(
        f"{name} must end in .safetensors, {', '.join(_PICKLES)}; got {suffix or 'no ending'!r}."
    )


def _checked_contents(name: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors, when a sentence can hold their names, and they are what they claim to be."""
    for key, tensor in tensors.items():
        if not key.isprintable() or len(key) > MAX_NAME:
            raise CheckpointError(
                f"{name} must name its tensors in at most {MAX_NAME} printable letters; got "
                f"{shorten(visible(key), 40)!r}."
            )
        if tensor.is_nested or tensor.is_meta or tensor.layout != torch.strided:
            raise CheckpointError(f"{key} of {name} must be a dense tensor, stored as it is.")
        claimed = math.prod(tensor.shape) * tensor.element_size()
        stored = tensor.untyped_storage().nbytes()
        if claimed > stored:
            raise CheckpointError(
                f"{key} of {name} claims {claimed:,} bytes; {stored:,} are in the file."
            )
    # Several may share the same stored numbers, and each is copied.
    if sum(tensor.numel() for tensor in tensors.values()) > MAX_NUMBERS:
        raise CheckpointError(
            f"{name} must hold at most {MAX_NUMBERS:,} numbers in all. Save one attention layer."
        )
    return tensors


def _kind(data: bytes) -> str:
    # First: the length before a header may begin with the mark of a zip file or a pickle. Neither
    # of those has a brace here.
    if data[8:9] == b"{":
        return "safetensors"
    if data.startswith(b"PK"):
        return "zip"
    if data[:1] == b"\x80" and data[1:2] in {b"\x02", b"\x03", b"\x04", b"\x05"}:
        return "pickle"
    return "unknown"


def _safetensors(name: str, data: bytes) -> tuple[dict[str, Tensor], Mapping[str, str]]:
    length = struct.unpack_from("<Q", data)[0] if len(data) > 8 else 0  # noqa: PLR2004 - header
    if MAX_HEADER < length < len(data):
        raise CheckpointError(
            f"{name} must have at most {MAX_HEADER:,} bytes of names; got {length:,}. Save one "
            "attention layer."
        )
    try:
        tensors = safetensors.torch.load(data)
    except Exception as error:  # a damaged header makes the library raise anything at all
        raise CheckpointError(
            f"{name} is no whole safetensors file: it is cut short, has bytes too many or is "
            "damaged. Save it again."
        ) from error
    # It may be there and be null.
    return tensors, json.loads(data[8 : 8 + length]).get("__metadata__") or {}


def _pickled(name: str, data: bytes, kind: str) -> dict[str, Tensor]:
    if kind != "zip":
        raise CheckpointError(
            f"{name} is not a checkpoint; expected a file written by torch.save or safetensors."
        )
    parts = _parts(name, data)
    check_pickle(name, parts["data.pkl"])
    try:
        loaded = torch.load(_archive(parts), map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged file makes torch raise anything at all
        raise CheckpointError(f"{name} is damaged or cut short. Save it again.") from error
    return _state(name, loaded)


def _parts(name: str, data: bytes) -> dict[str, bytes]:
    """What torch reads of a file that torch.save wrote, which stores without compression.

    Anything compressed may unpack to far more than it is.
    """
    if data.count(_PART_MARK) > MAX_PARTS:
        raise CheckpointError(f"{name} holds more parts than a state_dict has. Save one layer.")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            packed = any(entry.compress_type != zipfile.ZIP_STORED for entry in entries)
            plain = not packed and sum(entry.file_size for entry in entries) <= len(data)
            contents = [archive.read(entry) for entry in entries] if plain else []
    except Exception as error:  # as of safetensors
        raise CheckpointError(f"{name} is damaged or cut short. Save it again.") from error
    if not plain:
        raise CheckpointError(
            f"{name} is compressed, as torch.save never does, and is not unpacked. Save it again."
        )
    names = [entry.filename.partition("/")[2] for entry in entries]
    if [part for part in names if part.lower().endswith(".pkl")] != ["data.pkl"]:
        raise CheckpointError(f"{name} is no state_dict that torch.save wrote. Save that.")
    named = zip(names, contents, strict=True)
    return {part: content for part, content in named if _PARTS.fullmatch(part)}


def _archive(parts: Mapping[str, bytes]) -> BytesIO:
    """The parts as a file for torch: what was checked, and nothing else.

    Two readers may see two things in one zip file, where a name is there twice or in capitals.
    """
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for part, content in parts.items():
            archive.writestr(f"archive/{part}", content)
    file.seek(0)
    return file


def _state(name: str, loaded: object) -> dict[str, Tensor]:
    if isinstance(loaded, Mapping) and isinstance(loaded.get("state_dict"), Mapping):
        loaded = loaded["state_dict"]
    if not isinstance(loaded, Mapping) or not loaded:
        raise CheckpointError(
            f"{name} must hold a state_dict, names to tensors; got {type(loaded).__name__}."
        )
    for key, value in loaded.items():
        if not (isinstance(key, str) and isinstance(value, Tensor)):
            raise CheckpointError(
                f"{name} must hold names to tensors; got {type(value).__name__} under "
                f"{str(key)[:40]!r}. Save the plain state_dict."
            )
    return dict(loaded)


def read_bytes(source: str | Path | bytes, name: str) -> tuple[str, bytes]:
    """The name and the bytes of a file, or of bytes under a name.

    Raises:
        CheckpointError: it cannot be read, is empty, or has more than MAX_BYTES.
    """
    if isinstance(source, bytes):
        name, data = shorten(visible(name), MAX_NAME), source
    else:
        path = Path(source)
        name = shorten(visible(path.name), MAX_NAME)
        try:
            size = path.stat().st_size
            data = path.read_bytes() if size <= MAX_BYTES else b""
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "no such name"
            raise CheckpointError(f"{name} could not be read: {reason}.") from error
        if size > MAX_BYTES:
            raise CheckpointError(_too_large(name, size))
    if len(data) > MAX_BYTES:
        raise CheckpointError(_too_large(name, len(data)))
    if not data:
        raise CheckpointError(f"{name} is empty; expected a checkpoint.")
    return name, data


def _too_large(name: str, size: int) -> str:
    return (
        f"{name} has {size / 2**20:.0f} MB; expected at most {MAX_BYTES // 2**20} MB. Save one "
        "attention layer instead of a whole model."
    )


def checked(name: str, key: str, tensor: Tensor, *, axes: int = 2) -> Tensor:
    """A float32 copy of a tensor of finite numbers.

    Raises:
        CheckpointError: it is not of a float type, has other axes, or holds NaN or infinity.
    """
    if not tensor.dtype.is_floating_point:
        raise CheckpointError(
            f"{key} of {name} must be of a float type; got {str(tensor.dtype)[6:]}."
        )
    if tensor.ndim != axes or 0 in tensor.shape:
        raise CheckpointError(
            f"{key} of {name} must have {axes} axes and no empty one; got shape "
            f"{shorten(str(tuple(tensor.shape)), 40)}."
        )
    try:
        values = tensor.detach().to(torch.float32, copy=True)
    except (RuntimeError, NotImplementedError) as error:
        raise CheckpointError(
            f"{key} of {name} is of {str(tensor.dtype)[6:]}, which torch cannot turn into float32."
        ) from error
    finite = values.isfinite()
    if not finite.all():
        # Not by nonzero(): it takes 16 bytes a place, and every number may be wrong.
        wrong = int(finite.flatten().to(torch.uint8).argmin())
        place = [int(index) for index in np.unravel_index(wrong, values.shape)]
        raise CheckpointError(
            f"{key} of {name} must be finite; got {values[tuple(place)].item()} at {place}."
        )
    return values

"""A stranger's file -> named tensors, without running or unpacking anything it should not.

safetensors hold numbers alone, and pickles are read with torch's ``weights_only``, which refuses
everything else. Sizes are checked before any arithmetic.
"""

import json
import pickle
import re
import struct
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Final

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from attention_viz.errors import CheckpointError

MAX_BYTES: Final = 256 * 2**20
_PICKLES: Final = (".pt", ".pth", ".bin")


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
        return _safetensors(name, data)
    if suffix in _PICKLES:
        if kind == "safetensors":
            raise CheckpointError(
                f"{name} is safetensors, not a PyTorch file; name it .safetensors."
            )
        return _pickled(name, data, kind), {}
    raise CheckpointError(
        f"{name} must end in .safetensors, {', '.join(_PICKLES)}; got {suffix or 'no ending'!r}."
    )


def _kind(data: bytes) -> str:
    if data.startswith(b"PK"):
        return "zip"
    if data[:1] == b"\x80" and data[1:2] in {b"\x02", b"\x03", b"\x04", b"\x05"}:
        return "pickle"
    return "safetensors" if data[8:9] == b"{" else "unknown"


def _safetensors(name: str, data: bytes) -> tuple[dict[str, Tensor], Mapping[str, str]]:
    try:
        tensors = safetensors.torch.load(data)
    except (safetensors.SafetensorError, ValueError, KeyError) as error:
        raise CheckpointError(
            f"{name} is no whole safetensors file: it is cut short, has bytes too many or is "
            "damaged. Save it again."
        ) from error
    (length,) = struct.unpack_from("<Q", data)
    metadata = json.loads(data[8 : 8 + length]).get("__metadata__", {})
    return tensors, metadata


def _pickled(name: str, data: bytes, kind: str) -> dict[str, Tensor]:
    if kind != "zip":
        raise CheckpointError(
            f"{name} is not a checkpoint; expected a file written by torch.save or safetensors."
        )
    _check_archive(name, data)
    try:
        loaded = torch.load(BytesIO(data), map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        found = re.search(r"GLOBAL (\S+)", str(error))
        what = found.group(1) if found else "something that is no tensor"
        raise CheckpointError(
            f"{name} holds {what}, and only tensors are read, since a pickle can run code. Save "
            "the plain state_dict, or safetensors."
        ) from error
    except Exception as error:  # a damaged file makes torch raise anything at all
        raise CheckpointError(f"{name} is damaged or cut short. Save it again.") from error
    return _state(name, loaded)


def _check_archive(name: str, data: bytes) -> None:
    """torch.save stores without compression; anything else may unpack to far more than it is."""
    try:
        entries = zipfile.ZipFile(BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise CheckpointError(f"{name} is damaged or cut short. Save it again.") from error
    packed = any(entry.compress_type != zipfile.ZIP_STORED for entry in entries)
    if packed or sum(entry.file_size for entry in entries) > len(data):
        raise CheckpointError(
            f"{name} is compressed, as torch.save never does, and is not unpacked. Save it again."
        )


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
        data = source
    else:
        path = Path(source)
        name = path.name
        try:
            if path.stat().st_size > MAX_BYTES:
                raise CheckpointError(_too_large(name, path.stat().st_size))
            data = path.read_bytes()
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            raise CheckpointError(f"{name} could not be read: {reason}.") from error
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
    """A float32 copy of a tensor that is what it claims to be.

    Raises:
        CheckpointError: it claims more than is stored, is not of a float type, has other axes, or
            holds NaN or infinity.
    """
    stored = tensor.untyped_storage().nbytes() if tensor.layout == torch.strided else 0
    if tensor.numel() * tensor.element_size() > stored or tensor.is_meta:
        raise CheckpointError(
            f"{key} of {name} claims {tensor.numel() * tensor.element_size():,} bytes; {stored:,} "
            "are in the file."
        )
    if not tensor.dtype.is_floating_point:
        raise CheckpointError(
            f"{key} of {name} must be of a float type; got {str(tensor.dtype)[6:]}. Save the "
            "weights before they are quantised."
        )
    if tensor.ndim != axes or 0 in tensor.shape:
        raise CheckpointError(
            f"{key} of {name} must have {axes} axes and no empty one; got shape "
            f"{tuple(tensor.shape)}."
        )
    values = tensor.detach().float().clone()
    wrong = (~values.isfinite()).nonzero()
    if len(wrong):
        place = tuple(wrong[0].tolist())
        raise CheckpointError(
            f"{key} of {name} must be finite; got {values[place].item()} at {list(place)}."
        )
    return values

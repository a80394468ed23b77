"""A file of one's own -> AttentionHead. The only file that knows foreign layouts."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn

from attention_viz.errors import CheckpointError, SettingError
from attention_viz.heads import MAX_WIDTH, AttentionHead
from attention_viz.tensorfiles import checked, read_bytes, read_tensors
from attention_viz.tokens import shorten

_PARTS: Final = ("query", "key", "value")
_LINEAR: Final = tuple(f"{part}.weight" for part in _PARTS)
_PACKED: Final = "in_proj_weight"
_SEPARATE: Final = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
_EMBEDDING: Final = "embedding.weight"
# nn.MultiheadAttention's projection of the mixed values comes after the head, so it is left alone.
_AFTER: Final = ("out_proj.weight", "out_proj.bias")
Projections = dict[str, tuple[Tensor, Tensor]]  # part -> weight (d, width) and bias (d,)


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """What was found in a file.

    Attributes:
        name: of the file.
        head: one head, in float32.
        found: the layout, in words.
        index: which head of the file it is, from 0.
        num_heads: of the file.
        dtype: of the weights in the file.
        shapes: of what was read, by its name in the file.
        embedding: (words, d_model) vectors of the file's own words; no rows when it has none.
        vocabulary: the words of the embedding's rows.
    """

    name: str
    head: AttentionHead
    found: str
    index: int
    num_heads: int
    dtype: str
    shapes: dict[str, tuple[int, ...]]
    embedding: Tensor
    vocabulary: tuple[str, ...]


def load_head(path: str | Path, num_heads: int | None = None, head: int = 0) -> AttentionHead:
    """The head in a file: see ``read_checkpoint``, which also tells what was found.

    Args:
        path: a .safetensors, .pt, .pth or .bin file.
        num_heads: of an nn.MultiheadAttention, whose file does not say it.
        head: which of them, from 0.

    Raises:
        CheckpointError: the file cannot be read as one head.
        SettingError: num_heads or head does not suit the file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     torch.save(AttentionHead(8, 4).state_dict(), f"{folder}/head.pt")
    ...     load_head(f"{folder}/head.pt").query.weight.shape
    torch.Size([4, 8])
    """
    return read_checkpoint(path, num_heads=num_heads, head=head).head


def read_checkpoint(
    source: str | Path | bytes, *, name: str = "", num_heads: int | None = None, head: int = 0
) -> Checkpoint:
    """Read one head from a file, or from the bytes of one under its name.

    Layouts: ``AttentionHead`` (query/key/value.weight, with or without .bias) and
    ``nn.MultiheadAttention`` (in_proj_weight, or q/k/v_proj_weight), under any common prefix;
    beside them an embedding.weight and, in safetensors' metadata, its words as a JSON list
    ``vocab``.

    Raises:
        CheckpointError: the file cannot be read as one head.
        SettingError: num_heads or head does not suit the file.
    """
    name, data = read_bytes(source, name)
    tensors, metadata = read_tensors(name, data)
    prefix = _prefix(name, tensors)
    embedding = tensors.pop(_EMBEDDING, None)
    own = {key.removeprefix(prefix): tensor for key, tensor in tensors.items()}
    if _LINEAR[0] in own:
        weights, found, index, count = _one(name, own), "an AttentionHead", 0, 1
    else:
        weights, count = _slice(name, own, num_heads, head)
        found, index = f"head {head} of {count} of an nn.MultiheadAttention", head
    table = torch.empty(0, weights["query"][0].shape[1])
    if embedding is not None:
        table = checked(name, _EMBEDDING, embedding)
    return Checkpoint(
        name=name,
        head=_build(weights),
        found=found,
        index=index,
        num_heads=count,
        dtype=str(next(iter(tensors.values())).dtype).removeprefix("torch."),
        shapes={key: tuple(tensor.shape) for key, tensor in tensors.items()},
        embedding=table,
        vocabulary=_vocabulary(name, metadata, table),
    )


def _prefix(name: str, tensors: Mapping[str, Tensor]) -> str:
    """What stands before the names of one layer, such as ``module.``."""
    marks = (_LINEAR[0], _PACKED, _SEPARATE[0])
    found = {
        key.removesuffix(mark)
        for key in tensors
        for mark in marks
        if key == mark or key.endswith(f".{mark}")
    }
    if len(found) > 1:
        raise CheckpointError(
            f"{name} holds {len(found)} attention layers ({_some(found)} …); expected one. Save "
            "one layer."
        )
    if not found:
        raise CheckpointError(
            f"{name} must hold query.weight, key.weight and value.weight, or in_proj_weight; got "
            f"{_some(tensors)}."
        )
    return found.pop()


def _some(keys: Collection[str]) -> str:
    """The first three names, none of them long."""
    return ", ".join(shorten(key, 60) for key in sorted(keys)[:3])


def _one(name: str, own: Mapping[str, Tensor]) -> Projections:
    """What an AttentionHead keeps."""
    _check_keys(name, own, _LINEAR, tuple(f"{part}.bias" for part in _PARTS))
    return {
        part: _linear(name, f"{part}.weight", own[f"{part}.weight"], own.get(f"{part}.bias"))
        for part in _PARTS
    }


def _slice(
    name: str, own: Mapping[str, Tensor], num_heads: int | None, head: int
) -> tuple[Projections, int]:
    """One head of an nn.MultiheadAttention, and how many there are."""
    needed = (_PACKED,) if _PACKED in own else _SEPARATE
    _check_keys(name, own, needed, ("in_proj_bias", *_AFTER))
    packed = _packed(name, own) if _PACKED in own else _separate(name, own)
    width = packed["query"][0].shape[0]
    count = _count(name, width, num_heads, head)
    rows = slice(head * width // count, (head + 1) * width // count)
    return {part: (weight[rows], bias[rows]) for part, (weight, bias) in packed.items()}, count


def _check_keys(
    name: str, own: Mapping[str, Tensor], needed: tuple[str, ...], allowed: tuple[str, ...]
) -> None:
    missing = [key for key in needed if key not in own]
    if missing:
        raise CheckpointError(f"{name} lacks {', '.join(missing)}; expected {', '.join(needed)}.")
    extra = set(own) - {*needed, *allowed}
    if extra:
        raise CheckpointError(
            f"{name} holds {len(extra)} tensors more than one head ({_some(extra)}); expected "
            f"{', '.join(needed)} and biases. Save the attention layer alone."
        )


def _packed(name: str, own: Mapping[str, Tensor]) -> Projections:
    """in_proj_weight (3 · d_model, d_model): the rows of query, then key, then value."""
    weight = checked(name, _PACKED, own[_PACKED])
    rows, columns = weight.shape
    if rows != 3 * columns:
        turned = " It looks transposed." if columns == 3 * rows else ""
        raise CheckpointError(
            f"{_PACKED} of {name} must have 3 times as many rows as columns; got {rows} × "
            f"{columns}.{turned}"
        )
    return _with_bias(name, own, dict(zip(_PARTS, weight.chunk(3), strict=True)))


def _separate(name: str, own: Mapping[str, Tensor]) -> Projections:
    """q/k/v_proj_weight: what nn.MultiheadAttention keeps when kdim or vdim differ."""
    weights = [checked(name, key, own[key]) for key in _SEPARATE]
    if len({weight.shape[0] for weight in weights}) > 1:
        shapes = ", ".join(f"{tuple(weight.shape)}" for weight in weights)
        raise CheckpointError(
            f"{', '.join(_SEPARATE)} of {name} must have equally many rows; got {shapes}."
        )
    return _with_bias(name, own, dict(zip(_PARTS, weights, strict=True)))


def _with_bias(name: str, own: Mapping[str, Tensor], weights: dict[str, Tensor]) -> Projections:
    width = weights["query"].shape[0]
    bias = torch.zeros(3 * width)
    if "in_proj_bias" in own:
        bias = checked(name, "in_proj_bias", own["in_proj_bias"], axes=1)
        if len(bias) != 3 * width:
            raise CheckpointError(
                f"in_proj_bias of {name} must have {3 * width} numbers; got {len(bias)}."
            )
    pairs = zip(weights.items(), bias.chunk(3), strict=True)
    return {part: (weight, part_bias) for (part, weight), part_bias in pairs}


def _linear(name: str, key: str, weight: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor]:
    weight = checked(name, key, weight)
    if bias is None:
        return weight, torch.zeros(weight.shape[0])
    bias_key = key.replace("weight", "bias")
    bias = checked(name, bias_key, bias, axes=1)
    if len(bias) != weight.shape[0]:
        turned = " The weight looks transposed." if len(bias) == weight.shape[1] else ""
        raise CheckpointError(
            f"{bias_key} of {name} must have as many numbers as {key} has rows, "
            f"{weight.shape[0]}; got {len(bias)}.{turned}"
        )
    return weight, bias


def _count(name: str, width: int, num_heads: int | None, head: int) -> int:
    if num_heads is None:
        fitting = ", ".join(str(n) for n in range(1, 33) if width % n == 0)
        raise SettingError(
            f"num_heads must be given for {name}: an nn.MultiheadAttention does not keep it. Its "
            f"width {width} can be divided by {fitting}."
        )
    if num_heads < 1 or width % num_heads:
        raise SettingError(f"num_heads must divide the width {width}; got {num_heads}.")
    if not 0 <= head < num_heads:
        raise SettingError(f"head must be in 0 … {num_heads - 1}; got {head}.")
    return num_heads


def _build(weights: Projections) -> AttentionHead:
    d_k, d_model = weights["query"][0].shape
    if weights["key"][0].shape[0] != d_k:
        raise CheckpointError(
            f"query.weight and key.weight must have equally many rows, d_k; got {d_k} and "
            f"{weights['key'][0].shape[0]}."
        )
    for part, (weight, _) in weights.items():
        if max(weight.shape) > MAX_WIDTH:
            raise CheckpointError(
                f"{part}.weight must be at most {MAX_WIDTH:,} wide and high; got "
                f"{weight.shape[0]} × {weight.shape[1]}."
            )
    with torch.device("meta"):  # nn.Linear would draw weights of its own, as large again
        head = AttentionHead(d_model, d_k)
        for part, (weight, _) in weights.items():
            setattr(head, part, nn.Linear(weight.shape[1], weight.shape[0]))
    for part, (weight, bias) in weights.items():
        linear: nn.Linear = getattr(head, part)
        linear.weight, linear.bias = nn.Parameter(weight), nn.Parameter(bias.clone())
    return head.requires_grad_(requires_grad=False)


def _vocabulary(name: str, metadata: Mapping[str, Any], table: Tensor) -> tuple[str, ...]:
    if len(table) == 0 or "vocab" not in metadata:
        return ()
    try:
        words = json.loads(metadata["vocab"])
    except (TypeError, ValueError, RecursionError):
        words = None
    right = isinstance(words, list) and all(isinstance(word, str) for word in words)
    if not right or len(words) != len(table):
        raise CheckpointError(
            f"vocab of {name} must be a JSON list of {len(table)} words, one a row of {_EMBEDDING}."
        )
    return tuple(words)

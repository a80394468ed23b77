"""Which coordinates of query and key a model rotates together.

A rotary model turns pairs of coordinates by the token's position. Half a pair means nothing, so an
ablation keeps or drops whole pairs.
"""

import sys
from collections.abc import Callable
from typing import Any, Final

import torch
from torch import Tensor, nn

_ROTATIONS: Final = ("rotate_half", "rotate_every_two")
Groups = tuple[tuple[int, ...], ...]


def coordinate_groups(module: nn.Module, config: Any, d_k: int) -> Groups:
    """The coordinates 0 … d_k - 1 in groups that belong together, in the order they are kept.

    Single coordinates where nothing is rotated; no group when how a model rotates is not known.
    """
    rotate = _rotation(module)
    if rotate is None:
        rotates = getattr(config, "rope_parameters", None) or getattr(config, "rope_theta", None)
        return () if rotates else tuple((j,) for j in range(d_k))
    first, width = _rotated(module, config, d_k)
    # The model's own function says where each coordinate's partner stands.
    partners = rotate(torch.arange(1.0, width + 1).reshape(1, 1, 1, width)).flatten().abs().int()
    pairs = {tuple(sorted((first + j, first + int(p) - 1))) for j, p in enumerate(partners)}
    rest = {(j,) for j in range(d_k) if not first <= j < first + width}
    return tuple(sorted(pairs | rest))


def first_groups(groups: Groups, count: int) -> list[int]:
    """The coordinates of the first groups, in their own order."""
    return sorted(j for group in groups[:count] for j in group)


def _rotation(module: nn.Module) -> Callable[[Tensor], Tensor] | None:
    file = sys.modules[type(module).__module__]
    found = (getattr(file, name, None) for name in _ROTATIONS)
    return next((function for function in found if function is not None), None)


def _rotated(module: nn.Module, config: Any, d_k: int) -> tuple[int, int]:
    """The first rotated coordinate, and how many there are."""
    at_end = getattr(config, "qk_rope_head_dim", None)
    if at_end:
        return d_k - at_end, at_end
    if getattr(config, "rotary_dim", None):
        return 0, config.rotary_dim
    parameters = getattr(config, "rope_parameters", None) or {}
    share = parameters.get("partial_rotary_factor") or getattr(config, "partial_rotary_factor", 1.0)
    width = int(d_k * (share or 1.0))
    return 0, width - width % 2

"""Many heads as small maps on one colour scale, packed into one block of bytes."""

import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
from torch import Tensor

from attention_viz import colours
from attention_viz.profiles import Profile
from attention_viz.reading import known
from attention_viz.stage.texts import GALLERY

MOST_TOKENS: Final = 64  # of a text whose heads are all drawn
_LEVELS: Final = 254  # a byte holds so many shades of a weight, and one value for a masked cell
_MASKED: Final = 255


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One head, small.

    Attributes:
        key: what is said when it is opened.
        name: short, under the map, behind its line where lines are not drawn.
        title: long.
        weights: (n_q, n_k).
        mask: (n_q, n_k) booleans, True where a query may look.
        profile: its numbers.
        row: the line it stands on in the order of the model.
    """

    key: tuple[str | int, ...]
    name: str
    title: str
    weights: Tensor
    mask: Tensor
    profile: Profile
    row: str


def pack_gallery(tiles: Sequence[Tile], *, sortable: bool) -> bytes:
    """Tiles as bytes: length of the header, header as JSON, weights as one byte a cell.

    Args:
        tiles: in the order of the model.
        sortable: whether they can be sorted and coloured by their numbers.
    """
    header = {
        "tiles": [
            {
                "key": tile.key,
                "name": tile.name,
                "title": tile.title,
                "row": tile.row,
                "n_q": tile.weights.shape[0],
                "n_k": tile.weights.shape[1],
                "profile": known(asdict(tile.profile)),
            }
            for tile in tiles
        ],
        "sortable": sortable,
        "texts": GALLERY,
        "colours": {"weights": colours.WEIGHTS, "masked": colours.MASKED},
    }
    words = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    return b"".join([struct.pack("<I", len(words)), words, *map(_cells, tiles)])


def _cells(tile: Tile) -> bytes:
    shades = (tile.weights.clamp(0, 1) * _LEVELS).round()
    shades = shades.masked_fill(~tile.mask, _MASKED)
    return shades.numpy(force=True).astype(np.uint8).tobytes()

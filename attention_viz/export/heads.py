"""Many heads on one text: small maps in one picture, and all their weights as arrays."""

import io
import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

import numpy as np

from attention_viz.colours import LIGHT, WEIGHTS
from attention_viz.export.svg import LETTER, LINE, cells, legend, mask_key, picture, text
from attention_viz.export.words import MADE, short
from attention_viz.maps import Map
from attention_viz.stage import Tile
from attention_viz.tokens import Tokens
from attention_viz.version import VERSION

# Pixels: the longer side of a map; between two; what a name takes below it; the legend.
_SIDE: Final = 96
_GAP: Final = 14
_NAME: Final = 24
_LEGEND_ROOM: Final = 48


def heads_svg(tiles: Sequence[Tile], tokens: Tokens, whose: str) -> str:
    """Every head as a small map of its weights, those of a layer in a line.

    Args:
        tiles: in the order of the model.
        tokens: the queries.
        whose: the heads, as a sentence.
    """
    lines = [(row, list(group)) for row, group in groupby(tiles, key=lambda tile: tile.row)]
    left = LETTER * max(len(row) for row, _ in lines) + (_GAP if lines[0][0] else 0)
    across = max(_SIDE, LETTER * max(len(tile.name) for tile in tiles)) + _GAP
    drawn, down = [], 0.0
    for row, group in lines:
        drawn.append(text(0, down + _SIDE / 2, row))
        drawn += [_small(tile, left + i * across, down) for i, tile in enumerate(group)]
        down += _SIDE + _NAME
    drawn += legend(_map(tiles[0]), left, down + 8)
    if not all(tile.mask.all() for tile in tiles):
        down += LINE
        drawn.append(mask_key(down + _LEGEND_ROOM - LINE))
    width = left + across * max(len(group) for _, group in lines)
    words = f"{len(tiles)} small heatmaps of attention weights. {whose}"
    heading = (short(" ".join(tokens.text.split())), whose, MADE)
    return picture("".join(drawn), width, down + _LEGEND_ROOM, words, heading)


def heads_npz(tiles: Sequence[Tile], tokens: Tokens, whose: str) -> bytes:
    """The weights (n_q, n_k) and the mask of every head as arrays for ``numpy.load``."""
    arrays: dict[str, Any] = {}
    for tile in tiles:
        name = _array_name(tile)
        arrays[f"{name}_weights"] = tile.weights.float().numpy(force=True)
        arrays[f"{name}_mask"] = tile.mask.numpy(force=True)
    arrays["tokens"] = np.array(tokens.pieces, dtype=np.str_)
    arrays["labels"] = np.array(tokens.labels, dtype=np.str_)
    settings = {"text": tokens.text, "heads": whose, "version": VERSION}
    arrays["settings"] = np.array(json.dumps(settings))
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _array_name(tile: Tile) -> str:
    """Of a model's head, its layer and index; of another, its own name."""
    if len(tile.key) > 1:
        layer, head = tile.key
        return f"layer{layer}_head{head}"
    return tile.name.replace(" ", "_")


def _small(tile: Tile, x: float, y: float) -> str:
    name = text(0, _SIDE + LINE, tile.name, fill=LIGHT.quiet)
    image = cells(_map(tile), _SIDE / max(tile.weights.shape))
    return f'<g transform="translate({x:.1f} {y:.1f})">{image}{name}</g>'


def _map(tile: Tile) -> Map:
    return Map(
        tile.title,
        "",
        tile.weights,
        (),
        (0.0, 1.0),
        ("0", "0.5", "1"),
        WEIGHTS,
        ~tile.mask,
    )

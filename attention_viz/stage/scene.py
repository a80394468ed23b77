"""What the live stage is given, packed into one block of bytes."""

import json
import struct
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from attention_viz import colours
from attention_viz.attention import Bias, Sink, SoftCap, Step
from attention_viz.reading import read_steps
from attention_viz.scaling import EntropyBand
from attention_viz.stage.texts import BY_HAND, ENGLISH
from attention_viz.tokens import Tokens

MOST_TOKENS: Final = 128  # above it a still figure is drawn
NO_KEY_SIGN: Final = "⊘"


@dataclass(frozen=True, slots=True)
class View:
    """Where the stage starts, and what it reports when a movement ends.

    Attributes:
        d_k: one of the stops.
        divisor: ``sqrt``, ``own`` (of a model), ``1``, ``d_k``, ``sqrt_d_model`` or a number.
        row: the picked query, from 0.
        scale: of the colours of scores: ``fixed``, ``fit`` or ``own``.
    """

    d_k: int = 4
    divisor: str = "sqrt"
    row: int = 0
    scale: str = "fixed"


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """One head on one sentence at every stop: all that the stage draws.

    Attributes:
        stops: (n_stops,) rising values of d_k.
        scores: (n_stops, n_q, n_k) float32, torch's own raw scores at each stop.
        queries: n_q tokens, the rows.
        keys: n_k tokens, the columns.
        mask: (n_q, n_k) booleans, True where a query may look.
        d_model: width of the inputs, for the divisor √d_model.
        own: what a model divides by itself; 0 where no model is.
        steps: what a model adds after scaling, in order.
        fixed: why d_k cannot be moved; empty when it can.
        prefix: what the sentence about the row begins with.
        limit: of the shared colours of raw and scaled scores.
        init: where to start.
        band: of other heads' entropy at the stops; None until it is asked for.
        in_address: whether the address of the page follows the stage.
        editable: whether the scores may be typed and dragged; the view reports them then.
        revision: another number makes the stage take the scores anew.
    """

    stops: tuple[int, ...]
    scores: Tensor
    queries: Tokens
    keys: Tokens
    mask: Tensor
    d_model: int
    own: float = 0.0
    steps: tuple[Step, ...] = ()
    fixed: str = ""
    prefix: str = ""
    limit: float = colours.SCORE_LIMIT
    init: View = field(default_factory=View)
    band: EntropyBand | None = None
    in_address: bool = False
    editable: bool = False
    revision: int = 0


def pack(scene: Scene) -> bytes:
    """A scene as bytes: length of the header, header as JSON, scores, bias, mask.

    Little-endian; scores and bias float32, mask one byte a cell. Bias and mask only where there
    are any.
    """
    header = json.dumps(_header(scene), separators=(",", ":")).encode()
    blocks = [_floats(scene.scores)]
    blocks += [_floats(step.values) for step in scene.steps if isinstance(step, Bias)]
    if not scene.mask.all():
        blocks.append(scene.mask.to(torch.uint8).numpy(force=True).tobytes())
    return b"".join([struct.pack("<I", len(header)), header, *blocks])


def _header(scene: Scene) -> dict[str, Any]:
    _, n_q, n_k = scene.scores.shape
    return {
        "n_q": n_q,
        "n_k": n_k,
        "d_model": scene.d_model,
        "stops": scene.stops,
        "fixed": scene.fixed,
        "rows": [
            label if sees else f"{label} {NO_KEY_SIGN}"
            for label, sees in zip(
                scene.queries.labels, scene.mask.any(dim=-1).tolist(), strict=True
            )
        ],
        "columns": scene.keys.labels,
        "row_names": scene.queries.names,
        "column_names": scene.keys.names,
        "same": scene.queries is scene.keys,
        "special_rows": scene.queries.special,
        "special_columns": scene.keys.special,
        "own": scene.own,
        "steps_words": read_steps(scene.steps),
        "steps": [_step(step) for step in scene.steps],
        "masked": not bool(scene.mask.all()),
        "biased": any(isinstance(step, Bias) for step in scene.steps),
        "prefix": scene.prefix,
        "init": asdict(scene.init),
        "band": scene.band
        and {
            "scaled": scene.band.scaled.tolist(),
            "unscaled": scene.band.unscaled.tolist(),
        },
        "texts": ENGLISH | BY_HAND if scene.editable else ENGLISH,
        "in_address": scene.in_address,
        "editable": scene.editable,
        "revision": scene.revision,
        "slides": [],
        "colours": {
            "scores": colours.SCORES,
            "weights": colours.WEIGHTS,
            "masked": colours.MASKED,
            "limit": scene.limit,
        },
    }


def _step(step: Step) -> dict[str, Any]:
    match step:
        case SoftCap(limit):
            return {"kind": "softcap", "limit": limit}
        case Bias():
            return {"kind": "bias"}
        case Sink(logit):
            return {"kind": "sink", "logit": logit}


def _floats(values: Tensor) -> bytes:
    return values.numpy(force=True).astype(np.dtype("<f4")).tobytes()

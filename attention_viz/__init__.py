"""Softmax in scaled dot-product self-attention, step by step: the numbers behind the pictures."""

from attention_viz.attention import AttentionTrace, attend, causal_mask, softmax
from attention_viz.checkpoints import load_head
from attention_viz.embeddings import embed
from attention_viz.errors import (
    AttentionVizError,
    CheckpointError,
    ModelError,
    SettingError,
    ShapeError,
    TextError,
)
from attention_viz.export.tables import to_csv, to_json, to_npz
from attention_viz.heads import AttentionHead, Start, random_head
from attention_viz.jacobian import softmax_jacobian
from attention_viz.measures import (
    effective_support,
    entropy,
    max_entropy,
    normalised_entropy,
    peak,
    row_sums,
)
from attention_viz.models import load_model
from attention_viz.pipeline import Run, run
from attention_viz.reading import read_row
from attention_viz.scaling import STOPS, entropy_band, scores_at_stops
from attention_viz.tokens import Tokens, tokenize
from attention_viz.version import VERSION

__version__ = VERSION

__all__ = [
    "STOPS",
    "AttentionHead",
    "AttentionTrace",
    "AttentionVizError",
    "CheckpointError",
    "ModelError",
    "Run",
    "SettingError",
    "ShapeError",
    "Start",
    "TextError",
    "Tokens",
    "attend",
    "causal_mask",
    "effective_support",
    "embed",
    "entropy",
    "entropy_band",
    "load_head",
    "load_model",
    "max_entropy",
    "normalised_entropy",
    "peak",
    "random_head",
    "read_row",
    "row_sums",
    "run",
    "scores_at_stops",
    "softmax",
    "softmax_jacobian",
    "to_csv",
    "to_json",
    "to_npz",
    "tokenize",
]

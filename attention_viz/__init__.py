"""Softmax in scaled dot-product self-attention, step by step: the numbers behind the pictures.

A text becomes tokens, tokens become inputs, a head makes a trace of them, and measures are read
off the trace. Rows are queries, columns are keys, everywhere; entropies are in nats.

>>> import attention_viz as av
>>> head = av.random_head(hidden_size=256, attention_head_size=64, seed=0)
>>> run = av.run("I am good", head)
>>> run.tokens.labels
('I', 'am', 'good')
>>> run.trace.scores.shape, run.trace.divisor  # query @ key.mT, and √d_k
(torch.Size([3, 3]), 8.0)
>>> av.row_sums(run.trace.weights).round(decimals=6)
tensor([1., 1., 1.], dtype=torch.float64)

The names, in the order in which they are used; ``help`` on each gives shapes, units, errors and an
example:

- The text: ``tokenize`` gives ``Tokens``, and ``embed`` their inputs.
- A head: ``random_head`` (a ``Start`` says how it is drawn), ``load_head`` from a file, or an
  ``AttentionHead`` of your own.
- All at once: ``run`` gives a ``Run`` of a text and a head; ``load_model(name).run(text, layer,
  head)`` one of a head of a Hugging Face model.
- The steps: ``attend`` makes an ``AttentionTrace`` of any query, key and value; ``softmax`` and
  ``causal_mask`` alone.
- What is read off weights, a number for each row: ``entropy`` and its bound ``max_entropy``,
  ``normalised_entropy``, ``effective_support``, ``peak``, ``row_sums``; ``read_row`` reads one
  aloud; ``softmax_jacobian`` has the derivatives.
- As d_k grows: ``scores_at_stops`` of one head at the sizes ``STOPS``, ``entropy_band`` of many.
- To see and to keep: ``show`` is the live stage in a notebook, ``to_html`` the same as one file
  that works offline; ``to_csv``, ``to_json`` and ``to_npz`` write every number.
- What can go wrong is an ``AttentionVizError``: ``TextError``, ``ShapeError``, ``SettingError``,
  ``CheckpointError`` or ``ModelError``.

Beside them: ``attention_viz.figures`` (Plotly figures), ``attention_viz.experiments`` (sweeps of
d_k over thousands of rows) and ``attention_viz.demo`` (trained heads with a job).
"""

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
from attention_viz.export.notebook import show
from attention_viz.export.page import to_html
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
    "show",
    "softmax",
    "softmax_jacobian",
    "to_csv",
    "to_html",
    "to_json",
    "to_npz",
    "tokenize",
]

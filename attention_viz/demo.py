"""The demo heads: a small attention-only model with heads that do a nameable job.

The file is one safetensors file of the whole model, because a head of the second layer needs what
the first layer wrote:

- ``embedding.weight`` (vocabulary, d_model), one row for each string of the JSON list ``vocab``;
- ``layers.L.heads.H.query.weight``, ``key.weight``, ``value.weight`` (d_k, d_model), no biases;
- ``layers.L.outputs.H.weight`` (d_model, d_k), the paper's W^O, cut by head;
- ``unembedding.weight`` (vocabulary, d_model), from the last layer to the next word.

Positions are the paper's sinusoids and need no weights; there is no layer norm and no MLP. ``vocab``
and ``heads``, the JSON list of the heads to show, are in the metadata.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Final

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from attention_viz.assets import find
from attention_viz.attention import attend, causal_mask
from attention_viz.errors import SettingError
from attention_viz.heads import AttentionHead
from attention_viz.pipeline import Run
from attention_viz.tokens import Tokens, tokenize

_SPARE: Final = "[spare "  # no token starts like this: tokenize cuts after the bracket
_LONGEST_WAVE: Final = 10_000


@dataclass(frozen=True, slots=True)
class DemoHead:
    """One head of the model, and what it is for.

    Attributes:
        layer: 0 or 1.
        head: its place in the layer.
        name: what to call it.
        job: what it does, one sentence.
        look_for: what to look for in its weights, one sentence.
        measured: mean weight on the job's targets in held-out text; ``weight`` of this head,
            ``untrained`` of the same head before training, ``chance`` of equal weights.
    """

    layer: int
    head: int
    name: str
    job: str
    look_for: str
    measured: dict[str, float]


class Layer(nn.Module):
    """Attention heads side by side, each with its part of the output projection."""

    def __init__(self, d_model: int, d_k: int, num_heads: int) -> None:
        super().__init__()
        self.heads = nn.ModuleList(
            AttentionHead(d_model, d_k, bias=False) for _ in range(num_heads)
        )
        self.outputs = nn.ModuleList(nn.Linear(d_k, d_model, bias=False) for _ in range(num_heads))

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """What the layer adds (..., n, d_model), and its weights (..., num_heads, n, n)."""
        added, patterns = torch.zeros_like(inputs), []
        mask = causal_mask(inputs.shape[-2])
        for head, output in zip(self.heads, self.outputs, strict=True):
            query, key, value = head.query(inputs), head.key(inputs), head.value(inputs)
            scaled_scores = query @ key.mT / math.sqrt(query.shape[-1])
            weights = torch.softmax(scaled_scores.masked_fill(~mask, -math.inf), dim=-1)
            added = added + output(weights @ value)
            patterns.append(weights)
        return added, torch.stack(patterns, dim=-3)


class DemoModel(nn.Module):
    """A causal transformer of attention alone: embedding, layers, unembedding."""

    def __init__(
        self, vocab: Sequence[str], d_model: int, d_k: int, num_layers: int, num_heads: int
    ) -> None:
        super().__init__()
        self.vocab = tuple(vocab)
        self.embedding = nn.Embedding(len(vocab), d_model)
        self.layers = nn.ModuleList(Layer(d_model, d_k, num_heads) for _ in range(num_layers))
        self.unembedding = nn.Linear(d_model, len(vocab), bias=False)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of each next word (..., n, vocabulary) and weights (..., layers, heads, n, n)."""
        stream, patterns = self.embed(words), []
        for layer in self.layers:
            added, weights = layer(stream)
            stream = stream + added
            patterns.append(weights)
        return self.unembedding(stream), torch.stack(patterns, dim=-4)

    def embed(self, words: Tensor) -> Tensor:
        """(..., n, d_model) a vector of each word plus a vector of its position."""
        vectors: Tensor = self.embedding(words)
        return vectors + sinusoids(*vectors.shape[-2:])

    def inputs(self, words: Tensor, layer: int) -> Tensor:
        """(..., n, d_model) what the heads of a layer are given: all that came before, added up."""
        stream = self.embed(words)
        for before in self.layers[:layer]:
            stream = stream + before(stream)[0]
        return stream


def sinusoids(n: int, d_model: int) -> Tensor:
    """(n, d_model) sines and cosines of the position, in waves from 2π to 2π · 10,000 long.

    Source: Vaswani et al. 2017, section 3.5; the sines first, then the cosines.
    """
    speeds = 2 * math.pi / torch.logspace(math.log10(3), math.log10(3000), d_model // 2)
    angles = torch.arange(n).unsqueeze(1) * speeds
    return torch.cat([angles.sin(), angles.cos()], dim=1)

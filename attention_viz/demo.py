"""The demo heads: a small model of attention alone, with heads that do a nameable job.

A head of the second layer reads what the first layer wrote, so the file holds the whole model:

- ``embedding.weight`` (vocabulary, d_model): one row for each string of the list ``vocab``;
- ``layers.L.heads.H.query.weight``, ``key.weight``, ``value.weight`` (d_k, d_model), no biases;
- ``layers.L.heads.H.output.weight`` (d_model, d_k): the head's part of the paper's W^O;
- ``unembedding.weight`` (vocabulary, d_model): from the last layer to the next word.

The metadata holds two JSON lists: ``vocab``, and ``heads``, the heads to show. Positions are
sinusoids and need no weights; there is no layer norm, so inputs are plain sums.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Final, cast

import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor, nn

from attention_viz.assets import find
from attention_viz.attention import attend, causal_mask
from attention_viz.errors import SettingError, TextError
from attention_viz.heads import AttentionHead
from attention_viz.origins import Loaded
from attention_viz.pipeline import Run
from attention_viz.tokens import Tokens, tokenize

MAX_DEMO_TOKENS: Final = 128  # as long as the texts of the training; sharpness ends soon after
SPARES: Final = tuple(f"[spare {i}]" for i in range(1, 41))  # no token of a text reads like this
_WAVES: Final = (3, 3000)  # positions, the shortest and the longest


@dataclass(frozen=True, slots=True)
class DemoHead:
    """One head of the model, and what it is for.

    Attributes:
        layer: 0 or 1.
        head: its place in the layer.
        name: what ``demo_run`` calls it.
        job: what it does.
        look_for: what to look for in the picture of its weights.
        measured: mean weight on the job's targets in held-out text: ``weight`` of this head,
            ``untrained`` of the same head before training, ``chance`` of equal weights.
    """

    layer: int
    head: int
    name: str
    job: str
    look_for: str
    measured: dict[str, float]


class CausalHead(AttentionHead):
    """A head that looks at itself and back, with its part of the output projection."""

    def __init__(self, d_model: int, d_k: int) -> None:
        super().__init__(d_model, d_k, bias=False)
        self.output = nn.Linear(d_k, d_model, bias=False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """What the head adds to x (..., n, d_model), and its weights (..., n, n)."""
        query, key, value = self.query(x), self.key(x), self.value(x)
        scaled_scores = query @ key.mT / math.sqrt(query.shape[-1])
        logits = scaled_scores.masked_fill(~causal_mask(x.shape[-2]), -math.inf)
        weights = torch.softmax(logits, dim=-1)
        return self.output(weights @ value), weights


class Layer(nn.Module):
    """Heads side by side: each reads the same inputs, and what they add is added up."""

    def __init__(self, d_model: int, d_k: int, num_heads: int) -> None:
        super().__init__()
        self.heads = nn.ModuleList(CausalHead(d_model, d_k) for _ in range(num_heads))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The next layer's inputs (..., n, d_model), and weights (..., num_heads, n, n)."""
        added, weights = zip(*(head(x) for head in self.heads), strict=True)
        return x + sum(added), torch.stack(weights, dim=-3)


class DemoModel(nn.Module):
    """A causal transformer of attention alone: embedding, layers, unembedding."""

    def __init__(
        self, vocab: Sequence[str], *, d_model: int, d_k: int, num_layers: int, num_heads: int
    ) -> None:
        super().__init__()
        self.vocab = tuple(vocab)
        self.embedding = nn.Embedding(len(vocab), d_model)
        self.layers = nn.ModuleList(Layer(d_model, d_k, num_heads) for _ in range(num_layers))
        self.unembedding = nn.Linear(d_model, len(vocab), bias=False)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of each next word (..., n, vocabulary), weights (..., layers, heads, n, n)."""
        stream, patterns = self.inputs(words, layer=0), []
        for layer in self.layers:
            stream, weights = layer(stream)
            patterns.append(weights)
        return self.unembedding(stream), torch.stack(patterns, dim=-4)

    def inputs(self, words: Tensor, layer: int) -> Tensor:
        """(..., n, d_model) what the heads of a layer are given.

        A vector of the word, plus a vector of its position, plus what every layer before added.
        """
        vectors: Tensor = self.embedding(words)
        stream = vectors + sinusoids(*vectors.shape[-2:])
        for before in self.layers[:layer]:
            stream, _ = before(stream)
        return stream

    def head(self, layer: int, head: int) -> CausalHead:
        """One head."""
        return cast(CausalHead, self.get_submodule(f"layers.{layer}.heads.{head}"))

    def look_up(self, tokens: Tokens) -> Tensor:
        """(n,) the row of each token in the vocabulary, without regard to capitals.

        Each word that the model does not know gets a spare row of its own, in order of appearance,
        so that equal words stay equal and different words different.

        Raises:
            TextError: more unknown words than spare rows.
        """
        rows = {word: row for row, word in enumerate(self.vocab) if word not in SPARES}
        words = [piece.lower() for piece in tokens.pieces]
        unknown = [word for word in dict.fromkeys(words) if word not in rows]
        spares = range(len(rows), len(self.vocab))
        if len(unknown) > len(spares):
            raise TextError(
                f"The text must hold at most {len(spares)} different words that the demo heads "
                f"were not trained on; got {len(unknown)}. Shorten it."
            )
        rows |= zip(unknown, spares, strict=False)
        return torch.tensor([rows[word] for word in words])


def demo_run(text: str, name: str, *, divisor: float | None = None) -> Run:
    """Run a demo head on a sentence.

    Args:
        text: read with ``tokenize``.
        name: of one of ``demo_heads()``.
        divisor: what scores are divided by; sqrt(d_k) when None, as the head was trained.

    Raises:
        TextError: the text is empty, over MAX_DEMO_TOKENS tokens, or has too many unknown words.
        SettingError: there is no such head, or the divisor is not above 0.

    >>> run = demo_run("the cat sat . the cat", "induction")
    >>> run.tokens.pieces[int(run.trace.weights[5].argmax())]
    'sat'
    """
    model, heads = _shipped()
    chosen = {head.name: head for head in heads}.get(name)
    if chosen is None:
        names = ", ".join(head.name for head in heads)
        raise SettingError(f"the demo head must be one of {names}; got {name!r}.")
    tokens = tokenize(text)
    if tokens.n > MAX_DEMO_TOKENS:
        raise TextError(
            f"The text must have at most {MAX_DEMO_TOKENS} tokens, as the texts that the demo "
            f"heads were trained on; got {tokens.n}. Shorten it."
        )
    inputs = model.inputs(model.look_up(tokens), chosen.layer)
    head = model.head(chosen.layer, chosen.head)
    trace = attend(
        head.query(inputs),
        head.key(inputs),
        head.value(inputs),
        mask=causal_mask(tokens.n),
        divisor=divisor,
    )
    return Run(tokens, tokens, inputs, trace, Loaded(name))


def demo_heads() -> tuple[DemoHead, ...]:
    """The heads that this package ships."""
    return _shipped()[1]


def sinusoids(n: int, d_model: int) -> Tensor:
    """(n, d_model) sines, then cosines, of the position, in waves from 3 to 3,000 positions long.

    The paper's waves start at 2π positions, too long to tell neighbours apart sharply.

    Source: after Vaswani et al. 2017, section 3.5.
    """
    shortest, longest = map(math.log10, _WAVES)
    lengths = torch.logspace(shortest, longest, d_model // 2)
    angles = 2 * math.pi * torch.arange(n).unsqueeze(1) / lengths
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def save_demo(path: Path, model: DemoModel, heads: Sequence[DemoHead]) -> None:
    """Write the file that ``load_demo`` reads."""
    metadata = {
        "vocab": json.dumps(model.vocab),
        "heads": json.dumps([asdict(head) for head in heads]),
    }
    path.write_bytes(save(dict(model.state_dict()), metadata))


def load_demo(path: Path) -> tuple[DemoModel, tuple[DemoHead, ...]]:
    """The model, frozen, and the heads to show. Sizes come from the shapes."""
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata()
        state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no dict
    d_k, d_model = state["layers.0.heads.0.query.weight"].shape
    # The values drawn here are replaced. Not on the meta device, where nn.Embedding's start imports
    # torch's compiler: a second at every start of the app.
    with torch.random.fork_rng(devices=[]):
        model = DemoModel(
            json.loads(metadata["vocab"]),
            d_model=d_model,
            d_k=d_k,
            num_layers=sum(name.endswith(".heads.0.query.weight") for name in state),
            num_heads=sum(name.startswith("layers.0.") and "query" in name for name in state),
        )
    model.load_state_dict(state, assign=True)
    heads = tuple(DemoHead(**head) for head in json.loads(metadata["heads"]))
    return model.requires_grad_(requires_grad=False), heads


@cache
def _shipped() -> tuple[DemoModel, tuple[DemoHead, ...]]:
    return load_demo(find("assets/heads/demo.safetensors"))

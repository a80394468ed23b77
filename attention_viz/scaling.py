"""What happens as d_k grows: one head at many sizes, and how 200 other heads fare at the same."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import torch
from torch import Tensor

from attention_viz.embeddings import MAX_D_MODEL, MAX_SEED, generator, layer_norm
from attention_viz.errors import SettingError, ShapeError, check_whole
from attention_viz.heads import Start, draw_bias, draw_weight
from attention_viz.tokens import Tokens

STOPS: Final = (
    *range(1, 9),
    *(10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128),
    *(160, 192, 224, 256, 320, 384, 448, 512),
)
LONG_STOPS: Final = (
    *STOPS,
    *(640, 768, 896, 1024, 1280, 1536, 1792, 2048, 2560, 3072, 3584, 4096),
)
BAND_HEADS: Final = 200
_BAND: Final = (0.05, 0.95)
# Numbers a weight of the heads computed at once: few enough for the processor's cache.
_CHUNK_NUMBERS: Final = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class EntropyBand:
    """Where the mean row entropy of 9 in 10 random heads lies, in nats.

    Attributes:
        stops: (n_stops,) values of d_k.
        scaled: (2, n_stops), the 5 % and 95 % quantiles with scores ÷ √d_k.
        unscaled: (2, n_stops), the same without scaling.
    """

    stops: tuple[int, ...]
    scaled: Tensor
    unscaled: Tensor


def stops_with(*sizes: int, limit: int = STOPS[-1]) -> tuple[int, ...]:
    """STOPS in order, with other sizes among them, none above the limit.

    >>> stops_with(50, limit=64)[-3:]
    (50, 56, 64)
    """
    return tuple(sorted(size for size in {*STOPS, *sizes} if size <= limit))


def scores_at_stops(query: Tensor, key: Tensor, stops: Sequence[int] = STOPS) -> Tensor:
    """(n_stops, n_q, n_k) raw scores of the first d coordinates, for each d of the stops.

    Args:
        query: (n_q, d) with d at least the last stop.
        key: (n_k, d).
        stops: rising, the last at most d.

    Raises:
        ShapeError: the stops do not rise, or go beyond the width.

    >>> scores_at_stops(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]]), stops=(1, 2))
    tensor([[[ 3.]],
    <BLANKLINE>
            [[11.]]])
    """
    _check_stops(stops, query.shape[-1])
    return torch.stack(list(_growing_scores(query, key, stops)))


def mean_entropies(logits: Tensor, mask: Tensor | None = None) -> Tensor:
    """(...,) mean entropy in nats over the rows that may look at anything; NaN when none may.

    Faster than ``measures.entropy`` on many matrices at once, and in the precision of the logits.

    Args:
        logits: (..., n_q, n_k), finite.
        mask: (n_q, n_k) booleans.
    """
    if mask is not None:
        some = mask.any(dim=-1)
        mask = mask[some]
        logits = logits[..., some, :].masked_fill(~mask, -math.inf)
    shifted = logits - logits.amax(dim=-1, keepdim=True)
    masses = shifted.exp()
    if mask is not None:
        shifted = shifted.masked_fill(~mask, 0.0)  # its mass is 0, and 0 · -inf would be NaN
    total = masses.sum(dim=-1)
    return (total.log() - (masses * shifted).sum(dim=-1) / total).mean(dim=-1)


def entropy_band(
    tokens: Tokens,
    d_model: int,
    *,
    start: Start | str = Start.GAUSSIAN,
    positions: bool = False,
    mask: Tensor | None = None,
    stops: Sequence[int] = STOPS,
    heads: int = BAND_HEADS,
    seed: int = 0,
) -> EntropyBand:
    """What other seeds would give on this sentence: new token vectors and a new head each time.

    Only how often each word is repeated matters, not which words they are.

    Args:
        tokens: the sentence.
        d_model: width of the inputs.
        start: how the weights of the heads are drawn.
        positions: whether each position adds a random vector.
        mask: (n, n) booleans, True where a query may look; everywhere when None.
        stops: values of d_k, rising.
        heads: how many are drawn.
        seed: of all that is drawn.

    Raises:
        SettingError: d_model, heads or start is outside its range.
        ShapeError: the stops do not rise, or go beyond d_model with layer_norm.

    >>> from attention_viz.tokens import tokenize
    >>> band = entropy_band(tokenize("I am good"), 16, stops=(4, 256), heads=20)
    >>> band.unscaled.shape, bool(band.unscaled[1, 1] < band.scaled[1, 1])
    (torch.Size([2, 2]), True)
    """
    if start not in list(Start):
        raise SettingError(f"start must be one of {', '.join(Start)}; got {start!r}.")
    start = Start(start)
    check_whole("d_model", d_model, 1, MAX_D_MODEL)
    check_whole("heads", heads, 1, MAX_SEED)
    _check_stops(stops, d_model if start is Start.LAYER_NORM else max(stops, default=0))
    rng = generator(seed, "band")
    words = list(dict.fromkeys(tokens.pieces))
    index = torch.tensor([words.index(piece) for piece in tokens.pieces])
    chunk = max(1, _CHUNK_NUMBERS // (stops[-1] * max(d_model, tokens.n)))
    entropies = []  # of each chunk: (2, n_stops, heads)
    for first in range(0, heads, chunk):
        inputs = _inputs(
            index, len(words), d_model, min(chunk, heads - first), rng, positions=positions
        )
        query, key = _query_and_key(inputs, start, stops[-1], rng)
        growing = zip(_growing_scores(query, key, stops), stops, strict=True)
        pairs = [
            torch.stack([mean_entropies(scores / math.sqrt(d), mask), mean_entropies(scores, mask)])
            for scores, d in growing
        ]
        entropies.append(torch.stack(pairs, dim=1))
    low, high = torch.quantile(torch.cat(entropies, dim=2), torch.tensor(_BAND), dim=2)
    return EntropyBand(
        tuple(stops), scaled=torch.stack([low[0], high[0]]), unscaled=torch.stack([low[1], high[1]])
    )


def _check_stops(stops: Sequence[int], width: int) -> None:
    rising = all(low < high for low, high in pairwise((0, *stops)))
    if not stops or not rising or stops[-1] > width:
        raise ShapeError(f"stops must rise from 1 to at most {width}; got {tuple(stops)!r:.60}.")


def _growing_scores(query: Tensor, key: Tensor, stops: Sequence[int]) -> Iterator[Tensor]:
    """(..., n_q, n_k) at each stop: the one before, and the slice of coordinates between them."""
    scores = query.new_zeros(*query.shape[:-1], key.shape[-2])
    start = 0
    for stop in stops:
        scores = scores + query[..., start:stop] @ key[..., start:stop].mT
        start = stop
        yield scores


def _inputs(
    index: Tensor, words: int, d_model: int, heads: int, rng: torch.Generator, *, positions: bool
) -> Tensor:
    """(heads, n, d_model): the law of ``embed``."""
    inputs = torch.randn(heads, words, d_model, generator=rng)[:, index]
    if positions:
        inputs = (inputs + torch.randn(inputs.shape, generator=rng)) / math.sqrt(2)
    return inputs


def _query_and_key(
    inputs: Tensor, start: Start, d_k: int, rng: torch.Generator
) -> tuple[Tensor, Tensor]:
    """(heads, n, d_k) each: the law of ``random_head`` on these inputs."""
    d_model = inputs.shape[-1]
    if start is Start.LAYER_NORM:
        rows = layer_norm(inputs)[..., :d_k]
        return rows, rows
    if start in {Start.GAUSSIAN, Start.TIED}:
        # A rotation does not change the law of a Gaussian weight, so the inputs may be turned into
        # the few dimensions that they span: 4 tokens need 4 numbers a row of weights, not d_model.
        inputs = torch.linalg.qr(inputs.mT).R.mT
    query, key = (_project(inputs, start, d_k, d_model, rng) for _ in range(2))
    return (query, query) if start is Start.TIED else (query, key)


def _project(inputs: Tensor, start: Start, d_k: int, d_model: int, rng: torch.Generator) -> Tensor:
    heads, _, width = inputs.shape
    weight = draw_weight(start, (heads, d_k, width), rng) * math.sqrt(width / d_model)
    return inputs @ weight.mT + draw_bias(start, (heads, 1, d_k), d_model, rng)

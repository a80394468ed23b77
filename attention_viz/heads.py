"""The textbook attention head, and random heads in which a larger one contains the smaller."""

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Final

import torch
from torch import Tensor, nn

from attention_viz.embeddings import MAX_SEED, generator
from attention_viz.errors import SettingError, check_whole

MAX_WIDTH: Final = 16_384
MAX_NUMBERS: Final = 2**24  # of one weight: more takes longer than a person waits
HEAVY_DEGREES: Final = 1.5  # Student's t: finite mean, no variance


class AttentionHead(nn.Module):
    """One head of scaled dot-product self-attention, as textbooks write it.

    Its state holds query.weight, key.weight and value.weight, each (attention_head_size,
    hidden_size), and the three biases (attention_head_size,).

    Args:
        hidden_size: d_model, the width of the inputs.
        attention_head_size: d_k = d_v.
        bias: whether the three projections add one.

    Attributes:
        drawn: the seed and start that it was drawn from; None for any other head.

    >>> attention_output, attention_probs = AttentionHead(6, 4)(torch.zeros(2, 6))
    >>> attention_probs.detach()
    tensor([[0.5000, 0.5000],
            [0.5000, 0.5000]])

    Source: Vaswani et al. 2017, section 3.2.1.
    """

    drawn: "tuple[int, Start] | None" = None

    def __init__(self, hidden_size: int, attention_head_size: int, bias: bool = True) -> None:  # noqa: FBT001, FBT002 - the textbook signature
        super().__init__()
        self.query = nn.Linear(hidden_size, attention_head_size, bias=bias)
        self.key = nn.Linear(hidden_size, attention_head_size, bias=bias)
        self.value = nn.Linear(hidden_size, attention_head_size, bias=bias)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """(attention_output, attention_probs) of x (..., n, hidden_size)."""
        query, key, value = self.query(x), self.key(x), self.value(x)
        attention_scores = query @ key.mT / math.sqrt(query.shape[-1])
        attention_probs = torch.softmax(attention_scores, dim=-1)
        return attention_probs @ value, attention_probs


class Start(StrEnum):
    """How the weights of a random head are drawn.

    Only ``gaussian`` gives query and key entries of mean 0 and variance 1 that are independent, and
    so Var(q·k) = d_k. The others are here because each breaks one of those assumptions.

    Attributes:
        GAUSSIAN: N(0, 1/d_model), bias 0.
        TORCH: nn.Linear's own, uniform ±1/√d_model, bias too; variance 1/3.
        POSITIVE: |N(0, 1/d_model)|; the mean is not 0.
        TIED: key = query, not independent.
        HEAVY: Student's t with 1.5 degrees of freedom; no variance.
        LAYER_NORM: no projections; q = k = layer-normalised inputs.

    >>> head = random_head(8, 2, start=Start.TIED)
    >>> torch.equal(head.query.weight, head.key.weight)
    True
    """

    GAUSSIAN = "gaussian"
    TORCH = "torch"
    POSITIVE = "positive"
    TIED = "tied"
    HEAVY = "heavy"
    LAYER_NORM = "layer_norm"


def random_head(
    hidden_size: int,
    attention_head_size: int,
    *,
    seed: int = 0,
    start: Start | str = Start.GAUSSIAN,
) -> AttentionHead:
    """A head drawn from a seed, contained in every larger head of the same seed.

    Row j of each weight depends on (seed, matrix, j) alone, never on the head's size, so
    coordinate j of every query and key is the same at every size above j.

    Args:
        hidden_size: d_model, 1 … MAX_WIDTH.
        attention_head_size: d_k = d_v, 1 … MAX_WIDTH; at most hidden_size for ``layer_norm``.
        seed: 0 … MAX_SEED.
        start: how to draw; see Start.

    Raises:
        SettingError: a size, seed or start outside its range.

    >>> small, large = random_head(8, 2, seed=3), random_head(8, 5, seed=3)
    >>> bool((small.query.weight == large.query.weight[:2]).all())
    True
    """
    start = _check(hidden_size, attention_head_size, seed, start)
    with torch.device("meta"):  # nn.Linear would draw weights of its own, from the global source
        head = AttentionHead(hidden_size, attention_head_size)
    for name in ("query", "key", "value"):
        source = "query" if name == "key" and start is Start.TIED else name
        rows = [_row(start, seed, source, j, hidden_size) for j in range(attention_head_size)]
        linear: nn.Linear = getattr(head, name)
        linear.weight = nn.Parameter(torch.stack([weight for weight, _ in rows]))
        linear.bias = nn.Parameter(torch.cat([bias for _, bias in rows]))
    head.drawn = seed, start
    return head.requires_grad_(requires_grad=False)


def draw_weight(start: Start, shape: tuple[int, ...], rng: torch.Generator) -> Tensor:
    """Weights (..., d_model) of one way to start; not for ``layer_norm``, which has none."""
    return _LAWS[start](shape, rng) / math.sqrt(shape[-1])


def draw_bias(start: Start, shape: tuple[int, ...], d_model: int, rng: torch.Generator) -> Tensor:
    """Biases of one way to start: 0 but for torch's own."""
    if start is Start.TORCH:
        return _uniform(shape, rng) / math.sqrt(d_model)
    return torch.zeros(shape)


def student(shape: tuple[int, ...], rng: torch.Generator, degrees: float = HEAVY_DEGREES) -> Tensor:
    """Student's t from two uniforms; at 1.5 degrees float32's own steps end its tail near 10^5.

    Source: Bailey 1994, Mathematics of Computation 62, 779.
    """
    radius = 1 - torch.rand(shape, generator=rng)  # in (0, 1]
    angle = 2 * torch.pi * torch.rand(shape, generator=rng)
    spread = torch.expm1(radius.log() * (-2 / degrees)) * degrees
    return angle.cos() * spread.sqrt()


def _row(start: Start, seed: int, matrix: str, j: int, d_model: int) -> tuple[Tensor, Tensor]:
    """Row j of a weight (d_model,) and its bias (1,)."""
    if start is Start.LAYER_NORM:
        return torch.nn.functional.one_hot(torch.tensor(j), d_model).float(), torch.zeros(1)
    rng = generator(seed, matrix, j)
    return draw_weight(start, (d_model,), rng), draw_bias(start, (1,), d_model, rng)


def _normal(shape: tuple[int, ...], rng: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=rng)


def _uniform(shape: tuple[int, ...], rng: torch.Generator) -> Tensor:
    return 2 * torch.rand(shape, generator=rng) - 1


_LAWS: Final[dict[Start, Callable[[tuple[int, ...], torch.Generator], Tensor]]] = {
    Start.GAUSSIAN: _normal,
    Start.TORCH: _uniform,
    Start.POSITIVE: lambda shape, rng: _normal(shape, rng).abs(),
    Start.TIED: _normal,
    Start.HEAVY: student,
}


def _check(hidden_size: int, attention_head_size: int, seed: int, start: Start | str) -> Start:
    if start not in list(Start):
        raise SettingError(f"start must be one of {', '.join(Start)}; got {start!r}.")
    check_whole("d_model", hidden_size, 1, MAX_WIDTH)
    check_whole("d_k", attention_head_size, 1, MAX_WIDTH)
    check_whole("seed", seed, 0, MAX_SEED)
    if hidden_size * attention_head_size > MAX_NUMBERS:
        raise SettingError(
            f"d_model · d_k must be at most {MAX_NUMBERS:,}; got {hidden_size} · "
            f"{attention_head_size}."
        )
    if start == Start.LAYER_NORM and attention_head_size > hidden_size:
        raise SettingError(
            f"d_k must be at most d_model={hidden_size} when the start is layer_norm, which takes "
            f"its coordinates from the inputs; got {attention_head_size}."
        )
    return Start(start)

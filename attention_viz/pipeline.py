"""From a sentence and a head to a Run: plain data, shared by all that shows or saves it."""

import math
import re
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from attention_viz.attention import AttentionTrace, attend, causal_mask
from attention_viz.checkpoints import Checkpoint
from attention_viz.embeddings import embed, layer_norm, look_up
from attention_viz.errors import SettingError, ShapeError
from attention_viz.heads import MAX_WIDTH, AttentionHead, Start, random_head
from attention_viz.origins import UNNAMED, Given, Loaded
from attention_viz.tokens import Tokens, tokenize

DIVISORS: Final = ("sqrt", "own", "1", "d_k", "sqrt_d_model")
# The one spelling of a number that Python, JavaScript and an address read alike.
_NUMBER: Final = re.compile(r"[0-9]{1,20}(\.[0-9]{1,20})?(e[+-]?[0-9]{1,3})?", re.ASCII)
_LEAST, _MOST = 1e-6, 1e6
USUAL_WIDTH: Final = 256  # d_model of a random head where none is asked for
WIDTHS: Final = (8, 16, 32, 64, 128, 256, 512)  # of a random head in the app


@dataclass(frozen=True, slots=True)
class Recipe:
    """A sentence, and the random head that runs on it: enough to run it again at any d_k.

    Attributes:
        text: read with ``tokenize``.
        seed: of the head and of the token vectors.
        d_model: width of the inputs.
        start: how the head's weights are drawn.
        positions: whether each position adds a random vector.
        causal: whether a token may look only at itself and at what came before.
    """

    text: str
    seed: int
    d_model: int
    start: Start
    positions: bool
    causal: bool

    @property
    def largest(self) -> int:
        """The largest d_k there can be: with layer_norm, coordinates come from the inputs."""
        return self.d_model if self.start is Start.LAYER_NORM else MAX_WIDTH

    def draws(self, head: AttentionHead) -> bool:
        """Whether a head is what the recipe draws: one may have been changed since."""
        if head.drawn != (self.seed, self.start):
            return False
        again = random_head(
            self.d_model, head.query.out_features, seed=self.seed, start=self.start
        ).state_dict()
        return all(torch.equal(values, again[name]) for name, values in head.state_dict().items())

    def run(self, d_k: int, divisor: float | None = None) -> "Run":
        """The sentence through the head of this size; see ``run``.

        Raises:
            TextError: the text is empty or too long.
            SettingError: a size, the seed or the divisor is outside its range, or scores overflow.
        """
        head = random_head(self.d_model, d_k, seed=self.seed, start=self.start)
        return self.run_head(head, divisor)

    def run_head(self, head: AttentionHead, divisor: float | None = None) -> "Run":
        """The same through a head that was drawn as the recipe says.

        Raises:
            TextError: the text is empty or too long.
            SettingError: the divisor is not above 0, or scores overflow.
        """
        tokens = tokenize(self.text)
        inputs = embed(tokens, self.d_model, seed=self.seed, positions=self.positions)
        if self.start is Start.LAYER_NORM:
            inputs = layer_norm(inputs)
        return run_inputs(tokens, inputs, head, causal=self.causal, divisor=divisor, origin=self)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One sentence through one head.

    Attributes:
        tokens: the n queries.
        keys: the n_k keys: the same object in self-attention.
        inputs: (n, d_model), what the head was given.
        trace: every step.
        origin: what draws the head and its inputs again, or the name of a loaded head.

    >>> one = run("I am good", random_head(256, 64))
    >>> one.tokens.labels, one.inputs.shape, one.trace.d_k
    (('I', 'am', 'good'), torch.Size([3, 256]), 64)
    """

    tokens: Tokens
    keys: Tokens
    inputs: Tensor
    trace: AttentionTrace
    origin: Recipe | Loaded


def run(
    text: str,
    head: AttentionHead,
    *,
    seed: int | None = None,
    positions: bool = False,
    normalised: bool = False,
    causal: bool = False,
    divisor: float | None = None,
) -> Run:
    """Run a head on a sentence.

    Args:
        text: read with ``tokenize``.
        head: its query.in_features is d_model.
        seed: of the token vectors; when None that of a random head, and 0 for any other.
        positions: add a random vector to each position.
        normalised: layer-normalise the inputs.
        causal: a token may look only at itself and at what came before.
        divisor: what scores are divided by; sqrt(d_k) when None.

    Raises:
        TextError: the text is empty or too long.
        ShapeError: query, key and value do not take inputs of one width.
        SettingError: the divisor is not above 0, or the seed is outside its range.

    >>> from attention_viz.heads import random_head
    >>> run("I am good", random_head(256, 64)).trace.weights.shape
    torch.Size([3, 3])
    """
    drawn_seed, start = head.drawn or (0, Start.GAUSSIAN)
    recipe = Recipe(
        text=text,
        seed=drawn_seed if seed is None else seed,
        d_model=head.query.in_features,
        start=start,
        positions=positions,
        causal=causal,
    )
    if recipe.draws(head) and normalised == (start is Start.LAYER_NORM):
        return recipe.run_head(head, divisor)
    tokens = tokenize(text)
    inputs = embed(tokens, recipe.d_model, seed=recipe.seed, positions=positions)
    if normalised:
        inputs = layer_norm(inputs)
    origin = Given("", seed=recipe.seed, positions=positions, normalised=normalised, causal=causal)
    return run_inputs(tokens, inputs, head, causal=causal, divisor=divisor, origin=origin)


def distances(one: Run, row: int, other: Run, place: int) -> tuple[float, float]:
    """How far apart two tokens lie: their inputs, and their contexts.

    Args:
        one: a run.
        row: of a query in it.
        other: another run of the same head.
        place: of a query there.

    >>> from attention_viz.heads import random_head
    >>> head = random_head(256, 64)
    >>> inputs, contexts = distances(run("river bank", head), 1, run("a bank", head), 1)
    >>> inputs, contexts > 1
    (0.0, True)
    """
    pairs = (
        (one.inputs[row], other.inputs[place]),
        (one.trace.context[row], other.trace.context[place]),
    )
    inputs, contexts = (torch.dist(*pair).item() for pair in pairs)
    return inputs, contexts


def run_checkpoint(
    text: str,
    checkpoint: Checkpoint,
    *,
    seed: int = 0,
    positions: bool = False,
    causal: bool = False,
    divisor: float | None = None,
) -> Run:
    """Run a loaded head on a sentence: on its own words where the file brings them.

    Raises:
        TextError: the text is empty, too long, or has a word that the file does not know.
        ShapeError: the head does not fit the inputs.
        SettingError: the divisor is not above 0.
    """
    tokens = tokenize(text)
    if checkpoint.vocabulary:
        inputs = look_up(tokens, checkpoint.embedding, checkpoint.vocabulary)
    else:
        d_model = checkpoint.head.query.in_features
        inputs = embed(tokens, d_model, seed=seed, positions=positions)
    origin = Given(
        checkpoint.name,
        index=checkpoint.index,
        num_heads=checkpoint.num_heads,
        own_words=bool(checkpoint.vocabulary),
        seed=seed,
        positions=positions,
        causal=causal,
    )
    return run_inputs(
        tokens, inputs, checkpoint.head, causal=causal, divisor=divisor, origin=origin
    )


def run_inputs(
    tokens: Tokens,
    inputs: Tensor,
    head: AttentionHead,
    *,
    causal: bool = False,
    divisor: float | None = None,
    origin: Recipe | Loaded = UNNAMED,
) -> Run:
    """Run a head on inputs (n, d_model), one row a token.

    Raises:
        ShapeError: a projection takes inputs of another width.
        SettingError: the divisor is not above 0, or scores overflow.
    """
    for name in ("query", "key", "value"):
        width = getattr(head, name).in_features
        if width != inputs.shape[1]:
            raise ShapeError(
                f"head.{name} takes inputs of width {width}; the inputs have width "
                f"{inputs.shape[1]}. Self-attention gives all three the same inputs."
            )
    inputs = inputs.to(head.query.weight.dtype)
    trace = attend(
        head.query(inputs),
        head.key(inputs),
        head.value(inputs),
        mask=causal_mask(tokens.n) if causal else None,
        divisor=divisor,
    )
    return Run(tokens, tokens, inputs, trace, origin)


def parse_divisor(text: str, *, d_k: int, d_model: int, own: float | None = None) -> float:
    """The number that a divisor's name or digits stand for.

    Args:
        text: a name of ``DIVISORS``, or digits.
        d_k: width of query and key.
        d_model: width of the inputs.
        own: a model's own divisor; √d_k when None.

    Raises:
        SettingError: neither a name nor a number in 0.000001 … 1000000.

    >>> parse_divisor("sqrt", d_k=64, d_model=256), parse_divisor("2.5", d_k=64, d_model=256)
    (8.0, 2.5)
    """
    root = math.sqrt(d_k)
    names = {
        "sqrt": root,
        "own": root if own is None else own,
        "d_k": float(d_k),
        "sqrt_d_model": math.sqrt(d_model),
    }
    if text in names:
        return names[text]
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not _LEAST <= number <= _MOST:
        raise SettingError(
            f"divisor must be {', '.join(DIVISORS)} or a number in 0.000001 … 1000000; got "
            f"{text[:40]!r}."
        )
    return number

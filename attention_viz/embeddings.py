"""Tokens to inputs: seeded random vectors, the same in every process and at every d_k."""

import hashlib
from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor

from attention_viz.errors import TextError, check_whole
from attention_viz.tokens import Tokens, shorten, visible

MAX_D_MODEL: Final = 16_384
MAX_SEED: Final = 2**32 - 1


def embed(tokens: Tokens, d_model: int, *, seed: int = 0, positions: bool = False) -> Tensor:
    """One N(0, 1) vector a token: equal words get equal vectors.

    With positions, a random vector of each position is added, as models learn them, and the sum is
    divided by √2, so that every entry still has variance 1 and no two rows are equal.

    Args:
        tokens: n of them.
        d_model: width of a vector, 1 … MAX_D_MODEL.
        seed: 0 … MAX_SEED; another seed gives every word another vector.
        positions: whether to add them.

    Returns:
        (n, d_model) float32.

    Raises:
        SettingError: d_model or seed is no whole number in its range.

    >>> from attention_viz.tokens import tokenize
    >>> x = embed(tokenize("the cat the"), 5)
    >>> bool((x[0] == x[2]).all()), bool((x[0] == x[1]).any())
    (True, False)
    """
    check_whole("d_model", d_model, 1, MAX_D_MODEL)
    check_whole("seed", seed, 0, MAX_SEED)
    words = {
        piece: torch.randn(d_model, generator=generator(seed, "token", piece))
        for piece in dict.fromkeys(tokens.pieces)
    }
    inputs = torch.stack([words[piece] for piece in tokens.pieces])
    if not positions:
        return inputs
    places = torch.stack(
        [torch.randn(d_model, generator=generator(seed, "position", i)) for i in range(tokens.n)]
    )
    return (inputs + places) / 2**0.5


def look_up(tokens: Tokens, embedding: Tensor, vocabulary: Sequence[str]) -> Tensor:
    """(n, d_model) rows of an embedding (words, d_model), by the words of its vocabulary.

    A word is looked up as it stands, then in lower case.

    Raises:
        TextError: a word that the vocabulary does not hold.
    """
    rows = {word: row for row, word in enumerate(vocabulary)}
    wanted = [piece if piece in rows else piece.lower() for piece in tokens.pieces]
    unknown = [tokens.labels[i] for i, word in enumerate(wanted) if word not in rows]
    if unknown:
        raise TextError(
            f"The file has no vector for {shorten(unknown[0], 40)!r}; it knows {len(rows)} words, "
            f"such as {', '.join(shorten(visible(word), 40) for word in vocabulary[:6])}."
        )
    return embedding[[rows[word] for word in wanted]]


def layer_norm(inputs: Tensor) -> Tensor:
    """(n, d_model) rows with mean 0 and variance 1, without learned factors.

    Source: Ba, Kiros and Hinton 2016, equation 3.
    """
    return torch.nn.functional.layer_norm(inputs, inputs.shape[-1:])


def generator(*parts: int | str) -> torch.Generator:
    """A source of random numbers that depends on the parts alone.

    Python's own ``hash`` of a string differs from one process to the next, so it is not used.
    """
    name = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(name, digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "big") >> 1)

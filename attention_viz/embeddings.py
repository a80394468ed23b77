"""Tokens to inputs: seeded random vectors, the same in every process and at every d_k."""

import hashlib

import torch
from torch import Tensor

from attention_viz.tokens import Tokens


def embed(tokens: Tokens, d_model: int, *, seed: int = 0, positions: bool = False) -> Tensor:
    """One N(0, 1) vector a token: equal words get equal vectors.

    With positions, a random vector of each position is added, as models learn them, and the sum is
    divided by √2, so that every entry still has variance 1 and no two rows are equal.

    Returns:
        (n, d_model) float32.

    >>> from attention_viz.tokens import tokenize
    >>> x = embed(tokenize("the cat the"), 5)
    >>> bool((x[0] == x[2]).all()), bool((x[0] == x[1]).any())
    (True, False)
    """
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

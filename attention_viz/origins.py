"""Where a head that was not drawn comes from, and what it was given."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Loaded:
    """A head that is what it is.

    Attributes:
        name: of its file or model; empty where it has none.
        whole: its own d_k where only a part of its dimensions is kept; 0 where all are.
        largest: the whole head's largest raw score in size, where only a part is kept.
    """

    name: str
    whole: int = 0
    largest: float = 0.0


UNNAMED: Final = Loaded("")


@dataclass(frozen=True, slots=True)
class Given(Loaded):
    """A head of a file, on inputs and a mask that were chosen for it.

    Attributes:
        index: which head of its file it is, from 0.
        num_heads: of its file.
        own_words: whether the file brings its own inputs, so that none are drawn.
        seed: of the token vectors.
        positions: whether each position adds a random vector.
        normalised: whether the inputs are layer-normalised.
        causal: whether a token may look only at itself and at what came before.
    """

    index: int = 0
    num_heads: int = 1
    own_words: bool = False
    seed: int = 0
    positions: bool = False
    normalised: bool = False
    causal: bool = False

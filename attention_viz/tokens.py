"""Text to tokens: words and punctuation marks of any script, each tied to its place in the text."""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import regex

from attention_viz.errors import TextError

MAX_TOKENS: Final = 512
# A text travels in the address, three letters a byte; browsers and servers refuse long ones.
MAX_CHARACTERS: Final = 4_000
NO_WORDS: Final = 'The text must hold at least one word; got none. Try "I am good".'
MAX_NAME: Final = 24  # letters of a token in a sentence

# The default word boundaries of Unicode Standard Annex 29 (the flag w): "don't" and "3.14" stay
# whole, a Chinese character is a word, a family emoji is one token.
_BOUNDARY: Final = regex.compile(r"(?w)\b")
_SIGNS: Final = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u00a0": "⍽"}
# What leaves no ink: blanks, controls, unassigned characters, fillers.
_UNSEEN: Final = regex.compile(r"[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]")
# Of those, what shapes the characters around it: joiners, variation selectors, tags of flags.
_SHAPING: Final = regex.compile(r"[\u200c\u200d\p{Variation_Selector}\U000e0020-\U000e007f]")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one text, in order.

    Attributes:
        text: what was read.
        pieces: (n,) the raw tokens.
        labels: (n,) what to show for each; never empty, never blank. Repeated words repeat here.
        offsets: (n,) start and end in the text: ``text[start:end]`` is the source of the token.
        special: (n,) True for a token with a job of its own in a model, such as [CLS].
        words: (n,) the word that a piece belongs to; empty where the label is the word.

    >>> tokens = tokenize("I am")
    >>> tokens.n, tokens.pieces, tokens.offsets
    (2, ('I', 'am'), ((0, 1), (2, 4)))
    """

    text: str
    pieces: tuple[str, ...]
    labels: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    special: tuple[bool, ...]
    words: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of tokens."""
        return len(self.pieces)

    @property
    def names(self) -> tuple[str, ...]:
        """(n,) labels in quotation marks for a sentence, with the position where a label repeats.

        A piece names its word. Each label is isolated, so that a right-to-left word cannot turn the
        sentence around it, and shortened, so that a long one does not fill it.
        """
        repeats = Counter(self.labels)
        return tuple(
            _quoted(label)
            + (f" of {_quoted(word)}" if word else "")
            + (f" (token {i})" if repeats[label] > 1 else "")
            for i, (label, word) in enumerate(zip(self.labels, self.words, strict=True), start=1)
        )


def tokenize(text: str) -> Tokens:
    """The words and punctuation marks of a text; white space separates and is dropped.

    Args:
        text: at most MAX_CHARACTERS characters.

    Raises:
        TextError: no string, nothing but white space, over MAX_CHARACTERS characters, or over
            MAX_TOKENS tokens.

    >>> tokenize("the cat, the").pieces
    ('the', 'cat', ',', 'the')

    Source: Unicode Standard Annex 29, default word boundaries.
    """
    check_text(text)
    offsets = tuple(_spans(text))
    if not offsets:
        raise TextError(NO_WORDS)
    if len(offsets) > MAX_TOKENS:
        raise TextError(
            f"The text must have at most {MAX_TOKENS} tokens; got {len(offsets):,}. Shorten it."
        )
    pieces = tuple(text[start:end] for start, end in offsets)
    labels = tuple(visible(piece) for piece in pieces)
    none = ("",) * len(pieces)
    return Tokens(text, pieces, labels, offsets, special=(False,) * len(pieces), words=none)


def check_text(text: object) -> None:
    """Refuse what is no text, or too long a one.

    Raises:
        TextError: with the reason.
    """
    if not isinstance(text, str):
        raise TextError(f"The text must be a string; got {type(text).__name__}.")
    if len(text) > MAX_CHARACTERS:
        raise TextError(
            f"The text must have at most {MAX_CHARACTERS:,} characters; got {len(text):,}. "
            "Shorten it."
        )


def visible(piece: str) -> str:
    r"""A label for a token that can always be seen: blanks, controls and nothing get signs.

    >>> visible(""), visible(" "), visible("a\nb"), visible("\u200b")
    ('∅', '␣', 'a⏎b', 'U+200B')
    """
    if not piece:
        return "∅"
    has_ink = any(not _UNSEEN.match(char) for char in piece)
    label = "".join(_sign(char, shapes=has_ink) for char in piece)
    # A mark with no letter before it needs a base to sit on.
    return f"◌{label}" if unicodedata.category(label[0]).startswith("M") else label


def shorten(label: str, most: int) -> str:
    """A label with its middle left out when it is longer than that.

    >>> shorten("Donaudampfschifffahrt", 9)
    'Dona…ahrt'
    """
    if len(label) <= most:
        return label
    half = (most - 1) // 2
    return f"{label[: most - 1 - half]}…{label[-half:]}"


def _quoted(label: str) -> str:
    return f"“\u2068{shorten(label, MAX_NAME)}\u2069”"


def _spans(text: str) -> Iterator[tuple[int, int]]:
    cuts = [0, *(match.start() for match in _BOUNDARY.finditer(text)), len(text)]
    for start, end in pairwise(cuts):
        if text[start:end].strip():
            yield start, end


def _sign(char: str, *, shapes: bool) -> str:
    if not _UNSEEN.match(char) or (shapes and _SHAPING.match(char)):
        return char
    return _SIGNS.get(char) or f"U+{ord(char):04X}"

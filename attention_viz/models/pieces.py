"""Text -> the tokens of a model's own tokenizer, labelled so that a person can read them.

Special tokens are marked, also those that a person typed. A piece of a word names its word, and a
byte that is no character alone says which character it is part of.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Final

import regex

from attention_viz.errors import TextError
from attention_viz.tokens import NO_WORDS, Tokens, check_text, visible

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_SPACE: Final = "▁"  # SentencePiece's mark of a space
_BYTE: Final = regex.compile(r"<0x[0-9A-F]{2}>")  # a byte that the vocabulary has no character for


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text as a model reads it.

    Attributes:
        tokens: what to show.
        ids: (n,) what the model is given.
    """

    tokens: Tokens
    ids: tuple[int, ...]


def read_pieces(tokenizer: "PreTrainedTokenizerFast", text: str) -> Pieces:
    """A text through a model's tokenizer, its special tokens added.

    Raises:
        TextError: no string, too long, not to be encoded, or nothing but white space.
    """
    _check(text)
    encoded = tokenizer(
        text, return_offsets_mapping=True, return_special_tokens_mask=True, verbose=False
    )
    ids = tuple(encoded["input_ids"])
    pieces = tuple(tokenizer.convert_ids_to_tokens(ids))
    offsets = tuple((start, end) for start, end in encoded["offset_mapping"])
    special_ids = _special_ids(tokenizer)
    special = tuple(
        bool(added) or (token in special_ids and text[start:end] == piece)
        for added, token, piece, (start, end) in zip(
            encoded["special_tokens_mask"], ids, pieces, offsets, strict=True
        )
    )
    if all(end == start or flag for flag, (start, end) in zip(special, offsets, strict=True)):
        raise TextError(NO_WORDS)
    labels = _labels(tokenizer, text, pieces, offsets, special)
    words = _words(text, encoded.word_ids(), offsets, labels)
    return Pieces(Tokens(text, pieces, labels, offsets, special, words), ids)


def typed_specials(tokens: Tokens) -> str:
    """What of a text was read as a special token, as a sentence; empty when nothing was."""
    typed = [
        tokens.pieces[i]
        for i, (start, end) in enumerate(tokens.offsets)
        if tokens.special[i] and end > start
    ]
    if not typed:
        return ""
    names = ", ".join(f"“{piece}”" for piece in dict.fromkeys(typed))
    return f"{names} in the text was read as a special token of the model, not as words."


def _check(text: str) -> None:
    check_text(text)
    if not text.strip():  # some tokenizers add nothing, and a model takes no empty text
        raise TextError(NO_WORDS)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise TextError(
            f"The text must be of whole characters; position {error.start} holds half of one."
        ) from error


def _special_ids(tokenizer: "PreTrainedTokenizerFast") -> set[int]:
    added = tokenizer.added_tokens_decoder.items()
    return {*tokenizer.all_special_ids, *(token for token, piece in added if piece.special)}


def _labels(
    tokenizer: "PreTrainedTokenizerFast",
    text: str,
    pieces: Sequence[str],
    offsets: Sequence[tuple[int, int]],
    special: Sequence[bool],
) -> tuple[str, ...]:
    """What to show for each piece; pieces that share one character are counted."""
    backend = tokenizer.backend_tokenizer
    of_bytes = "ByteLevel" in f"{backend.pre_tokenizer} {backend.decoder}"
    read = [
        piece if known else _readable(piece, of_bytes=of_bytes)
        for piece, known in zip(pieces, special, strict=True)
    ]
    labels: list[str] = []
    for (span, whole), group in groupby(
        range(len(pieces)), key=lambda i: (offsets[i], read[i] is not None)
    ):
        places = list(group)
        source = visible(text[slice(*span)].strip())
        labels += [
            visible(read[i] or "") if whole else f"{source} {k}/{len(places)}"
            for k, i in enumerate(places, start=1)
        ]
    return tuple(labels)


def _readable(piece: str, *, of_bytes: bool) -> str | None:
    """A piece as characters; None where its bytes are no whole character."""
    if _BYTE.fullmatch(piece):
        return None
    if of_bytes and all(char in _byte_of() for char in piece):
        try:
            return bytes(_byte_of()[char] for char in piece).decode()
        except UnicodeDecodeError:
            return None
    return piece.replace(_SPACE, " ")


@cache
def _byte_of() -> dict[str, int]:
    """Byte-level tokenizers write each byte as a character that can be printed."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    return {char: byte for byte, char in bytes_to_unicode().items()}


def _words(
    text: str,
    word_ids: Sequence[int | None],
    offsets: Sequence[tuple[int, int]],
    labels: Sequence[str],
) -> tuple[str, ...]:
    """The word that each piece is part of; empty where the label says it already."""
    words = []
    for word, label in zip(word_ids, labels, strict=True):
        spans = [span for other, span in zip(word_ids, offsets, strict=True) if other == word]
        source = text[min(s for s, _ in spans) : max(e for _, e in spans)].strip()
        said = label.removeprefix("␣").casefold() == source.casefold()
        words.append("" if word is None or said or not source else visible(source))
    return tuple(words)

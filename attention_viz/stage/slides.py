"""What a presenter shows above the stage: questions, each with a hidden answer."""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Slide:
    """One question to a class.

    Attributes:
        question: one sentence.
        answer: hidden until it is asked for.
        begin: what the stage shows with the question: part of a View, by its names.
        end: what it shows with the answer.
        pair: whether the words compare the maps with and without scaling.
    """

    question: str
    answer: str
    begin: Mapping[str, int | str]
    end: Mapping[str, int | str]
    pair: bool = False


def with_slides(data: bytes, slides: Sequence[Slide]) -> bytes:
    """A packed scene with slides: the stage then shows itself to a room.

    Args:
        data: as ``pack`` makes it.
        slides: in order, at least one.
    """
    (length,) = struct.unpack_from("<I", data)
    header = json.loads(data[4 : 4 + length])
    header["slides"] = [asdict(slide) for slide in slides]
    words = json.dumps(header, separators=(",", ":")).encode()
    return b"".join([struct.pack("<I", len(words)), words, data[4 + length :]])

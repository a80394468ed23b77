"""Sentences of every kind of character -> tokens, run, what the stage is sent, what is read."""

import json
import random
import struct
import unicodedata
from typing import Final

import torch

from attention_viz import figures, scenes, stage
from attention_viz.errors import AttentionVizError
from attention_viz.heads import Start
from attention_viz.measures import row_sum_tolerance
from attention_viz.pipeline import Recipe, Run
from attention_viz.reading import read_row
from attention_viz.stage import View
from attention_viz.tokens import MAX_CHARACTERS, MAX_TOKENS, Tokens
from tests import hostile
from tests.fuzz.cases import UNFIT, Kind, check_sentence

_COMBINING: Final = [chr(c) for c in range(0x110000) if unicodedata.combining(chr(c))]
_BIDI: Final = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_EMOJI: Final = (
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family
    "\U0001f3f3\ufe0f\u200d\U0001f308",  # a rainbow flag
    "\U0001f44d\U0001f3fd",  # a thumb with a skin tone
    "\U0001f1e9\U0001f1ea",  # a flag of two letters
    "\U0001f1e9",
    "1\ufe0f\u20e3",
    "\U0001f3f4\U000e0067\U000e0062\U000e007f",  # a flag of tags
    "\u200d",
    "\ufe0f",
)
_SPACE: Final = " \t\n\r\v\f\x1c\x85\u00a0\u2028\u2029\u3000\u200b\ufeff"
_WORDS: Final = (
    "I",
    "am",
    "good",
    "Wie",
    "geht",
    "你好",
    "مرحبا",
    "שלום",
    "नमस्ते",
    "ไทย",
    "don't",
    "3.14",
)
_STOPS: Final = (1, 2, 4)


def _any_character(rng: random.Random) -> str:
    return chr(rng.randrange(0x110000))


_PARTS: Final = (
    _any_character,
    lambda rng: chr(rng.randrange(0x20)),
    lambda rng: chr(rng.randrange(0xD800, 0xE000)),
    lambda rng: "e" + "".join(rng.choices(_COMBINING, k=rng.randrange(1, 60))),
    lambda rng: rng.choice(_COMBINING),
    lambda rng: rng.choice(_BIDI),
    lambda rng: rng.choice(_EMOJI),
    lambda rng: rng.choice(_SPACE),
    lambda rng: rng.choice(_WORDS),
    lambda rng: rng.choice(hostile.EVERY),
    lambda rng: rng.choice("aé漢1.,'-_\"") * rng.randrange(1, 40),
)


def a_text(rng: random.Random) -> str:
    """A sentence such as nobody writes, or nearly."""
    way = rng.randrange(40)
    if way == 0:  # around the limit of characters
        unit = rng.choice(_PARTS)(rng) + rng.choice(("", " "))
        return (unit * MAX_CHARACTERS)[: MAX_CHARACTERS + rng.choice((-1, 0, 1))]
    if way == 1:  # around the limit of tokens
        return " ".join(rng.choices(_WORDS, k=MAX_TOKENS + rng.choice((-1, 0, 1))))
    if way == 2:
        return _any_character(rng) * rng.choice((1, 2, 1_000_000))
    if way == 3:
        return "".join(rng.choices(_SPACE, k=rng.randrange(10)))
    parts = rng.sample(_PARTS, rng.randrange(1, 4))
    between = rng.choice(("", " ", " "))
    return between.join(rng.choice(parts)(rng) for _ in range(rng.randrange(1, 24)))


def make(rng: random.Random) -> tuple[Recipe, int, float]:
    """A sentence with a small head, its d_k and its divisor."""
    recipe = Recipe(
        text=a_text(rng),
        seed=rng.randrange(4),
        d_model=8,
        start=rng.choice(list(Start)),
        positions=rng.random() < 0.5,
        causal=rng.random() < 0.5,
    )
    return recipe, rng.choice(_STOPS), rng.choice((1e-6, 1.0, 2.0, 1e6))


def check(given: tuple[Recipe, int, float]) -> str:
    """One sentence of what is wrong, or numbers that are right and labels that can be seen."""
    recipe, d_k, divisor = given
    try:
        run = recipe.run(d_k, divisor)
    except AttentionVizError as error:
        check_sentence(str(error))
        return "refused"
    _check_tokens(run.tokens)
    _check_weights(run)
    _check_stage(recipe, View(d_k, "sqrt"))
    trace = run.trace
    for row in {0, run.tokens.n - 1}:
        check_sentence(read_row(run.tokens, trace.weights, trace.mask, row))
    _check_figure(run)
    return "run"


def _check_tokens(tokens: Tokens) -> None:
    assert tuple(tokens.text[start:end] for start, end in tokens.offsets) == tokens.pieces
    dropped = list(tokens.text)
    for start, end in tokens.offsets:
        dropped[start:end] = " " * (end - start)
    assert not "".join(dropped).strip(), "a character belongs to no token"
    for label in tokens.labels:
        assert label.strip(), "a label cannot be seen"
        label.encode()  # no lone surrogate: a page could not be sent it
        assert not UNFIT & {unicodedata.category(char) for char in label}, ascii(label)
        assert not set(label) & set(_BIDI), ascii(label)


def _check_weights(run: Run) -> None:
    trace = run.trace
    logits = trace.query.double() @ trace.key.double().mT / trace.divisor
    right = torch.softmax(logits.masked_fill(~trace.mask, -torch.inf), dim=-1)
    assert trace.weights.isfinite().all()
    sums = trace.weights.double().sum(dim=-1)
    assert (sums - 1).abs().max() <= row_sum_tolerance(trace.weights.dtype, run.tokens.n)
    # A float32 score is off by its rounding, and a divisor below 1 makes that larger.
    slack = 1e-6 * (1 + logits.abs().amax(dim=-1, keepdim=True))
    assert ((trace.weights - right).abs() <= slack.clamp(max=1.0)).all()


def _check_stage(recipe: Recipe, view: View) -> None:
    whole = recipe.run(_STOPS[-1])
    packed = stage.pack(scenes.nested_scene(whole, view, _STOPS))
    (length,) = struct.unpack_from("<I", packed)
    header = json.loads(packed[4 : 4 + length].decode("ascii"))
    n = whole.tokens.n
    assert header["columns"] == list(whole.tokens.labels)
    json.dumps(header, ensure_ascii=False).encode()
    masked = n * n if header["masked"] else 0
    assert len(packed) == 4 + length + 4 * len(_STOPS) * n * n + masked


def _check_figure(run: Run) -> None:
    if run.tokens.n > 32:  # the same code for more, and slower
        return
    figures.attention_maps(run).to_json().encode()
    said = figures.describe_maps(run)
    said.encode()
    assert "nan" not in said


SENTENCES: Final = Kind("sentences", make, check)

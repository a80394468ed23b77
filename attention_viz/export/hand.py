"""Scores by hand as a page, as a still picture, and as lines of torch."""

from typing import Final

import torch
from torch import Tensor

from attention_viz.attention import softmax
from attention_viz.colours import SCORE_LIMIT, SCORES, WEIGHTS
from attention_viz.export.page import Words, stage_page
from attention_viz.export.still import Sheet, sheet_svg
from attention_viz.export.weights import weights_table
from attention_viz.export.words import MADE, escaped, short
from attention_viz.maps import Map
from attention_viz.reading import number, read_row
from attention_viz.scenes import hand_scene
from attention_viz.stage.texts import BY_HAND, ENGLISH
from attention_viz.tokens import Tokens

_WHOSE: Final = "These scores were written by hand; no head computed them."


def hand_html(tokens: Tokens, scores: Tensor) -> str:
    """Scores (n, n) as one HTML file in which they can be typed and dragged further."""
    weights, everywhere = softmax(scores), torch.ones_like(scores, dtype=torch.bool)
    scene = hand_scene(tokens, scores)
    sentence = _sentence(tokens)
    words = Words(
        title=sentence,
        header=f"<h1><bdi>{escaped(sentence)}</bdi></h1><p>{_WHOSE}</p>",
        picture=hand_svg(tokens, scores, title=False),
        reading=scene.prefix + read_row(tokens, weights, everywhere, 0),
        exported="divisor 1",
        table=weights_table(tokens, tokens, weights, everywhere, 0),
    )
    return stage_page(words, scene)


def hand_svg(tokens: Tokens, scores: Tensor, *, title: bool = True) -> str:
    """Scores (n, n) and their weights as a still SVG; the sentence above them with a title."""
    masked = torch.zeros_like(scores, dtype=torch.bool)
    given, low, high = tokens.labels, -SCORE_LIMIT, SCORE_LIMIT
    maps = (
        Map(
            BY_HAND["raw"],
            BY_HAND["formula_raw"],
            scores,
            given,
            (low, high),
            (f"≤ {number(low)}", "0", f"≥ {number(high)}"),
            SCORES,
            masked,
        ),
        Map(
            ENGLISH["weights"],
            BY_HAND["formula_unscaled"],
            softmax(scores),
            given,
            (0.0, 1.0),
            ("0", "0.5", "1"),
            WEIGHTS,
            masked,
        ),
    )
    words = f"Heatmaps of {tokens.n} by {tokens.n} scores by hand and of their attention weights."
    heading = (_sentence(tokens), _WHOSE, MADE) if title else ()
    return sheet_svg(Sheet(maps, given, 0, words, heading))


def _sentence(tokens: Tokens) -> str:
    return short(" ".join(tokens.text.split()))

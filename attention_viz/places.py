"""What a link of a lesson sets, in the words of its page: for a person who has the page alone."""

from collections.abc import Callable, Mapping
from typing import Final

from attention_viz.experiments.draws import Start
from attention_viz.experiments.words import divisor_words
from attention_viz.lessons import Link
from attention_viz.reading import minus
from attention_viz.rows import parse_row, write_row
from attention_viz.tokens import tokenize

PAGES: Final = {  # by their names in the address, in the order of the app
    "explore": "Explore",
    "steps": "Step by step",
    "questions": "Questions",
    "heads": "Heads",
    "scaling": "Scaling lab",
    "softmax": "Softmax lab",
    "hand": "By hand",
    "teachers": "Teachers",
    "words": "Words",
}
SECTIONS: Final = {  # of the Softmax lab
    "steps": "Exp, sum, divide",
    "types": "Large and small scores",
    "slopes": "Derivatives",
    "instead": "No softmax?",
    "way": "Which way?",
    "masks": "Masks",
}
FIGURES: Final = {  # of the Scaling lab
    "spread": "Spread",
    "peaks": "Largest weight",
    "entropy": "Entropy",
    "derivatives": "Derivatives",
    "keys": "Number of keys",
    "training": "Training",
}
STARTS: Final = {  # of the Scaling lab
    Start.GAUSSIAN: "N(0, 1), as assumed",
    Start.SHIFT: "N(1, 1): a constant added",
    Start.TAILS: "t₅: heavier tails, a variance",
    Start.TORCH: "nn.Linear's default",
    Start.POSITIVE: "positive weights",
    Start.TIED: "q = k",
    Start.LAYER_NORM: "layer-normalised, q = k",
    Start.HEAVY: "t₁.₅: tails without variance",
}
SOURCES: Final = {"typed": "These scores", "raw": "Raw row", "logits": "Logits of the row"}
LABELS: Final = {  # of what each key of an address sets
    "text": "Sentence",
    "seed": "Seed",
    "d_model": "d_model",
    "d_k": "Head size d_k",
    "divisor": "Divisor",
    "row": "Row",
    "softmax_section": "Section",
    "softmax_scores": "Scores",
    "softmax_source": "Which scores",
    "scaling_keys": "Number of keys",
    "scaling_low": "d_k from",
    "scaling_high": "to",
    "scaling_draws": "Draws",
    "scaling_start": "Queries and keys",
    "scaling_divisors": "Divisors to compare",
    "scaling_seed": "Seed",
    "scaling_d_k": "Head size d_k",
    "scaling_figure": "Look closer",
}
_ON_EXPLORE: Final = frozenset({"d_k", "divisor"})  # set there for all pages
_WORDS: Final[dict[str, Callable[[str], str]]] = {
    "text": lambda word: f"“{word}”",
    "divisor": lambda word: {"sqrt": "√d_k", "1": "1"}[word],
    "softmax_section": lambda word: f"“{SECTIONS[word]}”",
    "softmax_scores": lambda word: minus(write_row(parse_row(word))),
    "softmax_source": lambda word: f"“{SOURCES[word]}”",
    "scaling_start": lambda word: STARTS[Start(word)],
    "scaling_divisors": lambda word: ", ".join(map(divisor_words, word.split(","))),
    "scaling_figure": lambda word: f"“{FIGURES[word]}”",
}


def settings_of(link: Link) -> Mapping[str, str]:
    """What a link sets: the label of each setting on its page, and what stands there.

    >>> settings_of(Link("explore", {"text": "I am", "d_k": "4", "row": "1"}))["Row"]
    '“\u2068am\u2069”'
    """
    return {_label(key, link): _word(key, link) for key in LABELS if key in link.query}


def read_link(link: Link, after: Link | None = None) -> str:
    """A link as what to set by hand, after another link where that has set a part of it.

    >>> read_link(Link("softmax", {"softmax_scores": "2,-1"}))
    'Scores: 2, −1.'
    """
    done = {} if after is None else after.query
    lines = [
        f"{_label(key, link)}: {_word(key, link)}"
        for key in LABELS
        if key in link.query and link.query[key] != done.get(key)
    ]
    return f"{'; '.join(lines)}." if lines else ""


def _label(key: str, link: Link) -> str:
    is_far = link.page != "explore" and key in _ON_EXPLORE
    return f"{LABELS[key]}, on Explore" if is_far else LABELS[key]


def _word(key: str, link: Link) -> str:
    if key == "row":
        return tokenize(link.query["text"]).names[int(link.query[key])]
    return _WORDS.get(key, str)(link.query[key])

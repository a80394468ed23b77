"""The teacher's notes: two lessons as moments, and what students get wrong, with numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Final

import torch

from attention_viz.answers import numbers_of, run_of, scores_of
from attention_viz.attention import softmax
from attention_viz.heads import random_head
from attention_viz.lessons import Link, Part, parse_link, read_parts
from attention_viz.measures import contribution_norms, effective_support, entropy
from attention_viz.pipeline import run
from attention_viz.precision import softmax_steps
from attention_viz.reading import minus, number, percent
from attention_viz.surprises import Numbers

_HEADS: Final = 250  # that are drawn to see who looks at itself


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a lesson.

    Attributes:
        title: what it is about.
        begin: minutes after the start of the lesson.
        end: minutes after it.
        link: to the page, set up.
        say: what to say.
        ask: what to ask; empty where there is nothing.
    """

    title: str
    begin: int
    end: int
    link: Link
    say: str
    ask: str


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that students often say, why it is wrong, and where to see it."""

    title: str
    link: Link
    text: str


def title() -> str:
    """The heading of the notes."""
    return read_parts("teachers")[0].title


def introduction() -> str:
    """What stands above the notes."""
    return read_parts("teachers")[0].texts[""]


def moments(lesson: str) -> tuple[Moment, ...]:
    """The moments of the lesson ``short`` or ``long``, one after the other."""
    parts = _parts(lesson)
    ends = list(accumulate(int(part.fields["minutes"]) for part in parts))
    return tuple(
        Moment(
            part.title,
            begin,
            end,
            parse_link(part.fields["link"]),
            part.texts["Say"],
            part.texts.get("Ask", ""),
        )
        for part, begin, end in zip(parts, [0, *ends], ends, strict=False)
    )


@cache
def mistakes() -> tuple[Mistake, ...]:
    """What students get wrong; one of them draws a few hundred heads."""
    return tuple(_mistake(part) for part in _parts("mistake"))


def _mistake(part: Part) -> Mistake:
    link = parse_link(part.fields["link"])
    numbers = _NUMBERS[part.fields["key"]](link)
    filled = part.filled({gap: minus(words) for gap, words in numbers.items()})
    return Mistake(filled.title, link, filled.texts[""])


def _parts(lesson: str) -> list[Part]:
    return [part for part in read_parts("teachers") if part.fields.get("lesson") == lesson]


def _own(link: Link) -> Numbers:
    text, d_model, d_k = link.query["text"], int(link.query["d_model"]), int(link.query["d_k"])
    runs = [run(text, random_head(d_model, d_k, seed=seed), seed=seed) for seed in range(_HEADS)]
    n = runs[0].tokens.n
    place = torch.arange(n)
    own = sum(int((one.trace.weights.argmax(dim=1) == place).sum()) for one in runs)
    return {
        "own": percent(own / (n * _HEADS)),
        "rows": f"{n * _HEADS:,}",
        "n": str(n),
        "chance": percent(1 / n),
    }


def _bound(link: Link) -> Numbers:
    weights = run_of(link).trace.weights[int(link.query["row"])]
    return {"weight": percent(weights.max().item())}


def _contribution(link: Link) -> Numbers:
    shown, row = run_of(link), int(link.query["row"])
    weights = shown.trace.weights[row]
    adds = contribution_norms(shown.trace.weights, shown.trace.value)[row]
    heaviest, largest = int(weights.argmax()), int(adds.argmax())
    return {
        "query": shown.tokens.names[row],
        "heaviest": shown.keys.names[heaviest],
        "largest": shown.keys.names[largest],
        "weight": number(weights[heaviest].item()),
        "most": number(adds[largest].item()),
        "less": number(adds[heaviest].item()),
    }


def _symmetric(link: Link) -> Numbers:
    shown, query = run_of(link), int(link.query["row"])
    weights = shown.trace.weights
    key = int(weights[query].argmax())
    return {
        "query": shown.tokens.names[query],
        "key": shown.tokens.names[key],
        "there": percent(weights[query, key].item()),
        "back": percent(weights[key, query].item()),
    }


def _causal(link: Link) -> Numbers:
    trace = run_of(link).trace
    return {
        "weight": number(trace.weights[0].max().item()),
        "keys": number(trace.mask[0].sum().item()),
        "entropy": number(entropy(trace.weights, trace.mask)[0].item()),
    }


def _blue(link: Link) -> Numbers:
    steps = softmax_steps(scores_of(link))
    return {
        "scores": ", ".join(number(score) for score in steps.scores.tolist()),
        "weights": ", ".join(number(weight) for weight in steps.weights.tolist()),
    }


def _sizes(link: Link) -> Numbers:
    shown = run_of(link)
    matrices = {
        "inputs": shown.inputs,
        "queries": shown.trace.query,
        "scores": shown.trace.scores,
    }
    return {name: " × ".join(map(str, matrix.shape)) for name, matrix in matrices.items()}


def _model(link: Link) -> Numbers:
    wrong = run_of(link)
    right = run_of(Link(link.page, {**link.query, "divisor": "sqrt"}))
    over, under = (effective_support(one.trace.weights).mean().item() for one in (wrong, right))
    return {
        "divisor": number(wrong.trace.divisor),
        "root": number(right.trace.divisor),
        "effective": f"{over:.2f}",
        "right": f"{under:.2f}",
        "n": str(wrong.tokens.n),
    }


def _columns(link: Link) -> Numbers:
    numbers = numbers_of("columns", (link,))
    return {name: numbers[name] for name in ("low", "high")}


def _after(link: Link) -> Numbers:
    shown, row = run_of(link), int(link.query["row"])
    weights = shown.trace.weights[row] / int(link.query["d_k"]) ** 0.5
    return {
        "query": shown.tokens.names[row],
        "sum": number(weights.sum().item()),
        "weight": percent((weights.max() / weights.sum()).item()),
    }


def _flat(link: Link) -> Numbers:
    weights = softmax(scores_of(link).unsqueeze(0))[0]
    return {"n": str(len(weights)), "weight": number(weights.max().item())}


_NUMBERS: Final[dict[str, Callable[[Link], Numbers]]] = {
    "own": _own,
    "bound": _bound,
    "contribution": _contribution,
    "symmetric": _symmetric,
    "causal": _causal,
    "blue": _blue,
    "sizes": _sizes,
    "model": _model,
    "columns": _columns,
    "after": _after,
    "flat": _flat,
    "explain": lambda _link: {},
}

"""What a file of a run is called, and what it says of itself."""

import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from attention_viz.demo import demo_heads
from attention_viz.errors import SettingError
from attention_viz.heads import Start
from attention_viz.models import ModelRun, WeightsRun
from attention_viz.origins import Given, Loaded
from attention_viz.pipeline import USUAL_WIDTH, WIDTHS, Recipe, Run, parse_divisor
from attention_viz.scaling import STOPS
from attention_viz.scenes import check_shown, view_of
from attention_viz.version import VERSION

_MOST_LETTERS: Final = 40  # of the sentence: at most 160 bytes, and names end at 255
_NO_WORD: Final = re.compile(r"[\W_]+")
Fact = str | int | float | bool


def file_name(run: Run | WeightsRun, ending: str) -> str:
    """What a file of this run is called, such as ``wie-geht-es-dir_dk64_seed0.html``.

    Args:
        run: one sentence through one head.
        ending: without its dot.
    """
    return f"{run_name(run)}.{ending}"


def run_name(run: Run | WeightsRun) -> str:
    """The same without an ending."""
    parts = [_slug(run.tokens.text, "attention")]
    if isinstance(run, (ModelRun, WeightsRun)):
        parts.append(_slug(run.facts.model, "model"))
        parts.append(f"layer{run.facts.layer}_head{run.facts.head}")
    elif isinstance(run.origin, Loaded):
        parts.append(_slug(run.origin.name, "head"))
    if not isinstance(run, WeightsRun):
        parts += _sizes(run)
    return "_".join(parts)


def named(text: str, *parts: str) -> str:
    """What a file of something else about a text is called, without its ending."""
    return "_".join([_slug(text, "attention"), *(_slug(part, "none") for part in parts)])


def settings(run: Run | WeightsRun, *, row: int = 0, scale: str = "fixed") -> dict[str, Fact]:
    """What was chosen for this run, beside the numbers and what is true of a model's head.

    Args:
        run: one sentence through one head.
        row: the picked query.
        scale: of the colours of scores.

    Raises:
        SettingError: the run has no such row, or there is no such scale.
    """
    check_shown(run, row, scale)
    said: dict[str, Fact] = {"text": run.tokens.text, **_head(run)}
    if not isinstance(run, WeightsRun):
        view = view_of(run)
        said |= {"divisor_name": view.divisor}
        if view.d_k != run.trace.d_k:
            said |= {"whole_d_k": view.d_k}
    return said | {"row": row, "scale": scale, "version": VERSION}


def address(run: Run, *, row: int = 0, scale: str = "fixed") -> dict[str, str]:
    """The keys of the app's address that show this run; none where ``no_link`` says why."""
    if no_link(run):
        return {}
    view = view_of(run, row=row, scale=scale)
    words: dict[str, Fact] = {"text": run.tokens.text, **_head(run)}
    if isinstance(run, ModelRun):
        facts = run.facts
        words |= {"model": facts.model, "layer": facts.layer, "index": facts.head}
    if view.d_k != run.trace.d_k:
        words |= {"ablation": run.trace.d_k}
    words |= asdict(view)
    return {name: _word(fact) for name, fact in words.items()}


def no_link(run: Run) -> str:
    """Why no address shows this run, as a sentence; empty where one does."""
    origin = run.origin
    if not (isinstance(run, ModelRun) or isinstance(origin, Recipe) or _is_demo(origin)):
        return "This head came from a file, so no link restores it."
    view = view_of(run)
    if view.d_k > STOPS[-1]:
        return f"The app goes up to d_k {STOPS[-1]}, so no link restores this head."
    if isinstance(origin, Recipe) and origin.d_model not in WIDTHS:
        widths = f"{', '.join(map(str, WIDTHS[:-1]))} and {WIDTHS[-1]}"
        return f"The app draws heads of d_model {widths}, so no link restores this one."
    try:
        parse_divisor(view.divisor, d_k=view.d_k, d_model=run.inputs.shape[1])
    except SettingError:
        return "The app has no such divisor, so no link restores these weights."
    return ""


def _is_demo(origin: Loaded) -> bool:
    return origin.name in {head.name for head in demo_heads()}


def _head(run: Run | WeightsRun) -> dict[str, Fact]:
    """Which kind of head it is, and what it was given."""
    if isinstance(run, (ModelRun, WeightsRun)):
        return {"head": "model"}
    origin = run.origin
    if isinstance(origin, Recipe):
        said: dict[str, Fact] = {"head": "random", "d_model": origin.d_model}
        return said | {"start": origin.start.value} | _chosen(origin)
    return {
        "head": origin.name or "loaded",
        **(_given(origin) if isinstance(origin, Given) else {}),
    }


def _given(origin: Given) -> dict[str, Fact]:
    said: dict[str, Fact] = {}
    if origin.num_heads > 1:
        said |= {"head_index": origin.index, "num_heads": origin.num_heads}
    if origin.own_words:
        return said | {"mask": _mask(origin)}
    return said | _chosen(origin) | {"normalised": origin.normalised}


def _chosen(origin: Recipe | Given) -> dict[str, Fact]:
    """How inputs were drawn, and the mask."""
    return {"seed": origin.seed, "positions": origin.positions, "mask": _mask(origin)}


def _mask(origin: Recipe | Given) -> str:
    return "causal" if origin.causal else "none"


def _sizes(run: Run) -> Iterator[str]:
    """All that decides the picture, each where it is not the usual."""
    view, origin = view_of(run), run.origin
    if isinstance(origin, Given) and origin.num_heads > 1:
        yield f"head{origin.index}"
    yield f"dk{view.d_k}"
    if isinstance(origin, Recipe):
        yield from _drawn(origin)
    elif origin.whole:
        yield f"ablation{run.trace.d_k}"
    if isinstance(origin, (Recipe, Given)):
        yield from _inputs(origin)
    if view.divisor not in {"sqrt", "own"}:
        yield f"divisor{view.divisor}"


def _drawn(recipe: Recipe) -> Iterator[str]:
    if recipe.d_model != USUAL_WIDTH:
        yield f"dmodel{recipe.d_model}"
    if recipe.start is not Start.GAUSSIAN:
        yield _slug(recipe.start, "start")


def _inputs(origin: Recipe | Given) -> Iterator[str]:
    if isinstance(origin, Recipe) or not origin.own_words:
        yield f"seed{origin.seed}"
        if origin.positions:
            yield "positions"
    if isinstance(origin, Given) and origin.normalised:
        yield "normalised"
    if origin.causal:
        yield "causal"


def _word(fact: Fact) -> str:
    return str(fact).lower() if isinstance(fact, bool) else str(fact)


def _slug(text: str, instead: str) -> str:
    """Words of a text with hyphens between them: nothing that a file system reads as its own."""
    return _NO_WORD.sub("-", text.casefold())[:_MOST_LETTERS].strip("-") or instead

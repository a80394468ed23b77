"""What a file of a run is called, and what it says of itself."""

import re
from typing import Final

from attention_viz.demo import demo_heads
from attention_viz.models import ModelRun, WeightsRun
from attention_viz.pipeline import Loaded, Recipe, Run
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


def facts(run: Run | WeightsRun, *, row: int = 0, scale: str = "fixed") -> dict[str, Fact]:
    """What a file of this run says of itself, by the names of the address and of the trace.

    Args:
        run: one sentence through one head.
        row: the picked query.
        scale: of the colours of scores.

    Raises:
        SettingError: the run has no such row, or there is no such scale.
    """
    check_shown(run, row, scale)
    said: dict[str, Fact] = {"text": run.tokens.text}
    if not isinstance(run, WeightsRun):
        said |= _head_facts(run)
    if isinstance(run, (ModelRun, WeightsRun)):
        said |= {"head": "model", "model": run.facts.model}
        said |= {"layer": run.facts.layer, "index": run.facts.head}
    return said | {"row": row, "scale": scale, "version": VERSION}


def address(run: Run, *, row: int = 0, scale: str = "fixed") -> dict[str, str]:
    """The keys of the app's address that show this run; none for a file, which cannot travel."""
    words = facts(run, row=row, scale=scale)
    known = isinstance(run, ModelRun) or isinstance(run.origin, Recipe)
    if not known and words["head"] not in {head.name for head in demo_heads()}:
        return {}
    del words["version"], words["divisor_value"]
    return {name: _word(fact) for name, fact in words.items()}


def _head_facts(run: Run) -> dict[str, Fact]:
    view = view_of(run)
    said: dict[str, Fact] = {"d_k": view.d_k, "divisor": view.divisor}
    said |= {"divisor_value": run.trace.divisor}
    if isinstance(run.origin, Recipe):
        said |= {"head": "random", "seed": run.origin.seed, "d_model": run.origin.d_model}
        said |= {"start": run.origin.start.value, "positions": run.origin.positions}
        return said | {"mask": "causal" if run.origin.causal else "none"}
    said |= {"head": run.origin.name or "loaded"}
    if run.origin.whole:
        said |= {"ablation": run.trace.d_k}
    return said


def _sizes(run: Run) -> list[str]:
    view = view_of(run)
    parts = [f"dk{view.d_k}"]
    if isinstance(run.origin, Recipe):
        parts.append(f"seed{run.origin.seed}")
    elif run.origin.whole:
        parts.append(f"ablation{run.trace.d_k}")
    if view.divisor not in {"sqrt", "own"}:
        parts.append(f"divisor{view.divisor}")
    return parts


def _word(fact: Fact) -> str:
    return str(fact).lower() if isinstance(fact, bool) else str(fact)


def _slug(text: str, instead: str) -> str:
    """Words of a text with hyphens between them: nothing that a file system reads as its own."""
    return _NO_WORD.sub("-", text.casefold())[:_MOST_LETTERS].strip("-") or instead

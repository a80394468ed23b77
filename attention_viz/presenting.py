"""The presenter's questions on a person's own sentence and head, with their numbers."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final
from urllib.parse import parse_qsl

from attention_viz.attention import AttentionTrace
from attention_viz.lessons import Part, read_parts
from attention_viz.measures import peak
from attention_viz.pipeline import Run
from attention_viz.stage import Slide

View = dict[str, int | str]
RunAt = Callable[[Mapping[str, int | str]], Run]
_RANDOM: Final = "random"  # of slides that move d_k, which only a random head has


def slides(run_at: RunAt, *, largest: int | None, lock: str) -> list[Slide]:
    """The slides that suit a head.

    Args:
        run_at: the run at a part of a view: ``d_k`` and ``divisor`` by name.
        largest: the largest d_k that can be chosen; None where d_k is a fact.
        lock: the divisor that the head is used with: ``sqrt``, or a model's ``own``.
    """
    return [
        _slide(part, run_at, largest or 0, lock)
        for part in _parts()
        if largest is not None or part.fields["heads"] != _RANDOM
    ]


def _slide(part: Part, run_at: RunAt, largest: int, lock: str) -> Slide:
    begin, end = (_view(part.fields[name], largest, lock) for name in ("begin", "end"))
    before, after, undivided = (
        run_at(view).trace for view in (begin, end, {**end, "divisor": "1"})
    )
    every = _numbers(before, after, undivided)
    filled = part.filled({gap: words for gap, words in every.items() if gap in part.gaps})
    return Slide(filled.title, filled.texts["Answer"], begin, end)


def _numbers(
    before: AttentionTrace, after: AttentionTrace, undivided: AttentionTrace
) -> dict[str, str]:
    moved = (before.weights.argmax(dim=1) != after.weights.argmax(dim=1)).sum().item()
    return {
        "n": str(len(after.weights)),
        "before": str(before.d_k),
        "d_k": str(after.d_k),
        "scaled": f"{peak(after.weights).mean().item():.2f}",
        "unscaled": f"{peak(undivided.weights).mean().item():.2f}",
        "moved": str(moved),
    }


def _view(words: str, largest: int, lock: str) -> View:
    said = dict(parse_qsl(words))
    view: View = {"divisor": said["divisor"].replace("lock", lock)}
    return view | {"d_k": min(int(said["d_k"]), largest)} if "d_k" in said else view


@cache
def _parts() -> tuple[Part, ...]:
    return read_parts("presenter")[1:]

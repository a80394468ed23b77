"""The presenter's questions on a person's own sentence and head, with their numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from attention_viz.attention import AttentionTrace
from attention_viz.errors import LessonError
from attention_viz.lessons import Part, read_parts
from attention_viz.measures import peak
from attention_viz.pipeline import Run
from attention_viz.stage import Slide

ViewPart = dict[str, int | str]  # of what the stage owns: divisor, and d_k where it can be chosen
RunAt = Callable[[Mapping[str, int | str]], Run]
_RANDOM: Final = "random"  # of slides that move d_k, which only a random head has
_TWO: Final = "two"  # of slides whose words compare the two maps


def slides(run_at: RunAt, *, largest: int | None, lock: str) -> list[Slide]:
    """The slides that suit a head and a sentence; at least one always does.

    Args:
        run_at: the run at a part of a view: ``d_k`` and ``divisor`` by name.
        largest: the largest d_k that can be chosen; None where d_k is a fact.
        lock: the divisor that the head is used with: ``sqrt``, or a model's ``own``.
    """
    return [
        slide
        for part in _parts()
        if largest is not None or part.fields["heads"] != _RANDOM
        if (slide := _slide(part, run_at, largest, lock))
    ]


def _slide(part: Part, run_at: RunAt, largest: int | None, lock: str) -> Slide | None:
    """The slide with its numbers; None where these would not bear its words out."""
    begin, end = (_view_part(part.fields[name], largest, lock) for name in ("begin", "end"))
    numbers = _Numbers(
        run_at(begin).trace,
        run_at(end).trace,
        *(run_at({**view, "divisor": to}).trace for to in (lock, "1") for view in (begin, end)),
    )
    if not all(_fact(name)(numbers) for name in _needs(part)):
        return None
    every = numbers.words
    filled = part.filled({gap: words for gap, words in every.items() if gap in part.gaps})
    pair = part.fields["maps"] == _TWO
    return Slide(filled.title, filled.texts["Answer"], begin, end, pair=pair)


def _needs(part: Part) -> list[str]:
    """The facts without which a slide is not shown; one without the field always is."""
    return part.fields["when"].split(", ") if "when" in part.fields else []


def _fact(name: str) -> Callable[["_Numbers"], bool]:
    if name not in _FACTS:
        raise LessonError(f"when must be one of {', '.join(_FACTS)}; got {name!r}.")
    return _FACTS[name]


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """The pictures of a slide, as they are, with the head's own divisor, and with 1.

    Peaks are compared as a room reads them, with two decimals.
    """

    begin: AttentionTrace
    end: AttentionTrace
    begin_scaled: AttentionTrace
    end_scaled: AttentionTrace
    begin_unscaled: AttentionTrace
    end_unscaled: AttentionTrace

    @property
    def alone(self) -> bool:
        """Every query may look at one key."""
        return bool((self.end.mask.sum(dim=1) == 1).all())

    @property
    def softer(self) -> bool:
        """Scaling makes the largest weights smaller."""
        return _peak(self.end_scaled) < _peak(self.end_unscaled)

    @property
    def sharpens(self) -> bool:
        """Without scaling the largest weights grow, and by more than the scaled ones change."""
        scaled = _peak(self.end_scaled) - _peak(self.begin_scaled)
        return _peak(self.end_unscaled) - _peak(self.begin_unscaled) > abs(scaled)

    @property
    def moved(self) -> int:
        """Rows whose winner is another."""
        winners = (trace.weights.argmax(dim=1) for trace in (self.begin, self.end))
        return int(next(winners).ne(next(winners)).sum())

    @property
    def words(self) -> dict[str, str]:
        """The numbers as a slide says them."""
        return {
            "n": str(len(self.end.weights)),
            "before": str(self.begin.d_k),
            "d_k": str(self.end.d_k),
            "scaled_before": f"{_peak(self.begin_scaled):.2f}",
            "scaled": f"{_peak(self.end_scaled):.2f}",
            "unscaled_before": f"{_peak(self.begin_unscaled):.2f}",
            "unscaled": f"{_peak(self.end_unscaled):.2f}",
            "moved": str(self.moved),
        }


# What the field ``when`` of a slide may name.
_FACTS: Final[dict[str, Callable[[_Numbers], bool]]] = {
    "alone": lambda numbers: numbers.alone,
    "softer": lambda numbers: numbers.softer,
    "sharpens": lambda numbers: numbers.sharpens,
    "varies": lambda numbers: not numbers.sharpens,  # from what growth does to most heads
    "kept": lambda numbers: numbers.moved == 0,
}


def _peak(trace: AttentionTrace) -> float:
    return round(peak(trace.weights).mean().item(), 2)


def _view_part(words: str, largest: int | None, lock: str) -> ViewPart:
    said = dict(parse_qsl(words))
    part: ViewPart = {"divisor": said["divisor"].replace("lock", lock)}
    if largest is None or "d_k" not in said:
        return part
    return part | {"d_k": min(int(said["d_k"]), largest)}


def _parts() -> tuple[Part, ...]:
    return read_parts("presenter")[1:]

"""What a benchmark found, beside its budget: one line of the table, and all of them together."""

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

HEADS: Final = ("What", "Median (spread)", "Beside it, in the same run", "Ratio", "Budget", "")
_FEW: Final = 0.1  # ratios below it are said as one part of so many


@dataclass(frozen=True, slots=True)
class Budget:
    """What a finding must keep to.

    Attributes:
        limit: in the unit of the finding, or as a ratio.
        on_ratio: whether the ratio to the peer is judged, and not the measured number.
        at_least: whether more is better.
    """

    limit: float
    on_ratio: bool = False
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was measured several times.

    Attributes:
        what: in words.
        unit: of the values.
        values: one of each run.
        peer: what was measured beside it, in words.
        peer_values: in the same unit.
        ratios: of ours to the peer's, one of each turn where both took turns; else one of medians.
        budget: None where there is none.
    """

    what: str
    unit: str
    values: tuple[float, ...]
    peer: str = ""
    peer_values: tuple[float, ...] = ()
    ratios: tuple[float, ...] = ()
    budget: Budget | None = None

    @property
    def is_met(self) -> bool:
        """Whether the budget is kept; so it is where there is none."""
        if self.budget is None:
            return True
        value = statistics.median(self.ratios if self.budget.on_ratio else self.values)
        return value >= self.budget.limit if self.budget.at_least else value <= self.budget.limit


def beside(
    what: str,
    unit: str,
    values: Sequence[float],
    peer: str,
    peer_values: Sequence[float],
    budget: Budget | None = None,
) -> Finding:
    """A finding beside its peer's, by the ratio of their medians."""
    ratio = statistics.median(values) / (statistics.median(peer_values) or float("nan"))
    return Finding(what, unit, tuple(values), peer, tuple(peer_values), (ratio,), budget)


def in_turns(
    what: str,
    unit: str,
    turns: Sequence[tuple[float, float]],
    peer: str,
    budget: Budget | None = None,
) -> Finding:
    """A finding and its peer's that took turns.

    Neighbours in time suffer the same disturbance, so each turn has its own ratio.
    """
    ours, theirs = zip(*turns, strict=True)
    ratios = tuple(mine / other for mine, other in turns)
    return Finding(what, unit, ours, peer, theirs, ratios, budget)


def number(value: float) -> str:
    """With about three digits."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def times(ratio: float) -> str:
    """A ratio: 1.3 ×, or 1/15.2 where it is small."""
    return f"{ratio:.2f} ×" if ratio >= _FEW else f"1/{1 / ratio:.1f}"


def cells(finding: Finding) -> list[str]:
    """One line of the table."""
    budget, verdict = finding.budget, ""
    if budget is not None:
        verdict = "met" if finding.is_met else "MISSED"
    peer = ratio = ""
    if finding.peer_values:
        peer = f"{finding.peer}: {_measured(finding.peer_values, finding.unit)}"
    if finding.ratios:
        ratio = times(statistics.median(finding.ratios))
    measured = _measured(finding.values, finding.unit)
    return [finding.what, measured, peer or finding.peer, ratio, _allowed(finding), verdict]


def _measured(values: Sequence[float], unit: str) -> str:
    words = f"{number(statistics.median(values))} {unit}"
    if len(set(values)) == 1:
        return words
    return f"{words} ({number(min(values))} … {number(max(values))})"


def _allowed(finding: Finding) -> str:
    budget = finding.budget
    if budget is None:
        return ""
    limit = times(budget.limit) if budget.on_ratio else f"{number(budget.limit)} {finding.unit}"
    return f"{'≥' if budget.at_least else '≤'} {limit}"


def markdown(findings: Sequence[Finding]) -> str:
    """All of them as a table that is read as it stands, too."""
    rows = [list(HEADS), *map(cells, findings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    padded = ((f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in padded)


def save(findings: Sequence[Finding], path: Path) -> None:
    """Keep findings for the table of all benchmarks."""
    path.write_text(json.dumps([asdict(finding) for finding in findings]))


def load(path: Path) -> list[Finding]:
    """What a benchmark has kept."""
    return [_finding(**kept) for kept in json.loads(path.read_text())]


def _finding(*, budget: dict[str, Any] | None, **kept: Any) -> Finding:
    whole = {name: tuple(kept.pop(name)) for name in ("values", "peer_values", "ratios")}
    return Finding(**kept, **whole, budget=None if budget is None else Budget(**budget))

"""The weights of a run as an HTML table: every row while they are few, else the picked one."""

from collections.abc import Iterator, Sequence
from typing import Final

from attention_viz.export.words import escaped
from attention_viz.maps import MAX_LABEL
from attention_viz.pipeline import Run
from attention_viz.reading import minus, number
from attention_viz.stage.texts import ENGLISH
from attention_viz.tokens import shorten

MOST_ROWS: Final = 32


def weights_table(run: Run, row: int) -> str:
    """Weights to 4 digits; above MOST_ROWS tokens those of one query, a key a line."""
    rows, columns = run.tokens.labels, run.keys.labels
    cells = [
        [minus(number(weight)) if sees else "–" for weight, sees in zip(*pair, strict=True)]
        for pair in zip(run.trace.weights.tolist(), run.trace.mask.tolist(), strict=True)
    ]
    corner = ENGLISH["corner"]
    if max(len(rows), len(columns)) > MOST_ROWS:
        corner, rows, columns = "key", columns, (rows[row],)
        cells = [[cell] for cell in cells[row]]
    head = "".join(_heading(label, "col") for label in (corner, *columns))
    return (
        f"<table><caption>{ENGLISH['weights']}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(_lines(rows, cells))}</tbody></table>"
    )


def _lines(labels: Sequence[str], cells: Sequence[Sequence[str]]) -> Iterator[str]:
    for label, line in zip(labels, cells, strict=True):
        numbers = "".join(f"<td>{cell}</td>" for cell in line)
        yield f"<tr>{_heading(label, 'row')}{numbers}</tr>"


def _heading(label: str, scope: str) -> str:
    return f'<th scope="{scope}"><bdi>{escaped(shorten(label, MAX_LABEL))}</bdi></th>'

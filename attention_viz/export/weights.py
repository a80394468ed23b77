"""Weights as an HTML table: every row while they are few, else the picked one."""

from collections.abc import Iterator, Sequence
from typing import Final

from torch import Tensor

from attention_viz.export.words import escaped
from attention_viz.maps import MAX_LABEL
from attention_viz.reading import minus, number
from attention_viz.stage.texts import ENGLISH
from attention_viz.tokens import Tokens, shorten

MOST_ROWS: Final = 32


def weights_table(queries: Tokens, keys: Tokens, weights: Tensor, mask: Tensor, row: int) -> str:
    """Weights to 4 digits; above MOST_ROWS tokens those of one query, a key a line.

    Args:
        queries: the n_q rows.
        keys: the n_k columns.
        weights: (n_q, n_k).
        mask: (n_q, n_k) booleans, True where a query may look.
        row: the query whose weights are shown where there are too many.
    """
    corner, rows, columns = ENGLISH["corner"], queries.labels, keys.labels
    if max(len(rows), len(columns)) > MOST_ROWS:
        corner, rows, columns = "key", columns, (rows[row],)
        weights, mask = weights[row].unsqueeze(1), mask[row].unsqueeze(1)
    cells = [
        [minus(number(weight)) if sees else "–" for weight, sees in zip(*pair, strict=True)]
        for pair in zip(weights.tolist(), mask.tolist(), strict=True)
    ]
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

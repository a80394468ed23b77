"""Numbers as files: CSV for a spreadsheet or pandas, JSON for any program, NPZ for numpy."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor

from attention_viz.export.record import Part, Record, record_of
from attention_viz.files import whole_file
from attention_viz.models import WeightsRun
from attention_viz.pipeline import Run
from attention_viz.tokens import Tokens

# What a record as JSON always has, null where it is not known.
_KEYS: Final = (
    "tokens",
    "d_k",
    "divisor",
    "query",
    "key",
    "value",
    "scores",
    "scaled_scores",
    "weights",
    "context",
    "entropy",
)
_SHEET: Final = 2**20  # lines of a worksheet, in Excel and in LibreOffice
_COLUMNS: Final = ("matrix", "row", "column", "row_token", "column_token", "value", "text")
# A spreadsheet takes such a cell for a formula; the wide signs too, in some countries. After a line
# break, or a semicolon, which separates cells where the comma is in numbers, some begin a new cell
# even within quotes. Apostrophes before a sign count, so that taking one away gives the text back,
# whatever it was.
_FORMULA: Final = re.compile("^'*[=+\\-@\t\r\n＝＋－＠]|(?<=[;\r\n])'*[=+\\-@＝＋－＠]")
Cell = str | int | float | None


def to_csv(run: Run | WeightsRun, path: str | Path, *, row: int = 0, scale: str = "fixed") -> None:
    r"""Write every number of a run as a long table, for a spreadsheet or pandas.

    A line a number, with the columns ``matrix, row, column, row_token, column_token, value, text``:
    positions from 0, labels of their tokens where they stand for any, and a value with as many
    digits as give the same float back (9 in float32). A masked cell has no value, and 0 in the
    matrix ``mask``. Lines named ``token`` and, where keys are others, ``key_token`` hold the raw
    pieces as text, and ``setting …`` what was chosen. An apostrophe stands before a sign with
    which a spreadsheet would begin a formula, at the start of a text and after a line break or a
    semicolon in it. As RFC 4180 has it, and in UTF-8 with a byte order mark, without which Excel
    misreads most scripts.

    ``table = pandas.read_csv(path, keep_default_na=False, na_values=[""])`` reads it rightly, since
    a token may be called "NA". Labels may repeat, so a matrix comes back by its numbers of rows and
    columns: ``table[table["matrix"] == "weights"].pivot(index="row", columns="column",
    values="value")``. A text is as it was when one apostrophe is taken away wherever apostrophes
    stand before a sign that begins a formula.

    Args:
        run: a ``Run`` of any head, or a ``WeightsRun``.
        path: the file; what was there is replaced once the new one is whole.
        row: the picked query, for the settings.
        scale: of the colours of scores, for the settings: ``fixed``, ``fit`` or ``own``.

    Raises:
        SettingError: the run has no such row, or there is no such scale.
        OSError: the file cannot be written.

    >>> import tempfile, attention_viz as av
    >>> run = av.run("I am", av.random_head(8, 4))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     av.to_csv(run, f"{folder}/run.csv")
    ...     Path(folder, "run.csv").read_text("utf-8-sig").splitlines()[0]
    'matrix,row,column,row_token,column_token,value,text'
    """
    with whole_file(path) as file:
        file.write(csv_bytes(record_of(run, row=row, scale=scale)))


def to_json(run: Run | WeightsRun, path: str | Path, *, row: int = 0, scale: str = "fixed") -> None:
    """Write every number of a run as JSON: plain lists by the names of ``AttentionTrace``.

    ``tokens`` are the raw pieces and ``labels`` what is shown for them; ``keys`` and ``key_labels``
    where keys are others. null stands for a masked cell and for the entropy of a row that may look
    at nothing. ASCII, with escapes; a float32 comes back exactly.

    Of a head of a model, ``model``, ``layer`` and ``head_index`` say which it is, ``residual`` how
    far its weights computed again lie from the model's own, ``extras`` what it does beside the
    paper's steps, and ``why`` why its weights alone are known.

    ``settings`` says what was chosen: ``text``; ``head``, which is ``random``, ``model``,
    ``by hand`` or a name; ``seed``, ``positions``, ``normalised`` and ``mask`` where they were
    chosen; ``d_model`` and ``start`` of a random head; ``head_index`` and ``num_heads`` of a file
    with several; ``divisor_name``, the word or digits that ``divisor`` came from; ``whole_d_k``
    of a head of which ``d_k`` dimensions are kept; ``row``, ``scale`` and ``version``.

    Args:
        run: a ``Run`` of any head, or a ``WeightsRun``.
        path: the file; what was there is replaced once the new one is whole.
        row: the picked query, for the settings.
        scale: of the colours of scores, for the settings: ``fixed``, ``fit`` or ``own``.

    Raises:
        SettingError: the run has no such row, or there is no such scale.
        OSError: the file cannot be written.

    >>> import json, tempfile, attention_viz as av
    >>> run = av.run("I am", av.random_head(8, 4), causal=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     av.to_json(run, f"{folder}/run.json")
    ...     json.loads(Path(folder, "run.json").read_text())["weights"][0]
    [1.0, None]
    """
    with whole_file(path) as file:
        file.write(json_bytes(record_of(run, row=row, scale=scale)))


def to_npz(run: Run | WeightsRun, path: str | Path, *, row: int = 0, scale: str = "fixed") -> None:
    """Write every number of a run as arrays for ``numpy.load``, by the names of ``AttentionTrace``.

    No pickle. ``mask`` says which cells of logits and weights count; ``tokens`` and ``labels`` are
    arrays of text (numpy drops U+0000 at the end of one), ``settings`` is a text of JSON.

    Args:
        run: a ``Run`` of any head, or a ``WeightsRun``.
        path: the file; what was there is replaced once the new one is whole.
        row: the picked query, for the settings.
        scale: of the colours of scores, for the settings: ``fixed``, ``fit`` or ``own``.

    Raises:
        SettingError: the run has no such row, or there is no such scale.
        OSError: the file cannot be written.

    >>> import tempfile, attention_viz as av
    >>> run = av.run("I am", av.random_head(8, 4))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     av.to_npz(run, f"{folder}/run.npz")
    ...     with np.load(f"{folder}/run.npz") as arrays:
    ...         arrays["query"].shape
    (2, 4)
    """
    with whole_file(path) as file:
        file.write(npz_bytes(record_of(run, row=row, scale=scale)))


def csv_bytes(record: Record) -> bytes:
    """A record as ``to_csv`` writes it."""
    # Half a surrogate pair, which a text from JavaScript may hold, is written as its code.
    return _csv(_COLUMNS, _lines(record)).encode("utf-8-sig", "backslashreplace")


def long_csv(record: Record) -> str:
    """What to take instead of a CSV that no spreadsheet opens whole; empty for a shorter one."""
    other_keys = 0 if record.keys is record.tokens else record.keys.n
    words = len({**record.settings, **record.about}) + record.tokens.n + other_keys
    lines = 1 + words + sum(part.values.numel() for part in record.parts)
    if lines <= _SHEET:
        return ""
    return f"The CSV has {lines:,} lines, and a spreadsheet opens {_SHEET:,}: take NPZ or JSON."


def table_text(rows: Sequence[Mapping[str, Cell]]) -> str:
    """Any table as CSV: the names of the first row, then a line for each; empty for None."""
    return _csv(list(rows[0]), ([harmless(cell) for cell in row.values()] for row in rows))


def json_bytes(record: Record) -> bytes:
    """A record as ``to_json`` writes it."""
    return json.dumps(json_record(record), allow_nan=False).encode("ascii")


def json_record(record: Record) -> dict[str, Any]:
    """A record as plain lists, numbers, texts and None."""
    said: dict[str, Any] = dict.fromkeys(_KEYS) | _words(record)
    said |= {part.name: _listed(part.values, part.known) for part in record.parts}
    return {**said, **record.about, "settings": dict(record.settings)}


def npz_bytes(record: Record) -> bytes:
    """A record as ``to_npz`` writes it."""
    file = io.BytesIO()
    arrays: dict[str, Any] = {part.name: _array(part.values) for part in record.parts}
    arrays |= {name: np.array(texts, dtype=np.str_) for name, texts in _words(record).items()}
    arrays["settings"] = np.array(json.dumps({**record.settings, **record.about}, allow_nan=False))
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def harmless(cell: Cell) -> Cell:
    """A cell that no spreadsheet takes for a formula: an apostrophe before what would begin one.

    >>> harmless("=1+1"), harmless(-0.5), harmless("a=b"), harmless("a;=b")
    ("'=1+1", -0.5, 'a=b', "a;'=b")
    """
    return _FORMULA.sub(r"'\g<0>", cell) if isinstance(cell, str) else cell


def _csv(columns: Sequence[str], lines: Iterator[Sequence[Cell]]) -> str:
    text = io.StringIO(newline="")
    # A writer quotes what its line ends with: with a bare \n, a \r in a cell would end the line.
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(lines)
    return text.getvalue()


def _lines(record: Record) -> Iterator[Sequence[Cell]]:
    for name, fact in {**record.settings, **record.about}.items():
        yield _setting(name, fact)
    yield from _pieces("token", record.tokens)
    if record.keys is not record.tokens:
        yield from _pieces("key_token", record.keys)
    for part in record.parts:
        yield from _cells(part)


def _setting(name: str, fact: Any) -> Sequence[Cell]:
    line: list[Cell] = [f"setting {name}", None, None, None, None]
    if isinstance(fact, (int, float)) and not isinstance(fact, bool):
        return [*line, fact, None]
    return [*line, None, harmless(fact if isinstance(fact, str) else json.dumps(fact))]


def _pieces(name: str, tokens: Tokens) -> Iterator[Sequence[Cell]]:
    for i, (label, piece) in enumerate(zip(tokens.labels, tokens.pieces, strict=True)):
        yield (name, i, None, harmless(label), None, None, harmless(piece))


def _cells(part: Part) -> Iterator[Sequence[Cell]]:
    matrix = part.values.reshape(part.rows.n if part.rows else 1, -1)
    known = part.known.reshape(matrix.shape)
    rows, columns = (_places(axis) for axis in (part.rows, part.columns))
    if part.values.ndim > 1 and part.columns is None:
        columns = [(j, None) for j in range(matrix.shape[1])]
    written = _written(matrix)
    for row, cells, shown in zip(rows, written, known.tolist(), strict=True):
        for column, cell, is_known in zip(columns, cells, shown, strict=True):
            value = cell if is_known else None
            yield (part.name, row[0], column[0], row[1], column[1], value, None)


def _places(axis: Tokens | None) -> list[tuple[int | None, Cell]]:
    """The position and the label of each token; of nothing where an axis is none."""
    if axis is None:
        return [(None, None)]
    return [(i, harmless(label)) for i, label in enumerate(axis.labels)]


def _written(matrix: Tensor) -> list[list[Cell]]:
    """Numbers that come back the same: by nine digits in float32, by Python's own in float64."""
    if matrix.dtype == torch.float64:
        return matrix.tolist()
    if matrix.dtype.is_floating_point:
        return [[f"{value:.9g}" for value in row] for row in matrix.tolist()]
    return matrix.long().tolist()


def _words(record: Record) -> dict[str, list[str]]:
    words = {"tokens": list(record.tokens.pieces), "labels": list(record.tokens.labels)}
    if record.keys is not record.tokens:
        words["keys"] = list(record.keys.pieces)
        words["key_labels"] = list(record.keys.labels)
    return words


def _listed(values: Tensor, known: Tensor) -> Any:
    if known.all():
        return values.tolist()
    if values.ndim > 1:
        return [_listed(row, shown) for row, shown in zip(values, known, strict=True)]
    return [
        value if shown else None
        for value, shown in zip(values.tolist(), known.tolist(), strict=True)
    ]


def _array(values: Tensor) -> Any:
    """As numpy; bfloat16, which it lacks, in float32."""
    return (values.float() if values.dtype == torch.bfloat16 else values).numpy(force=True)

"""The command show: every step of one head on one sentence."""

import argparse
from collections.abc import Iterator
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text
from torch import Tensor

from attention_viz.attention import AttentionTrace, unscaled_weights
from attention_viz.cli.choosing import add_head_options, chosen_run, read_choice
from attention_viz.export.record import record_of
from attention_viz.export.tables import json_bytes
from attention_viz.export.words import NO_MEANING
from attention_viz.models import (
    ModelRun,
    WeightsRun,
    read_divisor,
    read_facts,
    read_residual,
    typed_specials,
)
from attention_viz.pipeline import Recipe, Run
from attention_viz.reading import number, read_row, read_steps
from attention_viz.tokens import Tokens

# Whole numbers in a wide table, rather than cut ones in a table as wide as the terminal.
_WIDE: Final = 10_000
_MOST_COLUMNS: Final = 64
_EXAMPLE: Final = 'example: python -m attention_viz show "I am good" --d-k 64 --seed 0'


def add_to(commands: Any) -> None:
    """Add the command to the parser's."""
    show = commands.add_parser(
        "show", help="every step of one head on one sentence", epilog=_EXAMPLE
    )
    add_head_options(show)
    show.add_argument("--json", action="store_true", help="print JSON")
    show.set_defaults(run=run_show)


def run_show(chosen: argparse.Namespace) -> None:
    """Print one sentence's attention as tables or as JSON."""
    result = chosen_run(read_choice(chosen))
    if chosen.json:
        print(json_bytes(record_of(result)).decode())
    elif isinstance(result, WeightsRun):
        _print_weights(result)
    else:
        _print_tables(result)


def _print_tables(result: Run) -> None:
    console = Console(highlight=False, width=_WIDE)
    if _is_too_long(console, result):
        return
    for title, matrix, shown in _steps(result.trace):
        console.print(_table(title, matrix, shown, result.tokens, result.keys))
    _print_readings(console, result, result.trace.weights, result.trace.mask)
    if isinstance(result, ModelRun):
        facts = f"{read_facts(result.facts)}. {read_divisor(result)} {read_residual(result.facts)}"
        console.print(Text(f"{typed_specials(result.tokens)} {facts}".strip()))
    if isinstance(result.origin, Recipe):
        console.print(Text(NO_MEANING))


def _steps(trace: AttentionTrace) -> Iterator[tuple[str, Tensor, Tensor]]:
    """The title of each table, its numbers, and which of them there are."""
    divisor, steps = number(trace.divisor), read_steps(trace.steps)
    added = f", {steps}" if steps else ""
    everywhere = trace.mask.new_ones(trace.mask.shape)
    yield "Raw scores QKᵀ", trace.scores, everywhere
    yield f"Scaled scores QKᵀ ÷ {divisor}", trace.scaled_scores, everywhere
    yield f"Attention weights softmax(QKᵀ ÷ {divisor}{added})", trace.weights, trace.mask
    unscaled = unscaled_weights(trace)
    yield f"Attention weights without scaling softmax(QKᵀ{added})", unscaled, trace.mask


def _print_weights(result: WeightsRun) -> None:
    console = Console(highlight=False, width=_WIDE)
    if _is_too_long(console, result):
        return
    console.print(
        _table("Attention weights", result.weights, result.mask, result.tokens, result.keys)
    )
    _print_readings(console, result, result.weights, result.mask)
    console.print(Text(f"{read_facts(result.facts)}. {result.why}"))


def _is_too_long(console: Console, result: Run | WeightsRun) -> bool:
    too_long = max(result.tokens.n, result.keys.n) > _MOST_COLUMNS
    if too_long:
        console.print(f"Above {_MOST_COLUMNS} tokens no table is printed; --json has all numbers.")
    return too_long


def _print_readings(
    console: Console, result: Run | WeightsRun, weights: Tensor, mask: Tensor
) -> None:
    for row in range(result.tokens.n):
        console.print(Text(read_row(result.tokens, weights, mask, row, keys=result.keys)))


def _table(title: str, matrix: Tensor, shown: Tensor, queries: Tokens, keys: Tokens) -> Table:
    table = Table(title=Text(title), title_justify="left", box=None)
    table.add_column("query \\ key", no_wrap=True)
    for label in keys.labels:
        table.add_column(Text(label), justify="right", no_wrap=True)
    for label, values, cells in zip(queries.labels, matrix.tolist(), shown.tolist(), strict=True):
        words = (f"{v:.3f}" if cell else "–" for v, cell in zip(values, cells, strict=True))
        table.add_row(Text(label), *words)
    return table

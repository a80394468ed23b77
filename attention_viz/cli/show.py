"""The command show: every step of one head on one sentence."""

import argparse
import json
import math
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text
from torch import Tensor

from attention_viz.attention import unscaled_weights
from attention_viz.checkpoints import read_checkpoint
from attention_viz.demo import demo_heads, demo_run
from attention_viz.errors import SettingError
from attention_viz.heads import Start, random_head
from attention_viz.measures import entropy
from attention_viz.pipeline import Run, parse_divisor, run, run_checkpoint
from attention_viz.reading import number, read_row

# Whole numbers in a wide table, rather than cut ones in a table as wide as the terminal.
_WIDE: Final = 10_000
_MOST_COLUMNS: Final = 64
_EXAMPLE: Final = 'example: python -m attention_viz show "I am good" --d-k 64 --seed 0'


def add_to(commands: Any) -> None:
    """Add the command to the parser's."""
    show = commands.add_parser(
        "show", help="every step of one head on one sentence", epilog=_EXAMPLE
    )
    show.add_argument("text", help="the sentence")
    show.add_argument("--d-k", type=int, metavar="N", help="head size (default 64)")
    show.add_argument("--d-model", type=int, metavar="N", help="width of the inputs (256)")
    show.add_argument("--seed", type=int, default=0, metavar="N")
    show.add_argument(
        "--divisor",
        default="sqrt",
        metavar="D",
        help="what scores are divided by: sqrt (of d_k; default), 1, d_k, sqrt_d_model or a number",
    )
    show.add_argument(
        "--head",
        metavar="FILE",
        help=f"a loaded head: .safetensors or .pt, or {', '.join(_demo_names())}",
    )
    show.add_argument(
        "--num-heads", type=int, metavar="N", help="of the file's nn.MultiheadAttention"
    )
    show.add_argument("--head-index", type=int, default=0, metavar="H", help="which, from 0")
    show.add_argument(
        "--start",
        choices=[start.value for start in Start],
        default="gaussian",
        help="of the weights",
    )
    show.add_argument("--positions", action="store_true", help="add a vector to each position")
    show.add_argument("--causal", action="store_true", help="look only back")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.set_defaults(run=run_show)


def run_show(chosen: argparse.Namespace) -> None:
    """Print one sentence's attention as tables or as JSON."""
    if chosen.head in _demo_names():
        result = _demo_run(chosen)
    else:
        result = _loaded_run(chosen) if chosen.head else _random_run(chosen)
    if chosen.json:
        print(json.dumps(_record(result), allow_nan=False))
    else:
        _print_tables(result, is_random=not chosen.head)


def _random_run(chosen: argparse.Namespace) -> Run:
    d_model = 256 if chosen.d_model is None else chosen.d_model
    d_k = 64 if chosen.d_k is None else chosen.d_k
    head = random_head(d_model, d_k, seed=chosen.seed, start=chosen.start)
    return run(
        chosen.text,
        head,
        seed=chosen.seed,
        positions=chosen.positions,
        normalised=chosen.start == Start.LAYER_NORM,
        causal=chosen.causal,
        divisor=parse_divisor(chosen.divisor, d_k=d_k, d_model=d_model),
    )


def _demo_names() -> list[str]:
    return [head.name for head in demo_heads()]


def _demo_run(chosen: argparse.Namespace) -> Run:
    whole = demo_run(chosen.text, chosen.head)
    d_k, d_model = whole.trace.d_k, whole.inputs.shape[1]
    _check_sizes(chosen, d_k, d_model)
    divisor = parse_divisor(chosen.divisor, d_k=d_k, d_model=d_model)
    return demo_run(chosen.text, chosen.head, divisor=divisor)


def _check_sizes(chosen: argparse.Namespace, d_k: int, d_model: int) -> None:
    """A loaded head's sizes are facts; asked for others, it says so."""
    for name, asked, found in (("d_k", chosen.d_k, d_k), ("d_model", chosen.d_model, d_model)):
        if asked not in {None, found}:
            raise SettingError(f"{name} is {found} in {chosen.head} and cannot be {asked}.")


def _loaded_run(chosen: argparse.Namespace) -> Run:
    checkpoint = read_checkpoint(chosen.head, num_heads=chosen.num_heads, head=chosen.head_index)
    query = checkpoint.head.query
    _check_sizes(chosen, query.out_features, query.in_features)
    divisor = parse_divisor(chosen.divisor, d_k=query.out_features, d_model=query.in_features)
    return run_checkpoint(
        chosen.text,
        checkpoint,
        seed=chosen.seed,
        positions=chosen.positions,
        causal=chosen.causal,
        divisor=divisor,
    )


def _record(result: Run) -> dict[str, Any]:
    trace = result.trace
    entropies = entropy(trace.weights, trace.mask).tolist()
    return {
        "tokens": list(result.tokens.pieces),
        "d_k": trace.d_k,
        "divisor": trace.divisor,
        "query": trace.query.tolist(),
        "key": trace.key.tolist(),
        "value": trace.value.tolist(),
        "scores": trace.scores.tolist(),
        "scaled_scores": trace.scaled_scores.tolist(),
        "weights": trace.weights.tolist(),
        "context": trace.context.tolist(),
        "entropy": [None if math.isnan(nats) else nats for nats in entropies],
    }


def _print_tables(result: Run, *, is_random: bool) -> None:
    trace = result.trace
    divisor = number(trace.divisor)
    everywhere = trace.mask.new_ones(trace.mask.shape)
    console = Console(highlight=False, width=_WIDE)
    if result.tokens.n > _MOST_COLUMNS:
        console.print(f"Above {_MOST_COLUMNS} tokens no table is printed; --json has all numbers.")
        return
    for title, matrix, shown in (
        ("Raw scores QKᵀ", trace.scores, everywhere),
        (f"Scaled scores QKᵀ ÷ {divisor}", trace.scaled_scores, everywhere),
        (f"Attention weights softmax(QKᵀ ÷ {divisor})", trace.weights, trace.mask),
        ("Attention weights without scaling softmax(QKᵀ)", unscaled_weights(trace), trace.mask),
    ):
        table = _table(title, matrix, shown, result.tokens.labels)
        console.print(table)
    for row in range(result.tokens.n):
        console.print(Text(read_row(result.tokens, trace.weights, trace.mask, row)))
    if is_random:
        console.print(
            Text("A random head carries no meaning: the numbers show how softmax behaves.")
        )


def _table(title: str, matrix: Tensor, shown: Tensor, labels: Sequence[str]) -> Table:
    table = Table(title=Text(title), title_justify="left", box=None)
    table.add_column("query \\ key", no_wrap=True)
    for label in labels:
        table.add_column(Text(label), justify="right", no_wrap=True)
    for label, values, cells in zip(labels, matrix.tolist(), shown.tolist(), strict=True):
        words = (f"{v:.3f}" if cell else "–" for v, cell in zip(values, cells, strict=True))
        table.add_row(Text(label), *words)
    return table

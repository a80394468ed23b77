"""The command show: every step of one head on one sentence."""

import argparse
import json
import math
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
from attention_viz.models import (
    ModelRun,
    WeightsRun,
    load_model,
    read_divisor,
    read_facts,
    read_residual,
    typed_specials,
)
from attention_viz.pipeline import Run, parse_divisor, run, run_checkpoint
from attention_viz.reading import number, read_row, read_steps
from attention_viz.tokens import Tokens

# Whole numbers in a wide table, rather than cut ones in a table as wide as the terminal.
_WIDE: Final = 10_000
_MOST_COLUMNS: Final = 64
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
        metavar="D",
        help="what scores are divided by: sqrt (of d_k; default, but for a model its own), 1, d_k, "
        "sqrt_d_model or a number",
    )
    show.add_argument(
        "--head",
        metavar="FILE",
        help=f"a loaded head: .safetensors or .pt, or {', '.join(_demo_names())}",
    )
    show.add_argument(
        "--num-heads", type=int, metavar="N", help="of the file's nn.MultiheadAttention"
    )
    show.add_argument(
        "--model", metavar="NAME", help="a language model: minilm, a folder or a hub id"
    )
    show.add_argument("--layer", type=int, default=0, metavar="L", help="of the model, from 0")
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
    result = _run(chosen)
    if chosen.json:
        print(json.dumps(_record(result), allow_nan=False))
    elif isinstance(result, WeightsRun):
        _print_weights(result)
    else:
        _print_tables(result, is_random=not (chosen.head or chosen.model))


def _run(chosen: argparse.Namespace) -> Run | WeightsRun:
    if chosen.model:
        return _model_run(chosen)
    if chosen.head in _demo_names():
        return _demo_run(chosen)
    return _loaded_run(chosen) if chosen.head else _random_run(chosen)


def _model_run(chosen: argparse.Namespace) -> Run | WeightsRun:
    if chosen.head:
        raise SettingError("--head and --model are two heads; give one of them.")
    _refuse(chosen, "causal", "positions", "start")
    model = load_model(chosen.model)
    whole = model.run(chosen.text, chosen.layer, chosen.head_index)
    if not isinstance(whole, ModelRun):
        return whole
    d_k, d_model = whole.trace.d_k, whole.inputs.shape[1]
    _check_sizes(chosen, d_k, d_model)
    if chosen.divisor is None:
        return whole
    divisor = parse_divisor(chosen.divisor, d_k=d_k, d_model=d_model)
    return model.run(chosen.text, chosen.layer, chosen.head_index, divisor=divisor)


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
        divisor=parse_divisor(chosen.divisor or "sqrt", d_k=d_k, d_model=d_model),
    )


def _demo_names() -> list[str]:
    return [head.name for head in demo_heads()]


def _demo_run(chosen: argparse.Namespace) -> Run:
    _refuse(chosen, "causal", "positions", "start")
    whole = demo_run(chosen.text, chosen.head)
    d_k, d_model = whole.trace.d_k, whole.inputs.shape[1]
    _check_sizes(chosen, d_k, d_model)
    divisor = parse_divisor(chosen.divisor or "sqrt", d_k=d_k, d_model=d_model)
    return demo_run(chosen.text, chosen.head, divisor=divisor)


def _refuse(chosen: argparse.Namespace, *names: str) -> None:
    """Refuse what would change a random head and does not change this one."""
    usual = {"causal": False, "positions": False, "start": Start.GAUSSIAN.value}
    for name in names:
        if getattr(chosen, name) != usual[name]:
            raise SettingError(
                f"--{name} does not go with {chosen.head or chosen.model}, which has its own."
            )


def _check_sizes(chosen: argparse.Namespace, d_k: int, d_model: int) -> None:
    """A loaded head's sizes are facts; asked for others, it says so."""
    for name, asked, found in (("d_k", chosen.d_k, d_k), ("d_model", chosen.d_model, d_model)):
        if asked not in {None, found}:
            raise SettingError(
                f"{name} is {found} in {chosen.head or chosen.model} and cannot be {asked}."
            )


def _loaded_run(chosen: argparse.Namespace) -> Run:
    _refuse(chosen, "start")
    checkpoint = read_checkpoint(chosen.head, num_heads=chosen.num_heads, head=chosen.head_index)
    query = checkpoint.head.query
    _check_sizes(chosen, query.out_features, query.in_features)
    divisor = parse_divisor(
        chosen.divisor or "sqrt", d_k=query.out_features, d_model=query.in_features
    )
    return run_checkpoint(
        chosen.text,
        checkpoint,
        seed=chosen.seed,
        positions=chosen.positions,
        causal=chosen.causal,
        divisor=divisor,
    )


def _record(result: Run | WeightsRun) -> dict[str, Any]:
    record: dict[str, Any] = dict.fromkeys(_KEYS)
    record["tokens"] = list(result.tokens.pieces)
    if result.keys is not result.tokens:
        record["keys"] = list(result.keys.pieces)
    if isinstance(result, WeightsRun):
        entropies = entropy(result.weights).tolist()
        record |= {"weights": result.weights.tolist(), "why": result.why}
    else:
        entropies = entropy(result.trace.weights, result.trace.mask).tolist()
        numbers = {name: getattr(result.trace, name) for name in _KEYS[1:-1]}
        record |= {
            name: value.tolist() if isinstance(value, Tensor) else value
            for name, value in numbers.items()
        }
    record["entropy"] = [None if math.isnan(nats) else nats for nats in entropies]
    if isinstance(result, (ModelRun, WeightsRun)):
        facts = result.facts
        record |= {
            "model": facts.model,
            "layer": facts.layer,
            "head_index": facts.head,
            "residual": None if math.isnan(facts.residual) else facts.residual,
            "extras": list(facts.extras),
        }
    return record


def _print_tables(result: Run, *, is_random: bool) -> None:
    trace = result.trace
    divisor = number(trace.divisor)
    everywhere = trace.mask.new_ones(trace.mask.shape)
    console = Console(highlight=False, width=_WIDE)
    if _is_too_long(console, result):
        return
    steps = read_steps(trace.steps)
    added = f", {steps}" if steps else ""
    for title, matrix, shown in (
        ("Raw scores QKᵀ", trace.scores, everywhere),
        (f"Scaled scores QKᵀ ÷ {divisor}", trace.scaled_scores, everywhere),
        (f"Attention weights softmax(QKᵀ ÷ {divisor}{added})", trace.weights, trace.mask),
        (
            f"Attention weights without scaling softmax(QKᵀ{added})",
            unscaled_weights(trace),
            trace.mask,
        ),
    ):
        console.print(_table(title, matrix, shown, result.tokens, result.keys))
    _print_readings(console, result, trace.weights, trace.mask)
    if isinstance(result, ModelRun):
        facts = f"{read_facts(result.facts)}. {read_divisor(result)} {read_residual(result.facts)}"
        console.print(Text(f"{typed_specials(result.tokens)} {facts}".strip()))
    if is_random:
        console.print(
            Text("A random head carries no meaning: the numbers show how softmax behaves.")
        )


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

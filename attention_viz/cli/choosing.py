"""The choice of a sentence and a head, as all commands have it."""

import argparse

from attention_viz.checkpoints import read_checkpoint
from attention_viz.demo import demo_heads, demo_run
from attention_viz.errors import SettingError
from attention_viz.heads import Start, random_head
from attention_viz.models import ModelRun, WeightsRun, load_model
from attention_viz.pipeline import USUAL_WIDTH, Run, parse_divisor, run, run_checkpoint


def add_head_options(parser: argparse.ArgumentParser) -> None:
    """Add the sentence and everything that decides which head runs on it."""
    parser.add_argument("text", help="the sentence")
    parser.add_argument("--d-k", type=int, metavar="N", help="head size (default 64)")
    parser.add_argument("--d-model", type=int, metavar="N", help="width of the inputs (256)")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument(
        "--divisor",
        metavar="D",
        help="what scores are divided by: sqrt (of d_k; default, but for a model its own), 1, d_k, "
        "sqrt_d_model or a number",
    )
    parser.add_argument(
        "--head",
        metavar="FILE",
        help=f"a loaded head: .safetensors or .pt, or {', '.join(_demo_names())}",
    )
    parser.add_argument(
        "--num-heads", type=int, metavar="N", help="of the file's nn.MultiheadAttention"
    )
    parser.add_argument(
        "--model", metavar="NAME", help="a language model: minilm, a folder or a hub id"
    )
    parser.add_argument("--layer", type=int, default=0, metavar="L", help="of the model, from 0")
    parser.add_argument("--head-index", type=int, default=0, metavar="H", help="which, from 0")
    parser.add_argument(
        "--start",
        choices=[start.value for start in Start],
        default="gaussian",
        help="of the weights",
    )
    parser.add_argument("--positions", action="store_true", help="add a vector to each position")
    parser.add_argument("--causal", action="store_true", help="look only back")


def chosen_run(chosen: argparse.Namespace) -> Run | WeightsRun:
    """The sentence through the head that the options name.

    Raises:
        AttentionVizError: they do not go together, or name what is not there.
    """
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
    d_model = USUAL_WIDTH if chosen.d_model is None else chosen.d_model
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

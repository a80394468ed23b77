"""The choice of a sentence and a head, as all commands have it."""

import argparse
from dataclasses import dataclass, fields
from typing import Any, Final

from attention_viz.checkpoints import read_checkpoint
from attention_viz.demo import demo_heads, demo_run
from attention_viz.errors import SettingError, check_whole
from attention_viz.heads import Start, random_head
from attention_viz.models import ModelRun, WeightsRun, load_model
from attention_viz.pipeline import USUAL_WIDTH, Recipe, Run, parse_divisor, run_checkpoint

_USUAL_SIZE: Final = 64
_MOST_PARTS: Final = 2**20  # layers, or heads of one: far more than there are


@dataclass(frozen=True, slots=True)
class Choice:
    """A sentence, and everything that decides which head runs on it.

    Attributes:
        text: the sentence.
        d_k: of a random head; a loaded one's may be named too, and must be right. None: as it is.
        d_model: width of the inputs, likewise.
        seed: of a random head, and of the inputs that are drawn.
        divisor: a name or digits; None for the head's own.
        head: a demo head's name, or a file; None for a random head or a model's.
        num_heads: of the file's layer, which does not say it.
        model: a model's name or folder; None for any other head.
        layer: of the model.
        head_index: of the layer.
        start: how a random head is drawn.
        positions: whether each position adds a vector.
        causal: whether a token looks only back.
    """

    text: str
    d_k: int | None = None
    d_model: int | None = None
    seed: int = 0
    divisor: str | None = None
    head: str | None = None
    num_heads: int | None = None
    model: str | None = None
    layer: int = 0
    head_index: int = 0
    start: str = Start.GAUSSIAN.value
    positions: bool = False
    causal: bool = False

    def __post_init__(self) -> None:
        """Refuse what no head can have: one that has no such choice would not look at it."""
        for name in ("head", "model"):
            if getattr(self, name) == "":
                raise SettingError(f"{name} must be a name; got none.")
        for name, least in (("layer", 0), ("head_index", 0), ("num_heads", 1)):
            if (number := getattr(self, name)) is not None:
                check_whole(name, number, least, _MOST_PARTS)


def add_head_options(parser: argparse.ArgumentParser) -> None:
    """Add the sentence and everything that decides which head runs on it."""
    parser.add_argument("text", help="the sentence")
    # What is not given is left out: the defaults are those of Choice.
    _add_random(parser.add_argument_group("a random head", argument_default=argparse.SUPPRESS))
    _add_loaded(parser.add_argument_group("a loaded head", argument_default=argparse.SUPPRESS))
    _add_any(parser.add_argument_group("any head", argument_default=argparse.SUPPRESS))


def read_choice(chosen: argparse.Namespace) -> Choice:
    """What the options say."""
    said = vars(chosen)
    return Choice(**{one.name: said[one.name] for one in fields(Choice) if one.name in said})


def chosen_run(chosen: Choice) -> Run | WeightsRun:
    """The sentence through the head that was chosen.

    Raises:
        AttentionVizError: choices do not go together, or name what is not there.
    """
    if chosen.model:
        return _model_run(chosen, chosen.model)
    if chosen.head in _demo_names():
        return _demo_run(chosen, chosen.head)
    return _loaded_run(chosen, chosen.head) if chosen.head else _random_run(chosen)


def _add_random(group: Any) -> None:
    group.add_argument("--d-k", type=int, metavar="N", help=f"head size ({_USUAL_SIZE})")
    group.add_argument("--d-model", type=int, metavar="N", help=f"width of inputs ({USUAL_WIDTH})")
    group.add_argument("--seed", type=int, metavar="N", help="of the head and the inputs (0)")
    group.add_argument("--start", choices=[start.value for start in Start], help="of the weights")


def _add_loaded(group: Any) -> None:
    group.add_argument(
        "--head", metavar="FILE", help=f".safetensors or .pt, or {', '.join(_demo_names())}"
    )
    group.add_argument(
        "--num-heads", type=int, metavar="N", help="of the file's nn.MultiheadAttention"
    )
    group.add_argument(
        "--model", metavar="NAME", help="a language model: minilm, a folder or a hub id"
    )
    group.add_argument("--layer", type=int, metavar="L", help="of the model, from 0")
    group.add_argument("--head-index", type=int, metavar="H", help="which, from 0")


def _add_any(group: Any) -> None:
    group.add_argument(
        "--divisor",
        metavar="D",
        help="what scores are divided by: sqrt (of d_k; default, but for a model its own), 1, d_k, "
        "sqrt_d_model or a number",
    )
    group.add_argument("--positions", action="store_true", help="add a vector to each position")
    group.add_argument("--causal", action="store_true", help="look only back")


def _model_run(chosen: Choice, name: str) -> Run | WeightsRun:
    if chosen.head:
        raise SettingError("--head and --model are two heads; give one of them.")
    _refuse(chosen, name, "causal", "positions", "start")
    model = load_model(name)
    whole = model.run(chosen.text, chosen.layer, chosen.head_index)
    if not isinstance(whole, ModelRun):
        return whole
    d_k, d_model = whole.trace.d_k, whole.inputs.shape[1]
    _check_sizes(chosen, name, d_k, d_model)
    if chosen.divisor is None:
        return whole
    divisor = parse_divisor(chosen.divisor, d_k=d_k, d_model=d_model)
    return model.run(chosen.text, chosen.layer, chosen.head_index, divisor=divisor)


def _random_run(chosen: Choice) -> Run:
    d_model = USUAL_WIDTH if chosen.d_model is None else chosen.d_model
    d_k = _USUAL_SIZE if chosen.d_k is None else chosen.d_k
    # Before the divisor, which is made of sizes that may be wrong.
    head = random_head(d_model, d_k, seed=chosen.seed, start=chosen.start)
    divisor = parse_divisor(chosen.divisor or "sqrt", d_k=d_k, d_model=d_model)
    start = Start(chosen.start)
    recipe = Recipe(chosen.text, chosen.seed, d_model, start, chosen.positions, chosen.causal)
    return recipe.run_head(head, divisor)


def _demo_names() -> list[str]:
    return [head.name for head in demo_heads()]


def _demo_run(chosen: Choice, name: str) -> Run:
    _refuse(chosen, name, "causal", "positions", "start")
    whole = demo_run(chosen.text, name)
    d_k, d_model = whole.trace.d_k, whole.inputs.shape[1]
    _check_sizes(chosen, name, d_k, d_model)
    divisor = parse_divisor(chosen.divisor or "sqrt", d_k=d_k, d_model=d_model)
    return demo_run(chosen.text, name, divisor=divisor)


def _refuse(chosen: Choice, head: str, *names: str) -> None:
    """Refuse what would change a random head and does not change this one."""
    usual = Choice(chosen.text)
    for name in names:
        if getattr(chosen, name) != getattr(usual, name):
            raise SettingError(f"--{name} does not go with {head}, which has its own.")


def _check_sizes(chosen: Choice, head: str, d_k: int, d_model: int) -> None:
    """A loaded head's sizes are facts; asked for others, it says so."""
    for name, asked, found in (("d_k", chosen.d_k, d_k), ("d_model", chosen.d_model, d_model)):
        if asked not in {None, found}:
            raise SettingError(f"{name} is {found} in {head} and cannot be {asked}.")


def _loaded_run(chosen: Choice, head: str) -> Run:
    _refuse(chosen, head, "start")
    checkpoint = read_checkpoint(head, num_heads=chosen.num_heads, head=chosen.head_index)
    query = checkpoint.head.query
    d_k, d_model = query.out_features, query.in_features
    _check_sizes(chosen, head, d_k, d_model)
    return run_checkpoint(
        chosen.text,
        checkpoint,
        seed=chosen.seed,
        positions=chosen.positions,
        causal=chosen.causal,
        divisor=parse_divisor(chosen.divisor or "sqrt", d_k=d_k, d_model=d_model),
    )

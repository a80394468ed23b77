"""A picture's numbers as lines of torch that need nothing of this package."""

from collections.abc import Iterable
from typing import Final

import torch
from torch import Tensor

from attention_viz.attention import Bias, Sink, SoftCap, Step
from attention_viz.errors import SettingError
from attention_viz.heads import Start
from attention_viz.pipeline import Recipe, Run
from attention_viz.tokens import Tokens

MAX_WRITTEN: Final = 20_000
_DRAWS: Final = {
    Start.GAUSSIAN: "torch.randn(d_model, generator=rng) / math.sqrt(d_model)",
    Start.TIED: "torch.randn(d_model, generator=rng) / math.sqrt(d_model)",
    Start.POSITIVE: "torch.randn(d_model, generator=rng).abs() / math.sqrt(d_model)",
    Start.TORCH: "(2 * torch.rand(d_model, generator=rng) - 1) / math.sqrt(d_model)",
    Start.HEAVY: "student(rng) / math.sqrt(d_model)",
    Start.LAYER_NORM: "torch.eye(d_model)[j]",
}


def torch_listing(run: Run) -> str:
    """A program that ends with the same scores, scaled_scores, weights and context.

    It draws a random head's numbers again from the same seed; query, key and value of a loaded head
    are written out. torch and the standard library only.

    Raises:
        SettingError: more numbers to write out than anybody pastes.
    """
    check_length(run)
    return _drawn(run, run.origin) if isinstance(run.origin, Recipe) else _written(run)


def hand_listing(tokens: Tokens, scores: Tensor) -> str:
    """A program that ends with the weights of scores (n, n) by hand, which are written out."""
    return (
        f"import torch\n\ntokens = {list(tokens.pieces)!a}\n"
        f"scores = torch.tensor({scores.tolist()})\n"
        f"weights = torch.softmax(scores, dim=-1)\nprint(weights)\n"
    )


def check_length(run: Run) -> None:
    """Refuse a run whose listing would be too long, without making it.

    Raises:
        SettingError: more numbers to write out than anybody pastes.
    """
    trace = run.trace
    written = (trace.query, trace.key, trace.value, *_biases(trace.steps))
    count = 0 if isinstance(run.origin, Recipe) else sum(matrix.numel() for matrix in written)
    if count > MAX_WRITTEN:
        raise SettingError(
            f"query, key, value and bias must have at most {MAX_WRITTEN:,} numbers to be written "
            f"out; got {count:,}. Shorten the sentence."
        )


def _drawn(run: Run, recipe: Recipe) -> str:
    start, seed = recipe.start, recipe.seed
    parts = [
        "import hashlib\nimport math\n\nimport torch",
        f"tokens = {list(run.tokens.pieces)!a}\n"
        f"seed, d_model, d_k = {seed}, {recipe.d_model}, {run.trace.d_k}\n"
        f"divisor = {run.trace.divisor!r}",
        _SOURCE,
        *([_STUDENT] if start is Start.HEAVY else []),
        _ROWS.format(draw=_DRAWS[start], bias=_bias(start)),
        _inputs(positions=recipe.positions, normalised=start is Start.LAYER_NORM),
        _HEAD.format(key="query" if start is Start.TIED else "key"),
        _ATTENTION.format(
            steps="", mask=_CAUSAL + _MASK if recipe.causal else "", weights=_SOFTMAX
        ),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _written(run: Run) -> str:
    trace = run.trace
    matrices = "\n".join(
        f"{name} = torch.tensor({getattr(trace, name).tolist()})"
        for name in ("query", "key", "value")
    )
    sinks = [step.logit for step in trace.steps if isinstance(step, Sink)]
    parts = [
        "import math\n\nimport torch",
        f"tokens = {list(run.tokens.pieces)!a}\ndivisor = {trace.divisor!r}\n{matrices}",
        _ATTENTION.format(
            steps="".join(map(_step, trace.steps)),
            mask=_mask(trace.mask),
            weights=_SINK.format(logit=sinks[0]) if sinks else _SOFTMAX,
        ),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _biases(steps: Iterable[Step]) -> list[Tensor]:
    return [step.values for step in steps if isinstance(step, Bias)]


def _step(step: Step) -> str:
    match step:
        case SoftCap(limit):
            return f"logits = {limit!r} * torch.tanh(logits / {limit!r})\n"
        case Bias(values):
            return f"logits = logits + torch.tensor({values.tolist()})\n"
        case Sink():
            return ""


def _mask(mask: Tensor) -> str:
    """The lines of a mask; a causal one needs no numbers."""
    if mask.all():
        return ""
    if mask.equal(torch.ones_like(mask).tril()):
        return _CAUSAL + _MASK
    return f"may_look = torch.tensor({mask.int().tolist()}) > 0\n{_MASK}"


def _bias(start: Start) -> str:
    if start is Start.TORCH:
        return "(2 * torch.rand(1, generator=rng) - 1) / math.sqrt(d_model)"
    return "torch.zeros(1)"


def _inputs(*, positions: bool, normalised: bool) -> str:
    lines = [_INPUTS]
    if positions:
        lines.append(_POSITIONS)
    if normalised:
        lines.append("inputs = torch.nn.functional.layer_norm(inputs, (d_model,))")
    return "\n".join(lines)


_ROWS: Final = '''
def project(inputs, matrix):
    """(n, d_k): row j of the weight is drawn from its own seed, so a larger head holds this one."""
    weights, biases = [], []
    for j in range(d_k):
        rng = source(seed, matrix, j)
        weights.append({draw})
        biases.append({bias})
    return torch.nn.functional.linear(inputs, torch.stack(weights), torch.cat(biases))
'''
_INPUTS: Final = """
inputs = torch.stack([torch.randn(d_model, generator=source(seed, "token", t)) for t in tokens])
""".strip()
_POSITIONS: Final = """
places = [torch.randn(d_model, generator=source(seed, "position", i)) for i in range(len(tokens))]
inputs = (inputs + torch.stack(places)) / 2**0.5
""".strip()
_HEAD: Final = """
query = project(inputs, "query")
key = project(inputs, "{key}")
value = project(inputs, "value")
"""
_ATTENTION: Final = """
scores = query @ key.mT
scaled_scores = scores / divisor
logits = scaled_scores
{steps}{mask}{weights}context = weights @ value
print(weights)
"""
_SOFTMAX: Final = "weights = torch.softmax(logits, dim=-1)\n"
_SINK: Final = """\
sink = torch.full_like(logits[:, :1], {logit!r})  # takes weight and gives nothing
weights = torch.softmax(torch.cat([logits, sink], dim=-1), dim=-1)[:, :-1]
"""
_CAUSAL: Final = """\
may_look = torch.ones(len(tokens), len(tokens), dtype=torch.bool).tril()
"""
_MASK: Final = """\
logits = logits.masked_fill(~may_look, -math.inf)
"""
_STUDENT: Final = '''
def student(rng):
    """Student's t with 1.5 degrees of freedom, which has no variance (Bailey 1994)."""
    radius = 1 - torch.rand(d_model, generator=rng)
    angle = 2 * torch.pi * torch.rand(d_model, generator=rng)
    return angle.cos() * (torch.expm1(radius.log() * (-2 / 1.5)) * 1.5).sqrt()
'''
_SOURCE: Final = '''
def source(*parts):
    """Random numbers that depend on the parts alone, in every process."""
    name = "\\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(name, digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "big") >> 1)
'''

"""The maps of a run as data: raw scores, scaled scores, weights, and weights unscaled."""

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from attention_viz.attention import Sink, unscaled_weights
from attention_viz.colours import MASKED, SCORES, WEIGHTS, Rgb, Scale, shade
from attention_viz.pipeline import Run
from attention_viz.reading import number, percent, read_steps

FONT: Final = "Source Sans, Noto Sans, system-ui, sans-serif"
MAX_LABEL: Final = 14  # letters of a token
MAX_TEXT_TOKENS: Final = 8  # above it cells carry no number


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """One heatmap: its words, its numbers and how they become colours.

    Attributes:
        title: what it shows.
        formula: how it is computed.
        values: (n_q, columns); NaN has no colour and is written "?".
        columns: what stands under each.
        limits: of the colours.
        ends: the words of the legend, lowest, middle and highest.
        anchors: the colours.
        masked: (n_q, columns) booleans.
        own_scale: whether its colours are its own.
        divisor: what its weights were divided by; 0 for scores.
    """

    title: str
    formula: str
    values: Tensor
    columns: tuple[str, ...]
    limits: tuple[float, float]
    ends: tuple[str, str, str]
    anchors: tuple[Rgb, ...]
    masked: Tensor
    own_scale: bool = False
    divisor: float = 0.0

    @property
    def note(self) -> str:
        """What the colours leave out."""
        low, high = self.limits
        if self.own_scale:
            return f"its own scale: ±{number(high)}"
        off = int(((self.values < low) | (self.values > high)).sum())
        return f"{off} of {self.values.numel()} cells off the scale" if off else ""

    @property
    def lines(self) -> list[str]:
        """Title, formula and note, as Plotly reads them."""
        return [f"<b>{self.title}</b>", self.formula, self.note]

    def colour(self, i: int, j: int) -> Rgb:
        """The colour of a cell."""
        if self.masked[i, j]:
            return MASKED
        low, high = self.limits
        return shade(self.anchors, (self.values[i, j].item() - low) / (high - low))


def describe_maps(run: Run) -> str:
    """What the figure shows, for a person who cannot see it."""
    trace, names = run.trace, run.tokens.names
    top = [int(weights.argmax()) for weights in trace.weights]
    rows = "; ".join(
        f"{names[i]} most on {run.keys.names[j]}, {percent(trace.weights[i, j].item())}"
        for i, j in list(enumerate(top))[:MAX_TEXT_TOKENS]
        if trace.mask[i].any()
    )
    last = "" if trace.divisor == 1 else ", and weights without scaling"
    return (
        f"Heatmaps of {run.tokens.n} by {run.keys.n} raw scores, scores divided by "
        f"{number(trace.divisor)}, attention weights{last}. {rows or 'No row may look anywhere'}."
    )


def maps_of(run: Run, scale: Scale, limit: float) -> list[Map]:
    """The maps of a run, in the order of the steps: four, or three where the divisor is 1."""
    trace = run.trace
    maps = [
        _score_map("Raw scores", "QKᵀ", trace.scores, run, scale, limit),
        _score_map(
            "Scaled scores",
            f"QKᵀ ÷ {number(trace.divisor)}",
            trace.scaled_scores,
            run,
            scale,
            limit,
        ),
    ]
    steps = read_steps(trace.steps)
    added = f", {steps}" if steps else ""
    if trace.divisor == 1:
        formula = f"softmax(QKᵀ{added}): divisor 1 scales nothing"
        return [*maps, _weight_map(formula, trace.weights, run, 1)]
    formula = f"softmax(QKᵀ ÷ {number(trace.divisor)}{added})"
    without = f"without scaling: softmax(QKᵀ{added})"
    return [
        *maps,
        _weight_map(formula, trace.weights, run, trace.divisor),
        _weight_map(without, unscaled_weights(trace), run, 1),
    ]


def _score_map(
    title: str, formula: str, values: Tensor, run: Run, scale: Scale, limit: float
) -> Map:
    high = {
        Scale.FIXED: limit,
        Scale.FIT: max(_largest(run.trace.scores), _largest(run.trace.scaled_scores)),
        Scale.OWN: _largest(values),
    }[scale]
    nowhere = torch.zeros_like(run.trace.mask)
    own = scale is Scale.OWN
    ends = {
        Scale.FIXED: (f"≤ {number(-high)}", "0", f"≥ {number(high)}"),
        Scale.FIT: (number(-high), "0", number(high)),
        Scale.OWN: ("own least", "0", "own most"),
    }[scale]
    return Map(title, formula, values, run.keys.labels, (-high, high), ends, SCORES, nowhere, own)


def _weight_map(formula: str, weights: Tensor, run: Run, divisor: float) -> Map:
    """A map of weights; what a sink takes is a column of its own."""
    columns, masked = run.keys.labels, ~run.trace.mask
    if any(isinstance(step, Sink) for step in run.trace.steps):
        sunk = 1 - weights.sum(dim=-1, keepdim=True)
        weights = torch.cat([weights, sunk.clamp(min=0)], dim=-1)
        masked = torch.cat([masked, torch.zeros_like(masked[:, :1])], dim=-1)
        columns = (*columns, "sink")
    return Map(
        "Attention weights",
        formula,
        weights,
        columns,
        (0.0, 1.0),
        ("0", "0.5", "1"),
        WEIGHTS,
        masked,
        divisor=divisor,
    )


def _largest(values: Tensor) -> float:
    return values.abs().max().item() or 1.0


def own_weights(weights: Tensor, keys: tuple[str, ...]) -> Map:
    """The weights of a head whose other steps are not known, the model's own."""
    return Map(
        "Attention weights",
        "the model’s own",
        weights,
        keys,
        (0.0, 1.0),
        ("0", "0.5", "1"),
        WEIGHTS,
        torch.zeros_like(weights, dtype=torch.bool),
    )

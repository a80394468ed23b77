"""A Hugging Face model -> a Run for any layer and head, from one forward a text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor

from attention_viz.errors import ModelError, TextError, check_whole
from attention_viz.models.foreign import foreign
from attention_viz.models.pieces import Pieces, read_pieces
from attention_viz.models.recording import (
    Call,
    OwnWeights,
    RawCall,
    note_inputs,
    read_call,
    recording,
)
from attention_viz.models.rotary import Groups, coordinate_groups
from attention_viz.origins import Loaded
from attention_viz.pipeline import Run
from attention_viz.reading import number, read_mask, read_steps
from attention_viz.tokens import MAX_TOKENS, Tokens, check_text

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

MAX_TEXTS: Final = 4  # whose queries, keys and values are kept
_TRY: Final = ". Try another text, or another model."
# Of different lengths: where queries and keys differ in number, a decoder looks at an encoder.
_PROBES: Final = ("one two three four five", "one two")


@dataclass(frozen=True, slots=True)
class Layer:
    """One attention layer, in the order in which a forward meets them.

    Attributes:
        name: such as ``3``, or ``decoder 1, cross`` where a model has two halves.
        decodes: whether queries come from the second half of a model.
        crosses: whether keys come from the first half then.
        num_heads: number of query heads.
    """

    name: str
    decodes: bool
    crosses: bool
    num_heads: int


@dataclass(frozen=True, slots=True)
class HeadFacts:
    """What is true of one head of a model on one text.

    Attributes:
        model: its name.
        layer: its place in ``Model.layers``.
        layer_name: its words.
        head: its place in the layer.
        residual: largest difference of recomputed weights from the model's own in this layer; NaN
            where none could be computed.
        divisor: what this model divides scores by; NaN where it is not known.
        extras: what it does beside the paper's steps, in words.
    """

    model: str
    layer: int
    layer_name: str
    head: int
    residual: float
    divisor: float = math.nan
    extras: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ModelRun(Run):
    """One text through one head of a model, every step broken down.

    Attributes:
        tokens, keys, inputs, trace, origin: as of any Run.
        facts: what is true of this head.
        groups: the coordinates of query and key that an ablation keeps or drops together.
    """

    facts: HeadFacts
    groups: Groups


@dataclass(frozen=True, slots=True, eq=False)
class WeightsRun:
    """One text through one head whose steps are not known: the weights are the model's own.

    Attributes:
        tokens: the n_q queries.
        keys: the n_k keys.
        weights: (n_q, n_k).
        facts: what is known of this head.
        why: the reason, as a sentence.
    """

    tokens: Tokens
    keys: Tokens
    weights: Tensor
    facts: HeadFacts
    why: str

    @property
    def mask(self) -> Tensor:
        """(n_q, n_k) booleans: where it may look is not known, so everywhere."""
        return torch.ones_like(self.weights, dtype=torch.bool)


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """One text in every layer.

    Attributes:
        tokens: of the whole model, or of its first half.
        decoded: of its second half; the same object where there is none.
        calls: one a layer.
    """

    tokens: Tokens
    decoded: Tokens
    calls: tuple[Call | OwnWeights, ...]


class Model:
    """A language model that reads text, ready to be asked for any head.

    Attributes:
        name: what it was asked for by.
        why: why its steps cannot be broken down, as a sentence; empty when they are.
        limit: the most tokens that it takes.
        layers: every attention layer.
        groups: of the coordinates of query and key, see ``coordinate_groups``.
    """

    def __init__(
        self,
        name: str,
        network: "PreTrainedModel",
        tokenizer: "PreTrainedTokenizerFast",
    ) -> None:
        self.name = name
        self.limit = int(min(MAX_TOKENS, tokenizer.model_max_length, _positions(network)))
        self._network = network.eval()
        self._tokenizer = tokenizer
        self._lock = Lock()
        self._record = lru_cache(MAX_TEXTS)(self._forward)
        first, second = (read_pieces(tokenizer, probe) for probe in _PROBES)
        if first.tokens.n > self.limit:
            raise ModelError(
                f"{name} must take texts of {first.tokens.n} tokens at least; its limit is "
                f"{self.limit}."
            )
        decoded = self._decoded(second) if network.config.is_encoder_decoder else first
        raws = self._raw_calls(first, decoded)
        for module in {raw.module for raw in raws}:
            module.register_forward_pre_hook(note_inputs, with_kwargs=True)
        self.why = "" if raws else self._weights_only()
        shapes = [tuple(raw.weights.shape[1:]) for raw in raws]
        if not raws:
            shapes = [tuple(own.own.shape) for own in self._own_weights(first, decoded)]
        self.layers = _layers(shapes, first.tokens.n, two_halves=decoded is not first)
        d_k = raws[0].query.shape[-1] if raws else 0
        self.groups = coordinate_groups(raws[0].module, network.config, d_k) if raws else ()

    def __repr__(self) -> str:
        """What it is, in a line."""
        return (
            f"<Model {self.name}: {len(self.layers)} attention layers, {self.why or 'every step'}>"
        )

    def run(
        self, text: str, layer: int = 0, head: int = 0, *, divisor: float | None = None
    ) -> ModelRun | WeightsRun:
        """One head on a text: every step, or the weights alone where the steps are not known.

        A model with an encoder and a decoder reads the text in both.

        Args:
            text: read with the model's own tokenizer.
            layer: from 0, in the order of a forward.
            head: from 0.
            divisor: what scores are divided by; the model's own when None.

        Raises:
            TextError: the text is empty, or longer than the model takes.
            SettingError: there is no such layer or head, or the divisor is not above 0.
            ModelError: the model cannot run the text.
        """
        check_whole("layer", layer, 0, len(self.layers) - 1)
        here = self.layers[layer]
        check_whole("head", head, 0, here.num_heads - 1)
        recorded = self.record(text)
        queries = recorded.decoded if here.decodes else recorded.tokens
        keys = recorded.tokens if here.crosses else queries
        call = recorded.calls[layer]
        facts = HeadFacts(self.name, layer, here.name, head, call.residual)
        if isinstance(call, OwnWeights):
            if not call.weights(head).isfinite().all():
                which = f"those of layer {layer}, head {head} are not"
                raise ModelError(f"The weights of {self.name} must be finite; {which}{_TRY}")
            return WeightsRun(queries, keys, call.weights(head), facts, self.why or _why(call))
        facts = replace(facts, divisor=call.divisor, extras=_extras(call, head))
        trace = call.trace(head, divisor)
        origin = Loaded(self.name)
        return ModelRun(queries, keys, call.inputs, trace, origin, facts, self.groups)

    def record(self, text: str) -> Recording:
        """One text in every layer; the last few texts are kept, so another head costs no forward.

        Raises:
            TextError: the text is empty, or longer than the model takes.
            ModelError: the model cannot run the text.
        """
        check_text(text)
        return self._record(text)

    def _forward(self, text: str) -> Recording:
        with foreign(f"{self.name} could not read this text", _TRY):
            pieces = read_pieces(self._tokenizer, text)
        if pieces.tokens.n > self.limit:
            raise TextError(
                f"The text must have at most {self.limit} tokens for {self.name}; got "
                f"{pieces.tokens.n}. Shorten it."
            )
        two_halves = self._network.config.is_encoder_decoder
        decoded = self._decoded(pieces) if two_halves else pieces
        calls: Sequence[Call | OwnWeights]
        if self.why:
            calls = self._own_weights(pieces, decoded)
        else:
            calls = [read_call(raw) for raw in self._raw_calls(pieces, decoded)]
        return Recording(pieces.tokens, decoded.tokens, tuple(calls))

    def _raw_calls(self, pieces: Pieces, decoded: Pieces) -> list[RawCall]:
        with recording() as calls:
            self._run(pieces, decoded)
        return calls

    def _own_weights(self, pieces: Pieces, decoded: Pieces) -> list[OwnWeights]:
        said = self._run(pieces, decoded, output_attentions=True)
        names = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
        found = [weights for name in names for weights in said.get(name) or ()]
        if not found or any(weights is None for weights in found):
            raise ModelError(
                f"{self.name} has no attention layers that it tells of, so there is none to show."
            )
        return [OwnWeights(weights[0], math.nan) for weights in found]

    def _run(self, pieces: Pieces, decoded: Pieces, **options: bool) -> Any:
        given = {"input_ids": torch.tensor([pieces.ids])}
        if decoded is not pieces:
            given["decoder_input_ids"] = torch.tensor([decoded.ids])
        # One at a time: two would share the processors, and both take longer.
        failed = f"{self.name} could not run on {len(pieces.ids)} tokens"
        with self._lock, torch.no_grad(), foreign(failed, _TRY):
            return self._network(**given, **options)

    def _weights_only(self) -> str:
        """Have the model give its weights, the only thing that can be had of it."""
        self._network.set_attn_implementation("eager")
        kind = self._network.config.model_type
        return (
            f"{self.name} is of the kind {kind}, whose attention cannot be reached from outside: "
            "the weights are the model's own, and the steps before them are not shown."
        )

    def _decoded(self, pieces: Pieces) -> Pieces:
        """A text as a decoder reads it: after its start token, without its last."""
        start = self._network.config.decoder_start_token_id
        piece = self._tokenizer.convert_ids_to_tokens(start)
        before = pieces.tokens
        tokens = Tokens(
            before.text,
            (piece, *before.pieces[:-1]),
            (piece, *before.labels[:-1]),
            ((0, 0), *before.offsets[:-1]),
            (True, *before.special[:-1]),
            ("", *before.words[:-1]),
        )
        return Pieces(tokens, (start, *pieces.ids[:-1]))


def _layers(
    shapes: Sequence[tuple[int, ...]], n_first: int, *, two_halves: bool
) -> tuple[Layer, ...]:
    """The layers by the shapes (heads, n_q, n_k) of their weights on the probes."""
    layers: list[Layer] = []
    for num_heads, n_q, n_k in shapes:
        decodes = two_halves and n_q != n_first
        crosses = decodes and n_k != n_q
        count = sum(other.decodes == decodes and other.crosses == crosses for other in layers)
        words = "decoder {}, cross" if crosses else "decoder {}" if decodes else "encoder {}"
        name = (words if two_halves else "{}").format(count)
        layers.append(Layer(name, decodes, crosses, num_heads))
    return tuple(layers)


def _positions(network: "PreTrainedModel") -> int:
    """The most positions that a model's tables have room for."""
    most: int = getattr(network.config, "max_position_embeddings", None) or 0
    if most <= 0:  # none, or -1 for no end
        return MAX_TOKENS
    for name, module in network.named_modules():
        padding = getattr(module, "padding_idx", None)
        # Some tables keep their first rows for padding.
        if name.endswith("position_embeddings") and padding is not None:
            most = min(most, module.num_embeddings - padding - 1)
    return most


def _extras(call: Call, head: int) -> tuple[str, ...]:
    """What a head does beside softmax(QKᵀ ÷ √d_k) V, in words."""
    shared = call.num_heads // call.key.shape[0]
    words = (
        read_mask(call.head_mask(head)),
        read_steps(call.steps(head)),
        f"key and value shared by {shared} heads" if shared > 1 else "",
    )
    return tuple(part for part in words if part)


def _why(call: OwnWeights) -> str:
    if math.isnan(call.residual):
        return (
            "The steps of this layer could not be computed again, so these weights are the model's "
            "own, and the steps before them are not shown."
        )
    return (
        "This layer takes a step that is not known here: weights computed again differ from the "
        f"model's own by up to {number(call.residual)}, so these are the model's own, and the "
        "steps before them are not shown."
    )

"""Weights computed again, step by step, against the weights that each model gives of itself."""

import math
from dataclasses import replace

import pytest
import torch

from attention_viz.models import recording
from attention_viz.models.recording import Call, note_inputs, read_call, register
from tests.unit.models.conftest import GPT, GROUPED, SEQ2SEQ, SIZES, T5, network

IDS = torch.tensor([[3, 4, 5, 6, 7, 8, 9], [3, 4, 5, 6, 7, 0, 0]])
PADDING = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 0, 0]])
TEXT = {"input_ids": IDS, "attention_mask": PADDING}
HALVES = TEXT | {"decoder_input_ids": torch.tensor([[2, 3, 4, 5], [2, 5, 4, 3]])}
PIXELS = {"pixel_values": torch.linspace(-2, 2, 192).sin().reshape(1, 3, 8, 8)}
SOUND = {
    "input_features": torch.linspace(-9, 9, 160).sin().reshape(1, 8, 20),
    "decoder_input_ids": torch.tensor([[1, 5, 6]]),
}
IMAGE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "image_size": 8,
    "patch_size": 4,
}
EXPERTS = {"num_local_experts": 2, "num_experts_per_tok": 1}
GEMMA = GROUPED | {"head_dim": 8, "query_pre_attn_scalar": 16, "sliding_window": 3}
LATENT = SIZES | {
    "num_key_value_heads": 4,
    "q_lora_rank": 8,
    "kv_lora_rank": 8,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "n_group": 2,
    "topk_group": 1,
    "moe_intermediate_size": 16,
    "first_k_dense_replace": 1,
    "n_shared_experts": 1,
}
MODERN = SIZES | {
    "pad_token_id": 0,
    "bos_token_id": 1,
    "cls_token_id": 1,
    "eos_token_id": 2,
    "sep_token_id": 2,
    "local_attention": 4,
    "global_attn_every_n_layers": 2,
}
OPT = {"ffn_dim": 48, "word_embed_proj_dim": 32} | {
    name: size for name, size in SIZES.items() if name != "intermediate_size"
}
WHISPER = SEQ2SEQ | {
    "max_source_positions": 10,
    "max_target_positions": 32,
    "num_mel_bins": 8,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "decoder_start_token_id": 1,
    "eos_token_id": 2,
}
DISTIL = {
    "vocab_size": 64,
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "hidden_dim": 48,
    "max_position_embeddings": 32,
}

# Name -> configuration, sizes, what it is given, and the class after the kind's name.
BROKEN_DOWN = {
    "BERT": ("Bert", SIZES, TEXT, "Model"),
    "DistilBERT": ("DistilBert", DISTIL, TEXT, "Model"),
    "RoBERTa": ("Roberta", SIZES, TEXT, "Model"),
    "ALBERT": ("Albert", SIZES | {"embedding_size": 16}, TEXT, "Model"),
    "ELECTRA": ("Electra", SIZES | {"embedding_size": 16}, TEXT, "Model"),
    "GPT-2": ("GPT2", GPT, TEXT, "Model"),
    "GPT-2 by layer": ("GPT2", GPT | {"scale_attn_by_inverse_layer_idx": True}, TEXT, "Model"),
    "GPT-NeoX": ("GPTNeoX", SIZES, TEXT, "Model"),
    "GPT-J": ("GPTJ", GPT | {"rotary_dim": 4}, TEXT, "Model"),
    "OPT": ("OPT", OPT, TEXT, "Model"),
    "T5 encoder": ("T5", T5, TEXT, "EncoderModel"),
    "T5": ("T5", T5 | {"decoder_start_token_id": 0}, HALVES, "Model"),
    "BART": ("Bart", SEQ2SEQ | {"max_position_embeddings": 32}, HALVES, "Model"),
    "Llama": ("Llama", GROUPED, TEXT, "Model"),
    "Mistral": ("Mistral", GROUPED | {"sliding_window": 3}, TEXT, "Model"),
    "Mixtral": ("Mixtral", GROUPED | EXPERTS, TEXT, "Model"),
    "Qwen2": ("Qwen2", GROUPED, TEXT, "Model"),
    "Qwen3": ("Qwen3", GROUPED | {"head_dim": 16}, TEXT, "Model"),
    "Gemma 2": ("Gemma2", GEMMA | {"attn_logit_softcapping": 5.0}, TEXT, "Model"),
    "Gemma 3": ("Gemma3Text", GEMMA, TEXT, "Model"),
    "Phi-3": ("Phi3", GROUPED | {"pad_token_id": 0}, TEXT, "Model"),
    "Granite": ("Granite", GROUPED | {"attention_multiplier": 0.3}, TEXT, "Model"),
    "OLMo 2": ("Olmo2", GROUPED, TEXT, "Model"),
    "Cohere": ("Cohere", GROUPED, TEXT, "Model"),
    "SmolLM3": ("SmolLM3", GROUPED | {"pad_token_id": 0}, TEXT, "Model"),
    "DeepSeek-V3": ("DeepseekV3", LATENT, TEXT, "Model"),
    "ModernBERT": ("ModernBert", MODERN, TEXT, "Model"),
    "gpt-oss": ("GptOss", GROUPED | EXPERTS | {"head_dim": 8, "sliding_window": 3}, TEXT, "Model"),
    "CLIP text": ("CLIPText", SIZES | {"projection_dim": 16}, TEXT, "Model"),
    "ViT": ("ViT", IMAGE, PIXELS, "Model"),
    "Whisper": ("Whisper", WHISPER, SOUND, "Model"),
}
OUTSIDE = {
    "MPNet": ("MPNet", SIZES),
    "BLOOM": ("Bloom", {"vocab_size": 64, "hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "DeBERTa-v2": ("DebertaV2", SIZES),
    "XLNet": ("XLNet", {"vocab_size": 64, "d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 48}),
}


@pytest.fixture(scope="module", autouse=True)
def _registered():
    register()


def recorded(model, given):
    """Every layer of every text: (text, n_q, n_k) rows and columns that are no padding, calls."""
    model.set_attn_implementation(recording.NAME)
    with recording.recording() as probe, torch.no_grad():
        model(**given)
    for module in {raw.module for raw in probe}:
        module.register_forward_pre_hook(note_inputs, with_kwargs=True)
    with recording.recording() as calls, torch.no_grad():
        model(**given)
    return calls


def own_weights(model, given):
    """What the model says of itself, by (n_q, n_k) in the order of a forward."""
    model.set_attn_implementation("eager")
    with torch.no_grad():
        said = model(**given, output_attentions=True)
    names = ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions")
    return [weights for name in names for weights in said.get(name) or ()]


def paired(calls, own):
    """Each call with the model's own weights of that layer: decoders alternate, lists do not."""
    kinds = {}
    for weights in own:
        kinds.setdefault(tuple(weights.shape), []).append(weights)
    return [(raw, kinds[tuple(raw.weights.shape)].pop(0)) for raw in calls]


@pytest.mark.parametrize("name", BROKEN_DOWN)
def test_every_head_gives_the_models_own_weights(name):
    kind, sizes, given, of = BROKEN_DOWN[name]
    model = network(kind, sizes, of=of)
    own = own_weights(model, given)
    calls = recorded(model, given)
    assert len(calls) == len(own) > 1
    for raw, expected in paired(calls, own):
        for item in range(expected.shape[0]):
            padding = ~PADDING[item].bool()
            rows, columns = (
                ~padding if n == len(padding) else torch.ones(n, dtype=torch.bool)
                for n in expected.shape[2:]
            )
            call = read_call(raw, item, padding)
            assert isinstance(call, Call), f"not broken down: {call.residual}"
            assert call.num_heads == expected.shape[1]
            assert call.inputs.shape == (rows.sum(), raw.inputs.shape[-1])
            differences = []
            for head in range(call.num_heads):
                right = expected[item, head][rows][:, columns]
                torch.testing.assert_close(call.weights(head), right, atol=2e-6, rtol=0)
                of_raw = raw.weights[item, head][rows][:, columns]
                differences.append((call.weights(head) - of_raw)[call.head_mask(head).any(-1)])
            worst = torch.cat(differences).abs().max().item()
            assert call.residual == pytest.approx(worst, rel=0, abs=1e-9)
            assert call.residual < 2e-6


@pytest.mark.parametrize(
    ("name", "left_out", "gone"),
    [
        ("GPT-2", "mask", lambda call: {"mask": torch.ones_like(call.mask)}),
        ("BERT", "mask", None),
        ("Gemma 2", "soft-cap", lambda _: {"softcap": 0.0}),
        ("gpt-oss", "sink", lambda _: {"sinks": torch.empty(0)}),
        ("T5 encoder", "bias", lambda _: {"bias": torch.empty(0)}),
        ("GPT-2 by layer", "divisor", lambda call: {"divisor": call.query.shape[-1] ** 0.5}),
        ("Llama", "grouping", lambda call: {"key": call.key.flip(0)}),
    ],
)
def test_leaving_a_step_out_shows(name, left_out, gone):
    """The mutation check: without this, the test above could pass on anything."""
    kind, sizes, given, of = BROKEN_DOWN[name]
    model = network(kind, sizes, of=of)
    raw = recorded(model, given)[-1]
    if gone is None:  # padding that is not dropped is masked, and dropping the mask shows
        call = read_call(raw, 1)
        assert not call.mask.all()
        gone = lambda call: {"mask": torch.ones_like(call.mask)}  # noqa: E731
    else:
        call = read_call(raw)
    without = replace(call, **gone(call))
    assert (without.weights(0) - call.weights(0)).abs().max() > 1e-3, left_out


@pytest.mark.parametrize("name", OUTSIDE)
def test_models_outside_the_interface_are_not_recorded(name):
    model = network(*OUTSIDE[name])
    assert recorded(model, {"input_ids": IDS[:1]}) == []


def test_a_step_that_is_not_known_is_noticed():
    """A model with one more bias than it tells us: no trace, the model's own weights."""
    model = network("Bert", SIZES)
    raw = recorded(model, TEXT)[0]
    own = raw.weights.flip(-1)
    call = read_call(replace(raw, weights=own))
    assert isinstance(call, recording.OwnWeights)
    assert call.residual > 1e-4
    assert torch.equal(call.weights(2), own[0, 2])


@pytest.mark.parametrize("part", ["query", "key", "value", "weights"])
@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_in_any_head_is_noticed(part, wrong):
    raw = recorded(network("Bert", SIZES), TEXT)[0]
    numbers = getattr(raw, part).clone()
    numbers[0, -1, 2] = wrong
    call = read_call(replace(raw, **{part: numbers}))
    assert isinstance(call, recording.OwnWeights)
    assert math.isnan(call.residual)


def test_weights_that_differ_in_any_head_are_noticed():
    raw = recorded(network("Bert", SIZES), TEXT)[0]
    own = raw.weights.clone()
    own[0, -1] = own[0, -1].flip(-1)
    call = read_call(replace(raw, weights=own))
    assert isinstance(call, recording.OwnWeights)
    assert call.residual > 1e-4


@pytest.mark.parametrize("part", ["query", "key", "value"])
def test_precisions_may_differ(part):
    raw = recorded(network("Bert", SIZES), TEXT)[0]
    call = read_call(replace(raw, **{part: getattr(raw, part).double()}))
    assert isinstance(call, Call)
    assert call.residual < 2e-6


def test_scores_that_overflow_in_any_head_are_noticed():
    raw = recorded(network("Bert", SIZES), TEXT)[0]
    large = torch.tensor([1.0, 1.0, 1.0, 1e25]).view(1, 4, 1, 1)  # one a head
    call = read_call(replace(raw, query=raw.query * large, key=raw.key * large))
    assert isinstance(call, recording.OwnWeights)
    assert math.isnan(call.residual)


def test_scores_of_a_model_that_scales_beforehand_are_unscaled():
    """OPT multiplies the query by 1/√d_k and tells the interface 1."""
    model = network("OPT", OPT)
    raw = recorded(model, TEXT)[0]
    call = read_call(raw)
    assert raw.options["scaling"] == 1.0
    assert call.divisor == pytest.approx(8**0.5)
    query = raw.module.q_proj(raw.inputs[0]).view(7, 4, 8)[:, 2]
    torch.testing.assert_close(call.trace(2).query, query)

"""Known failures of tools that load models, by their ids; each stands for its kind."""

import math

import pytest
import torch

from attention_viz.errors import TextError
from attention_viz.models import ModelRun, load_model
from attention_viz.models.recording import note_inputs, read_call, recording, register
from tests.unit.models.conftest import GPT, GROUPED, T5, network

TEXT = "i am good one two"


@pytest.fixture(scope="module")
def gpt2(make_folder):
    return load_model(make_folder("GPT2", GPT))


def test_t12_a_text_longer_than_the_model_takes_is_refused_with_both_numbers(minilm):
    with pytest.raises(TextError, match="at most 512 tokens for minilm; got 602"):
        minilm.run("word " * 600)


def test_l01_weights_are_there_whatever_backend_a_model_would_choose(gpt2):
    record = gpt2.record(TEXT)
    assert [tuple(call.weights(1).shape) for call in record.calls] == [(7, 7)] * 2


def test_l03_grouped_heads_share_key_and_value(make_folder):
    model = load_model(make_folder("Llama", GROUPED))
    runs = [model.run(TEXT, 0, head) for head in range(4)]
    assert model.layers[0].num_heads == 4
    assert torch.equal(runs[0].trace.key, runs[1].trace.key)
    assert torch.equal(runs[2].trace.value, runs[3].trace.value)
    assert not torch.equal(runs[1].trace.key, runs[2].trace.key)
    assert "key and value shared by 2 heads" in runs[0].facts.extras


def test_l05_the_fused_weight_of_gpt2_is_split_query_key_value(gpt2):
    run = gpt2.run(TEXT, 0, 2)
    layer = gpt2._network.h[0].attn.c_attn
    fused = run.inputs @ layer.weight + layer.bias
    query, key, value = (part[:, 16:24] for part in fused.split(32, dim=-1))
    torch.testing.assert_close(run.trace.query, query)
    torch.testing.assert_close(run.trace.key, key)
    torch.testing.assert_close(run.trace.value, value)
    assert (run.inputs @ layer.weight.mT.reshape(32, 96) - fused).abs().max() > 1e-2
    assert run.trace.divisor == pytest.approx(math.sqrt(8))


def test_l11_t5_does_not_scale_and_adds_a_bias(make_folder):
    model = load_model(make_folder("T5", T5 | {"decoder_start_token_id": 0}))
    run = model.run(TEXT, 0, 1)
    assert run.facts.divisor == run.trace.divisor == 1.0
    assert torch.equal(run.trace.scaled_scores, run.trace.scores)
    assert "position bias" in run.facts.extras
    assert run.facts.residual < 1e-6
    wrong = model.run(TEXT, 0, 1, divisor=math.sqrt(8))
    assert (wrong.trace.weights - run.trace.weights).abs().max() > 1e-2


def test_l13_a_model_is_never_run_in_training_mode(gpt2):
    assert not gpt2._network.training
    sums = torch.stack([gpt2.run(TEXT, 1, head).trace.weights.sum(-1) for head in range(4)])
    torch.testing.assert_close(sums, torch.ones_like(sums))


def test_l15_padding_is_dropped_with_its_rows_and_columns():
    register()
    model = network("Bert", GROUPED, attention="attention_viz")
    given = {
        "input_ids": torch.tensor([[3, 4, 5, 6, 0, 0, 0], [3, 4, 5, 6, 7, 8, 9]]),
        "attention_mask": torch.tensor([[1, 1, 1, 1, 0, 0, 0], [1] * 7]),
    }
    for layer in model.encoder.layer:
        layer.attention.self.register_forward_pre_hook(note_inputs, with_kwargs=True)
    with recording() as calls, torch.no_grad():
        model(**given)
    weights = read_call(calls[0], 0, given["attention_mask"][0] == 0).weights(0)
    assert weights.shape == (4, 4)
    torch.testing.assert_close(weights.sum(-1), torch.ones(4))


def test_l17_a_sliding_window_is_a_mask_and_says_so(make_folder):
    run = load_model(make_folder("Mistral", GROUPED | {"sliding_window": 2})).run(TEXT)
    assert (run.trace.weights > 0).sum(-1).tolist() == [1, 2, 2, 2, 2, 2, 2]
    assert run.facts.extras[0] == "causal mask, window 2"


def test_l19_a_sink_takes_weight_and_nothing_is_renormalised(make_folder):
    sizes = GROUPED | {"head_dim": 8, "num_local_experts": 2, "num_experts_per_tok": 1}
    model = load_model(make_folder("GptOss", sizes | {"sliding_window": 8}))
    with torch.no_grad():
        for layer in model._network.layers:
            layer.self_attn.sinks.fill_(0.0)
            layer.self_attn.q_proj.weight.zero_()
            layer.self_attn.q_proj.bias.zero_()
    run = model.run(TEXT)
    assert isinstance(run, ModelRun)
    # Scores of 0: each row shares evenly between its keys and the sink.
    right = [n / (n + 1) for n in range(1, 8)]
    torch.testing.assert_close(run.trace.weights.sum(-1), torch.tensor(right))
    assert "sink" in run.facts.extras

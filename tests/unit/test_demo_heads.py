"""The shipped demo heads do their jobs, on texts that their training did not see."""

import json
import math

import pytest
import torch
from safetensors import safe_open
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from attention_viz import training
from attention_viz.assets import find
from attention_viz.attention import causal_mask
from attention_viz.demo import (
    MAX_DEMO_TOKENS,
    SPARES,
    demo_heads,
    demo_run,
    load_demo,
    save_demo,
    sinusoids,
)
from attention_viz.errors import SettingError, TextError
from attention_viz.tokens import tokenize

FILE = find("assets/heads/demo.safetensors")
NAMES = ["previous token", "same token", "induction"]
KINDS = ["stories", "random words"]
SENTENCES = [
    "The cat sat on the mat. The cat sat on the mat.",
    "The cat saw the dog. The cat liked the dog.",
    "Anna gave a ball to John. Then Anna gave a xylophone to Zoë!",
]


@pytest.fixture(scope="module")
def model():
    return load_demo(FILE)[0]


@pytest.fixture(scope="module")
def texts():
    """Stories and random words, each (64, 32)."""
    return training.held_out(0, b=64, n=32)


@pytest.fixture(scope="module")
def state():
    with safe_open(FILE, framework="pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no dict


def look(text, name):
    """The weights of a demo head, and the words."""
    run = demo_run(text, name)
    return run.trace.weights, run.tokens.pieces


@pytest.mark.parametrize("kind", KINDS)
def test_each_head_does_its_job_and_an_untrained_one_does_not(model, texts, kind):
    words = texts[kind]
    trained, before = (training.measure(m, words) for m in (model, training.untrained(0)))
    chance = training.chance(words)
    for name in NAMES:
        assert trained[name] > 0.9
        assert before[name] < 0.25
        assert abs(before[name] - chance[name]) < 0.05


@pytest.mark.parametrize("n", [16, MAX_DEMO_TOKENS])
def test_jobs_hold_at_other_lengths(model, n):
    for words in training.held_out(0, b=64, n=n).values():
        assert min(training.measure(model, words).values()) > 0.8


@pytest.mark.parametrize("kind", KINDS)
def test_no_head_does_the_job_of_another(model, texts, kind):
    words = texts[kind]
    _, weights = model(words)
    for job in training.JOBS:
        for other in training.JOBS:
            # Where the repetition is one word long, two jobs share a target.
            only = job.targets(words) & ~other.targets(words)
            if job is not other:
                taken = training.job_weight(weights[:, other.layer, other.head], only)
                assert taken < 0.15, (job.name, other.name)


def test_induction_needs_the_previous_token_head(texts):
    model, _ = load_demo(FILE)
    words = texts["random words"]
    model.head(0, 0).output.weight.zero_()
    silenced = training.measure(model, words)
    assert silenced["induction"] < 0.5
    assert silenced["same token"] > 0.8


def test_the_file_is_small_float32_and_finite(state):
    assert FILE.stat().st_size < 600_000
    for tensor in state.values():
        assert tensor.dtype == torch.float32
        assert tensor.isfinite().all()


def test_the_metadata_lists_words_and_heads(state):
    with safe_open(FILE, framework="pt") as file:
        metadata = file.metadata()
    vocab, heads = json.loads(metadata["vocab"]), json.loads(metadata["heads"])
    assert tuple(vocab) == training.VOCAB
    assert len(set(vocab)) == len(vocab) == len(state["embedding.weight"])
    assert [head["name"] for head in heads] == NAMES
    for head in heads:
        numbers = head["measured"]
        assert numbers["weight"] > 0.9
        assert max(numbers["untrained"], numbers["chance"]) < 0.25
        for matrix in ("query", "key", "value"):
            name = f"layers.{head['layer']}.heads.{head['head']}.{matrix}.weight"
            assert state[name].shape == (32, 64)


def test_every_word_round_trips(model):
    words = [word for word in model.vocab if word not in SPARES]
    for row, word in enumerate(words):
        assert tokenize(word).pieces == (word,)
        assert model.look_up(tokenize(word.capitalize())).tolist() == [row]


def test_unknown_words_are_equal_only_to_themselves(model):
    rows = model.look_up(tokenize("Zebras saw the emu, zebras")).tolist()
    assert rows[0] == rows[5]
    assert len(set(rows)) == 5
    assert tuple(model.vocab[rows[i]] for i in (0, 3)) == SPARES[:2]


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("name", NAMES)
def test_a_run_agrees_with_the_whole_model_in_torch(state, model, text, name):
    run = demo_run(text, name)
    chosen = next(head for head in demo_heads() if head.name == name)
    stream = state["embedding.weight"][model.look_up(run.tokens)] + sinusoids(run.tokens.n, 64)
    for layer in range(2):
        outputs = []
        for head in range(2):
            at = f"layers.{layer}.heads.{head}"
            query, key, value = (
                stream @ state[f"{at}.{matrix}.weight"].T for matrix in ("query", "key", "value")
            )
            context = scaled_dot_product_attention(query, key, value, is_causal=True)
            outputs.append(context @ state[f"{at}.output.weight"].T)
            if (layer, head) == (chosen.layer, chosen.head):
                assert_close(run.inputs, stream, atol=1e-5, rtol=1e-5)
                assert_close(run.trace.query, query, atol=1e-5, rtol=1e-5)
                assert_close(run.trace.context, context, atol=1e-5, rtol=1e-5)
        stream = stream + sum(outputs)
    logits, weights = model(model.look_up(run.tokens))
    assert_close(logits, stream @ state["unembedding.weight"].T, atol=1e-4, rtol=1e-5)
    assert_close(run.trace.weights, weights[chosen.layer, chosen.head], atol=1e-5, rtol=1e-5)
    assert bool((run.trace.mask == causal_mask(run.tokens.n)).all())


def test_a_repeated_sentence_shows_every_job():
    text = "the cat sat on the mat . the cat sat on the mat ."
    weights, words = look(text, "previous token")
    assert weights.diagonal(-1).min() > 0.9
    weights, words = look(text, "same token")
    assert weights[8, words.index("cat")] > 0.9
    for row in range(7):
        assert weights[row + 7, [j for j in range(7) if words[j] == words[row]]].sum() > 0.9
    weights, words = look(text, "induction")
    assert weights[8, words.index("sat")] > 0.9
    assert weights[9, words.index("on")] > 0.9


def test_words_the_model_never_saw_are_treated_alike():
    weights, words = look("Quokkas tango daily. Quokkas", "induction")
    assert weights[4, words.index("tango")] > 0.7


def test_a_divisor_of_ones_own():
    assert demo_run("i am good", "same token").trace.divisor == math.sqrt(32)
    assert demo_run("i am good", "same token", divisor=2).trace.divisor == 2


def test_what_cannot_be_run_is_refused_in_one_sentence():
    with pytest.raises(SettingError, match=r"must be one of previous token, .*; got 'copy'"):
        demo_run("the cat", "copy")
    with pytest.raises(TextError, match=r"at most 128 tokens, .*; got 129"):
        demo_run("cat " * 129, "induction")
    with pytest.raises(TextError, match=r"at most 40 different words .*; got 41"):
        demo_run(" ".join(f"w{i}" for i in range(41)), "induction")
    assert demo_run("cat " * 128, "induction").tokens.n == 128


def test_saving_and_loading(model, tmp_path):
    save_demo(tmp_path / "copy.safetensors", model, demo_heads())
    again, heads = load_demo(tmp_path / "copy.safetensors")
    assert heads == demo_heads()
    for name, tensor in model.state_dict().items():
        assert_close(again.state_dict()[name], tensor, atol=0, rtol=0)


def test_a_short_training_lowers_both_losses():
    losses = torch.tensor(training.train(training.untrained(3), seed=3, steps=24, told=300))
    first, last = losses[:8].mean(dim=0), losses[-8:].mean(dim=0)
    assert (last < first - 0.3).all()


def test_a_seed_gives_the_same_weights_in_every_process(fresh_pythons):
    code = """
import hashlib, torch
from attention_viz import training
torch.set_num_threads(1)
model = training.untrained(5)
training.train(model, 5, steps=4, told=100)
data = b"".join(weight.numpy().tobytes() for weight in model.state_dict().values())
print(hashlib.sha256(data).hexdigest())
"""
    first, second = fresh_pythons((code, {"PYTHONHASHSEED": "1"}), (code, {"PYTHONHASHSEED": "2"}))
    assert first == second

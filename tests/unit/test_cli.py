"""The command line: its numbers against torch's own attention, its manners against bad input."""

import json
import os
import random
import subprocess
import sys

import pytest
import safetensors.torch
import torch
from torch.nn import functional

import attention_viz as av
from attention_viz.cli import main
from attention_viz.models import packaged

KEYS = [
    "tokens", "d_k", "divisor", "query", "key", "value", "scores", "scaled_scores", "weights",
    "context", "entropy",
]  # fmt: skip


def shown(capsys, *arguments):
    assert main(["show", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def numbers(matrix):
    """A matrix of a record: a masked cell, which is null there, weighs nothing."""
    return torch.tensor([[cell or 0.0 for cell in row] for row in matrix])


def some_settings():
    """A hundred ways to ask, drawn from a seed."""
    rng = random.Random(0)  # noqa: S311 - settings, not secrets
    for _ in range(100):
        words = " ".join(rng.choice(["I", "am", "the", "cat", "我", ",", "😀"]) for _ in range(7))
        start = rng.choice(list(av.Start))
        d_model = rng.choice([1, 3, 16, 31])
        d_k = rng.randint(1, d_model if start == "layer_norm" else 40)
        divisor = rng.choice(["sqrt", "1", "d_k", "sqrt_d_model", str(rng.uniform(0.1, 20))])
        flags = [flag for flag in ("--causal", "--positions") if rng.random() < 0.5]
        yield [
            words, "--d-k", str(d_k), "--d-model", str(d_model), "--seed", str(rng.randrange(99)),
            "--start", start, "--divisor", divisor, *flags,
        ]  # fmt: skip


def test_json_agrees_with_torch_for_a_hundred_settings(capsys):
    for arguments in some_settings():
        record = shown(capsys, *arguments)
        query, key, value = (torch.tensor(record[name]) for name in ("query", "key", "value"))
        causal = "--causal" in arguments
        expected = functional.scaled_dot_product_attention(
            query, key, value, scale=1 / record["divisor"], is_causal=causal
        )
        torch.testing.assert_close(
            torch.tensor(record["context"]), expected, rtol=1e-5, atol=1e-5, msg=str(arguments)
        )
        weights = functional.scaled_dot_product_attention(
            query, key, torch.eye(len(key)), scale=1 / record["divisor"], is_causal=causal
        )
        torch.testing.assert_close(
            numbers(record["weights"]), weights, rtol=1e-5, atol=1e-5, msg=str(arguments)
        )
        assert list(record)[: len(KEYS)] == KEYS


def test_the_named_divisors(capsys):
    for name, value in (("sqrt", 3.0), ("1", 1.0), ("d_k", 9.0), ("sqrt_d_model", 4.0)):
        record = shown(capsys, "a b", "--d-k", "9", "--d-model", "16", "--divisor", name)
        assert record["divisor"] == value
        torch.testing.assert_close(
            torch.tensor(record["scaled_scores"]), torch.tensor(record["scores"]) / value
        )


def test_the_table(capsys):
    assert main(["show", "I am good", "--d-k", "4", "--seed", "3", "--causal"]) == 0
    lines = capsys.readouterr().out.splitlines()
    run = av.run("I am good", av.random_head(256, 4, seed=3), seed=3, causal=True)
    start = next(i for i, line in enumerate(lines) if line.startswith("Attention weights softmax"))
    assert lines[start + 2].split() == ["I", "1.000", "–", "–"]
    assert lines[start + 3].split()[1:3] == [f"{w:.3f}" for w in run.trace.weights[1, :2].tolist()]
    assert av.read_row(run.tokens, run.trace.weights, run.trace.mask, 2) in lines


@pytest.mark.parametrize(("d_model", "d_k", "ending"), [(8, 5, "pt"), (3, 11, "safetensors")])
def test_a_loaded_head(capsys, tmp_path, d_model, d_k, ending):
    head = av.random_head(d_model, d_k, seed=9)
    path = save(tmp_path / f"head.{ending}", head.state_dict())
    record = shown(capsys, "I am good", "--head", str(path), "--seed", "2")
    run = av.run("I am good", head, seed=2)
    assert record["d_k"] == d_k
    torch.testing.assert_close(torch.tensor(record["weights"]), run.trace.weights)


@pytest.mark.parametrize(("heads", "d_k"), [(3, 2), (1, 5), (4, 7)])
@pytest.mark.parametrize("ending", ["pt", "safetensors"])
def test_a_head_of_a_layer(capsys, tmp_path, heads, d_k, ending):
    layer = torch.nn.MultiheadAttention(heads * d_k, heads, batch_first=True).eval()
    path = save(tmp_path / f"layer.{ending}", layer.state_dict())
    x = av.embed(av.tokenize("a b c"), heads * d_k, seed=0)[None]
    expected = layer(x, x, x, average_attn_weights=False)[1][0].detach()
    for index in range(heads):
        record = shown(
            capsys, "a b c", "--head", str(path), "--num-heads", str(heads),
            "--head-index", str(index),
        )  # fmt: skip
        weights = torch.tensor(record["weights"])
        torch.testing.assert_close(weights, expected[index], rtol=0, atol=1e-6)


def save(path, state):
    if path.suffix == ".pt":
        torch.save(state, path)
    else:
        safetensors.torch.save_file(dict(state), path)
    return path


def test_a_demo_head(capsys):
    record = shown(capsys, "the cat sat . the cat", "--head", "induction")
    assert record["d_k"] == 32
    assert max(record["weights"][5]) == record["weights"][5][2]
    assert main(["show", "the cat", "--head", "induction", "--d-k", "7"]) == 2
    assert "d_k is 32 in induction and cannot be 7" in capsys.readouterr().err


def test_a_table_of_many_tokens_is_whole_and_of_too_many_is_a_sentence(capsys):
    assert main(["show", "w " * 20]) == 0
    assert "…" not in capsys.readouterr().out
    assert main(["show", "w " * 65]) == 0
    assert capsys.readouterr().out.startswith("Above 64 tokens no table is printed")


@pytest.mark.parametrize(("where", "says"), [("/dev/full", "cannot be written: No space left")])
def test_output_that_cannot_be_written(where, says):
    with open(where, "w") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-m", "attention_viz", "show", "a"],
            check=False, stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.returncode == 1
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["show", ""], "must hold at least one word"),
        (["show", "w " * 600], "must have at most 512 tokens; got 600"),
        (["show", "a", "--d-k", "0"], "d_k must be in 1 … 16384; got 0"),
        (["show", "a", "--d-k", "four"], "argument --d-k: invalid int value: 'four'"),
        (["show", "a", "--seed", "-1"], "seed must be in 0 …"),
        (
            ["show", "a", "--divisor", "nan"],
            "divisor must be sqrt, own, 1, d_k, sqrt_d_model or a number",
        ),
        (["show", "a", "--divisor", "0"], "got '0'"),
        (["show", "a", "--start", "warm"], "invalid choice: 'warm'"),
        (["show", "a", "--start", "layer_norm", "--d-k", "300"], "d_k must be at most d_model=256"),
        (["show", "a", "--head", "none.pt"], "none.pt could not be read: No such file"),
        (["show", "a", "--what"], "unrecognized arguments: --what"),
        (["show"], "the following arguments are required: text"),
        ([], "the following arguments are required: show"),
        (["draw"], "invalid choice: 'draw'"),
    ],
)
def test_bad_input_is_status_2_and_one_sentence(capsys, arguments, sentence):
    try:
        status = main(arguments)
    except SystemExit as done:
        status = done.code
    said = capsys.readouterr()
    assert status == 2
    assert said.out == ""
    assert sentence in said.err
    assert said.err.count("\n") == 1


def test_a_terminal_that_cannot_show_a_sign_gets_its_code():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "attention_viz", "show", "我", "--d-k", "2"],
        check=False, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert done.returncode == 0
    assert "\\u6211" in done.stdout


def test_help_has_an_example(capsys):
    with pytest.raises(SystemExit) as done:
        main(["show", "--help"])
    assert done.value.code == 0
    assert 'python -m attention_viz show "I am good" --d-k 64 --seed 0' in capsys.readouterr().out


@pytest.mark.skipif(
    not packaged() and os.environ.get("CI") != "true", reason="requirements-models.txt"
)
def test_a_head_of_a_model_as_json(capsys):
    """The reference numbers, without a network: tests/unit/models/test_minilm.py has them all."""
    command = ["show", "I am good", "--model", "minilm", "--layer", "0", "--head-index", "0"]
    assert main([*command, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["weights"][0] == pytest.approx([0.3406, 0.0283, 0.0276, 0.0796, 0.5239], abs=1e-4)
    assert record["residual"] <= 1e-6
    assert record["tokens"] == ["[CLS]", "i", "am", "good", "[SEP]"]
    about = {name: record[name] for name in ("model", "layer", "head_index", "extras")}
    assert about == {"model": "minilm", "layer": 0, "head_index": 0, "extras": []}

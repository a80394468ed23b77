"""The command ``show`` on models that are more than the paper."""

import json

import pytest

from attention_viz.cli import main
from tests.unit.models.conftest import GROUPED, SEQ2SEQ, SIZES
from tests.unit.models.test_model_cases import TEXT


def shown(capsys, folder, *options):
    assert main(["show", TEXT, "--model", str(folder), *options]) == 0
    return capsys.readouterr().out


def test_every_step_is_said(make_folder, capsys):
    sizes = GROUPED | {"head_dim": 8, "num_local_experts": 2, "num_experts_per_tok": 1}
    folder = make_folder("GptOss", sizes | {"sliding_window": 3})
    record = json.loads(shown(capsys, folder, "--json"))
    assert record["extras"] == [
        "causal mask, window 3",
        "sink",
        "key and value shared by 2 heads",
    ]
    assert sum(weight or 0 for weight in record["weights"][0]) < 1
    out = shown(capsys, folder)
    assert "softmax(QKᵀ ÷ 2.828, sink)" in out
    assert "on the sink" in out
    assert "Every step is computed again here" in out
    assert "The model divides by √d_k = 2.828, as the paper does." in out


def test_a_model_of_which_only_the_weights_are_known(make_folder, capsys):
    folder = make_folder("MPNet", SIZES)
    record = json.loads(shown(capsys, folder, "--json"))
    assert record["scores"] is record["divisor"] is record["residual"] is None
    assert len(record["weights"]) == 7
    assert "cannot be reached from outside" in record["why"]
    assert "cannot be reached from outside" in shown(capsys, folder)


def test_a_decoder_that_looks_at_an_encoder(make_folder, capsys):
    sizes = SEQ2SEQ | {"max_position_embeddings": 32, "decoder_start_token_id": 2}
    folder = make_folder("Bart", sizes)
    record = json.loads(shown(capsys, folder, "--layer", "3", "--json"))
    assert record["tokens"][:2] == ["[CLS]", "[CLS]"]
    assert record["keys"][-1] == "[SEP]"
    assert "decoder 0, cross" in shown(capsys, folder, "--layer", "3")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--layer", "9"], "layer must be in 0 … 1; got 9"),
        (["--head-index", "4"], "head must be in 0 … 3; got 4"),
        (["--d-k", "64"], "d_k is 8 in"),
        (["--head", "induction"], "--head and --model are two heads"),
        (["--divisor", "0"], "divisor must be"),
        (["--causal"], "--causal does not go with"),
    ],
)
def test_asked_wrongly(make_folder, capsys, options, said):
    folder = make_folder("Bert", SIZES)
    assert main(["show", TEXT, "--model", str(folder), *options]) == 2
    assert said in capsys.readouterr().err

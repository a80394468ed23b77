"""Tokenizers that a stranger wrote: each ends in one sentence, and none in a panic or a wait."""

import json
import os

import pytest

from attention_viz import ModelError
from attention_viz.models import load_model
from tests.unit.models.conftest import SIZES

GROW = {"type": "Replace", "pattern": {"String": "o"}, "content": "o" * 40}
LONG = "must make at most 1,000 letters of one"


def written(folder, **parts):
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | parts))


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"normalizer": {"type": "Sequence", "normalizers": [GROW] * 2}}, LONG),
        ({"normalizer": {"type": "Prepend", "prepend": "a" * 1001}}, LONG),
        (
            {"post_processor": {"single": [{"Sequence": {"id": "A", "type_id": 0}}] * 257}},
            "at most 256 rules in a list; got 257",
        ),
        # Rust stops here by a panic, which is no Exception.
        ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAAAAAA"}}, "Panic"),
    ],
)
def test_one_that_cannot_be_read(make_folder, parts, said):
    folder = make_folder("Bert", SIZES)
    written(folder, **parts)
    with pytest.raises(ModelError, match=said):
        load_model(folder)


def test_one_without_its_word_for_unknown_words(make_folder):
    folder = make_folder("Bert", SIZES)
    words = json.loads((folder / "tokenizer.json").read_text())["model"]
    written(folder, model=words | {"vocab": words["vocab"] | {"five": 12}, "unk_token": "none"})
    model = load_model(folder)
    with pytest.raises(ModelError, match="could not read this text"):
        model.run("one zzz")


def test_a_name_with_braces_is_said_as_it_is(make_folder):
    folder = make_folder("Bert", SIZES)
    folder = folder.rename(folder.with_name("{0.x}"))
    written(folder, normalizer={"type": "none"})
    with pytest.raises(ModelError, match=r"^\{0\.x\} could not be read \("):
        load_model(folder)


def test_a_pattern_that_tries_for_ever(make_folder):
    folder = make_folder("Bert", SIZES)
    pattern = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated"}
    written(folder, pre_tokenizer=pattern | {"invert": False})
    model = load_model(folder)
    with pytest.raises(ModelError, match=r"could not read this text \(PanicException\)"):
        model.run("a" * 3000 + "!")


def test_a_pipe_is_no_file(make_folder):
    folder = make_folder("Bert", SIZES)
    (folder / "tokenizer_config.json").unlink()
    os.mkfifo(folder / "tokenizer_config.json")
    with pytest.raises(ModelError, match=r"tokenizer_config\.json must be a file"):
        load_model(folder)


def test_weights_that_are_no_numbers(make_folder):
    folder = make_folder("Bert", SIZES)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"layer_norm_eps": float("nan")}))
    with pytest.raises(ModelError, match=r"must be finite; those of layer 0, head 0"):
        load_model(folder).run("one two")

"""CSV, JSON and NPZ, read back: the same numbers to the last bit, and text that stays text."""

import csv
import io
import json
import math
import random
import re

import numpy as np
import pandas as pd
import pytest
import torch

import attention_viz as av
from attention_viz.attention import Bias, Sink, SoftCap, attend, unscaled_weights
from attention_viz.export import tables
from attention_viz.export.record import record_by_hand, record_of
from attention_viz.export.tables import csv_bytes, json_bytes, npz_bytes, table_text
from attention_viz.measures import entropy
from attention_viz.models import HeadFacts, WeightsRun
from attention_viz.origins import Loaded
from attention_viz.pipeline import Run
from attention_viz.tokens import tokenize

WORDS = ["I", "=", "+1", "-x", "@me", "'=", "am", "am", "a,b", '"q"', "我", "😀", "\ud800", "NA"]
MATRICES = ["query", "key", "value", "scores", "scaled_scores", "logits", "weights", "context"]


def random_runs(count):
    """Runs of every shape: more keys than queries, masks, rows that see nothing, model's steps."""
    chance = random.Random(0)  # noqa: S311 - settings, not secrets
    for seed in range(count):
        rng = torch.Generator().manual_seed(seed)
        queries, keys = (
            tokenize(" ".join(chance.choices(WORDS, k=chance.randint(1, 6)))) for _ in range(2)
        )
        if chance.random() < 0.5:
            keys = queries
        dtype = chance.choice([torch.float32, torch.float32, torch.float64])
        d_model, d_k, d_v = chance.randint(1, 5), chance.randint(1, 7), chance.randint(1, 3)
        shapes = (queries.n, d_model), (queries.n, d_k), (keys.n, d_k), (keys.n, d_v)
        inputs, query, key, value = (
            torch.randn(*shape, generator=rng, dtype=dtype) * 10 ** chance.uniform(-6, 6)
            for shape in shapes
        )
        every = [
            SoftCap(chance.uniform(1, 50)),
            Bias(torch.randn(queries.n, keys.n, generator=rng, dtype=dtype)),
            Sink(chance.uniform(-3, 3)),
        ]
        trace = attend(
            query,
            key,
            value,
            mask=torch.rand(queries.n, keys.n, generator=rng) < chance.choice([0.0, 0.4, 1.0]),
            divisor=chance.choice([None, 1.0, chance.uniform(0.1, 9)]),
            steps=[step for step in every if chance.random() < 0.4],
        )
        yield Run(queries, keys, inputs, trace, Loaded("a head"))


def expected(run):
    """Every matrix of a run by its name, NaN where a file says that there is no number."""
    trace = run.trace
    found = {name: getattr(trace, name).numpy() for name in MATRICES}
    found |= {"inputs": run.inputs.numpy(), "mask": trace.mask.numpy()}
    found["weights_without_scaling"] = unscaled_weights(trace).numpy()
    found["entropy"] = entropy(trace.weights, trace.mask).numpy()
    found |= {"d_k": np.array(trace.d_k), "divisor": np.array(trace.divisor)}
    for place, step in enumerate(trace.steps, 1):
        match step:
            case SoftCap(limit):
                found[f"step_{place}_softcap"] = np.array(limit)
            case Bias(values):
                found[f"step_{place}_bias"] = values.numpy()
            case Sink(logit):
                found[f"step_{place}_sink"] = np.array(logit)
    return found


def blanked(found, mask):
    """As CSV and JSON have it: nothing in a masked cell."""
    return found | {
        name: np.where(mask, found[name], np.nan)
        for name in ("logits", "weights", "weights_without_scaling")
    }


def csv_lines(data):
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def plain(cell):
    """Text of a CSV as it was: half a surrogate pair out of its code, no apostrophe for safety."""
    cell = re.sub("(^|(?<=[;\r\n]))'('*[=+@＝-])|^'('*[\r\n])", r"\2\3", cell)
    return cell.replace("\\ud800", "\ud800")


def from_csv(data, expected):
    found = {name: np.full(values.shape, np.nan) for name, values in expected.items()}
    for line in csv_lines(data):
        if line["matrix"] in found and line["value"]:
            at = tuple(int(line[axis]) for axis in ("row", "column") if line[axis])
            found[line["matrix"]][at] = float(line["value"])
    return found


def same(found, expected):
    assert set(expected) <= set(found)
    for name, values in expected.items():
        read = np.array(found[name], dtype=values.dtype)
        np.testing.assert_array_equal(read, values, err_msg=name, strict=True)


def test_two_hundred_runs_come_back_to_the_last_bit():
    for run in random_runs(200):
        record, wanted = record_of(run), expected(run)
        shown = blanked(wanted, wanted["mask"])
        said = json.loads(json_bytes(record))
        same(said, shown)
        assert said["tokens"] == list(run.tokens.pieces)
        assert said.get("keys", said["tokens"]) == list(run.keys.pieces)
        written = csv_bytes(record)
        same(from_csv(written, shown), shown)
        pieces = [plain(line["text"]) for line in csv_lines(written) if line["matrix"] == "token"]
        assert pieces == list(run.tokens.pieces)
        with np.load(io.BytesIO(npz_bytes(record)), allow_pickle=False) as arrays:
            same(arrays, wanted)
            assert arrays["tokens"].tolist() == list(run.tokens.pieces)
            assert arrays["labels"].tolist() == list(run.tokens.labels)
            assert json.loads(str(arrays["settings"]))["text"] == run.tokens.text


def test_a_number_stands_at_its_tokens():
    run = av.run("the cat", av.random_head(5, 3))
    lines = [line for line in csv_lines(csv_bytes(record_of(run))) if line["matrix"] == "weights"]
    cells = {(line["row_token"], line["column_token"]): float(line["value"]) for line in lines}
    assert np.float32(cells["the", "cat"]) == run.trace.weights[0, 1].numpy()
    assert np.float32(cells["cat", "the"]) == run.trace.weights[1, 0].numpy()
    (coordinate,) = (
        line
        for line in csv_lines(csv_bytes(record_of(run)))
        if (line["matrix"], line["row"], line["column"]) == ("key", "1", "2")
    )
    assert (coordinate["row_token"], coordinate["column_token"]) == ("cat", "")


def test_settings_and_version_are_said(tmp_path):
    run = av.run("I am", av.random_head(8, 4, seed=3), causal=True)
    for kind in ("csv", "json", "npz"):
        getattr(av, f"to_{kind}")(run, tmp_path / f"run.{kind}")
    settings = json.loads((tmp_path / "run.json").read_text())["settings"]
    assert (settings["head"], settings["seed"], settings["mask"]) == ("random", 3, "causal")
    assert settings["version"] == av.__version__
    assert json.loads(str(np.load(tmp_path / "run.npz")["settings"])) == settings
    lines = csv_lines((tmp_path / "run.csv").read_bytes())
    said = {line["matrix"]: line["value"] or line["text"] for line in lines}
    assert said["setting seed"] == "3"
    assert said["setting version"] == av.__version__


def test_a_head_of_which_only_the_weights_are_known():
    tokens = tokenize("a b")
    weights = torch.tensor([[0.25, 0.75], [1.0, 0.0]])
    run = WeightsRun(tokens, tokens, weights, HeadFacts("m", 1, "1", 2, float("nan")), "Closed.")
    said = json.loads(json_bytes(record_of(run)))
    assert said["weights"] == [[0.25, 0.75], [1.0, 0.0]]
    assert said["scores"] is said["d_k"] is said["residual"] is None
    assert (said["why"], said["layer"], said["head_index"]) == ("Closed.", 1, 2)
    assert not set(said) & set(said["settings"])
    assert "setting why,,,,,,Closed." in csv_bytes(record_of(run)).decode("utf-8-sig")


def test_scores_by_hand():
    tokens, scores = tokenize("a b"), torch.tensor([[0.0, 1.0], [5.0, 5.0]])
    said = json.loads(json_bytes(record_by_hand(tokens, scores)))
    assert said["weights"][1] == [0.5, 0.5]
    assert (said["settings"]["head"], said["query"]) == ("by hand", None)


@pytest.mark.parametrize("text", ["=1+1", "+a", "-a", "@a", "'=a", "＝a"])
def test_case_e01_no_text_is_a_formula(text):
    run = av.run(text, av.random_head(8, 4))
    lines = csv_lines(csv_bytes(record_of(run)))
    for line in lines:
        for name in ("row_token", "column_token", "text"):
            assert not re.match("[=+@＝-]", line[name])
    assert any(line["value"].startswith("-0.") for line in lines)
    (first,) = (line for line in lines if (line["matrix"], line["row"]) == ("token", "0"))
    assert plain(first["text"]) == run.tokens.pieces[0]


@pytest.mark.parametrize("text", ["a\rb", "a\nb", "a\r\n=1", "a;=1;'=2;;-3", "\r=1", "a\r\r\n;@"])
def test_case_e01_a_break_or_a_semicolon_begins_neither_a_line_nor_a_formula(text):
    written = table_text([{"text": text, "after": 0.5}])
    (_, (cell, after)) = csv.reader(io.StringIO(written, newline=""))
    assert (plain(cell), after) == (text, "0.5")
    assert not re.search("[;\r\n][=+@-]", cell)


def test_a_csv_that_no_spreadsheet_opens_whole_says_so(monkeypatch):
    for run in random_runs(3):
        record = record_of(run)
        lines = 1 + len(csv_lines(csv_bytes(record)))
        monkeypatch.setattr(tables, "_SHEET", lines)
        assert tables.long_csv(record) == ""
        monkeypatch.setattr(tables, "_SHEET", lines - 1)
        assert f"The CSV has {lines:,} lines, and a spreadsheet" in tables.long_csv(record)


def test_case_e03_json_is_plain_lists():
    run = av.run("I am", av.random_head(8, 4), causal=True)
    said = json.loads(json_bytes(record_of(run)), parse_constant=pytest.fail)
    assert said["weights"] == [[1.0, None], run.trace.weights[1].tolist()]
    assert said["mask"] == [[True, False], [True, True]]


def test_case_e09_digits_enough_for_float32():
    third = torch.softmax(torch.zeros(1, 3), dim=-1)
    tokens = tokenize("a b c")
    run = WeightsRun(tokens, tokens, third.expand(3, 3), HeadFacts("m", 0, "0", 0, 0.0), "")
    assert "weights,0,1,a,b,0.333333343," in csv_bytes(record_of(run)).decode("utf-8-sig")


def test_a_table_has_a_line_a_row_and_nothing_where_nothing_is_known():
    rows = [{"name": "=a", "of": 0.1}, {"name": "b", "of": None}, {"name": "c", "of": -1}]
    assert table_text(rows) == "name,of\r\n'=a,0.1\r\nb,\r\nc,-1\r\n"


def test_the_lines_of_its_help_read_it_with_pandas(tmp_path):
    run = av.run("NA null NA", av.random_head(16, 4), causal=True)
    av.to_csv(run, tmp_path / "run.csv")
    lines = re.findall("``((?:table).*?)``", " ".join(av.to_csv.__doc__.split()))
    known = {"pandas": pd, "path": tmp_path / "run.csv"}
    exec(lines[0], known)  # noqa: S102 - our own
    weights = eval(lines[1], known)  # noqa: S307 - our own
    expected = run.trace.weights.masked_fill(~run.trace.mask, math.nan)
    np.testing.assert_allclose(weights.to_numpy(), expected.numpy(), rtol=1e-6)
    assert set(known["table"]["row_token"].dropna()) == {"NA", "null"}

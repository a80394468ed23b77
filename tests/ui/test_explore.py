"""The Explore page: every control, every address, every odd sentence."""

import base64
import json
import re

import numpy as np
import pytest

import attention_viz as av
from attention_viz import stage
from attention_viz.answers import numbers_of
from attention_viz.pipeline import parse_divisor
from attention_viz.questions import question
from attention_viz.ui import cache, panels
from attention_viz.ui.sidebar import PRESETS
from attention_viz.ui.state import DEFAULTS

pytestmark = pytest.mark.ui


def expected(text=DEFAULTS.text, *, seed=DEFAULTS.seed, d_model=256, d_k=64, divisor="sqrt", **how):
    head = av.random_head(d_model, d_k, seed=seed, start=how.pop("start", "gaussian"))
    number = parse_divisor(divisor, d_k=d_k, d_model=d_model)
    return av.run(text, head, seed=seed, divisor=number, **how).trace


def assert_shows(payload, text=DEFAULTS.text, **how):
    for d_k in (1, 7, 64):
        scores = expected(text, d_k=d_k, **how).scores.numpy()
        np.testing.assert_allclose(payload.scores_at(d_k), scores, rtol=1e-4, atol=1e-4)


def test_first_visit(open_app, stage_of):
    payload = stage_of(open_app())
    assert_shows(payload)
    assert payload.header["init"] == {"d_k": 4, "divisor": "sqrt", "row": 0, "scale": "fixed"}
    assert payload.header["rows"] == ["Wie", "geht", "es", "dir"]
    assert payload.header["prefix"] == "Random head, no meaning: "
    assert payload.header["stops"] == list(av.STOPS)
    assert payload.mask is None


def test_default_seed_sharpens_without_scaling():
    """The claim of the default seed, on the default sentence."""
    entropies = [
        av.entropy(av.softmax(expected(d_k=d_k).scores)).mean().item() for d_k in (4, 16, 64, 256)
    ]
    assert entropies == sorted(entropies, reverse=True)
    assert entropies[0] > 0.8 > 0.1 > entropies[2]


def test_each_choice_of_the_sidebar(open_app, stage_of):
    at = open_app()
    at.text_input(key="text").set_value("two words").run()
    assert_shows(stage_of(at), "two words")
    at.number_input(key="seed").set_value(7).run()
    assert_shows(stage_of(at), "two words", seed=7)
    at.selectbox(key="d_model").set_value(32).run()
    assert_shows(stage_of(at), "two words", seed=7, d_model=32)
    at.toggle(key="positions").set_value(True).run()
    assert_shows(stage_of(at), "two words", seed=7, d_model=32, positions=True)
    at.segmented_control(key="mask").set_value("causal").run()
    np.testing.assert_array_equal(stage_of(at).mask, [[True, False], [True, True]])


@pytest.mark.parametrize("start", [start for start in av.Start if start != "layer_norm"])
def test_each_start(open_app, stage_of, start):
    at = open_app()
    at.selectbox(key="start").set_value(start).run()
    assert_shows(stage_of(at), start=start)


def test_layer_norm_has_no_more_coordinates_than_inputs(open_app, stage_of):
    at = open_app(d_k="128", d_model="64")
    at.selectbox(key="start").set_value("layer_norm").run()
    assert not at.exception
    assert stage_of(at).header["stops"][-1] == 64
    assert at.session_state["d_k"] == 64
    assert_shows(stage_of(at), d_model=64, start="layer_norm", normalised=True)


@pytest.mark.parametrize("name", PRESETS)
def test_examples(open_app, stage_of, name):
    at = open_app()
    at.pills(key="preset").set_value(name).run()
    assert at.text_input(key="text").value == PRESETS[name]
    assert at.pills(key="preset").value is None
    assert_shows(stage_of(at), PRESETS[name])


def test_new_draw_changes_the_seed_and_nothing_else(open_app, stage_of):
    at = open_app(text="one two three", d_k="32")
    before = at.number_input(key="seed").value
    at.sidebar.button[0].click().run()
    seed = at.number_input(key="seed").value
    assert seed != before
    assert_shows(stage_of(at), "one two three", seed=seed)
    assert at.session_state["d_k"] == 32


def test_a_movement_sends_nothing_again(open_app, stage_of):
    at = open_app()
    before = stage_of(at).header
    at.session_state["d_k"] = 64
    at.session_state["row"] = 2
    at.segmented_control(key="panel").set_value("Numbers").run()
    assert stage_of(at).header == before


def test_two_visitors_do_not_meet(open_app, stage_of):
    one, other = open_app(), open_app()
    one.text_input(key="text").set_value("mine alone").run()
    other.run()
    assert_shows(stage_of(other))
    assert_shows(stage_of(one), "mine alone")


def test_the_address_restores_the_picture(open_app, stage_of):
    at = open_app(
        text="a b c", seed="3", d_model="64", start="torch", positions="true", mask="causal",
        d_k="50", divisor="2.5", row="1", scale="own",
    )  # fmt: skip
    payload = stage_of(at)
    assert_shows(payload, "a b c", seed=3, d_model=64, start="torch", positions=True)
    assert payload.header["init"] == {"d_k": 50, "divisor": "2.5", "row": 1, "scale": "own"}
    assert 50 in payload.header["stops"]
    np.testing.assert_array_equal(payload.mask, np.tri(3, dtype=bool))
    assert not at.info


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("d_k", "9999"), ("d_k", "abc"), ("d_k", "-4"), ("d_k", "4.5"), ("d_k", "٤"), ("seed", "x"),
        ("seed", "1" * 5000), ("d_model", "255"), ("start", "<b>"), ("positions", "1"),
        ("mask", "left"), ("divisor", "0"), ("divisor", "nan"), ("row", "-1"), ("scale", "big"),
        ("text", "x" * 4_001), ("divisor", "1e-300"), ("divisor", "1_0"), ("divisor", "٤"),
        ("divisor", "0x10"), ("divisor", " 4"), ("seed", "0" * 20 + "5"), ("d_k", "0" * 5000),
    ],
)  # fmt: skip
def test_a_bad_address_shows_the_default_and_says_so(open_app, stage_of, key, value):
    at = open_app(**{key: value})
    assert_shows(stage_of(at))
    (notice,) = at.info
    assert key.replace("_", r"\_") in notice.value
    assert len(notice.value) < 400


def test_many_bad_keys_are_one_notice_until_something_is_chosen(open_app):
    at = open_app(d_k="x", seed="x", start="x", mask="x")
    (notice,) = at.info
    assert "and 2 more" in notice.value
    at.text_input(key="text").set_value("go on").run()
    assert not at.info


def test_the_stage_comes_back_where_the_person_was(open_app, stage_of):
    at = open_app()
    at.segmented_control(key="panel").set_value("Numbers").run()
    for text in ("", "w " * 130):
        at.session_state["d_k"] = 64
        at.session_state["divisor"] = "d_k"
        at.session_state["scale"] = "own"
        at.text_input(key="text").set_value(text).run()
        at.text_input(key="text").set_value("here again").run()
        init = {"d_k": 64, "divisor": "d_k", "row": 0, "scale": "own"}
        assert stage_of(at).header["init"] == init
        assert at.segmented_control(key="panel").value == "Numbers"


def test_a_row_beyond_the_sentence_is_the_last(open_app):
    assert open_app(row="9").session_state["row"] == 3


@pytest.mark.parametrize(
    "text",
    [
        "😀 👨‍👩‍👧", "أنا بخير", "我很好", "<script>alert(1)</script>", "$x$", "2020-01-01",
        "the the the", "x",
    ],
)  # fmt: skip
def test_odd_sentences_are_pictures(open_app, stage_of, text):
    at = open_app()
    at.text_input(key="text").set_value(text).run()
    assert not at.exception
    assert_shows(stage_of(at), text)


@pytest.mark.parametrize("text", ["", "   ", "word " * 10_000, "w " * 513])
def test_sentences_that_cannot_be_shown_get_one_sentence(open_app, stage_of, text):
    at = open_app()
    at.text_input(key="text").set_value(text).run()
    assert not at.exception
    (problem,) = at.warning
    assert "must" in problem.value
    at.text_input(key="text").set_value("again").run()
    assert_shows(stage_of(at), "again")


@pytest.mark.parametrize("name", panels._PANELS)
@pytest.mark.parametrize("text", ["x", "<b> $x$ `code` *bold*", DEFAULTS.text])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_each_panel(open_app, name, text, mask):
    at = open_app(text=text, mask=mask)
    at.segmented_control(key="panel").set_value(name).run()
    assert not at.exception


def figure(at):
    return json.loads(at.get("plotly_chart")[0].proto.spec)


def decoded(array):
    values = np.frombuffer(base64.b64decode(array["bdata"]), dtype=array["dtype"])
    return values.reshape([int(size) for size in array["shape"].split(",")])


def test_the_still_picture_follows_the_stage(open_app):
    at = open_app(d_k="16", divisor="3", mask="causal", row="2", scale="fit")
    at.segmented_control(key="panel").set_value("Still picture").run()
    cells = [
        trace for trace in figure(at)["data"] if trace["type"] == "heatmap" and "zmin" in trace
    ]
    trace = expected(d_k=16, divisor="3", causal=True)
    np.testing.assert_array_equal(decoded(cells[0]["z"]), trace.scores.numpy())
    np.testing.assert_array_equal(decoded(cells[2]["z"]), trace.weights.numpy())
    assert cells[0]["zmax"] == trace.scores.abs().max().item()
    assert figure(at)["layout"]["shapes"][0]["y0"] == 1.5


def test_the_torch_code_gives_the_numbers_of_the_page(open_app, stage_of):
    at = open_app(text="I am good", seed="9", d_k="7", mask="causal", start="torch", divisor="2")
    at.segmented_control(key="panel").set_value("Torch code").run()
    names = {"print": lambda *_: None}
    exec(at.code[0].value, names)  # noqa: S102 - the page's own lines
    shown = stage_of(at).scores_at(7)
    np.testing.assert_allclose(names["scores"].numpy(), shown, rtol=1e-5, atol=1e-6)
    trace = expected("I am good", seed=9, d_k=7, start="torch", divisor="2", causal=True)
    np.testing.assert_allclose(names["weights"].numpy(), trace.weights.numpy(), rtol=1e-6)


def test_the_numbers_are_those_of_the_matrix_they_name(open_app):
    at = open_app(d_k="8")
    at.segmented_control(key="panel").set_value("Numbers").run()
    trace = expected(d_k=8)
    for name, values in (
        ("Scores", trace.scores),
        ("Scaled scores", trace.scaled_scores),
        ("Weights", trace.weights),
    ):
        at.segmented_control(key="matrix").set_value(name).run()
        table = at.dataframe[0].value
        np.testing.assert_allclose(table[list(table)[1:]].to_numpy(), values.numpy(), rtol=1e-6)


def test_values_into_context_names_the_largest_of_both(open_app):
    at = open_app(d_k="8", row="2")
    at.segmented_control(key="panel").set_value("Values into context").run()
    trace = expected(d_k=8)
    norms = trace.weights[2] * trace.value.norm(dim=-1)
    labels = ["Wie", "geht", "es", "dir"]
    sentence = at.markdown[-1].value
    heaviest, largest = int(trace.weights[2].argmax()), int(norms.argmax())
    before, after = sentence.split("has the largest weight")
    assert labels[heaviest] in before
    assert ("it also" if heaviest == largest else labels[largest]) in after
    table = at.dataframe[0].value
    np.testing.assert_allclose(table["‖weight × value‖"].dropna(), norms.numpy(), rtol=1e-5)


@pytest.mark.parametrize("words", [129, 512])
def test_above_128_tokens_the_picture_stands_still_and_says_why(open_app, words):
    at = open_app(text="w " * words, d_k="16")
    assert not [c for c in at.get("bidi_component") if c.proto.component_name == "stage"]
    assert f"{words} tokens" in at.info[0].value
    at.select_slider(key="d_k").set_value(32).run()
    cells = [trace for trace in figure(at)["data"] if trace["type"] == "heatmap"]
    trace = expected("w " * words, d_k=32)
    np.testing.assert_array_equal(decoded(cells[2]["z"]), trace.weights.numpy())


def test_128_tokens_are_live(open_app, stage_of):
    assert stage_of(open_app(text="w " * 128)).header["n_q"] == 128


def test_the_same_word_elsewhere(open_app):
    """With the numbers that the question about context-awareness promises."""
    place = next(i for i in range(10) if question(i).key == "context")
    one, two = question(place).links
    at = open_app(**one.query)
    at.segmented_control(key="panel").set_value("The same word elsewhere").run()
    numbers = numbers_of("context", (one, two))
    assert f"lie {numbers['inputs']} apart: the same word has the same vector" in told(at)
    assert f"lie {numbers['contexts']} apart" not in told(at), "the word alone is another sentence"
    at.text_input(key="elsewhere").set_value(two.query["text"]).run()
    assert f"lie {numbers['contexts']} apart" in told(at)
    assert f"has length {numbers['length']}" in told(at)
    assert numbers["second"] in told(at)
    at.text_input(key="elsewhere").set_value(one.query["text"]).run()
    assert any("The two contexts are equal" in one.value for one in at.caption)
    at.text_input(key="elsewhere").set_value("I paid").run()
    assert at.warning[0].value.startswith("The other sentence must have")
    at.text_input(key="elsewhere").set_value("a bank")
    at.toggle(key="positions").set_value(True).run()
    assert "they hold more than the word" in told(at)


def told(at):
    """What a person reads, without the signs that keep Markdown from reading it."""
    return re.sub(r"\\(.)", r"\1", "\n".join(element.value for element in at.markdown))


def test_a_visit_holds_its_picture_however_many_others_there_are(open_app, stage_of, monkeypatch):
    at = open_app()
    before = stage_of(at)
    cache._payload.clear()
    monkeypatch.setattr(stage, "pack", lambda _: pytest.fail("packed anew"))
    np.testing.assert_array_equal(stage_of(at.run()).scores, before.scores)


def test_a_first_visit_is_shown_the_way_in(open_app):
    at = open_app()
    (link,) = at.get("page_link")
    assert link.proto.page.endswith("steps")
    at.switch_page("attention_viz/ui/pages/words.py").run()
    at.switch_page("attention_viz/ui/pages/explore.py").run()
    assert not at.get("page_link")

"""The Explore page: every control, every address, every odd sentence."""

import base64
import json
import math

import numpy as np
import pytest

import attention_viz as av
from attention_viz.pipeline import parse_divisor
from attention_viz.ui.sidebar import PRESETS
from attention_viz.ui.state import DEFAULTS

pytestmark = pytest.mark.ui


def maps(at):
    """The numbers of each map as drawn, by title."""
    figure = json.loads(at.get("plotly_chart")[0].proto.spec)
    cells = [trace for trace in figure["data"] if trace["type"] == "heatmap" and "zmin" in trace]
    titles = [
        note["text"].replace("<b>", "").replace("</b>", "")
        for note in figure["layout"]["annotations"]
    ]
    return dict(zip(titles, map(numbers, cells), strict=True))


def numbers(trace):
    z = trace["z"]
    rows, columns = map(int, z["shape"].split(","))
    return np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"]).reshape(rows, columns)


def weights(at):
    return list(maps(at).values())[2]


def expected(text=DEFAULTS.text, *, seed=DEFAULTS.seed, d_model=256, d_k=4, divisor="sqrt", **how):
    head = av.random_head(d_model, d_k, seed=seed, start=how.pop("start", "gaussian"))
    number = parse_divisor(divisor, d_k=d_k, d_model=d_model)
    return av.run(text, head, seed=seed, divisor=number, **how).trace


def assert_shows(at, trace):
    raw, scaled, soft, *_ = maps(at).values()
    np.testing.assert_array_equal(raw, trace.scores.numpy())
    np.testing.assert_array_equal(scaled, trace.scaled_scores.numpy())
    np.testing.assert_array_equal(soft, trace.weights.numpy())


def test_first_visit(open_app):
    at = open_app()
    assert_shows(at, expected())
    assert len(maps(at)) == 4
    assert "Random head, no meaning" in at.markdown[0].value
    assert "inputs** 4 × 256" in at.caption[0].value


def test_default_seed_sharpens_without_scaling():
    """The claim of the default seed, on the default sentence."""
    entropies = [
        av.entropy(av.softmax(expected(d_k=d_k).scores)).mean().item() for d_k in (4, 16, 64, 256)
    ]
    assert entropies == sorted(entropies, reverse=True)
    assert entropies[0] > 0.8 > 0.1 > entropies[2]


@pytest.mark.parametrize("d_k", [1, 2, 64, 512])
def test_d_k(open_app, d_k):
    at = open_app()
    at.select_slider(key="d_k").set_value(d_k).run()
    assert_shows(at, expected(d_k=d_k))


@pytest.mark.parametrize("divisor", ["1", "d_k", "sqrt_d_model"])
def test_divisor(open_app, divisor):
    at = open_app(d_k="64")
    at.selectbox(key="divisor").set_value(divisor).run()
    assert_shows(at, expected(d_k=64, divisor=divisor))
    assert len(maps(at)) == (3 if divisor == "1" else 4)


def test_each_choice_of_the_sidebar(open_app):
    at = open_app()
    at.text_input(key="text").set_value("two words").run()
    assert_shows(at, expected("two words"))
    at.number_input(key="seed").set_value(7).run()
    assert_shows(at, expected("two words", seed=7))
    at.selectbox(key="d_model").set_value(32).run()
    assert_shows(at, expected("two words", seed=7, d_model=32))
    at.toggle(key="positions").set_value(True).run()
    assert_shows(at, expected("two words", seed=7, d_model=32, positions=True))
    at.segmented_control(key="mask").set_value("causal").run()
    assert_shows(at, expected("two words", seed=7, d_model=32, positions=True, causal=True))


@pytest.mark.parametrize("start", [start for start in av.Start if start != "layer_norm"])
def test_each_start(open_app, start):
    at = open_app()
    at.selectbox(key="start").set_value(start).run()
    assert_shows(at, expected(start=start))


def test_layer_norm_has_no_more_coordinates_than_inputs(open_app):
    at = open_app(d_k="128", d_model="64")
    at.selectbox(key="start").set_value("layer_norm").run()
    assert not at.exception
    assert at.select_slider(key="d_k").value == 64
    assert_shows(at, expected(d_model=64, d_k=64, start="layer_norm", normalised=True))


@pytest.mark.parametrize("name", PRESETS)
def test_examples(open_app, name):
    at = open_app()
    at.pills(key="preset").set_value(name).run()
    assert at.text_input(key="text").value == PRESETS[name]
    assert at.pills(key="preset").value is None
    assert_shows(at, expected(PRESETS[name]))


def test_new_draw_changes_the_seed_and_nothing_else(open_app):
    at = open_app(text="one two three", d_k="32")
    before = at.number_input(key="seed").value
    at.sidebar.button[0].click().run()
    seed = at.number_input(key="seed").value
    assert seed != before
    assert_shows(at, expected("one two three", seed=seed, d_k=32))


def test_unrelated_choices_keep_the_head(open_app):
    at = open_app()
    before = weights(at)
    at.selectbox(key="row").set_value(2).run()
    at.segmented_control(key="scale").set_value("fit").run()
    np.testing.assert_array_equal(weights(at), before)
    assert "es" in at.markdown[0].value.split("focuses")[0]


def test_two_visitors_do_not_meet(open_app):
    one, other = open_app(), open_app()
    one.text_input(key="text").set_value("mine alone").run()
    other.run()
    assert_shows(other, expected())
    assert_shows(one, expected("mine alone"))


def test_the_address_restores_the_picture(open_app):
    at = open_app(
        text="a b c", seed="3", d_model="64", start="torch", positions="true", mask="causal",
        d_k="50", divisor="2.5", row="1", scale="own",
    )  # fmt: skip
    trace = expected(
        "a b c", seed=3, d_model=64, start="torch", positions=True, causal=True, d_k=50,
        divisor="2.5",
    )  # fmt: skip
    assert_shows(at, trace)
    assert at.select_slider(key="d_k").value == 50
    assert at.selectbox(key="row").value == 1
    assert any("its own scale" in title for title in maps(at))
    assert not at.info


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("d_k", "9999"), ("d_k", "abc"), ("d_k", "-4"), ("d_k", "4.5"), ("d_k", "٤"), ("seed", "x"),
        ("seed", "1" * 5000), ("d_model", "255"), ("start", "<b>"), ("positions", "1"),
        ("mask", "left"), ("divisor", "0"), ("divisor", "nan"), ("row", "-1"), ("scale", "big"),
        ("text", "x" * 20_001),
    ],
)  # fmt: skip
def test_a_bad_address_shows_the_default_and_says_so(open_app, key, value):
    at = open_app(**{key: value})
    assert_shows(at, expected())
    (notice,) = at.info
    assert key.replace("_", r"\_") in notice.value
    assert len(notice.value) < 400


def test_a_row_beyond_the_sentence_is_the_last(open_app):
    at = open_app(row="9")
    assert at.selectbox(key="row").value == 3


@pytest.mark.parametrize(
    "text",
    [
        "😀 👨‍👩‍👧",
        "أنا بخير",
        "我很好",
        "<script>alert(1)</script>",
        "$x$",
        "2020-01-01",
        "the the the",
        "x",
    ],
)
def test_odd_sentences_are_pictures(open_app, text):
    at = open_app()
    at.text_input(key="text").set_value(text).run()
    assert not at.exception
    assert_shows(at, expected(text))


@pytest.mark.parametrize("text", ["", "   ", "word " * 10_000, "w " * 513])
def test_sentences_that_cannot_be_shown_get_one_sentence(open_app, text):
    at = open_app()
    at.text_input(key="text").set_value(text).run()
    assert not at.exception
    (problem,) = at.warning
    assert "must" in problem.value
    at.text_input(key="text").set_value("again").run()
    assert_shows(at, expected("again"))


def test_long_sentence(open_app):
    at = open_app(text="w " * 512)
    assert weights(at).shape == (512, 512)
    assert math.isclose(weights(at)[0].sum(), 1, abs_tol=1e-5)

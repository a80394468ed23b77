"""The Softmax lab: every section, every choice, every address; the numbers are the core's."""

import json
import math
import re
from dataclasses import asdict, fields, replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import attention_viz as av
from attention_viz import figures, precision
from attention_viz.alternatives import Way, jacobian_by, mix_of, weights_by
from attention_viz.jacobian import row_norm
from attention_viz.mistakes import weights_over_queries
from attention_viz.places import SECTIONS
from attention_viz.reading import number
from attention_viz.rows import parse_row
from attention_viz.ui import state
from attention_viz.ui.address import read_address
from attention_viz.ui.softmax import choices, editor, instead, masks, slopes, steps, types, way
from attention_viz.ui.softmax.choices import DEFAULTS, Choices

pytestmark = pytest.mark.ui
PAGE = "attention_viz/ui/pages/softmax.py"
SHARED = {field.name for field in fields(state.Settings)}
CHARTS = {
    "steps": ["softmax_bars"],
    "types": ["softmax_ranges"],
    "slopes": ["softmax_jacobian", "softmax_norms"],
    "instead": ["softmax_alternatives"],
    "way": ["softmax_directions"],
    "masks": ["softmax_masks"],
}


@pytest.fixture
def open_lab(open_page):
    def open_at(**address):
        named = {key if key in SHARED else f"softmax_{key}": word for key, word in address.items()}
        return open_page("softmax", **named)

    return open_at


def told(at):
    """The sentences below the picture, as a person reads them."""
    text = "\n".join(element.value for element in at.markdown)
    return re.sub(r"\\(.)", r"\1", text).replace("−", "-")


def row(*scores):
    return torch.tensor(scores, dtype=torch.float64)


def default_run(d_k=4, **how):
    return av.run(
        state.DEFAULTS.text, av.random_head(256, d_k, seed=state.DEFAULTS.seed), seed=25, **how
    )


def test_first_visit(open_lab):
    at = open_lab()
    assert at.text_input(key="softmax_scores").value == "2, 1, 0.1"
    assert "Score 1: exp(2) = 7.389, ÷ 11.21 = 0.659." in told(at)
    assert "Order is kept in 3 of 3 pairs" in told(at)
    assert not at.sidebar.text_input


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("scores", [*editor.EXAMPLES.values(), "0, 0", "1e6, -1e6, 0", "1 " * 12])
def test_every_section_on_every_kind_of_row(open_lab, section, scores):
    at = open_lab(section=section, scores=scores)
    assert not at.warning
    assert len(at.get("plotly_chart")) == len(CHARTS[section])
    assert " nan" not in told(at)
    assert told(at).count("\n- ") >= 1
    assert all(chart.proto.alt for chart in at.get("plotly_chart"))


def test_only_the_chosen_section_is_drawn(open_lab):
    at = open_lab()
    for section in SECTIONS:
        at.segmented_control(key="softmax_section").set_value(section).run()
        assert not at.exception
        assert len(at.get("plotly_chart")) == len(CHARTS[section])


def test_plus_five_changes_nothing_and_times_two_does(open_lab):
    at = open_lab()
    at.button[0].click().run()
    moved = (torch.softmax(row(7, 6, 5.1), 0) - torch.softmax(row(2, 1, 0.1), 0)).abs().max()
    assert moved < 1e-15
    assert "+5 to all: no weight changes. Each exp" in told(at)
    assert "multiplied by exp(5) = 148.4" in told(at)
    at.button[1].click().run()
    one, other = torch.softmax(row(2, 1, 0.1), 0).max(), torch.softmax(row(4, 2, 0.2), 0).max()
    expected = f"× 2: the largest weight went from {number(one.item())} to {number(other.item())}"
    assert expected in told(at)
    at.button[2].click().run()
    assert "to all" not in told(at)
    assert at.number_input(key="softmax_add").value == 0


def test_factor_constant_and_temperature_are_typed_too(open_lab):
    at = open_lab()
    at.number_input(key="softmax_times").set_value(-3.0).run()
    at.number_input(key="softmax_add").set_value(7.5).run()
    at.number_input(key="softmax_temperature").set_value(2.0).run()
    weights = torch.softmax(row(2, 1, 0.1) * -1.5, 0)
    assert f"= {number(weights.max().item())}." in told(at)
    assert "+7.5 to all" in told(at)
    assert "exp(3.75) = 42.52" in told(at)
    assert "× -3: the largest" in told(at)
    assert "÷ 2, the temperature: the largest" in told(at)


@pytest.mark.parametrize("name", editor.EXAMPLES)
def test_examples(open_lab, name):
    at = open_lab(add="9", times="2", temperature="3")
    at.pills(key="softmax_example").set_value(name).run()
    assert at.text_input(key="softmax_scores").value == editor.EXAMPLES[name]
    assert at.pills(key="softmax_example").value is None
    assert at.number_input(key="softmax_add").value == 0


@pytest.mark.parametrize("scores", ["", "7", "1, x", "1 " * 13, "1, 2e6"])
def test_what_is_no_row_gets_one_sentence_and_keeps_the_page(open_lab, scores):
    at = open_lab()
    at.text_input(key="softmax_scores").set_value(scores).run()
    assert not at.exception
    assert len(at.warning) == 1
    at.text_input(key="softmax_scores").set_value("3, 3").run()
    assert "Scores 1 and 2 are equal, so their weights are: 0.5 each." in told(at)


def test_an_address_restores_everything(open_lab):
    at = open_lab(
        section="masks", scores="1;2;3;4", times="2", add="-1.5", temperature="0.5", source="raw",
        hidden="2,4", fill="-10", text="a b", d_k="7",
    )  # fmt: skip
    assert not at.info
    assert list(at.pills(key="softmax_hidden").value) == [2, 4]
    assert at.selectbox(key="softmax_fill").value == -10
    assert at.session_state["softmax_lab_held"] == Choices(
        "masks", "1;2;3;4", 2.0, -1.5, 0.5, "raw", (2, 4), -10.0
    )
    assert at.session_state["text"] == "a b"
    assert at.session_state["d_k"] == 7


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("section", "x"), ("scores", "1"), ("scores", "1,nan"), ("scores", "<b>,1"),
        ("scores", "9" * 5000), ("times", "1e9"), ("times", "inf"), ("add", "٤"), ("add", ""),
        ("temperature", "0"), ("temperature", "-1"), ("source", "file"), ("hidden", "13"),
        ("hidden", "0"), ("hidden", "1," * 40), ("hidden", "x"), ("fill", "-7"), ("fill", "nan"),
    ],
)  # fmt: skip
def test_a_bad_address_shows_the_default_and_says_so(open_lab, key, value):
    at = open_lab(**{key: value})
    (notice,) = at.info
    assert f"softmax_{key}" in notice.value.replace("\\", "")
    assert len(notice.value) < 500
    assert at.session_state["softmax_lab_held"] == DEFAULTS
    at.text_input(key="softmax_scores").set_value("5, 6").run()
    assert not at.info


def test_many_bad_keys_are_one_notice(open_lab):
    (notice,) = open_lab(section="x", scores="x", times="x", add="x").info
    assert "and 2 more" in notice.value


def test_choices_outlive_the_section_and_the_page(open_lab):
    at = open_lab()
    at.text_input(key="softmax_scores").set_value("4, 3, 2, 1").run()
    at.segmented_control(key="softmax_section").set_value("masks").run()
    at.pills(key="softmax_hidden").set_value([1]).run()
    at.segmented_control(key="softmax_section").set_value("way").run()
    at.switch_page("attention_viz/ui/pages/explore.py").run()
    at.switch_page(PAGE).run()
    at.segmented_control(key="softmax_section").set_value("masks").run()
    assert at.text_input(key="softmax_scores").value == "4, 3, 2, 1"
    assert list(at.pills(key="softmax_hidden").value) == [1]


def test_what_explore_chose_outlives_the_lab(open_app):
    at = open_app(text="one two three", seed="7", d_k="16", row="2")
    at.switch_page(PAGE).run()
    at.segmented_control(key="softmax_section").set_value("way").run()
    assert at.sidebar.text_input(key="text").value == "one two three"
    assert at.selectbox(key="row").value == 2
    at.segmented_control(key="softmax_section").set_value("steps").run()
    at.switch_page("attention_viz/ui/pages/explore.py").run()
    assert at.text_input(key="text").value == "one two three"
    kept = {name: at.session_state[name] for name in ("seed", "d_k", "row")}
    assert kept == {"seed": 7, "d_k": 16, "row": 2}


def test_the_sliders_are_sent_the_scores_and_what_is_done_to_them(open_lab):
    at = open_lab(scores="20, -1.5", times="2", add="1", temperature="4")
    (slider,) = (c.proto for c in at.get("bidi_component") if c.proto.component_name == "scores")
    data = json.loads(slider.json)
    assert data["scores"] == [20, -1.5]
    assert (data["times"], data["add"], data["temperature"]) == (2, 1, 4)
    assert (data["low"], data["high"]) == (-10, 20)


@pytest.mark.parametrize("source", ["raw", "logits"])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_types_on_the_row_of_the_sentence(open_lab, source, mask):
    at = open_lab(section="types", source=source, mask=mask, row="1", d_k="16")
    trace = default_run(16, causal=mask == "causal").trace
    scores = trace.scores if source == "raw" else trace.logits
    scores = scores[1][trace.mask[1]].double()
    assert at.table[0].value.iloc[3, 3] == ", ".join(
        number(weight) for weight in torch.softmax(scores, 0).tolist()
    ).replace(".", r"\.").replace("-", "−")


def test_the_types_on_a_long_row_of_enormous_scores(open_lab):
    at = open_lab(section="types", source="raw", text="w a b " * 60, start="heavy", d_k="512")
    assert not at.warning
    assert at.table[0].value.iloc[3, 1].startswith("180 weights, largest")


def test_overflow_and_saturation_are_told_apart():
    both = row(1000, 0)
    assert "no weights in float16, bfloat16, float32, float64" in types.overflow(both)
    assert "exp(1000) is beyond 65,504" in types.overflow(both)
    assert "No type mends that" in types.saturation(both)
    only_overflow = row(1002, 1001, 1000)
    assert "no weights in" in types.overflow(only_overflow)
    assert "none here. The largest weight is 0.6652" in types.saturation(only_overflow)
    only_saturation = row(8, 0)
    assert "none that counts here" in types.overflow(only_saturation)
    assert f"all but {number(1 / (1 + math.exp(8)))} of the row" in types.saturation(
        only_saturation
    )
    neither = row(2, 1)
    assert "none that counts here" in types.overflow(neither)
    assert "none here" in types.saturation(neither)
    assert "in float16 even exp(-18) rounds to 0" in types.overflow(row(-18, -19))
    assert "their sum is beyond 65,504" in types.overflow(row(11, 11))


@pytest.mark.parametrize(
    ("scores", "kind", "error"),
    [
        ((-17, -16.5), "float16", "0.1225"),
        ((-17.3, -16.9), "float16", "0.09643"),
        ((-92.4, -91.9), "bfloat16", "0.1225"),
        ((-744.6, -744), "float64", "0.02101"),
    ],
)
def test_gradual_underflow_is_said_of_the_types_that_lose_digits(scores, kind, error):
    sentence = types.overflow(row(*scores))
    assert re.search(rf"every exp is subnormal in [^.]*\b{kind}, ", sentence)
    assert f"{error} in {kind}" in sentence
    assert "none that counts" not in sentence
    naive = next(line for line in types.table(row(*scores)) if line["type"] == kind)
    assert "subnormal, with too few digits" in naive["without the shift"]


@given(st.lists(st.floats(-800, 800), min_size=2, max_size=7))
def test_nothing_counts_only_where_each_type_has_a_normal_exp(scores):
    exps = [row(max(scores)).to(dtype).exp() for dtype in precision.TYPES]
    normal = all(torch.finfo(one.dtype).tiny <= one < math.inf for one in exps)
    if "none that counts" in types.overflow(row(*scores)):
        assert normal
        lines = [line["without the shift"] for line in types.table(row(*scores))]
        assert not any("NaN" in line or "subnormal" in line for line in lines)


def test_rounding_that_no_shift_mends_is_said():
    (sentence,) = types.rounded(row(1002, 1001, 1000))
    assert "with the shift too weights are off by up to 0.3313 in bfloat16." in sentence
    assert "At 1002 neighbouring numbers lie 4 apart in bfloat16" in sentence
    assert types.rounded(row(-17, -16.5)) == []


def test_what_is_done_to_the_scores_is_said_in_every_section(open_lab):
    at = open_lab(section="slopes", add="5", times="-2")
    facts = re.sub(r"\\(.)", r"\1", " ".join(fact.value for fact in at.caption))
    assert "each score × -2, then + 5" in facts.replace("−", "-")
    next(button for button in at.button if button.label == "Back").click().run()
    assert not any("each score" in fact.value for fact in at.caption)


def test_division_that_equals_softmax_says_where_it_fails():
    assert "The example “Cancelling”" in instead.division(row(1, 1))
    assert "Cancelling" not in instead.division(row(2, 1))


def test_n13_a_weight_that_float32_loses_keeps_its_logarithm():
    (sentence,) = types.zeros(row(0, -110))
    assert "1 of 2 weights are 0 in float32, whose smallest number is 1e-45" in sentence
    assert sentence.endswith("the smallest weight is -110.")
    assert types.table(row(0, -110))[2]["exp(score − largest) ÷ sum"] == "1, 0 (< 1e-45)"
    assert types.zeros(row(2, 1)) == []


def test_n01_the_naive_column_shows_nan_and_says_why():
    line = types.table(row(1002, 1001, 1000))[2]
    assert line["exp(score) ÷ sum"] == "NaN, NaN, NaN"
    assert line["without the shift"] == "exp(1002) is beyond 3.403e+38: ∞ ÷ ∞ is NaN"
    assert line["with it"].startswith("right")


def test_n03_the_limits_shown():
    half, _, single, _ = types.limits()
    assert single["its ln"] == "88.72284"
    assert half["its ln"] == "11.08987"
    assert (half["last finite exp"], half["first infinite"]) == ("11.0859375", "11.09375")


def test_slopes_say_what_autograd_says():
    scores = row(2, 1, 0.1)
    jacobian = torch.func.jacrev(lambda s: torch.softmax(s, 0))(scores)
    sentence = slopes.balance(scores)
    assert f"weight 1 gains {number(jacobian[0, 0].item())} for each unit" in sentence
    assert f"the others together {number(jacobian[1:, 0].sum().item())}." in sentence
    ten = torch.func.jacrev(lambda s: torch.softmax(s, 0))(10 * scores).norm().item()
    assert f"is {number(jacobian.norm().item())}; with scores 10 times" in slopes.sharpening(scores)
    assert f"it is {number(ten)}. One score" in slopes.sharpening(scores)
    assert "√2 ÷ 3 = 0.4714, but 1024 have 0.03123" in slopes.flat(scores)
    assert "answers 1 here" in slopes.argmax(scores)


def test_a_tie_at_the_top_does_not_saturate():
    scores = row(3, 3, 1)
    assert "ends at √1 ÷ 2 = 0.5, not at 0" in slopes.sharpening(scores)
    assert row_norm(1e3 * scores) == pytest.approx(0.5)
    assert "cannot choose between the 2 largest" in slopes.argmax(scores)


@given(st.lists(st.integers(-30, 30), min_size=2, max_size=12))
def test_the_table_without_softmax_holds_for_every_row(numbers):
    scores = row(*numbers)
    values = torch.arange(1, len(numbers) + 1).double()
    for line, kind in zip(instead.table(scores), Way, strict=True):
        weights = weights_by(kind, scores)
        shown = [weights.sum(), weights.min(), weights @ values, jacobian_by(kind, scores).norm()]
        expected = ["none" if x.isnan() else number(x.item()) for x in shown]
        assert list(line.values())[1:] == expected
    softmax = weights_by(Way.SOFTMAX, scores)
    assert softmax.sum().item() == pytest.approx(1)
    assert 1 - 1e-9 <= mix_of(weights_by(Way.SOFTMAX, scores)) <= len(numbers) + 1e-9
    for sentence in (instead.raw, instead.division, instead.sigmoid, instead.hardmax):
        assert "nan" not in sentence(scores)


def test_sentences_without_softmax():
    scores = row(2, -1, -0.9)
    assert "sum to 0.1, and the weighted sum of values is -2.7, outside 1 … 3." in instead.raw(
        scores
    )
    assert "2 of 3 weights are negative, the largest in size is 20" in instead.division(scores)
    assert "no answer" in instead.division(row(1, -1))
    assert "by a lead of 2.9" in instead.hardmax(scores)
    assert "shares among the 2 scores at the top, 0.5 each" in instead.hardmax(row(3, 3, 1))


@pytest.mark.parametrize("mask", ["none", "causal"])
def test_which_way_on_the_sentence(open_lab, mask):
    at = open_lab(section="way", mask=mask, row="2")
    result = default_run(causal=mask == "causal")
    wrong = torch.softmax(result.trace.logits, dim=0)
    context, right = wrong[2] @ result.trace.value, result.trace.context[2]
    sums = wrong.sum(dim=1)
    assert f"the rows to {number(sums.min().item())} … {number(sums.max().item())}." in told(at)
    away = ((context - right).norm() / right.norm()).item()
    assert f"lies {number(away)} times the right length away" in told(at)
    at.selectbox(key="row").set_value(0).run()
    assert (
        f"from all keys together {number(weights_over_queries(result.trace)[0].sum().item())}"
        in told(at)
    )


def test_which_way_of_a_sentence_that_cannot_be_read_is_one_sentence(open_lab):
    at = open_lab(section="way")
    at.sidebar.text_input(key="text").set_value("").run()
    assert not at.exception
    assert len(at.warning) == 1
    at.sidebar.text_input(key="text").set_value("here again").run()
    assert not at.warning


def test_which_way_of_a_demo_head_and_a_long_sentence(open_lab):
    at = open_lab(section="way", text="the cat sat on the mat . the cat sat", head="induction")
    assert not at.warning
    at = open_lab(section="way", text="w " * 200)
    assert not at.warning


def test_masks_in_words():
    scores, mask = row(2, 1, 0.1), torch.tensor([True, True, False])
    after = (torch.softmax(scores, 0) * mask).sum().item()
    assert f"sums to {number(after)}." in masks.after(scores, mask)
    lost = math.exp(-5) / (math.exp(-5) + math.exp(2) + math.exp(1))
    assert f"-5 before softmax: {number(lost)} of the row leaks" in masks.filled(scores, mask, -5.0)
    assert "nothing leaks, even in float64: it lies 1e+04 below" in masks.filled(
        scores, mask, -1e4
    ).replace("10002", "1e+04")
    everything, nothing = torch.ones(3).bool(), torch.zeros(3).bool()
    assert "nothing can leak" in masks.filled(scores, everything, -5.0)
    assert "each gets 0.3333" in masks.filled(scores, nothing, -1e9)
    assert "-1,000,000,000 gives each masked key 0.3333." in masks.nothing_left(scores, -1e9)
    assert masks.before(scores, nothing).startswith("Nothing is left")
    assert torch.softmax(torch.full((3,), -math.inf), 0).isnan().all()
    assert "100\u00a0% of the mix is missing" in masks.after(scores, nothing)
    assert masks.known().count("100\u00a0% of the row") == 1


@pytest.mark.parametrize(
    ("scores", "lost"),
    [((17, 0, 0), "4.14e-08"), ((10, 0, 0), "4.54e-05"), ((60, 0, 0), "8.757e-27")],
)
def test_what_a_late_mask_loses_is_not_rounded_away(scores, lost):
    sentence = masks.after(row(*scores), torch.tensor([True, True, False]))
    assert f"sums to 1 − {lost}. " in sentence
    assert f"{lost} of the mix is missing" in sentence


def test_a_late_mask_that_loses_nothing_in_float64_says_so():
    sentence = masks.after(row(0, -1e6), torch.tensor([True, False]))
    assert "sums to 1, even in float64" in sentence


def test_a_key_hidden_beyond_the_row_hides_nothing(open_lab):
    at = open_lab(section="masks", scores="2, 1")
    assert not at.exception
    assert "2 of 2 keys share the whole row" in told(at)


def test_order_and_ties_in_words():
    scores = row(3, 1, 3)
    assert steps.order(scores)[0] == (
        "Order is kept in 2 of 2 pairs of unequal scores, as softmax sees them."
    )
    weight = torch.softmax(scores, 0)[0].item()
    assert steps.order(scores)[1] == (
        f"Scores 1 and 3 are equal, so their weights are: {number(weight)} each."
    )


@pytest.mark.parametrize(
    ("scores", "add", "temperature", "words"),
    [
        ("2, 1, 0.1", 5, 1, "Each exp is multiplied by exp(5) = 148.4, and so is their sum."),
        ("1002, 1001", 5, 1, "The largest score is subtracted first, so no exp changes."),
        ("48, 1", 5, 1, "is subtracted first, and without the constant it is not"),
        ("-52, 1", 5, 1, "is not subtracted first, and without the constant it is,"),
        ("480, 10", 50, 10, "is subtracted first, and without the constant it is not"),
    ],
)  # fmt: skip
def test_why_a_constant_changes_nothing_is_what_the_bars_show(scores, add, temperature, words):
    now = Choices(scores=scores, add=float(add), temperature=float(temperature))
    assert words in steps.measured(now)[0]
    before = replace(now, add=0.0)
    moved, still = (figures.softmax_bars(one.row()).data[1].x for one in (now, before))
    same_exps = moved == pytest.approx(still, rel=1e-9, abs=1e-300)
    assert same_exps == ("no exp changes" in words)


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({}, []),
        ({"times": 2.0, "add": 7.0}, []),
        ({"times": -1.0}, ["The factor -1 reversed 3 of 3 pairs of unequal typed scores"]),
        ({"times": 0.0}, ["The factor 0 made 3 of 3 pairs of unequal typed scores equal"]),
        ({"times": -1.0, "scores": "1, 1, 0"}, ["The factor -1 reversed 2 of 2 pairs"]),
        ({"times": -1.0, "scores": "1, 1"}, []),
        ({"add": 1.0, "scores": "1e-320, 0, 1"}, ["Rounding in float64 made 1 of 3 pairs"]),
    ],
)
def test_what_becomes_of_the_typed_order(choice, words):
    said = steps.typed_order(replace(DEFAULTS, **choice))
    assert len(said) == len(words)
    assert all(one.startswith(start) for one, start in zip(said, words, strict=True))


def test_a_factor_that_reverses_or_erases_the_order_is_said(open_lab):
    at = open_lab(times="-1")
    assert "The factor -1 reversed 3 of 3 pairs" in told(at)
    assert "Order is kept in 3 of 3 pairs of unequal scores, as softmax sees them." in told(at)
    at = open_lab(times="0")
    assert "The factor 0 made 3 of 3 pairs of unequal typed scores equal" in told(at)
    assert "there is no order to keep" in told(at)
    assert "0 of 0" not in told(at)


def test_a_number_with_a_comma_is_said_to_be_read_apart(open_lab):
    at = open_lab(scores="1,000")
    (notice,) = at.info
    assert "“1,000” was read as 1 and 0" in notice.value.replace("\\", "")
    at.text_input(key="softmax_scores").set_value("1000, 999").run()
    assert not at.info


def test_numbers_of_full_precision_come_back_from_the_address(open_lab):
    at = open_lab(scores="0.8414709848078965, 1E-320", times="0.8414709848078965", add="1e-320")
    assert not at.info
    assert not at.warning
    now = at.session_state["softmax_lab_held"]
    assert now.typed().tolist() == [0.8414709848078965, 1e-320]
    assert (now.times, now.add) == (0.8414709848078965, 1e-320)
    words = {key: word for key, (word, _) in choices.address(now).items()}
    assert words["softmax_times"] == "0.8414709848078965"
    assert read_address(words, choices.READERS)[1] == []


def test_minus_signs_of_sentences_and_bars_are_the_same(open_lab):
    at = open_lab(section="masks", scores="10, 0, 0", hidden="3")
    sentences = "\n".join(one.value for one in at.markdown).replace("\\", "")
    (bars,) = at.get("plotly_chart")
    for text in (
        sentences,
        bars.proto.alt,
        json.loads(bars.proto.spec)["layout"]["annotations"][1]["text"],
    ):
        assert "1 − 4.54e−05" in text


def test_the_address_of_every_choice_gives_it_back():
    now = Choices("masks", "1, 2", 2.5, -1e-6, 0.01, "logits", (), -1e9)
    words = {key: word for key, (word, _) in choices.address(now).items()}
    chosen, wrong = read_address(words, choices.READERS)
    assert not wrong
    assert chosen == {f"softmax_{name}": value for name, value in asdict(now).items()}
    assert list(choices.READERS) == list(words)
    assert not set(words) & SHARED


@given(
    st.dictionaries(
        st.sampled_from([choices.key(field.name) for field in fields(Choices)]),
        st.text(max_size=30),
    )
)
def test_any_address_gives_choices_or_a_sentence(address):
    chosen, wrong = read_address(address, choices.READERS)
    assert len(chosen) + len(wrong) == len(address)
    now = Choices(**{name.removeprefix("softmax_"): value for name, value in chosen.items()})
    assert len(now.row()) == len(parse_row(now.scores))


def test_mix_names_the_key_that_gives_most():
    result = default_run()
    weights = weights_over_queries(result.trace)[1]
    names = result.tokens.names
    assert f"of {names[int(weights.argmax())]}, and" in way.mix(result, 1)
    assert torch.equal(way.weights_over_queries(result.trace)[1], weights)

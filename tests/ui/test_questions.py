"""The page Questions: every control, every address, and what every deep link shows."""

import json
import re
from dataclasses import fields

import pytest
from streamlit.testing.v1 import AppTest

from attention_viz.answers import run_of, scores_of
from attention_viz.codes import encode
from attention_viz.places import LABELS, settings_of
from attention_viz.places import PAGES as NAMES
from attention_viz.questions import introduction, outlines, question
from attention_viz.rows import parse_row
from attention_viz.stage.texts import ENGLISH
from attention_viz.surprises import sweep_of
from attention_viz.ui import lab
from attention_viz.ui.address import read_address
from attention_viz.ui.softmax import choices

pytestmark = pytest.mark.ui
PAGES = "attention_viz/ui/pages/"
COUNT = len(outlines())
PLACES = range(COUNT)
LINKS = [
    pytest.param(link, shown, id=f"{question(place).key}-{i}")
    for place in PLACES
    for i, (link, shown) in enumerate(
        zip(question(place).links, question(place).shows, strict=True)
    )
]


@pytest.fixture
def open_page(open_page):
    return lambda page="questions", **address: open_page(page, **address)


def told(at):
    """What a person reads, without the signs that keep Markdown from reading it."""
    text = "\n".join(element.value for element in (*at.markdown, *at.caption, *at.info))
    return re.sub(r"\\(.)", r"\1", text)


def button(at, label):
    return next(one for one in at.button if one.label == label)


def address(at):
    """What the link component was given to write."""
    (proto,) = (c.proto for c in at.get("bidi_component") if c.proto.component_name == "browser")
    return json.loads(proto.json)


def test_first_visit_asks_and_gives_nothing_away(open_page):
    at = open_page()
    asked = question(0)
    assert introduction() in told(at)
    assert f"#### 1. {asked.title}" in told(at)
    assert asked.predict in told(at)
    assert [option[3:] for option in at.radio[0].options] == list(asked.options)
    assert asked.answer not in told(at)
    assert not at.get("page_link")
    assert not at.toggle


@pytest.mark.parametrize("place", PLACES)
def test_predict_then_try_then_read(open_page, place):
    at = open_page(question=str(place + 1))
    asked = question(place)
    button(at, "Commit to it").click().run()
    assert at.radio, "nothing was chosen, so nothing is committed to"
    assert "Choose one of the predictions first." in told(at)
    at.radio[0].set_value(asked.options[asked.right])
    button(at, "Commit to it").click().run()
    assert not at.radio
    assert "Choose one" not in told(at)
    assert asked.look in told(at)
    assert asked.answer not in told(at)
    assert len(at.get("page_link")) == len(asked.links)
    at.toggle(key="question_read").set_value(True).run()
    assert asked.answer in told(at)
    assert asked.mistake in told(at)
    assert "as you predicted" in told(at)
    assert "not what" not in told(at)
    wrong = [None] * COUNT
    wrong[place] = (asked.right + 1) % 3
    at = open_page(question=str(place + 1), question_answers=encode(wrong), question_read="1")
    assert "not what you predicted" in told(at)


def test_a_prediction_counts_whose_options_streamlit_has_forgotten():
    def page():
        from attention_viz.questions import question
        from attention_viz.ui import quiz

        quiz.commit(0, question(0), question(0).options[1])

    at = AppTest.from_function(page).run()
    assert not at.exception
    assert at.session_state["quiz_held"].choices[0] == 1


def test_turning_keeps_predictions_and_hides_answers(open_page):
    at = open_page(
        question="2", question_answers=encode([None, 1] + [None] * 13), question_read="1"
    )
    assert question(1).answer in told(at)
    button(at, "Next").click().run()
    assert question(2).predict in told(at)
    assert question(2).answer not in told(at)
    button(at, "Back").click().run()
    assert "You predicted B." in told(at)
    assert question(1).answer not in told(at)
    at.segmented_control(key="question_place").set_value(14).run()
    assert question(14).title in told(at)
    assert button(at, "Next").disabled
    at.switch_page(f"{PAGES}words.py").run()
    at.query_params.clear()  # as a browser does
    at.switch_page(f"{PAGES}questions.py").run()
    assert question(14).title in told(at)
    button(at, "Forget them and begin again").click().run()
    assert question(0).title in told(at)
    assert at.code[0].value == encode([None] * COUNT)


def test_nothing_is_read_before_a_prediction(open_page):
    at = open_page(question="2", question_read="1")
    assert question(1).answer not in told(at)
    assert address(at)["own"]["question_read"] == "0"


def test_the_code_is_in_the_address_and_on_the_page(open_page):
    at = open_page()
    at.radio[0].set_value(question(0).options[2])
    button(at, "Commit to it").click().run()
    code = encode([2] + [None] * 14)
    assert at.code[0].value == code
    assert code in str(address(at))


@pytest.mark.parametrize(
    ("key", "word", "fault"),
    [
        ("question", "16", "a whole number in 1 … 15"),
        ("question", "-1", "a whole number in 1 … 15"),
        ("question_read", "yes", "one of 0, 1"),
        ("question_answers", "AAAAA", "a code of predictions"),
        ("question_answers", "<b>", "a code of predictions"),
    ],
)
def test_a_bad_address_is_one_sentence(open_page, key, word, fault):
    at = open_page(**{key: word})
    assert fault in told(at)
    assert question(0).title in told(at)


@pytest.mark.parametrize(("link", "shown"), LINKS)
def test_a_deep_link_shows_what_its_text_promises(open_page, stage_of, link, shown):
    at = open_page(link.page, **link.query)
    assert "Defaults are shown" not in told(at)
    assert_can_be_set_by_hand(at, link)
    if link.page == "explore":  # the sentence is read in the browser, below from the same numbers
        header = stage_of(at).header
        trace = run_of(link).trace
        assert header["init"]["row"] == int(link.query["row"])
        assert header["init"]["divisor"] == link.query["divisor"]
        assert stage_of(at).scores_at(header["init"]["d_k"]) == pytest.approx(
            trace.scores.numpy(), abs=1e-4
        )
    elif link.page == "hand":
        assert stage_of(at).header["prefix"] == "Invented, as textbooks do: "
    else:
        assert shown in told(at)


@pytest.mark.parametrize(("link", "shown"), LINKS)
def test_a_link_says_all_that_decides_its_numbers(link, shown):
    """So that old links show the same when a default changes."""
    if link.page == "explore":
        assert set(link.query) == {"text", "seed", "d_model", "d_k", "divisor", "row"}
    if link.page == "scaling":
        named, wrong = read_address(link.query, lab.READERS)
        said = {name.removeprefix("scaling_"): value for name, value in named.items()}
        assert not wrong
        assert set(said) == {field.name for field in fields(lab.Lab)} - {"guess"}
        assert lab.Lab(**said).sweep == sweep_of(link)
    if link.page == "softmax" and "softmax_scores" in link.query:
        said, wrong = read_address(link.query, choices.READERS)
        assert not wrong
        assert parse_row(said["softmax_scores"]) == tuple(scores_of(link).tolist())


def assert_can_be_set_by_hand(at, link):
    """Each label stands on the page, and each choice is offered under the name it has on paper."""
    kinds = ("text_input", "number_input", "selectbox", "select_slider", "segmented_control")
    widgets = [widget for kind in (*kinds, "multiselect") for widget in at.get(kind)]
    # The stage is drawn in the browser, by these words.
    drawn = (ENGLISH["d_k_words"], ENGLISH["divisor"], "Row") if link.page == "explore" else ()
    for label, word in settings_of(link).items():
        if label.endswith(", on Explore") or any(words.startswith(label) for words in drawn):
            continue
        found = next(one for one in widgets if one.label.split(",")[0] == label)
        words = word.split(", ") if label == LABELS["scaling_divisors"] else [word]
        offered = getattr(found, "options", words)
        assert all(one in offered or one.strip("“”") in offered for one in words)


@pytest.mark.parametrize("page", sorted({link.values[0].page for link in LINKS}))
def test_every_page_that_is_linked_has_a_name(page):
    assert page in NAMES

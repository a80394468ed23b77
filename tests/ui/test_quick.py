"""Two things done before the page is drawn anew: the second means what the first has left."""

import pytest
from streamlit.testing.v1 import AppTest

from attention_viz.ui import quiz

pytestmark = pytest.mark.ui


def press(at, label):
    next(button for button in at.button if button.label == label).click()


@pytest.mark.parametrize(("label", "place"), [("Next", 6), ("Back", 4)])
def test_a_question_is_chosen_and_then_the_one_beside_it(open_page, label, place):
    at = open_page("questions", question="2")
    at.segmented_control(key=quiz.PLACE).set_value(5)
    press(at, label)
    at.run()
    assert not at.exception
    assert at.segmented_control(key=quiz.PLACE).value == place


def test_there_is_nothing_beyond_the_last_question(open_page):
    at = open_page("questions", question="2")
    at.segmented_control(key=quiz.PLACE).set_value(14)
    press(at, "Next")
    at.run()
    assert not at.exception
    assert at.segmented_control(key=quiz.PLACE).value == 14


def test_a_prediction_is_of_the_question_that_it_was_made_for():
    def page():
        from attention_viz.questions import question
        from attention_viz.ui import quiz

        quiz.go(5)
        quiz.commit(1, question(1), question(1).options[2])

    at = AppTest.from_function(page).run()
    assert not at.exception
    choices = at.session_state["quiz_held"].choices
    assert [choices[1], choices[5]] == [2, None]


@pytest.mark.parametrize(("button", "step"), [("steps_next", 6), ("steps_previous", 4)])
def test_a_step_is_chosen_and_then_the_one_beside_it(open_page, button, step):
    at = open_page("steps", step="2")
    at.segmented_control(key="steps_step").set_value(5)
    at.button(key=button).click().run()
    assert not at.exception
    assert at.segmented_control(key="steps_step").value == step


def test_what_was_tried_is_changed_and_then_taken_back(open_page):
    at = open_page("steps", step="8")
    at.button(key="steps_try").click().run()
    (back,) = [one for one in at.button if (one.key or "").startswith("steps_back_")]
    at.segmented_control(key="mask").set_value("none")
    back.click().run()
    assert not at.exception
    assert at.segmented_control(key="mask").value == "none"


@pytest.mark.parametrize("text", ["one word more than three", "two words", "three words here"])
def test_weights_for_a_row_of_a_sentence_that_another_has_replaced(text):
    def page(text):
        import torch

        from attention_viz.ui import hand

        tokens = hand.now().tokens
        hand.start_text(text)
        hand.give_row(tokens, 2, torch.ones(tokens.n))

    at = AppTest.from_function(page, args=(text,)).run()
    assert not at.exception
    assert at.session_state["hand"].tokens.text == text
    assert not at.session_state["hand"].scores.any()


@pytest.mark.parametrize(
    ("label", "name", "value"), [("+5 to all?", "add", 8), ("× 2?", "times", 6)]
)
def test_a_number_is_typed_and_then_changed(open_page, label, name, value):
    at = open_page("softmax")
    at.number_input(key=f"softmax_{name}").set_value(3.0)
    press(at, label)
    at.run()
    assert not at.exception
    assert at.number_input(key=f"softmax_{name}").value == value

"""Two things done before the page is drawn anew: the second means what the first has left."""

import pytest
from streamlit.testing.v1 import AppTest

pytestmark = pytest.mark.ui


def press(at, label):
    next(button for button in at.button if button.label == label).click()


@pytest.mark.parametrize(("start", "by", "place"), [(5, 1, 6), (5, -1, 4), (14, 1, 14), (0, -1, 0)])
def test_a_question_is_turned_from_where_the_person_is(start, by, place):
    def page(start, by):
        import streamlit as st

        from attention_viz.ui import quiz

        quiz.go(start)
        st.session_state[quiz.PLACE] = 8  # what the browser still says with a second press
        quiz.move(by)

    at = AppTest.from_function(page, args=(start, by)).run()
    assert not at.exception
    assert at.session_state["question_place"] == place


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


def test_what_was_tried_is_changed_and_then_taken_back(open_page):
    at = open_page("steps", step="8")
    at.button(key="steps_try").click().run()
    (back,) = [one for one in at.button if (one.key or "").startswith("steps_back_")]
    at.segmented_control(key="mask").set_value("none")
    back.click().run()
    assert not at.exception
    assert at.segmented_control(key="mask").value == "none"


def open_weights(open_page):
    at = open_page("hand")
    at.selectbox(key="hand_row").set_value(2).run()
    at.text_input(key="hand_weights").set_value("0.5 0.3 0.2").run()
    return at


def test_weights_are_typed_and_then_put_into_the_row(open_page):
    at = open_weights(open_page)
    at.text_input(key="hand_weights").set_value("0.1 0.1 0.8")
    press(at, "Put them into the row")
    at.run()
    assert not at.exception
    weights = at.session_state["hand"].scores[2].softmax(0).tolist()
    assert weights == pytest.approx([0.1, 0.1, 0.8], abs=1e-6)


@pytest.mark.parametrize("weights", ["0.5 0.3 0.2", "0.5 0.5"])
def test_weights_for_a_row_that_a_new_sentence_lacks(weights):
    def page(weights):
        from attention_viz.ui import hand

        hand.start_text("two words")
        hand.put_weights(2, weights)

    at = AppTest.from_function(page, args=(weights,)).run()
    assert not at.exception
    assert at.session_state["hand"].tokens.text == "two words"
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


def test_of_two_presses_both_count_though_the_browser_has_not_seen_the_first():
    def page():
        import streamlit as st

        from attention_viz.ui.softmax import choices

        choices.enter()
        choices.choose(add=choices.now().add + 5)
        choices.enter()
        st.session_state[choices.key("add")] = 0.0  # what the browser still says
        choices.choose(times=choices.now().times * 2)
        choices.enter()
        st.session_state[choices.key("add")] = 0.0
        choices.choose(add=choices.now().add + 5)
        choices.enter()

    at = AppTest.from_function(page).run()
    assert not at.exception
    assert [at.session_state["softmax_add"], at.session_state["softmax_times"]] == [10, 2]


def test_a_number_is_taken_back_by_hand_once_the_browser_has_seen_it(open_page):
    at = open_page("softmax")
    press(at, "+5 to all?")
    at.run()
    at.number_input(key="softmax_add").set_value(0.0).run()
    press(at, "× 2?")
    at.run()
    assert at.number_input(key="softmax_add").value == 0


def test_a_choice_that_lacks_is_asked_for_at_its_question_alone(open_page):
    at = open_page("questions", question="2")
    press(at, "Commit to it")
    at.segmented_control(key="question_place").set_value(5)
    at.run()
    assert not [one for one in at.info if "Choose one" in one.value]
    at.segmented_control(key="question_place").set_value(1).run()
    press(at, "Commit to it")
    at.run()
    assert [one for one in at.info if "Choose one" in one.value]

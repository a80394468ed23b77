"""Questions: predict, then try, then read."""

import streamlit as st

from attention_viz.questions import (
    LETTERS,
    Question,
    about_code,
    introduction,
    outlines,
    question,
)
from attention_viz.ui import browser, quiz, show, turning


def page() -> None:
    """The whole page."""
    now = quiz.enter()
    intro, link = st.columns([6, 1], vertical_alignment="center")
    with intro:
        show.text(introduction())
    if quiz.notice(now):
        show.notice(quiz.notice(now))
    st.segmented_control(
        "Question",
        range(len(outlines())),
        key=quiz.PLACE,
        format_func=quiz.name,
        required=True,
        label_visibility="collapsed",
    )
    with st.spinner("measuring …"):
        asked = question(now.place)
    show.question(f"{quiz.name(now.place)}. {asked.title}")
    predict(asked, now)
    if now.choice is not None:
        look_and_read(asked, now)
    turn(now)
    code(now)
    with link:
        words, default = (quiz.to_address(state) for state in (now, quiz.DEFAULTS))
        browser.link_words(words, default, theirs=[quiz.ADDRESS])


def predict(asked: Question, now: quiz.Quiz) -> None:
    """The options, until one is committed to."""
    show.text(asked.predict)
    if now.choice is not None:
        letter = LETTERS[now.choice].upper()
        show.says(*(_option(asked, option) for option in asked.options))
        show.text(f"You predicted {letter}.")
        return
    chosen = st.radio(
        "Your prediction",
        asked.options,
        index=None,
        key=quiz.choice_key(asked),
        format_func=lambda option: _option(asked, option),
    )
    st.button("Commit to it", type="primary", on_click=quiz.commit, args=(now.place, asked, chosen))
    if quiz.lacks_choice():
        show.notice("Choose one of the predictions first.")


def look_and_read(asked: Question, now: quiz.Quiz) -> None:
    """The experiment, and its answer once it is asked for."""
    show.heading("Try")
    show.text(asked.look)
    quiz.draw_links(asked)
    st.toggle("Show the answer", key="question_read", on_change=quiz.reveal)
    if not now.read:
        return
    right = LETTERS[asked.right].upper()
    told = "as you predicted" if now.choice == asked.right else "not what you predicted"
    answer, mistake = st.columns(2, gap="large")
    with answer:
        show.heading(f"Answer: {right}, {told}")
        show.text(asked.answer)
        there = " and ".join(f"“{shown}”" for shown in asked.shows)
        show.fact(f"You can read there: {there}")
    with mistake:
        show.heading("Often said")
        show.text(asked.mistake)


def turn(now: quiz.Quiz) -> None:
    """To the question before, and to the next."""
    last = len(outlines()) - 1
    with st.container(horizontal=True):
        st.button("Back", disabled=now.place == 0, on_click=quiz.move, args=(-1,))
        st.button("Next", disabled=now.place == last, on_click=quiz.move, args=(1,))
        turning.draw(
            quiz.ADDRESS, group=quiz.PLACE, at=now.place + 1, last=last + 1, go=quiz.go_to_number
        )


def code(now: quiz.Quiz) -> None:
    """The predictions as a code for a teacher."""
    with st.expander(f"Your predictions as a code: {now.predicted} of {len(now.choices)}"):
        st.code(now.code, language=None)
        show.fact(about_code())
        st.button("Forget them and begin again", on_click=quiz.begin_again)


def _option(asked: Question, option: str) -> str:
    return f"{LETTERS[asked.options.index(option)].upper()}: {option}"


page()

"""By hand: write the scores, or the weights, and see what softmax makes of them."""

import streamlit as st

from attention_viz.byhand import challenges
from attention_viz.errors import AttentionVizError
from attention_viz.reading import number
from attention_viz.ui import downloads, hand, show


def page() -> None:
    """The whole page."""
    hand.resume()
    with st.sidebar:
        begin()
    show.question("Write the scores yourself. What does softmax make of them?")
    st.fragment(play)(st.session_state["hand_text"])


def begin() -> None:
    """Which sentence, and which scores to start from."""
    st.session_state.setdefault("hand_text", hand.now().tokens.text)
    st.text_input("Sentence, up to 8 tokens", key="hand_text", on_change=_start)
    problem = st.session_state.pop("hand_problem", None)
    if problem is not None:
        show.problem(problem)
    st.button("All scores 0", on_click=_start, width="stretch")
    st.button("The textbook example", on_click=_textbook, width="stretch")


def play(sentence: str) -> None:
    """The stage, its numbers as files, what may be put into it, and the challenges."""
    # What changes at the instant of a movement comes with it, to this part of the page alone.
    if sentence != st.session_state["hand_text"]:
        st.rerun()
    hand.draw()
    downloads.draw_hand(hand.now())
    weights, tasks = st.columns(2, gap="large")
    with weights:
        _weights()
    with tasks:
        _tasks()


def _tasks() -> None:
    now = hand.now()
    st.markdown("**Challenges**")
    for challenge in challenges(now.tokens):
        done = hand.is_edited(now) and challenge.is_done(now.given, now.scores)
        show.task(challenge.task, done=done, lesson=challenge.lesson)


def _weights() -> None:
    now = hand.now()
    st.markdown("**Weights into scores**")
    row = st.selectbox(
        "Row", range(now.tokens.n), format_func=now.tokens.names.__getitem__, key="hand_row"
    )
    typed = st.text_input("Its weights, with blanks between", key="hand_weights")
    if typed:
        try:
            scores = hand.scores_from(typed)
        except AttentionVizError as error:
            show.problem(error)
            return
        words = ", ".join(number(score) for score in scores.tolist())
        show.fact(f"Scores: {words}, their logarithms. Any constant added to all is as good.")
        st.button("Put them into the row", on_click=hand.put_weights, args=(row, typed))


def _start() -> None:
    try:
        hand.start_text(st.session_state["hand_text"])
    except AttentionVizError as error:
        st.session_state["hand_problem"] = error


def _textbook() -> None:
    hand.start_textbook()
    st.session_state["hand_text"] = hand.now().tokens.text


page()

"""The printed questions: all of them, with and without answers, and nothing from outside."""

import re
from html import unescape

import pytest

from attention_viz.lessons import Link
from attention_viz.questions import Question, outlines, question
from attention_viz.worksheet import worksheet

MADE = Question(
    "k",
    "a < b?",
    "Say.\n\nNow.",
    ("<i>", "no"),
    1,
    (Link("hand", {}),),
    (),
    "Look.",
    "It −1.",
    "Wrong.",
)


def test_everything_stands_in_it():
    every = [question(place) for place in range(len(outlines()))]
    names = [str(place) for place in range(len(every))]
    empty, full = (worksheet("T", "I", every, names, answers=told) for told in (False, True))
    for asked in every:
        for words in (asked.title, asked.predict, *asked.options, asked.look):
            assert words in unescape(empty)
            assert words in unescape(full)
        for paragraph in (*asked.answer.split("\n\n"), *asked.mistake.split("\n\n")):
            assert paragraph in unescape(full)
            assert paragraph not in unescape(empty)


@pytest.mark.parametrize("answers", [False, True])
def test_text_is_escaped_and_nothing_is_fetched(answers):
    sheet = worksheet("<T>", "I & I", [MADE], ["1"], answers=answers)
    assert "<title>&lt;T&gt;</title>" in sheet
    assert "&lt;i&gt;" in sheet
    assert not re.search(r"<(script|link|img|iframe)|https?:|url\(", sheet)
    assert '<p class="set">On the page By hand. As it begins.</p><p>Look.</p>' in sheet
    assert ("<h3>Often said</h3><p>Wrong.</p>" in sheet) == answers
    assert ("<strong>B</strong>" in sheet) == answers
    assert ('class="line"' in sheet) != answers

"""Lesson texts: read into parts, filled without a gap or a leftover, and free of typed numbers."""

import re

import pytest

from attention_viz import assets, lessons
from attention_viz.demo import demo_heads
from attention_viz.errors import LessonError
from attention_viz.lessons import parse, parse_link

TEXT = """# Title

Before all
of it.

## First {what}
key: one
ask 1: How much is {what}?

Alone: not a field.

### Say
A sentence
on two lines.

Another.

### Then
{what} again.
"""


def test_headings_become_parts_with_fields_and_texts():
    title, first = parse(TEXT)
    assert (title.title, title.text, title.key) == ("Title", "Before all of it.", "")
    assert first.title == "First {what}"
    assert first.fields == {"key": "one", "ask 1": "How much is {what}?"}
    assert first.key == "one"
    assert first.texts == {
        "": "Alone: not a field.",
        "Say": "A sentence on two lines.\n\nAnother.",
        "Then": "{what} again.",
    }


def test_every_gap_is_filled_and_braces_that_are_filled_in_stay():
    filled = parse(TEXT)[1].filled({"what": "{light}"})
    assert filled.title == "First {light}"
    assert filled.fields["ask 1"] == "How much is {light}?"
    assert filled.texts["Then"] == "{light} again."


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, r"it lacks \['what'\] and leaves \[\] unused"),
        ({"what": "7", "more": "8"}, r"it lacks \[\] and leaves \['more'\] unused"),
    ],
)
def test_a_missing_or_unused_value_is_an_error(values, message):
    with pytest.raises(LessonError, match=message):
        parse(TEXT)[1].filled(values)


def test_two_parts_with_one_key(tmp_path, monkeypatch):
    path = tmp_path / "made.md"
    path.write_text("## a\nkey: x\n\n## b\nkey: x\n", "utf-8")
    monkeypatch.setattr(assets, "find", lambda _: path)
    with pytest.raises(LessonError, match="must all differ"):
        lessons.read_by_key("made")


@pytest.mark.parametrize(
    ("text", "page", "query"),
    [
        ("explore", "explore", {}),
        ("explore?d_k=4&text=I%20am", "explore", {"d_k": "4", "text": "I am"}),
        ("hand?row=", "hand", {"row": ""}),
    ],
)
def test_links(text, page, query):
    link = parse_link(text)
    assert (link.page, dict(link.query)) == (page, query)


def test_no_number_is_typed_into_the_steps():
    """0, 1 and 100 are what laws say; all other numbers are computed."""
    for part in lessons.read_by_key("steps").values():
        fields = {
            k: v for k, v in part.fields.items() if k not in {"key", "scores", "values", "go"}
        }
        text = " ".join([part.title, part.text, *fields.values()])
        assert set(re.findall(r"\d+", text)) <= {"0", "1", "100"}, part.key


def test_sentences_of_a_step_are_few_and_short():
    for part in lessons.read_by_key("steps").values():
        sentences = re.split(r"(?<=[.!?]) ", part.text.replace("\n", " "))
        assert len(sentences) <= 3, part.key
        assert max(len(sentence.split()) for sentence in sentences) <= 30, part.key
        assert "\n\n" not in part.text


def test_assets_of_the_steps_are_there():
    assert assets.find("assets/mechanism.svg").is_file()
    assert set(lessons.read_by_key("notes")) == {"random", "added", "asked", "scales", "masked"}


def test_the_words_of_heads_and_of_training_are_explained():
    text = assets.find("assets/lessons/en/words.md").read_text("utf-8")
    terms = {term.lower() for term in re.findall(r"\*\*([^*]+)\*\*", text)}
    assert {head.name for head in demo_heads()} <= terms
    assert {"peak", "entropy", "loss", "gradient descent", "learning rate", "seed"} <= terms
    assert {"median", "standard error", "w_q"} <= terms
    assert {"nan", "shift", "projection", "float32", "linear", "variance", "d_k", "norm"} <= terms


def test_words_stand_in_alphabetical_order():
    text = assets.find("assets/lessons/en/words.md").read_text("utf-8")
    first = [term.lower() for term in re.findall(r"^\*\*([^*]+)\*\*", text, re.MULTILINE)]
    assert len(first) > 40
    assert first == sorted(first)

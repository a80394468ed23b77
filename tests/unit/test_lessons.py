"""Lesson texts: read into parts, filled without a gap or a leftover, and free of typed numbers."""

import re

import pytest

from attention_viz import assets, lessons
from attention_viz.errors import LessonError
from attention_viz.lessons import Part, parse

TEXT = """For authors: not shown.

## first: The first part
lit: softmax
ask 1: How much is {sum}?

One paragraph with {sum}.

Another: not a field.

## second: The second
Only text.
"""


def test_parts_in_order_with_fields_and_text():
    parts = parse(TEXT)
    assert list(parts) == ["first", "second"]
    assert parts["first"].title == "The first part"
    assert dict(parts["first"].fields) == {"lit": "softmax", "ask 1": "How much is {sum}?"}
    assert parts["first"].text == "One paragraph with {sum}.\n\nAnother: not a field."
    assert parts["second"] == Part("second", "The second", text="Only text.")


def test_placeholders_are_filled_everywhere():
    filled = parse(TEXT)["first"].filled({"sum": "7"})
    assert filled.fields["ask 1"] == "How much is 7?"
    assert filled.text.startswith("One paragraph with 7.")


def test_a_value_with_braces_is_only_text():
    assert Part("a", "b", text="{word}").filled({"word": "{x}"}).text == "{x}"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, r"it lacks \['sum'\] and leaves \[\] unused"),
        ({"sum": "7", "more": "8"}, r"it lacks \[\] and leaves \['more'\] unused"),
    ],
)
def test_a_missing_or_unused_name_is_an_error(values, message):
    with pytest.raises(LessonError, match=message):
        parse(TEXT)["first"].filled(values)


@pytest.mark.parametrize("text", ["## no title\n", "## : x\n", "## a: b\n\n## a: c\n"])
def test_bad_headings(text):
    with pytest.raises(LessonError):
        parse(text)


def test_no_number_is_typed_into_the_steps():
    """0, 1 and 100 are what laws say; all other numbers are computed."""
    for part in lessons.read("steps").values():
        fields = {k: v for k, v in part.fields.items() if k not in {"scores", "values", "go"}}
        text = " ".join([part.title, part.text, *fields.values()])
        assert set(re.findall(r"\d+", text)) <= {"0", "1", "100"}, part.name


def test_sentences_of_a_step_are_few_and_short():
    for part in lessons.read("steps").values():
        sentences = re.split(r"(?<=[.!?]) ", part.text.replace("\n", " "))
        assert len(sentences) <= 3, part.name
        assert max(len(sentence.split()) for sentence in sentences) <= 30, part.name
        assert "\n\n" not in part.text


def test_assets_of_the_steps_are_there():
    assert assets.find("mechanism.svg").is_file()
    assert set(lessons.read("notes")) == {"random", "added"}

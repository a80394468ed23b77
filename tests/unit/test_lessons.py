"""Lesson files as data: parts, fields, texts, and placeholders that must be filled."""

import pytest

from attention_viz import assets
from attention_viz.lessons import Part, fill, parse_link, read_parts

LESSON = """# Title

Before all
of it.

## First {what}
key: one
link: explore?d_k=4

Alone: not a field.

### Say
A sentence
on two lines.

Another.

### Then
{what} again.
"""


@pytest.fixture
def parts(tmp_path, monkeypatch):
    path = tmp_path / "made.md"
    path.write_text(LESSON, "utf-8")
    monkeypatch.setattr(assets, "find", lambda name: path)
    return read_parts("made")


def test_headings_become_parts_with_fields_and_texts(parts):
    assert [part.title for part in parts] == ["Title", "First {what}"]
    assert parts[0].texts == {"": "Before all of it."}
    assert parts[1].fields == {"key": "one", "link": "explore?d_k=4"}
    assert parts[1].texts == {
        "": "Alone: not a field.",
        "Say": "A sentence on two lines.\n\nAnother.",
        "Then": "{what} again.",
    }


def test_every_placeholder_is_filled(parts):
    filled = fill(parts[1], {"what": "light"})
    assert filled.title == "First light"
    assert filled.texts["Then"] == "light again."


@pytest.mark.parametrize(
    ("numbers", "fault"),
    [({}, "unknown: what; unused: none"), ({"what": "1", "more": "2"}, "unused: more")],
)
def test_a_missing_or_unused_number_is_an_error(parts, numbers, fault):
    with pytest.raises(ValueError, match=fault):
        fill(parts[1], numbers)


def test_what_a_number_says_is_not_read_again():
    assert fill(Part("{a} {b}", {}, {}), {"a": "{b}", "b": "2"}).title == "{b} 2"


def test_links():
    link = parse_link("explore?text=Wie+geht+es&d_k=4&scaling_divisors=sqrt,1")
    assert link.page == "explore"
    assert link.query == {"text": "Wie geht es", "d_k": "4", "scaling_divisors": "sqrt,1"}
    assert parse_link("hand").query == {}

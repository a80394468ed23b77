"""Lesson texts: Markdown files read into parts, their {placeholders} filled with computed numbers.

A part begins at a heading of the first or second level. Lines ``field: words`` straight below it
are its fields; each heading of the third level names a text of the part. What stands before the
first of those is the text ``""``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import parse_qsl

from attention_viz import assets
from attention_viz.errors import LessonError

_PART: Final = re.compile(r"^##? (?=\S)", re.MULTILINE)
_TEXT: Final = re.compile(r"^### (.+)$", re.MULTILINE)
_FIELD: Final = re.compile(r"([a-z][a-z0-9 ]*): (.+)")
_GAP: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Part:
    """One heading of a lesson and what stands below it.

    Attributes:
        title: the words of the heading.
        fields: its one-line facts.
        texts: the texts by name, paragraphs apart by an empty line.
    """

    title: str
    fields: Mapping[str, str]
    texts: Mapping[str, str]

    @property
    def key(self) -> str:
        """What the code calls it: its field ``key``; empty when it has none."""
        return self.fields.get("key", "")

    @property
    def text(self) -> str:
        """What stands before the first text with a name."""
        return self.texts[""]

    @property
    def gaps(self) -> frozenset[str]:
        """The placeholders anywhere in the part."""
        words = (self.title, *self.fields.values(), *self.texts.values())
        return frozenset(gap for text in words for gap in _GAP.findall(text))

    def filled(self, values: Mapping[str, str]) -> "Part":
        """The part with a value for each placeholder.

        Raises:
            LessonError: a placeholder has no value, or a value has no placeholder.

        >>> Part("Half is {half}", {}, {}).filled({"half": "0.5"}).title
        'Half is 0.5'
        """
        missing, unused = self.gaps - values.keys(), values.keys() - self.gaps
        if missing or unused:
            raise LessonError(
                f"the part {self.title!r} must use each value once or more; it lacks "
                f"{sorted(missing)} and leaves {sorted(unused)} unused."
            )
        return Part(
            _filled(self.title, values),
            {name: _filled(words, values) for name, words in self.fields.items()},
            {name: _filled(words, values) for name, words in self.texts.items()},
        )


@dataclass(frozen=True, slots=True)
class Link:
    """A place in the app.

    Attributes:
        page: the page's name in the address.
        query: the keys of the address and their words.
    """

    page: str
    query: Mapping[str, str]


@cache
def read_parts(name: str, language: str = "en") -> tuple[Part, ...]:
    """The parts of a lesson, in order, with their placeholders still open."""
    return parse(assets.find(f"assets/lessons/{language}/{name}.md").read_text("utf-8"))


def read_by_key(name: str, language: str = "en") -> dict[str, Part]:
    """The parts of a lesson that have a key, by it, in the order of the file.

    Raises:
        LessonError: two have the same.
    """
    parts = [part for part in read_parts(name, language) if part.key]
    found = {part.key: part for part in parts}
    if len(found) < len(parts):
        raise LessonError(f"the keys of {name}.md must all differ; got {[p.key for p in parts]}.")
    return found


def parse(text: str) -> tuple[Part, ...]:
    r"""The parts of a text.

    >>> parse("## A row\nask: How much?\n\nIt sums\nto 1.")[0].text
    'It sums to 1.'
    """
    return tuple(_part(block) for block in _PART.split(text) if block.strip())


def parse_link(text: str) -> Link:
    """A link of a lesson, written as ``page?key=word&key=word``.

    >>> parse_link("scaling?scaling_d_k=64").query
    {'scaling_d_k': '64'}
    """
    page, _, query = text.partition("?")
    return Link(page, dict(parse_qsl(query, keep_blank_values=True)))


def _part(block: str) -> Part:
    head, *named = _TEXT.split(block)
    title, *lines = head.splitlines()
    fields: dict[str, str] = {}
    while lines and (found := _FIELD.fullmatch(lines[0])):
        fields[found[1]] = found[2]
        lines.pop(0)
    texts = {"": _paragraphs("\n".join(lines))}
    for name, text in zip(named[::2], named[1::2], strict=True):
        texts[name.strip()] = _paragraphs(text)
    return Part(title.strip(), fields, texts)


def _paragraphs(text: str) -> str:
    """Lines that belong together as one, paragraphs still apart."""
    return "\n\n".join(" ".join(one.split()) for one in re.split(r"\n\s*\n", text.strip()))


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _GAP.sub(lambda gap: values[gap[1]], text)

"""Lesson texts: Markdown files read into parts, their {placeholders} filled with computed numbers.

A part begins at a heading of the first or second level. Lines ``name: value`` straight below it are
its fields; each heading of the third level names a text of the part. What stands before the first
of those is the text ``""``. Paragraphs are plain sentences.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from attention_viz import assets

_PART: Final = re.compile(r"^##? (?=\S)", re.MULTILINE)
_TEXT: Final = re.compile(r"^### (.+)$", re.MULTILINE)
_FIELD: Final = re.compile(r"([a-z]+): (.+)")
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
    def gaps(self) -> set[str]:
        """The placeholders anywhere in the part."""
        words = (self.title, *self.fields.values(), *self.texts.values())
        return {gap for text in words for gap in _GAP.findall(text)}


@dataclass(frozen=True, slots=True)
class Link:
    """A place in the app.

    Attributes:
        page: the page's name in the address.
        query: the keys of the address and their words.
    """

    page: str
    query: Mapping[str, str]


def read_parts(name: str, language: str = "en") -> tuple[Part, ...]:
    """The parts of a lesson, in order, with their placeholders still open."""
    text = assets.find(f"lessons/{language}/{name}.md").read_text("utf-8")
    return tuple(_part(block) for block in _PART.split(text) if block.strip())


def fill(part: Part, numbers: Mapping[str, str]) -> Part:
    """The part with every placeholder filled.

    Raises:
        ValueError: a placeholder has no number, or a number no placeholder.

    >>> fill(Part("Half is {half}", {}, {}), {"half": "0.5"}).title
    'Half is 0.5'
    """
    unknown, unused = part.gaps - set(numbers), set(numbers) - part.gaps
    if unknown or unused:
        raise ValueError(
            f"{part.title!r} must name each number once computed; unknown: "
            f"{_listed(unknown)}; unused: {_listed(unused)}."
        )
    fields = {name: _filled(text, numbers) for name, text in part.fields.items()}
    texts = {name: _filled(text, numbers) for name, text in part.texts.items()}
    return Part(_filled(part.title, numbers), fields, texts)


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


def _filled(text: str, numbers: Mapping[str, str]) -> str:
    return _GAP.sub(lambda gap: numbers[gap[1]], text)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"

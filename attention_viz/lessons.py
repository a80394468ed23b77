"""The texts of lessons: parts with a name, fields and prose, whose numbers are filled in.

A lesson is one Markdown file a language. Each part begins with a heading, ``## name: Title``; the
lines ``field: words`` that follow at once are its fields, and the rest is its text.
"""

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from attention_viz import assets
from attention_viz.errors import LessonError

_HEADING: Final = re.compile(r"^## ", re.MULTILINE)
_FIELD: Final = re.compile(r"([a-z][a-z0-9 ]*): (.+)")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a lesson.

    Attributes:
        name: what the code calls it.
        title: its heading.
        fields: short words with a name, in the order of the file.
        text: prose, a blank line between paragraphs.
    """

    name: str
    title: str
    fields: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    text: str = ""

    @property
    def placeholders(self) -> frozenset[str]:
        """The names in braces, anywhere in the part."""
        words = (self.title, self.text, *self.fields.values())
        found = (name for text in words for _, name, _, _ in string.Formatter().parse(text))
        return frozenset(name for name in found if name is not None)

    def filled(self, values: Mapping[str, str]) -> "Part":
        """The part with a value for each placeholder.

        Raises:
            LessonError: a placeholder has no value, or a value has no placeholder.

        >>> Part("sum", "A row", text="It sums to {sum}.").filled({"sum": "1"}).text
        'It sums to 1.'
        """
        missing, unused = self.placeholders - values.keys(), values.keys() - self.placeholders
        if missing or unused:
            raise LessonError(
                f"the part {self.name!r} must use each value once or more; it lacks "
                f"{sorted(missing)} and leaves {sorted(unused)} unused."
            )
        fields = {name: words.format_map(values) for name, words in self.fields.items()}
        title, text = self.title.format_map(values), self.text.format_map(values)
        return Part(self.name, title, MappingProxyType(fields), text)


def read(name: str, language: str = "en") -> dict[str, Part]:
    """The parts of a lesson by their names, in the order of the file.

    Raises:
        LessonError: see ``parse``.
    """
    return parse(assets.find(f"lessons/{language}/{name}.md").read_text("utf-8"))


def parse(text: str) -> dict[str, Part]:
    r"""The parts of a text; what stands before the first heading is for its authors.

    Raises:
        LessonError: a heading has no name or no title, or a name is there twice.

    >>> parse("## sum: A row\nask: How much?\n\nIt sums to 1.")["sum"].fields["ask"]
    'How much?'
    """
    parts: dict[str, Part] = {}
    for block in _HEADING.split(text)[1:]:
        part = _part(block)
        if part.name in parts:
            raise LessonError(f"the name of a part must be its own; got {part.name!r} twice.")
        parts[part.name] = part
    return parts


def _part(block: str) -> Part:
    heading, *lines = block.splitlines()
    name, colon, title = heading.partition(": ")
    if not (name and colon and title.strip()):
        raise LessonError(f"a heading must be '## name: Title'; got {heading[:40]!r}.")
    fields: dict[str, str] = {}
    while lines and (found := _FIELD.fullmatch(lines[0])):
        fields[found[1]] = found[2]
        lines.pop(0)
    return Part(name, title.strip(), MappingProxyType(fields), "\n".join(lines).strip())

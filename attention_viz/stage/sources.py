"""The files of the stage, joined: one module, one style sheet, no build step."""

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Final

GALLERY_HTML: Final = '<div class="gallery-place"></div>'
HTML: Final = '<div class="stage-place"></div>'
# In this order each file finds what it needs above it.
_PARTS: Final = (
    "scene",
    "maths",
    "words",
    "colour",
    "page",
    "arithmetic",
    "legends",
    "sizes",
    "map",
    "tables",
    "sliders",
    "numbers",
    "curves",
    "editing",
    "presenter",
    "board",
    "stage",
)
_GALLERY_PARTS: Final = ("colour", "page", "legends", "gallery")
# The parts import from one another for the type checker; joined, they stand in one scope.
_IMPORT: Final = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
_EXPORT: Final = re.compile(r"^export (?!default)", re.MULTILINE)


@cache
def css() -> str:
    """The style sheet."""
    return _read("theme.css") + _read("stage.css") + _read("presenter.css")


@cache
def js() -> str:
    """One module whose default export mounts the stage."""
    return _joined(_PARTS)


@cache
def gallery_css() -> str:
    """The style sheet of the heads as small maps."""
    return _read("theme.css") + _read("gallery.css")


@cache
def gallery_js() -> str:
    """One module whose default export mounts the heads as small maps."""
    return _joined(_GALLERY_PARTS)


def _joined(names: Sequence[str]) -> str:
    parts = "".join(_read(f"parts/{name}.js") for name in names)
    return _EXPORT.sub("", _IMPORT.sub("", parts))


def _read(name: str) -> str:
    return resources.files("attention_viz.stage").joinpath(name).read_text("utf-8")

"""The pages of the public names, by the very command that CONTRIBUTING.md gives."""

import re
import shlex
from pathlib import Path

import pdoc.__main__
import pytest
from pdoc.doc import Class, Module, Variable

import attention_viz

ROOT = Path(__file__).parents[2]
(COMMAND,) = re.findall(r"^pdoc (.+)$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.M)
MODULES = [word for word in shlex.split(COMMAND) if word.startswith("attention_viz")]


def test_the_pages_are_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pdoc.__main__.cli(shlex.split(COMMAND))
    (page,) = tmp_path.rglob("attention_viz.html")
    shown = set(re.findall(r'<section id="(\w+)"', page.read_text("utf-8")))
    assert set(attention_viz.__all__) <= shown
    assert len(list(page.parent.rglob("*.html"))) == len(MODULES) + 1  # the index


@pytest.mark.parametrize("name", MODULES)
def test_nothing_public_is_without_words(name):
    module = Module.from_name(name)
    assert module.docstring
    assert [one.fullname for one in untold(module)] == []


def untold(namespace):
    """What has no words of its own and, as a field of a record, none in those of its class."""
    for one in namespace.members.values():
        if one.name.startswith("_") or not one.taken_from[0].startswith("attention_viz"):
            continue  # private, or from torch or Python
        is_field = isinstance(one, Variable)
        named = re.search(rf"\b{one.name}\b", namespace.docstring) or isinstance(namespace, Module)
        if not one.docstring and not (is_field and named):
            yield one
        if isinstance(one, Class):
            yield from untold(one)

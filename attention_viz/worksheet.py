"""All questions as one page to print: a file of its own that asks for nothing from outside."""

import html
from collections.abc import Sequence
from typing import Final

from attention_viz.places import PAGES, read_link
from attention_viz.questions import LETTERS, Question, on_paper

_LINES: Final = 4  # to write on, below each question
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 11pt/1.4 "Noto Sans", system-ui, sans-serif; color: #000; background: #fff;
  max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }}
section {{ break-inside: avoid; margin: 0 0 1.6rem; }}
h2 {{ font-size: 1.1rem; margin: 0 0 .3rem; }}
ol {{ list-style: none; padding: 0; }}
h3 {{ font-size: 1rem; margin: 0 0 .3rem; }}
.set {{ font-size: .92em; font-style: italic; }}
.box {{ display: inline-block; width: .8em; height: .8em; border: 1px solid; margin: 0 .5em 0 0; }}
.line {{ border-bottom: 1px solid #767676; height: 1.6rem; }}
.answer {{ border-left: 3px solid #6d28d9; padding-left: .8rem; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{introduction}</p>
<p>{on_paper}</p>
{sections}
</body>
</html>
"""


def worksheet(
    title: str,
    introduction: str,
    questions: Sequence[Question],
    names: Sequence[str],
    *,
    answers: bool,
) -> str:
    """The questions as HTML, with lines to write on or with the answers.

    Args:
        title: of the sheet.
        introduction: one paragraph.
        questions: in order.
        names: what each is called, such as its number.
        answers: whether the answers stand in it.
    """
    sections = "\n".join(
        _section(question, name, answers=answers)
        for question, name in zip(questions, names, strict=True)
    )
    return _PAGE.format(
        title=_text(title),
        introduction=_text(introduction),
        on_paper=_text(on_paper()),
        sections=sections,
    )


def _section(question: Question, name: str, *, answers: bool) -> str:
    options = "".join(
        f'<li><span class="box"></span>{letter}: {_text(option)}</li>'
        for letter, option in zip(LETTERS.upper(), question.options, strict=False)
    )
    body = _answer(question) if answers else '<div class="line"></div>' * _LINES
    return (
        f"<section><h2>{_text(name)}. {_text(question.title)}</h2>"
        f"{_paragraphs(question.predict)}<ol>{options}</ol>{_settings(question)}"
        f"{_paragraphs(question.look)}{body}</section>"
    )


def _settings(question: Question) -> str:
    """What to set for the experiment, and for a second one what is other there."""
    first, *others = question.links
    lines = [f"On the page {PAGES[first.page]}. {read_link(first) or 'As it begins.'}"]
    lines += [f"And then. {read_link(link, first)}" for link in others]
    return "".join(f'<p class="set">{_text(line)}</p>' for line in lines)


def _answer(question: Question) -> str:
    right = LETTERS[question.right].upper()
    return (
        f'<div class="answer"><p><strong>{right}</strong></p>{_paragraphs(question.answer)}'
        f"<h3>Often said</h3>{_paragraphs(question.mistake)}</div>"
    )


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{_text(paragraph)}</p>" for paragraph in text.split("\n\n"))


def _text(words: str) -> str:
    return html.escape(words)

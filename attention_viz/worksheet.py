"""All questions as one page to print: a file of its own that asks for nothing from outside."""

import html
from collections.abc import Sequence
from typing import Final

from attention_viz.questions import LETTERS, PAGES, Question

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
.box {{ display: inline-block; width: .8em; height: .8em; border: 1px solid; margin: 0 .5em 0 0; }}
.line {{ border-bottom: 1px solid #999; height: 1.6rem; }}
.answer {{ border-left: 3px solid #6d28d9; padding-left: .8rem; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{introduction}</p>
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
        title=html.escape(title), introduction=html.escape(introduction), sections=sections
    )


def _section(question: Question, name: str, *, answers: bool) -> str:
    options = "".join(
        f'<li><span class="box"></span>{letter}: {_text(option)}</li>'
        for letter, option in zip(LETTERS.upper(), question.options, strict=False)
    )
    look = f"On the page {PAGES[question.links[0].page]}: {question.look}"
    body = _answer(question) if answers else '<div class="line"></div>' * _LINES
    return (
        f"<section><h2>{_text(name)}. {_text(question.title)}</h2>"
        f"{_paragraphs(question.predict)}<ol>{options}</ol>{_paragraphs(look)}"
        f"{body}</section>"
    )


def _answer(question: Question) -> str:
    right = LETTERS[question.right].upper()
    return (
        f'<div class="answer"><p><strong>{right}</strong></p>{_paragraphs(question.answer)}'
        f"{_paragraphs(question.mistake)}</div>"
    )


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{_text(paragraph)}</p>" for paragraph in text.split("\n\n"))


def _text(words: str) -> str:
    return html.escape(words)

"""The page Teachers: its parts, every link, the class's codes, the worksheet."""

import re
from types import SimpleNamespace

import pytest

from attention_viz.codes import encode
from attention_viz.notes import mistakes, moments
from attention_viz.questions import outlines
from attention_viz.ui import classroom, teaching

pytestmark = pytest.mark.ui
PAGES = "attention_viz/ui/pages/"
COUNT = len(outlines())
RIGHT = [outline.right for outline in outlines()]
LINKS = [
    pytest.param(one.link, id=one.title)
    for one in (*moments("short"), *moments("long"), *mistakes())
]


@pytest.fixture
def open_page(open_page):
    return lambda page="teachers", **address: open_page(page, **address)


def told(at):
    written = (*at.markdown, *at.caption, *at.info, *at.warning)
    return re.sub(r"\\(.)", r"\1", "\n".join(element.value for element in written))


@pytest.mark.parametrize("lesson", ["short", "long"])
def test_each_lesson(open_page, lesson):
    at = open_page(teachers_part=lesson)
    for moment in moments(lesson):
        assert f"{moment.begin}–{moment.end} min: {moment.title}" in told(at)
        assert moment.say in told(at)
        assert moment.ask in told(at)
    assert len(at.get("page_link")) == len(moments(lesson))


def test_what_students_get_wrong(open_page):
    at = open_page()
    at.segmented_control(key=teaching.KEY).set_value("mistakes").run()
    for mistake in mistakes():
        assert mistake.title in told(at)
        assert mistake.text in told(at)
    at.switch_page(f"{PAGES}words.py").run()
    at.switch_page(f"{PAGES}teachers.py").run()
    assert mistakes()[0].text in told(at)


def test_a_bad_address_is_one_sentence(open_page):
    at = open_page(teachers_part="nothing")
    assert "the link's teachers_part must be one of short" in told(at)
    assert moments("short")[0].say in told(at)
    at.segmented_control(key=teaching.KEY).set_value("long").run()
    assert not at.info
    at.segmented_control(key=teaching.KEY).set_value(teaching.DEFAULT).run()
    assert not at.info, "what was said once is not said again"


@pytest.mark.parametrize("link", LINKS)
def test_every_link_opens_its_page_as_it_says(open_page, link):
    at = open_page(link.page, **link.query)
    assert not at.exception
    assert not at.warning
    assert "Defaults are shown" not in told(at)
    for key in {"text", "seed", "d_k", "divisor", "row", "mask", "head"} & set(link.query):
        assert str(at.session_state[key]) == link.query[key]


def test_codes_of_a_class(open_page):
    at = open_page(teachers_part="class")
    lines = [f"Anna K: {encode(RIGHT)}", encode([None] * COUNT), "Ben AAAAA-AAAAA-AAAAA-A", ""]
    at.text_area(key="teachers_codes").set_value("\n".join(lines)).run()
    assert "Line 3, “Ben AAAAA-AAAAA-AAAAA-A”: a code must be copied letter by letter" in told(at)
    students, tally = (table.value for table in at.table)
    assert students["right"].tolist() == [str(COUNT), "0"]
    assert students["who"].tolist() == ["Anna K", "student 2"]
    assert tally["none"].tolist() == ["1"] * COUNT
    for place, right in enumerate(RIGHT):
        assert tally["ABC"[right]][place] == "1"


def test_a_name_is_text_and_nothing_else(open_page):
    at = open_page(teachers_part="class")
    at.text_area(key="teachers_codes").set_value(f"<b>x</b> {encode([None] * COUNT)}").run()
    students = at.table[0].value
    assert re.sub(r"\\(.)", r"\1", students["who"][0]) == "<b>x</b>"
    assert students["predictions"][0] == " ".join("x" * COUNT)


def test_a_student_without_a_name_keeps_the_number_when_another_line_is_mended():
    code = encode(RIGHT)
    students, wrong = classroom.read(f"{code[:-3]}\n\n{code}\nAnna {code} {'long ' * 20}")
    assert [student.name for student in students] == ["student 2", f"Anna {'long ' * 20}".strip()]
    assert wrong[0].startswith(f"Line 1, “{code[:-3]}”: a code must have {COUNT} letters")
    students, wrong = classroom.read(f"{code} {code}\n{'no code ' * 9}")
    assert [student.name for student in students] == ["student 1", "student 2"]
    assert wrong[0].startswith(f"Line 2, “{('no code ' * 9)[:40]}…”: a line must hold a code")


def test_worksheets(open_page):
    at = open_page(teachers_part="class")
    assert [one.proto.label for one in at.get("download_button")] == [
        "Worksheet",
        "Worksheet with answers",
    ]
    assert len(classroom.sheet(answers=True)) > len(classroom.sheet(answers=False)) > 5000
    assert "embed=true" in at.code[0].value


def test_the_snippet_finds_an_app_below_a_path(monkeypatch):
    here = SimpleNamespace(url="https://school.org/course/viz/teachers?teachers_part=class")
    monkeypatch.setattr(teaching, "st", SimpleNamespace(context=here))
    assert 'src="https://school.org/course/viz/?embed=true' in teaching.snippet()

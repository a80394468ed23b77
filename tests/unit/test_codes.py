"""The code of predictions: there and back, and slips that are noticed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_viz.codes import decode, encode, read_line
from attention_viz.errors import SettingError

OPTIONS = [3, 4, 2, 3, 3, 4, 3, 3, 2, 3, 3, 3, 3, 3, 3]
choices = st.tuples(*(st.none() | st.integers(0, count - 1) for count in OPTIONS))


@given(choices)
def test_there_and_back(made):
    assert decode(encode(made), OPTIONS) == made
    assert decode(encode(made).lower().replace("-", " "), OPTIONS) == made


@given(choices, st.integers(0, len(OPTIONS) - 1), st.data())
def test_a_slip_is_noticed(made, place, data):
    letters = list(encode(made).replace("-", ""))
    letters[place] = data.draw(st.sampled_from([c for c in "ABCDx" if c != letters[place]]))
    with pytest.raises(SettingError):
        decode("".join(letters), OPTIONS)


@given(choices)
def test_neighbours_that_are_swapped_are_noticed(made):
    letters = encode(made).replace("-", "")
    for i in range(len(OPTIONS) - 1):
        swapped = letters[:i] + letters[i + 1] + letters[i] + letters[i + 2 :]
        if swapped != letters:
            with pytest.raises(SettingError):
                decode(swapped, OPTIONS)


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("", "must have 15 letters"),
        ("AAAAA-AAAAA-AAAAA", "must have 15 letters"),
        ("AAEAA-AAAAA-AAAAA-A", "must be an option, A to B"),
        ("AAAAA-AAAAA-AAAAA-A", "has a slip"),
        ("1" * 16, "must be an option"),
        ("ß" * 15, "must"),
    ],
)
def test_what_is_no_code_is_one_sentence(code, fault):
    with pytest.raises(SettingError, match=fault):
        decode(code, OPTIONS)


ONE, OTHER = encode([0, 1, 1] * 5), encode([1, 0, None] * 5)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (ONE, [""]),
        (f"Anna {ONE}", ["Anna"]),
        (f"Anna K. ({ONE})", ["Anna K."]),
        (f"{ONE} Anna-Lena", ["Anna-Lena"]),
        (ONE.replace("-", "–"), [""]),
        (f"Ada – {ONE.replace('-', '—').lower()}", ["Ada"]),
        (f"Bea {' '.join(ONE)}", ["Bea"]),
        (f"Bea {ONE.replace('-', ' ')}, 7b", ["Bea 7b"]),
        (f"Ada http://h/a/questions?question=3&question_answers={ONE}&question_read=0", ["Ada"]),
        (f"{ONE} {OTHER}", ["", ""]),
        (f"Anna {ONE}, Ben {OTHER}", ["Anna", "Ben"]),
        (f"{ONE} Anna; {OTHER} Ben", ["Anna", "Ben"]),
    ],
)
def test_a_line_as_a_class_hands_it_in(line, names):
    options = [3] * 15
    students = read_line(line, options)
    assert [student.name for student in students] == names
    codes = [decode(code, options) for code in (ONE, OTHER)]
    assert [student.choices for student in students] == codes[: len(names)]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("Anna", "must hold a code such as xxxxx-xxxxx-xxxxx-A"),
        (f"Ben {ONE[:-2]}", "must have 15 letters"),
        ("Ben AAAAA AAAAA AAAAA A", "has a slip"),
        (f"Anna {ONE} Ben AAAAA-AAAAA-AAAAA-A", "has a slip"),
        ("Ben AAEAA-AAAAA-AAAAA-A", "must be an option"),
        ("http://h/questions?question_answers=", "must hold a code"),
    ],
)
def test_a_line_without_a_code_says_what_is_wrong(line, fault):
    with pytest.raises(SettingError, match=fault):
        read_line(line, [3] * 15)

"""The code of predictions: there and back, and slips that are noticed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_viz.codes import decode, encode
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

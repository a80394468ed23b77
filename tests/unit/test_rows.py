import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

from attention_viz.attention import row_softmax
from attention_viz.errors import SettingError
from attention_viz.rows import (
    MOST,
    changed_row,
    parse_row,
    read_apart,
    read_typed,
    ties,
    write_row,
)

decimals = st.integers(-(10**9), 10**9).map(lambda n: n / 1000)
rows = st.lists(decimals, min_size=2, max_size=12)


@given(rows)
def test_a_written_row_is_read_back(scores):
    assert parse_row(write_row(scores)) == tuple(scores)


@given(st.lists(st.floats(-MOST, MOST), min_size=2, max_size=12))
def test_every_float64_is_read_with_all_its_digits(scores):
    assert parse_row(", ".join(map(repr, scores))) == tuple(scores)
    assert parse_row(write_row(scores)) == tuple(scores)


@pytest.mark.parametrize(
    ("word", "score"),
    [
        ("0.8414709848078965", 0.8414709848078965), ("1e-320", 1e-320), ("1E5", 1e5),
        ("-2.2250738585072014E-308", -2.2250738585072014e-308), ("+.5e+1", 5.0),
        ("0000000000001", 1.0), ("0." + "3" * 62, 1 / 3),
    ],
)  # fmt: skip
def test_plain_and_exponent_decimals_are_read(word, score):
    assert parse_row(f"{word}, 1") == (score, 1.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,000", "“1,000” was read as 1 and 0: "),
        ("2, -1,000.5", "“-1,000.5” was read as -1 and 0.5: "),
        ("1,000,2", "“1,000” was read as 1 and 0: "),
        ("2,1,000", "“1,000” was read as 1 and 0: "),
        ("1,234,567; 2", "“1,234,567” was read as 1 and 234 and 567: "),
        ("0,5; 1,2", "“0,5” was read as 0 and 5: "),
        ("3 0,5", "“0,5” was read as 0 and 5: "),
    ],
)
def test_what_could_be_one_number_is_said_to_be_read_apart(text, said):
    assert read_apart(text).startswith(said)
    parse_row(text)


@pytest.mark.parametrize(
    "text", ["2,1", "2,1,0.1", "1,0000", "0.1,000", "1, 2,3", "2;1", "1, 000", "10,20,30", "x,", ""]
)
def test_commas_that_only_separate_are_passed_over(text):
    assert not read_apart(text)


@pytest.mark.parametrize("text", ["1;2;3", "1 2 3", " 1,2,,3 ", "1e0, 2., +3"])
def test_ways_to_separate_and_to_write(text):
    assert parse_row(text) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "got 0"),
        ("7", "got 1"),
        ("1," * 13, "got 13"),
        ("1, x", "got 'x'"),
        ("1, nan", "got 'nan'"),
        ("1, 1e7", "got '1e7'"),
        ("1, 1e400", "got '1e400'"),
        ("1, 0x10", "got '0x10'"),
        ("1, 1_0", "got '1_0'"),
        ("1, " + "3" * 65, "at most 64 characters; got 65"),
        ("1, 2" + "," * 1000, "at most 1000 characters; got 1004"),
        ("1, ٤", "got '٤'"),
    ],
)
def test_what_is_no_row_is_one_sentence(text, words):
    with pytest.raises(SettingError, match=r"must (be|have)") as raised:
        parse_row(text)
    assert words in str(raised.value)


def test_the_largest_scores():
    assert parse_row("-1e6, 1000000") == (-MOST, MOST)


@given(rows, st.floats(-100, 100), st.floats(0.1, 10))
def test_a_constant_changes_no_weight_and_a_temperature_is_a_factor(scores, add, temperature):
    scores = [score / 1e5 for score in scores]
    plain = row_softmax(changed_row(scores, temperature=temperature))
    moved = row_softmax(changed_row(scores, add=add, temperature=temperature))
    assert_close(moved, plain, rtol=1e-9, atol=1e-12)
    factor = changed_row(scores, times=1 / temperature)
    assert_close(changed_row(scores, temperature=temperature), factor)


def test_the_factor_comes_before_the_constant():
    expected = torch.tensor([(2 * 3 + 5) / 4, (1 * 3 + 5) / 4], dtype=torch.float64)
    assert torch.equal(changed_row([2, 1], times=3, add=5, temperature=4), expected)


def test_ties_are_groups_of_equal_scores():
    assert ties(torch.tensor([1.0, 2, 1, 3, 2, 1])) == ((0, 2, 5), (1, 4))
    assert ties(torch.tensor([1.0, 2])) == ()


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("0.07", 0.07), ("0,07", 0.07), ("−0,07", -0.07), ("–3", -3.0), (" 1024 ", 1024.0),
        ("67 %", 67.0), ("66,75%", 66.75), ("2,5", 2.5), ("0,332", 0.332), ("1e-3", 0.001),
    ],
)  # fmt: skip
def test_one_number_is_read_with_a_decimal_comma(typed, number):
    assert read_typed(typed) == number


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("1,024", "“1,024” could be 1024 or 1.024: write it without a comma."),
        ("-2,345", "“-2,345” could be -2345 or -2.345"),
        ("1,234,567", "a blank takes one number"), ("1,234.5", "a blank takes one number"),
        ("0.07.1", "a blank takes one number"), ("seven", "a blank takes one number"),
        ("%", "a blank takes one number"), ("1 024", "a blank takes one number"),
        ("nan", "a blank takes one number"), ("9" * 65, "a blank takes one number"),
    ],
)  # fmt: skip
def test_what_is_not_one_number_is_refused(typed, said):
    with pytest.raises(SettingError, match=said):
        read_typed(typed)

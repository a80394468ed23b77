import pytest
import torch

from attention_viz.reading import minus, number, percent, read_row, share_and_rest
from attention_viz.tokens import tokenize


def read(text, row, weights, mask=None):
    """The sentence about one row, with plain spaces and quotation marks."""
    tokens = tokenize(text)
    matrix = torch.zeros(tokens.n, tokens.n)
    matrix[row] = torch.tensor(weights)
    allowed = torch.ones(tokens.n, tokens.n, dtype=torch.bool)
    if mask is not None:
        allowed[row] = torch.tensor(mask)
    sentence = read_row(tokens, matrix, allowed, row)
    return sentence.replace("\u00a0", " ").replace("“\u2068", "").replace("\u2069”", "")


@pytest.mark.parametrize(
    ("text", "row", "weights", "sentence"),
    [
        ("I am good", 0, [0.9, 0.07, 0.03], "I focuses 90 % on itself, 7 % on am and 3 % on good."),
        ("I am good", 2, [0.07, 0.9, 0.03], "good focuses 90 % on am, 7 % on I and 3 % on itself."),
        ("a b", 0, [0.25, 0.75], "a focuses 75 % on b and 25 % on itself."),
        ("alone", 0, [1.0], "alone focuses 100 % on itself."),
        (
            "a b c d",
            1,
            [0.4, 0.3, 0.2, 0.1],
            "b focuses 40 % on a, 30 % on itself, 20 % on c and 10 % on d.",
        ),
        (
            "a b c d e",
            0,
            [0.4, 0.2, 0.2, 0.15, 0.05],
            "a focuses 40 % on itself, 20 % on b, 20 % on c and 20 % on the other 2 tokens.",
        ),
        (
            "the cat the",
            2,
            [0.5, 0.2, 0.3],
            "the (token 3) focuses 50 % on the (token 1), 30 % on itself and 20 % on cat.",
        ),
    ],
)
def test_read_row(text, row, weights, sentence):
    assert read(text, row, weights) == sentence


def test_hidden_keys_are_not_read():
    sentence = read("a b c d e", 1, [0.6, 0.4, 0, 0, 0], [True, True, False, False, False])
    assert sentence == "b focuses 60 % on a and 40 % on itself."


def test_a_row_without_keys_says_so():
    sentence = read("a b", 0, [0.0, 0.0], [False, False])
    assert sentence == "a may look at nothing: its row has no distribution, only zeros."


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0 %"),
        (1e-9, "under 1 %"),
        (0.004, "under 1 %"),
        (0.005, "1 %"),
        (0.00499, "under 1 %"),
        (0.5, "50 %"),
        (0.994, "99 %"),
        (0.995, "over 99 %"),
        (0.9999, "over 99 %"),
        (1.0, "100 %"),
        (1.0000001, "100 %"),
    ],
)
def test_percent(share, words):
    assert percent(share).replace("\u00a0", " ") == words


@pytest.mark.parametrize(
    ("value", "words"), [(0.0, "0"), (2.828427, "2.828"), (-1e-5, "-1e-05"), (12345.6, "1.235e+04")]
)
def test_number(value, words):
    assert number(value) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-1e-05 and 2e-07", "−1e−05 and 2e−07"),
        ("-0.5, -.5", "−0.5, -.5"),
        ("exp(-18)", "exp(−18)"),
        ("1e+04", "1e+04"),
        ("GPT-2 in 2020-05, wide-angle", "GPT-2 in 2020-05, wide-angle"),
        ("“\u2068-5\u2069” gets -5", "“\u2068-5\u2069” gets −5"),
    ],
)
def test_minus(text, words):
    assert minus(text) == words


@pytest.mark.parametrize(
    ("share", "rest", "words"),
    [
        (1.0, 1e-20, "1 − 1e-20"),
        (0.9951, 0.0049, "1 − 0.0049"),
        (0.995, 0.005, "0.995"),
        (1e-20, 1.0, "1e-20"),
        (1.0, 0.0, "1"),
    ],
)
def test_what_a_share_lacks_is_never_rounded_away(share, rest, words):
    assert share_and_rest(share, rest) == words

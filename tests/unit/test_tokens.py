import pytest

from attention_viz.tokens import MAX_TOKENS, Tokens, tokenize, visible

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Wie geht es dir?", ["Wie", "geht", "es", "dir", "?"]),
        ("don't pay 3.14", ["don't", "pay", "3.14"]),
        ("the cat, the", ["the", "cat", ",", "the"]),
        (" \t a \n\n b ", ["a", "b"]),
        ("你好", ["你", "好"]),
        (f"{FAMILY} hi", [FAMILY, "hi"]),
        ("nai\u0308ve", ["nai\u0308ve"]),
        ("שלום עולם", ["שלום", "עולם"]),
        ("2020-01-01", ["2020", "-", "01", "-", "01"]),
        ("<s>", ["<", "s", ">"]),
    ],
)
def test_pieces(text, pieces):
    assert list(tokenize(text).pieces) == pieces


def test_offsets_tie_tokens_to_their_place():
    tokens = tokenize(f" the {FAMILY} the")
    assert tokens.offsets == ((1, 4), (5, 10), (11, 14))


def test_nothing_typed_is_special():
    assert tokenize("[MASK] me").special == (False,) * 4


def test_as_many_tokens_as_allowed():
    assert tokenize("a " * MAX_TOKENS).n == MAX_TOKENS


@pytest.mark.parametrize(
    ("piece", "label"),
    [
        ("word", "word"),
        ("", "∅"),
        (" ", "␣"),
        ("a\tb\r\n", "a⇥b␍⏎"),
        ("\u00a0", "⍽"),
        ("\x00", "U+0000"),
        ("\u200b", "U+200B"),
        ("\u200d", "U+200D"),
        ("\ud800", "U+D800"),
        ("\u0301", "◌\u0301"),
        ("\ufe0f", "U+FE0F"),
        # What shapes the characters beside it stays.
        (FAMILY, FAMILY),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
        ("می\u200cخواهم", "می\u200cخواهم"),
    ],
)
def test_visible(piece, label):
    assert visible(piece) == label


@pytest.mark.parametrize("piece", ["\u200d\u200d", "\u3164", "\u115f", "\uffa0", "\u2800"])
def test_what_has_no_ink_gets_a_sign(piece):
    assert "U+" in visible(piece)


def test_names_say_which_of_equal_words():
    names = tokenize("the cat the").names
    assert names == (
        "“\u2068the\u2069” (token 1)",
        "“\u2068cat\u2069”",
        "“\u2068the\u2069” (token 3)",
    )


def test_names_follow_what_is_shown():
    two = Tokens(
        "", ("\u200b", "U+200B"), ("U+200B", "U+200B"), ((0, 0),) * 2, (False,) * 2, ("",) * 2
    )
    assert two.names[0] != two.names[1]

"""Text through a model's own tokenizer: what is shown of it, and what is refused."""

import pytest

from attention_viz.errors import TextError
from attention_viz.models import typed_specials
from attention_viz.models.pieces import read_pieces


@pytest.fixture(scope="module")
def word_pieces(minilm_tokenizer):
    return lambda text: read_pieces(minilm_tokenizer, text).tokens


@pytest.fixture
def byte_pieces(byte_tokenizer):
    return lambda text: read_pieces(byte_tokenizer, text).tokens


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_t01_t03_a_text_without_words_is_refused(word_pieces, byte_pieces, text):
    for read in (word_pieces, byte_pieces):
        with pytest.raises(TextError, match="at least one word; got none"):
            read(text)


def test_t01_special_tokens_alone_are_no_words(word_pieces):
    with pytest.raises(TextError, match="at least one word"):
        word_pieces("[MASK] [SEP]")


def test_t04_pieces_of_a_word_stay_tied_to_it(word_pieces):
    tokens = word_pieces("Ragnarok")
    assert tokens.pieces == ("[CLS]", "rag", "##nar", "##ok", "[SEP]")
    assert tokens.offsets[1:4] == ((0, 3), (3, 6), (6, 8))
    assert tokens.words == ("", "Ragnarok", "Ragnarok", "Ragnarok", "")
    assert tokens.names[2] == "“\u2068##nar\u2069” of “\u2068Ragnarok\u2069”"


def test_t05_repeated_pieces_stay_apart(word_pieces):
    tokens = word_pieces("ewww")
    assert tokens.labels == ("[CLS]", "e", "##w", "##w", "##w", "[SEP]")
    assert len(set(tokens.names)) == 6


@pytest.mark.parametrize("sign", ["⭢", "日"])
def test_t06_bytes_of_one_character_are_counted(byte_pieces, sign):
    tokens = byte_pieces(sign)
    assert tokens.labels == (f"{sign} 1/3", f"{sign} 2/3", f"{sign} 3/3")
    assert tokens.offsets == ((0, 1),) * 3


def test_t08_the_mark_of_a_space_is_readable_and_the_raw_piece_stays(byte_pieces):
    tokens = byte_pieces("say what ever")
    assert tokens.pieces == ("say", "Ġwhat", "Ġever")
    assert tokens.labels == ("say", "␣what", "␣ever")
    assert tokens.words == ("", "", "")


def test_t10_typed_text_that_reads_as_special_is_pointed_out(word_pieces):
    tokens = word_pieces("[MASK] me [SEP]")
    assert tokens.pieces == ("[CLS]", "[MASK]", "me", "[SEP]", "[SEP]")
    assert tokens.special == (True, True, False, True, True)
    assert typed_specials(tokens) == (
        "“[MASK]”, “[SEP]” in the text was read as a special token of the model, not as words."
    )


def test_t11_what_is_not_special_here_is_text(word_pieces):
    tokens = word_pieces("<s> hi </s>")
    assert tokens.pieces == ("[CLS]", "<", "s", ">", "hi", "<", "/", "s", ">", "[SEP]")
    assert [i for i, special in enumerate(tokens.special) if special] == [0, 9]
    assert typed_specials(tokens) == ""


def test_t14_an_unknown_piece_says_what_was_typed(word_pieces):
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    tokens = word_pieces(family)
    assert tokens.pieces == ("[CLS]", "[UNK]", "[SEP]")
    assert tokens.offsets[1] == (0, 5)
    assert tokens.names[1] == f"“\u2068[UNK]\u2069” of “\u2068{family}\u2069”"
    assert tokens.special == (True, False, True)


def test_the_special_token_of_a_byte_level_tokenizer_is_special_where_it_is_typed(byte_tokenizer):
    tokens = read_pieces(byte_tokenizer, "the <|endoftext|> cat").tokens
    assert "<|endoftext|>" in typed_specials(tokens)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (3, "must be a string; got int"),
        ("a" * 4001, "at most 4,000 characters; got 4,001"),
        ("\ud800", "whole characters; position 0"),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_in_a_sentence(word_tokenizer, text, said):
    with pytest.raises(TextError, match=said):
        read_pieces(word_tokenizer, text)

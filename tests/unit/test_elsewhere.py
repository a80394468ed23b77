import pytest

from attention_viz.elsewhere import read_contexts
from attention_viz.heads import random_head
from attention_viz.pipeline import distances, run

HEAD = random_head(67, 13, seed=3)


@pytest.mark.parametrize(
    ("here", "there", "causal", "said"),
    [
        ("a river bank", "I paid the bank", False, "so the same word receives another context"),
        ("a river bank", "a river bank", False, "looks at the same 3 tokens in both sentences"),
        ("a river bank", "river a bank", False, "looks at the same 3 tokens in both sentences"),
        ("bank by a river", "bank and money", True, "looks at itself alone in both sentences"),
        ("bank by a river", "bank and money", False, "so the same word receives another context"),
        ("bank", "bank bank", False, "come to one and the same mix"),
    ],
)
def test_contexts_are_said_to_differ_only_where_they_do(here, there, causal, said):
    one, other = (run(text, HEAD, seed=3, causal=causal) for text in (here, there))
    row, place = (shown.tokens.pieces.index("bank") for shown in (one, other))
    assert said in read_contexts(one, row, other, place)
    _, apart = distances(one, row, other, place)
    assert (apart > 0.01) == ("another context" in said)

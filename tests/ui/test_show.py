"""Text that a visitor gave, as Streamlit is given it."""

import pytest

from attention_viz.ui import show


@pytest.mark.parametrize(
    ("said", "alive"),
    [
        ("see https://stranger.example/x", "://"),
        ("HTTP://stranger.example", "://"),
        ("www.stranger.example", "www."),
        ("me@stranger.example", "@stranger"),
        (":material/delete:", ":material"),
        (":streamlit: :smile:", ":s"),
    ],
)
def test_nothing_is_left_of_which_streamlit_makes_a_link_or_an_icon(said, alive):
    """It looks for them in text whose escapes are gone."""
    for text in (show.plain(said), show.label(said)):
        assert alive.lower() not in text.replace("\\", "").lower()
        assert text.replace("\\", "").replace("\u2060", "") == said


def test_other_text_gets_escapes_alone():
    assert show.plain("d_k: 4 (of 8), 12:30") == "d\\_k\\: 4 \\(of 8\\), 12\\:30"
    assert show.label("“a”: row 1") == "“a”: row 1"

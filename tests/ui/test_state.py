from dataclasses import asdict, fields

from hypothesis import given
from hypothesis import strategies as st

from attention_viz.heads import Start
from attention_viz.pipeline import WIDTHS
from attention_viz.ui import state
from attention_viz.ui.state import Settings

KEYS = [field.name for field in fields(Settings)]


def test_every_key_has_a_reader():
    assert list(state.READERS) == KEYS


@given(
    st.builds(
        Settings,
        text=st.text(max_size=40),
        seed=st.integers(0, 2**32 - 1),
        d_model=st.sampled_from(WIDTHS),
        start=st.sampled_from([start.value for start in Start]),
        positions=st.booleans(),
        mask=st.sampled_from(state.MASKS),
        d_k=st.integers(1, 512),
        divisor=st.sampled_from(["sqrt", "1", "d_k", "sqrt_d_model", "2.5"]),
        row=st.integers(0, 511),
    )
)
def test_an_address_gives_back_its_settings(settings):
    chosen, wrong = state.read_address(state.to_address(settings))
    assert chosen == asdict(settings)
    assert not wrong


@given(st.dictionaries(st.sampled_from([*KEYS, "other"]), st.text(max_size=30)))
def test_any_address_gives_settings_or_a_sentence(address):
    chosen, wrong = state.read_address(address)
    assert len(chosen) + len(wrong) == len(set(address) - {"other"})
    Settings(**chosen)


def test_layer_norm_limits_the_stops():
    settings = Settings(start="layer_norm", d_model=64)
    assert settings.stops[-1] == 64
    assert Settings(d_k=50).stops.count(50) == 1


def test_a_notice_is_short():
    _, wrong = state.read_address({"d_k": "9" * 5000})
    assert wrong == [f"the link's d_k must be a whole number in 1 … 512; got {'9' * 40!r}"]

"""Known failures of state in Streamlit apps, by their ids; A07 and A08 need a browser."""

from pathlib import Path

import pytest
import torch

from attention_viz import heads
from attention_viz.models import model as models
from attention_viz.ui import cache, language

pytestmark = pytest.mark.ui
PAGES = sorted((Path(cache.__file__).parent / "pages").glob("[a-z]*.py"))


@pytest.mark.parametrize(
    ("case", "value"), [("A01", "9999"), ("A01", "0"), ("A03", "abc"), ("A03", "")]
)
def test_a_size_that_is_none_is_the_default_and_says_so(open_app, stage_of, case, value):
    at = open_app(d_k=value)
    header = stage_of(at).header
    assert header["init"]["d_k"] == 4, case
    assert header["stops"][-1] == 512
    assert "the link's d\\_k must be a whole number in 1 … 512" in at.info[0].value


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a05_what_was_chosen_outlives_another_page(open_app, page):
    at = open_app()
    at.number_input(key="seed").set_value(7).run()
    at.segmented_control(key="mask").set_value("causal").run()
    at.switch_page(str(page)).run()
    assert not at.exception
    at.switch_page(str(PAGES[0].parent / "explore.py")).run()
    assert at.number_input(key="seed").value == 7
    assert at.segmented_control(key="mask").value == "causal"


def test_a09_every_chart_has_a_key_of_its_own(open_app):
    at = open_app(text="I am good")
    for panel in ("Values into context", "Q, K, V", "Still picture"):
        at.segmented_control(key="panel").set_value(panel).run()
        keys = [chart.proto.id for chart in at.get("plotly_chart")]
        assert keys
        assert len(set(keys)) == len(keys)
        assert not at.exception


def test_a11_a_single_head_is_text_and_no_slider(open_app, monkeypatch):
    one = models.Layer("0", decodes=False, crosses=False, num_heads=1)
    monkeypatch.setattr(language, "choose", lambda _: True)
    monkeypatch.setattr(language, "is_ready", lambda _: False)
    monkeypatch.setattr(language, "model", lambda _: type("One", (), {"layers": (one,)}))
    monkeypatch.setattr(language, "_tell", lambda *_: None)
    monkeypatch.setattr(language, "run", lambda _: None)
    at = open_app(head="model")
    assert not at.select_slider
    said = " ".join(caption.value for caption in at.caption)
    assert "Layer\\: 0, the only one" in said
    assert "Head of the layer\\: 0, the only one" in said


def test_a13_no_visitor_changes_what_another_sees(open_app, stage_of):
    """A head is kept for all, frozen: computing with it in place is an error, not a change."""
    first = open_app(text="I am good", seed="3")
    before = stage_of(first)
    other = stage_of(open_app(text="I am good", seed="4", mask="causal"))
    assert not (other.scores == before.scores).any()
    assert (stage_of(first.run()).scores == before.scores).all()
    head = cache._head(256, 512, 3, heads.Start.GAUSSIAN)
    assert head is cache._head(256, 512, 3, heads.Start.GAUSSIAN)
    with pytest.raises(RuntimeError), torch.enable_grad():
        head.query.weight.requires_grad_().mul_(2)
    head.query.weight.requires_grad_(requires_grad=False)
    after = stage_of(open_app(text="I am good", seed="3"))
    assert (after.scores == before.scores).all()

"""Presenter view: in and out, what the stage is sent, and an address that says it."""

import json
import re

import pytest

pytestmark = pytest.mark.ui


def button(at, label):
    return next((one for one in at.button if one.label == label), None)


def address(at):
    (proto,) = (c.proto for c in at.get("bidi_component") if c.proto.component_name == "browser")
    return json.loads(proto.json)


def test_one_click_in_and_one_out(open_app, stage_of):
    at = open_app(seed="7", d_k="16")
    assert stage_of(at).header["slides"] == []
    assert "present" not in address(at)["changed"]
    button(at, "Present").click().run()
    assert len(stage_of(at).header["slides"]) == 4
    assert "present" in address(at)["changed"]
    assert button(at, "Present") is None
    button(at, "End").click().run()
    assert stage_of(at).header["slides"] == []
    assert at.session_state["seed"] == 7
    assert at.session_state["d_k"] == 16


def test_a_link_opens_it_with_the_prepared_picture(open_app, stage_of):
    header = stage_of(open_app(present="1", d_k="64", text="I am good")).header
    assert header["init"]["d_k"] == 64
    assert header["rows"] == ["I", "am", "good"]
    assert "at d_k 64" in header["slides"][1]["answer"]


@pytest.mark.parametrize("word", ["0", "yes", ""])
def test_any_other_word_is_the_whole_page(open_app, stage_of, word):
    assert stage_of(open_app(present=word)).header["slides"] == []


def test_a_trained_head_has_the_questions_that_suit_it(open_app, stage_of):
    at = open_app(present="1", head="induction", text="the cat sat. the cat")
    assert len(stage_of(at).header["slides"]) == 2


def test_a_narrow_start_has_slides_that_its_slider_offers(open_app, stage_of):
    header = stage_of(open_app(present="1", start="layer_norm", d_model="8")).header
    sizes = {slide[end].get("d_k", 4) for slide in header["slides"] for end in ("begin", "end")}
    assert sizes <= set(header["stops"])


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"present": "2"}, "the link's present must be one of 0, 1; got '2'"),
        ({"present": "1", "question": "0"}, "the link's question must be a whole number in 1 … 4"),
        ({"present": "1", "question": "5"}, "the link's question must be a whole number in 1 … 4"),
        ({"present": "1", "question": "2", "text": "one"}, None),
        ({"present": "1", "question": "4"}, None),
        ({"question": "0"}, None),  # of another page
    ],
)
def test_a_bad_address_is_one_sentence(open_app, address, said):
    (told,) = [one.value for one in open_app(**address).info] or [""]
    assert (said or "") in re.sub(r"\\(.)", r"\1", told)
    assert bool(told) == bool(said)


def test_a_notice_goes_when_something_is_done(open_app):
    at = open_app(present="2")
    button(at, "Present").click().run()
    assert not at.info
    at = open_app(present="1", question="0")
    button(at, "End").click().run()
    assert not at.info


@pytest.mark.parametrize("text", ["", "word " * 200])
def test_there_is_a_way_out_without_a_stage(open_app, text):
    at = open_app(present="1", text=text)
    assert any("nothing to ask a room" in one.value for one in at.info)
    button(at, "End").click().run()
    assert button(at, "Present") is not None


def test_another_page_leaves_the_room(open_app, stage_of):
    at = open_app(present="1")
    at.switch_page("attention_viz/ui/pages/words.py").run()
    at.query_params.clear()
    at.switch_page("attention_viz/ui/pages/explore.py").run()
    assert stage_of(at).header["slides"] == []

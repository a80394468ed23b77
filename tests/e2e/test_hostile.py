"""What strangers send stays text on every page: in a link, a file, a name, a code."""

import json
import struct
from urllib.parse import urlencode

import pytest
import safetensors.torch
import torch
from playwright.sync_api import expect

import attention_viz as av
from tests import hostile
from tests.e2e.conftest import DRAWN, enter, settle
from tests.e2e.test_upload import choose_file, open_files

pytestmark = pytest.mark.e2e
# Each has few enough tokens for the stage.
SHORT, TEXT, OTHER = (" ".join(hostile.MARKUP[part::3]) for part in range(3))
OF_PAGES = {
    "": {"text": SHORT, "seed": hostile.MARKUP[0], "head": hostile.MARKUP[1]},
    "?": {"text": TEXT, "mask": hostile.MARKUP[3], "divisor": hostile.MARKUP[4]},
    "?mask=causal": {"text": OTHER, "scale": hostile.MARKUP[7], "row": hostile.MARKUP[11]},
    "?present=1": {"text": SHORT, "question": hostile.MARKUP[0]},
    "steps?step=4": {"text": SHORT, "start": hostile.MARKUP[2]},
    "steps": {"text": SHORT, "step": hostile.MARKUP[4]},
    "heads": {"text": SHORT, "model": hostile.MARKUP[5]},
    "scaling": {"scaling_guess": hostile.MARKUP[0], "scaling_divisors": hostile.MARKUP[6]},
    "softmax?softmax_section=way": {"text": SHORT, "softmax_scores": hostile.MARKUP[0]},
    "softmax": {"softmax_section": hostile.MARKUP[8], "softmax_fill": hostile.MARKUP[1]},
    "questions": {"question_answers": hostile.MARKUP[0], "question": hostile.MARKUP[10]},
    "teachers": {"teachers_part": hostile.MARKUP[1]},
    "words": {"text": hostile.MARKUP[2], "row": hostile.MARKUP[4]},
}


def check(page):
    settle(page)
    assert page.evaluate(hostile.FOUND) == []


@pytest.mark.parametrize("address", OF_PAGES)
def test_of_a_link(visit, served, address):
    between = "&" if "?" in address else "?"
    page = visit(address + between + urlencode(OF_PAGES[address]))
    check(page)
    logged = served.log.read_text("utf-8")
    assert not [one for one in hostile.MARKUP if one in logged]


def test_in_each_panel(visit):
    page = visit("?" + urlencode({"text": SHORT}))
    every = page.get_by_role("radiogroup", name="Look closer").get_by_role("radio")
    for radio in every.all():
        radio.click()
        check(page)
    assert every.count() > 5


def test_typed_by_hand_and_as_codes_of_a_class(visit):
    page = visit("?" + urlencode({"text": SHORT}))
    page.goto(page.url.replace("/?", "/hand?") + "&" + urlencode({"d_k": hostile.MARKUP[9]}))
    expect(page.locator(DRAWN["hand"]).first).to_be_visible()
    expect(page.get_by_text("Defaults are shown where")).to_contain_text("material/delete")
    check(page)
    enter(page.get_by_label("Sentence"), "<img src=x>")
    check(page)
    page = visit("teachers?teachers_part=class")
    field = page.get_by_label("Codes of your students")
    enter(field, "\n".join(f"{one} {one}" for one in hostile.MARKUP), "Control+Enter")
    expect(page.get_by_text("a line must hold a code").first).to_be_visible()
    check(page)


def a_file(words=("a", "b", "c"), **more):
    state = dict(av.random_head(5, 3).state_dict()) | more
    state["embedding.weight"] = torch.ones(len(words), 5)
    return safetensors.torch.save(state, {"vocab": json.dumps(words), "note": hostile.MARKUP[0]})


@pytest.mark.parametrize("name", [one for one in hostile.MARKUP if "/" not in one][:4])
def test_of_a_file(visit, name):
    page = open_files(visit)
    known = a_file(("I", "am", "good", *hostile.MARKUP))
    choose_file(page, f"{name}.safetensors", known)
    expect(page.get_by_text("A loaded head: its d_k is 3.")).to_be_visible()
    check(page)
    extra = {"x.weight": torch.ones(1)}
    choose_file(page, f"{name}.safetensors", a_file(hostile.MARKUP, **extra))
    expect(page.get_by_text("tensors more than one head")).to_be_visible()
    check(page)
    choose_file(page, "a.safetensors", a_file(**{name: torch.ones(1)}))
    expect(page.get_by_text("a.safetensors holds 1 tensors more")).to_be_visible()
    check(page)
    choose_file(page, "a.safetensors", struct.pack("<Q", 9) + name.encode())
    expect(page.get_by_text("is no whole safetensors file")).to_be_visible()
    check(page)

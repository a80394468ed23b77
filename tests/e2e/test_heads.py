"""A person goes from all heads to one, and through layers and heads of a real model."""

import os
import re

import pytest
from playwright.sync_api import expect

from attention_viz.models import load_model, packaged
from tests.e2e.conftest import comes_to, enter, numbers, settle

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        not packaged() and os.environ.get("CI") != "true", reason="requirements-models.txt"
    ),
]
TEXT = "heads?text=Wie+geht+es+dir"


@pytest.fixture(scope="module")
def minilm():
    return load_model("minilm")


def tiles(page):
    return page.get_by_role("button", name="Open it in Explore")


def under_tiles(page):
    """The numbers under the tiles of the model; one that has none yet is as no number."""
    texts = page.locator(".number").all_inner_texts()[3:]
    return [float(text or "nan") for text in texts]


def test_every_head_is_there_and_opens_in_explore(visit, minilm):
    page = visit(TEXT)
    expect(tiles(page)).to_have_count(3 + 72, timeout=60_000)
    page.get_by_role("button", name="Layer 0, head 2:").click()
    stage = page.get_by_role("table", name="Attention weights", exact=True)
    expect(stage).to_be_attached()
    expect(page).to_have_url(re.compile("head=model"))
    expect(page).to_have_url(re.compile("index=2"))
    right = minilm.run("Wie geht es dir", 0, 2).trace.weights[0].tolist()
    comes_to(lambda: numbers(stage, "tbody tr:first-child"), pytest.approx(right, abs=1e-6))


def test_a_sentence_that_was_typed_goes_along(visit):
    page = visit()
    enter(page.get_by_label("Sentence"), "the old dog sat")
    settle(page)
    page.get_by_role("link", name="Heads").click()
    page.get_by_role("button", name="Layer 2, head 3:").click(timeout=60_000)
    expect(page.get_by_text("minilm, layer 2, head 3")).to_be_visible()
    expect(page.get_by_label("Sentence")).to_have_value("the old dog sat")
    expect(page.locator(".map.weights .rows")).to_contain_text("dog")


def test_a_model_that_is_picked_has_its_own_divisor(visit):
    page = visit()
    page.get_by_role("combobox", name="Head", exact=True).click()
    page.get_by_role("option", name="A language model").click()
    lock = page.get_by_role("button", name="this model’s = √d_k")
    expect(lock).to_have_attribute("aria-pressed", "true", timeout=60_000)
    expect(page.get_by_text("as this model computes them")).to_be_visible()
    expect(page).to_have_url(re.compile("divisor=own"))


def test_sorting_puts_the_highest_first_and_the_number_under_each(visit, minilm):
    page = visit(TEXT)
    expect(tiles(page)).to_have_count(75, timeout=60_000)
    page.get_by_label("Sort by").select_option("weight on itself")
    page.get_by_label("Colour by").select_option("weight on itself")
    calls = minilm.record("Wie geht es dir").calls
    right = sorted(call.weights(h).diagonal().mean().item() for call in calls for h in range(12))
    comes_to(lambda: under_tiles(page), pytest.approx(right[::-1], abs=0.0051))
    shown = under_tiles(page)
    assert shown == sorted(shown, reverse=True)
    page.get_by_role("button", name="highest first").click()
    comes_to(lambda: under_tiles(page), shown[::-1])


def test_the_arrow_keys_walk_the_heads(visit):
    page = visit(TEXT)
    expect(tiles(page)).to_have_count(75, timeout=60_000)
    page.get_by_role("button", name="Layer 0, head 0:").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    expect(page.get_by_role("button", name="Layer 2, head 0:")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("minilm, layer 2, head 0")).to_be_visible()


def test_a_demo_head_opens_in_explore(visit):
    page = visit("heads?text=the+cat+sat+.+the+cat")
    page.get_by_role("button", name="induction:").click()
    expect(page.get_by_text("A loaded head: its d_k is 32.")).to_be_visible()
    expect(page).to_have_url(re.compile("head=induction"))


def test_an_unlocked_divisor_is_a_temperature_and_the_lock_goes_back_to_the_models_own(visit):
    page = visit("?head=model&text=I+am+good")
    lock = page.get_by_role("button", name="this model’s = √d_k")
    expect(lock).to_have_attribute("aria-pressed", "true", timeout=60_000)
    page.get_by_role("button", name="1: no scaling").click()
    expect(page.get_by_text("as if d_k were 1")).to_be_visible()
    lock.click()
    expect(page.get_by_text("Divisor = 5.657, this model’s; √d_k = 5.657")).to_be_visible()
    expect(page.get_by_role("slider", name="d_k")).to_be_disabled()

"""A head of one's own: upload, see, break the upload, see the sentence and the old picture."""

import re

import pytest
import safetensors.torch
import torch
from playwright.sync_api import expect

import attention_viz as av
from tests.e2e.conftest import DRAWN, comes_to, enter, numbers, settle

pytestmark = pytest.mark.e2e


def choose_file(page, name, data):
    """Choose a file on a page at rest: no hand does while what it did before is on its way."""
    settle(page)
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator("input[type=file]").set_input_files(file)


def open_files(visit):
    page = visit("?text=I+am+good&seed=4")
    page.get_by_role("combobox", name="Head", exact=True).click()
    page.get_by_role("option", name="A file of your own").click()
    expect(page.get_by_text("Until a file is read")).to_be_visible()
    return page


def weights(page):
    return numbers(page.get_by_role("table", name="Attention weights", exact=True))


def test_upload_see_break_and_remove(visit):
    page = open_files(visit)
    head = av.random_head(8, 5, seed=1)
    state = {f"module.{key}": value for key, value in head.state_dict().items()}
    choose_file(page, "mine.safetensors", safetensors.torch.save(state))
    expect(page.get_by_text("mine.safetensors: an AttentionHead, float32.")).to_be_visible()
    expect(page.get_by_text("A loaded head: its d_k is 5.")).to_be_visible()
    expect(page.get_by_role("slider", name="d_k")).to_be_disabled()
    expected = av.run("I am good", head, seed=4).trace.weights.flatten().tolist()
    comes_to(lambda: weights(page), pytest.approx(expected, abs=1e-6))
    choose_file(page, "broken.pt", b"hello")
    expect(page.get_by_text("broken.pt is not a checkpoint")).to_be_visible()
    expect(page.get_by_text("A loaded head: its d_k is 5.")).to_be_visible()
    comes_to(lambda: weights(page), pytest.approx(expected, abs=1e-6))
    page.get_by_role("button", name=re.compile("Remove|Delete")).first.click()
    expect(page.get_by_text("Until a file is read")).to_be_visible()
    expect(page.locator(".reading")).to_contain_text("Random head, no meaning")


def test_a_head_of_a_layer(visit, tmp_path):
    page = open_files(visit)
    layer = torch.nn.MultiheadAttention(6, 3, batch_first=True).eval()
    path = tmp_path / "layer.pt"
    torch.save(layer.state_dict(), path)
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text("num_heads must be given for layer.pt")).to_be_visible()
    enter(page.get_by_label("Heads in its layer"), "3")
    enter(page.get_by_label("Head, from 0"), "2")
    expect(page.get_by_text("head 2 of 3 of an nn.MultiheadAttention")).to_be_visible()
    expect(page.get_by_text("A loaded head: its d_k is 2.")).to_be_visible()
    x = av.embed(av.tokenize("I am good"), 6, seed=4)[None]
    expected = layer(x, x, x, average_attn_weights=False)[1][0, 2].flatten().tolist()
    comes_to(lambda: weights(page), pytest.approx(expected, abs=1e-6))


def test_a_head_of_a_file_stays_for_the_visit(visit):
    """On other pages Streamlit forgets the file, and by Back it is the address that is read."""
    page = open_files(visit)
    head = av.random_head(8, 5, seed=1)
    choose_file(page, "mine.safetensors", safetensors.torch.save(head.state_dict()))
    told = page.get_by_text("mine.safetensors: an AttentionHead, float32.")
    expect(told).to_be_visible()
    expected = av.run("I am good", head, seed=4).trace.weights.flatten().tolist()
    for name, there in [("By hand", "By hand:|Invented"), ("Heads", "What do heads look at")]:
        page.get_by_role("link", name=name).click()
        expect(page.get_by_text(re.compile(there)).first).to_be_visible()
        settle(page)
        page.get_by_role("link", name="Explore").click()
        expect(told).to_be_visible()
        comes_to(lambda: weights(page), pytest.approx(expected, abs=1e-6))
        settle(page)
    page.get_by_role("link", name="Step by step").click()
    expect(page.locator(DRAWN["steps"]).first).to_be_visible()
    expect(told).to_be_visible()
    settle(page)
    page.go_back()
    expect(page.locator(".reading")).to_be_visible()
    expect(told).to_be_visible()
    expect(page.get_by_text("Defaults are shown where")).to_have_count(0)
    comes_to(lambda: weights(page), pytest.approx(expected, abs=1e-6))
    choose_file(page, "next.safetensors", safetensors.torch.save(av.random_head(8, 3).state_dict()))
    expect(page.get_by_text("A loaded head: its d_k is 3.")).to_be_visible()
    page.get_by_role("button", name=re.compile("Remove|Delete")).first.click()
    expect(page.get_by_text("Until a file is read")).to_be_visible()
    settle(page)
    enter(page.get_by_label("Sentence"), "I am fine")
    expect(page.locator(".reading")).to_contain_text("fine")
    expect(page.locator(".reading")).to_contain_text("Random head, no meaning")
    choose_file(page, "broken.pt", b"hello")
    expect(page.get_by_text("broken.pt is not a checkpoint")).to_be_visible()
    expect(page.get_by_text("Until a file is read")).to_be_visible()  # no removed one comes back


def test_a_hostile_file_name_stays_text(visit):
    page = open_files(visit)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    choose_file(page, "<img src=x onerror=alert(1)>.pt", b"hello")
    expect(page.get_by_text("is not a checkpoint")).to_be_visible()
    expect(page.locator("img[src=x]")).to_have_count(0)

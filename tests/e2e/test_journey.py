"""A person's way through the page."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e
SIZES = [(1280, 800), (1920, 1080), (390, 844)]


def slider(page):
    return page.get_by_role("slider", name="Head size d_k")


def cell_texts(page):
    return page.locator(".js-plotly-plot .scatterlayer text").all_text_contents()


def type_sentence(page, text):
    box = page.get_by_label("Sentence")
    box.fill(text)
    box.press("Enter")


def test_type_and_move(visit):
    page = visit()
    expect(page.get_by_text("Random head, no meaning")).to_be_visible()
    type_sentence(page, "I am good")
    expect(page.locator(".js-plotly-plot .scatterlayer text")).to_have_count(4 * 9)
    before = cell_texts(page)
    slider(page).press("ArrowRight")
    expect(page).to_have_url(re.compile(r"d_k=5\b"))
    expect(page.locator(".js-plotly-plot .scatterlayer text").first).not_to_have_text(before[0])


def test_the_address_restores_the_picture(visit):
    page = visit()
    type_sentence(page, "one two three")
    expect(page).to_have_url(re.compile("text=one\\+two\\+three"))
    slider(page).press("ArrowRight")
    expect(page).to_have_url(re.compile("d_k=5"))
    expect(page.locator(".js-plotly-plot .scatterlayer text")).to_have_count(4 * 9)
    texts = cell_texts(page)
    page.reload()
    expect(page.locator(".js-plotly-plot .scatterlayer text")).to_have_count(4 * 9)
    assert cell_texts(page) == texts
    other = visit(page.url[page.url.index("?") :])
    expect(other.locator(".js-plotly-plot .scatterlayer text")).to_have_count(4 * 9)
    assert cell_texts(other) == texts


def test_changes_add_nothing_to_the_history(visit):
    page = visit()
    entries = page.evaluate("history.length")
    for text in ("one", "one two"):
        type_sentence(page, text)
        expect(page).to_have_url(re.compile(f"text={text.replace(' ', '.')}(&|$)"))
    page.get_by_role("radio", name="I am good").click()
    expect(page).to_have_url(re.compile("text=I.am.good"))
    assert page.evaluate("history.length") == entries


def test_copy_link_carries_every_key(visit):
    page = visit("?d_k=64", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    for key in (
        "text",
        "seed",
        "d_model",
        "start",
        "positions",
        "mask",
        "d_k",
        "divisor",
        "row",
        "scale",
    ):
        assert f"{key}=" in link
    assert "d_k=64" in link


def test_copy_link_without_the_permission_hands_it_over(visit):
    page = visit()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()) }")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_label("Link", exact=True)).to_have_value(re.compile("seed=25"))


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>", "$x$ $5", "2020-01-01", "the the the",
        "أنا بخير", "我很好", "👨‍👩‍👧 😀", "<s> </s> &amp;",
    ],
)  # fmt: skip
def test_odd_sentences_stay_text(visit, text):
    page = visit()
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    type_sentence(page, text)
    expect(page).to_have_url(re.compile("text="))
    ticks = page.locator(".js-plotly-plot .xaxislayer-above .xtick text")
    import attention_viz as av

    labels = av.tokenize(text).labels
    expect(ticks).to_have_count(len(labels))
    assert [tick.strip() for tick in ticks.all_text_contents()] == list(labels)


def test_nothing_typed_is_a_kind_sentence(visit):
    page = visit()
    type_sentence(page, "   ")
    expect(page.get_by_text("must hold at least one word")).to_be_visible()
    type_sentence(page, "back again")
    expect(page.get_by_text("Random head, no meaning")).to_be_visible()


def test_two_visitors(visit):
    one, other = visit(), visit()
    type_sentence(one, "mine")
    expect(one.locator(".js-plotly-plot .scatterlayer text")).to_have_count(4)
    expect(other.locator(".js-plotly-plot .scatterlayer text")).to_have_count(4 * 16)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(visit, width, height, scheme):
    page = visit(width=width, height=height, color_scheme=scheme)
    expect(page.locator(".js-plotly-plot .scatterlayer text").first).to_be_visible()
    if width < 640:
        expect(page.locator(".js-plotly-plot .main-svg").first).to_have_attribute(
            "height", re.compile("1[5-9]")
        )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    chart = page.locator(".js-plotly-plot").bounding_box()
    assert chart["x"] + chart["width"] <= width

"""A person's way through the app: typing, dragging, links, Back, and what a network sees of it."""

import re

import pytest
import torch
from playwright.sync_api import expect

import attention_viz as av
from tests.e2e.conftest import comes_to, enter, numbers

pytestmark = pytest.mark.e2e
SIZES = [(1280, 800), (1920, 1080), (390, 844)]
KEYS = ("text", "seed", "d_model", "start", "positions", "mask", "d_k", "divisor", "row", "scale")


def d_k(page):
    return page.get_by_role("slider", name="d_k")


def size(page):
    return page.locator(".words").first


def reading(page):
    return page.locator(".reading")


def type_sentence(page, text):
    enter(page.get_by_label("Sentence"), text)


def weights(page):
    cells = page.get_by_role("table", name="Attention weights", exact=True).locator("td")
    expect(cells.first).to_be_attached()
    return cells.all_text_contents()


def drag(page, start, end, steps=12):
    """Press at one share of the slider, move to another; the button stays down."""
    d_k(page).hover()  # once it rests
    box = d_k(page).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], y, steps=steps)


def test_drag_d_k_and_see_softmax_sharpen(visit):
    page = visit()
    expect(size(page)).to_have_text("Head size d_k = 4")
    before = reading(page).inner_text()
    drag(page, 0.1, 0.61)
    expect(size(page)).to_have_text("Head size d_k = 64")
    expect(reading(page)).not_to_have_text(before)
    page.mouse.up()
    expect(page).to_have_url(re.compile("d_k=64"))
    head = av.random_head(256, 64, seed=25)
    run = av.run("Wie geht es dir", head, seed=25)
    said = av.read_row(run.tokens, run.trace.weights, run.trace.mask, 0)
    expect(reading(page)).to_have_text(f"Random head, no meaning: {said}")
    unscaled = page.get_by_role("table", name="Attention weights without scaling")
    right = torch.softmax(run.trace.scores, -1)
    assert right.amax(-1).min() > 0.9, "without scaling every row has collapsed at d_k 64"
    comes_to(lambda: numbers(unscaled), pytest.approx(right.flatten().tolist(), rel=1e-3, abs=1e-6))


def test_nothing_is_sent_while_moving_and_little_on_release(visit):
    page = visit()
    sizes = {"sent": [], "received": []}

    def listen(ws):
        ws.on("framesent", lambda frame: sizes["sent"].append(len(frame)))
        ws.on("framereceived", lambda frame: sizes["received"].append(len(frame)))

    page.on("websocket", listen)
    page.reload()
    expect(size(page)).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()
    for frames in sizes.values():
        frames.clear()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    drag(page, 0.1, 0.9, steps=40)
    # Still held, and past the pause after which a movement counts as ended.
    expect(page.get_by_role("table", name="Raw scores").locator("td").first).to_be_attached()
    page.wait_for_function("() => new Promise(done => setTimeout(() => done(true), 500))")
    assert sizes["sent"] == []
    assert requests == []
    page.mouse.up()
    expect(page).to_have_url(re.compile("d_k=(3|4)"))
    page.wait_for_function("() => new Promise(done => setTimeout(() => done(true), 500))")
    assert len(sizes["sent"]) == 1
    assert sum(sizes["sent"]) < 1500
    assert sum(sizes["received"]) < 2000


def test_keys_commit_once_they_rest(visit):
    page = visit()
    d_k(page).focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("d_k=12"))
    expect(size(page)).to_have_text("Head size d_k = 12")


def test_a_finger_drags(visit):
    page = visit(width=390, height=844, has_touch=True, is_mobile=True)
    d_k(page).scroll_into_view_if_needed()
    box = d_k(page).bounding_box()
    y = box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)

    def send(kind, share):
        points = [] if kind == "touchEnd" else [{"x": box["x"] + share * box["width"], "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", 0.1)
    for step in range(1, 12):
        send("touchMove", 0.1 + step * 0.0465)
    expect(size(page)).to_have_text("Head size d_k = 64")
    send("touchEnd", 0)
    expect(page).to_have_url(re.compile("d_k=64"))


def test_two_visitors_drag_at_once(visit):
    one, other = visit(), visit("?text=mine")
    drag(one, 0.1, 0.61)
    drag(other, 0.1, 0.9)
    one.mouse.up()
    other.mouse.up()
    expect(one).to_have_url(re.compile("d_k=64"))
    expect(other).to_have_url(re.compile("d_k=(3|4)"))
    expect(size(one)).to_have_text("Head size d_k = 64")
    expect(reading(one)).to_contain_text("Wie")
    expect(reading(other)).to_contain_text("mine")


def test_a08_reload_a_second_tab_and_back_show_what_the_address_says(visit):
    page = visit()
    type_sentence(page, "one two three")
    expect(page).to_have_url(re.compile("text=one.two.three"))
    drag(page, 0.1, 0.61)
    page.mouse.up()
    expect(page).to_have_url(re.compile("d_k=64"))
    page.get_by_role("button", name="d_k = 64").click()
    expect(page).to_have_url(re.compile("divisor=d_k"))
    shown = weights(page)
    page.reload()
    expect(size(page)).to_have_text("Head size d_k = 64")
    comes_to(lambda: weights(page), shown)
    other = visit(page.url[page.url.index("?") :])
    expect(size(other)).to_have_text("Head size d_k = 64")
    comes_to(lambda: weights(other), shown)
    page.goto("about:blank")
    page.go_back()
    expect(size(page)).to_have_text("Head size d_k = 64")
    comes_to(lambda: weights(page), shown)


def test_a_page_change_keeps_the_picture_and_back_restores_it(visit):
    page = visit()
    drag(page, 0.1, 0.61)
    page.mouse.up()
    expect(page).to_have_url(re.compile("d_k=64"))
    shown = weights(page)
    page.get_by_role("link", name="Words").click()
    expect(page.get_by_role("heading", name="Words")).to_be_visible()
    page.get_by_role("link", name="Explore").click()
    expect(size(page)).to_have_text("Head size d_k = 64")
    comes_to(lambda: weights(page), shown)
    page.get_by_role("link", name="Words").click()
    expect(page.get_by_role("heading", name="Words")).to_be_visible()
    type_sentence(page, "another sentence")
    expect(page).to_have_url(re.compile("text=another"))
    page.go_back()
    expect(size(page)).to_have_text("Head size d_k = 64")
    expect(reading(page)).to_contain_text("Wie")
    comes_to(lambda: weights(page), shown)


def test_a07_no_move_is_lost_and_nothing_is_added_to_the_history(visit):
    page = visit()
    entries = page.evaluate("history.length")
    d_k(page).focus()
    for stop in (5, 6, 7, 8, 10):
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(re.compile(f"d_k={stop}(&|$)"))
        expect(size(page)).to_have_text(f"Head size d_k = {stop}")
    for text in ("one", "one two"):
        type_sentence(page, text)
        expect(page).to_have_url(re.compile(f"text={text.replace(' ', '.')}(&|$)"))
    page.get_by_role("radio", name="I am good").click()
    expect(page).to_have_url(re.compile("text=I.am.good"))
    expect(size(page)).to_have_text("Head size d_k = 10")
    assert page.evaluate("history.length") == entries


def test_a_new_sentence_keeps_d_k_divisor_and_row(visit):
    page = visit("?d_k=16&divisor=1&row=2")
    expect(reading(page)).to_contain_text("“\u2068es\u2069” focuses")
    type_sentence(page, "a much longer sentence")
    expect(reading(page)).to_contain_text("“\u2068longer\u2069” focuses")
    expect(size(page)).to_have_text("Head size d_k = 16")
    expect(page.locator(".words").last).to_contain_text("Divisor = 1,")
    type_sentence(page, "two words")
    expect(reading(page)).to_contain_text("“\u2068words\u2069” focuses")
    expect(page).to_have_url(re.compile("row=1"))


def test_an_emptied_box_loses_nothing(visit):
    page = visit()
    drag(page, 0.1, 0.61)
    page.mouse.up()
    expect(page).to_have_url(re.compile("d_k=64"))
    type_sentence(page, "")
    expect(page.get_by_text("must hold at least one word")).to_be_visible()
    type_sentence(page, "one two three")
    expect(reading(page)).to_contain_text("one")
    expect(size(page)).to_have_text("Head size d_k = 64")
    expect(page).to_have_url(re.compile("d_k=64"))


@pytest.mark.parametrize("divisor", ["1e-300", "1_0", "nan", "0x10", "%D9%A4"])
def test_a_divisor_that_is_none_is_the_default_and_a_notice(visit, divisor):
    page = visit(f"?d_k=64&divisor={divisor}")
    expect(page.get_by_text("Defaults are shown where")).to_be_visible()
    expect(page.locator(".words").last).to_have_text("Divisor = √64 = 8")
    expect(reading(page)).not_to_contain_text("NaN")


def test_the_longest_sentence_survives_a_reload(visit):
    page = visit()
    type_sentence(page, "क" * 4000)
    expect(reading(page)).to_contain_text("क")
    expect(page).to_have_url(re.compile("text="))
    page.reload()
    expect(reading(page)).to_contain_text("क")


def test_typing_shows_at_once_and_keeps_the_focus(visit):
    page = visit()
    box = page.get_by_label("Sentence")
    box.fill("live words")
    expect(reading(page)).to_contain_text("live")
    expect(box).to_be_focused()


def test_copy_link_carries_every_key(visit):
    page = visit("?d_k=64", permissions=["clipboard-read", "clipboard-write"])
    d_k(page).press("ArrowRight")
    expect(page).to_have_url(re.compile("d_k=80"))
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert all(f"{key}=" in link for key in KEYS)
    assert "d_k=80" in link


def test_copy_link_without_the_permission_hands_it_over(visit):
    page = visit()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()) }")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_label("Link", exact=True)).to_have_value(re.compile("seed=25"))


ODD = [
    "<script>alert(1)</script>", "$x$ $5", "2020-01-01", "the the the",
    "أنا بخير", "我很好", "👨‍👩‍👧 😀", "<s> </s> &amp;",
]  # fmt: skip


def test_odd_sentences_stay_text(visit):
    page = visit()
    page.get_by_role("radio", name="Still picture").click()
    heads = page.get_by_role("table", name="Raw scores").locator("tbody th")
    ticks = page.locator(".js-plotly-plot .xaxislayer-above .xtick text")
    for text in ODD:
        type_sentence(page, text)
        labels = list(av.tokenize(text).labels)
        expect(heads).to_have_text(labels)
        comes_to(lambda: [tick.strip() for tick in ticks.all_text_contents()], labels)


def test_nothing_typed_is_a_kind_sentence(visit):
    page = visit()
    type_sentence(page, "   ")
    expect(page.get_by_text("must hold at least one word")).to_be_visible()
    type_sentence(page, "back again")
    expect(reading(page)).to_contain_text("back")


def test_the_still_picture_downloads(visit):
    page = visit("?d_k=64")
    page.get_by_role("radio", name="Still picture").click()
    chart = page.locator(".js-plotly-plot")
    expect(chart).to_be_visible()
    chart.hover()
    with page.expect_download() as download:
        page.locator("[data-title^='Download']").click()
    assert download.value.suggested_filename.endswith(".png")


def test_the_band_comes_when_the_curves_are_opened(visit):
    page = visit()
    page.get_by_text("Entropy against d_k").click()
    expect(page.locator(".curves polygon")).to_have_count(2)
    expect(page.locator(".key")).to_contain_text("9 in 10 of 200 other random heads")
    expect(size(page)).to_have_text("Head size d_k = 4")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_nothing_is_wider_than_the_window(visit, width, height):
    page = visit("?d_k=64", width=width, height=height)
    expect(reading(page)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = page.locator(".map .surface, .sliders, .reading").all()
    edges = [box.bounding_box() for box in boxes if box.is_visible()]
    assert max(box["x"] + box["width"] for box in edges) <= width


def test_the_first_screen_needs_no_scrolling(visit):
    page = visit("?d_k=64", width=1280, height=800)
    for part in (
        ".sliders",
        ".reading",
        ".map.raw",
        ".map.scaled",
        ".map.weights",
        ".map.unscaled",
    ):
        box = page.locator(part).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800, part


def test_the_theme_is_followed_when_it_changes(visit):
    page = visit(color_scheme="light")
    ink = "e => getComputedStyle(e).color"
    light = reading(page).evaluate(ink)
    page.emulate_media(color_scheme="dark")
    expect(reading(page)).not_to_have_css("color", light)
    d_k(page).press("ArrowRight")
    expect(size(page)).to_have_text("Head size d_k = 5")

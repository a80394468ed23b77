"""Long compounds, Arabic, Chinese, emoji, mixed directions: room for labels, order in sentences."""

from itertools import pairwise

import pytest

import attention_viz as av
from attention_viz.export.still import still_svg
from attention_viz.scenes import scene_of, view_of

pytestmark = pytest.mark.e2e
TEXTS = {
    "compounds": "Donaudampfschifffahrtsgesellschaftskapitän "
    "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz gilt",
    "Arabic": "أنا بخير اليوم شكرا",
    "Chinese": "我今天很好",
    "emoji": "👨‍👩‍👧‍👦 🏴󠁧󠁢󠁷󠁬󠁳󠁿 👋🏽 🇩🇪 😀",
    "directions": "Ich sage שלום und مرحبا today",
}
# What is said of each axis whose labels leave it, or lie upon their neighbours.
CROWDED = """(axes) => axes.flatMap((axis) => {
  if (!axis.checkVisibility({ visibilityProperty: true })) return [];
  const room = axis.getBoundingClientRect();
  const boxes = [...axis.querySelectorAll("bdi")].map((label) => label.getBoundingClientRect());
  const [start, end, near, far] = axis.className.includes("rows")
    ? ["top", "bottom", "left", "right"] : ["left", "right", "top", "bottom"];
  return boxes.filter((box, i) => box.width === 0 || box[near] < room[near] - 1
    || box[far] > room[far] + 1 || (i && box[start] < boxes[i - 1][end] - 4)
  ).map(() => `${axis.className}: ${axis.textContent}`);
})"""
# Where the words of a sentence on one line begin and end, in the order in which they are written.
PLACES = """(line) => {
  const text = document.createTreeWalker(line, NodeFilter.SHOW_TEXT).nextNode();
  return [...text.data.matchAll(/[^\\s\u00a0]+/g)].map((word) => {
    const found = document.createRange();
    found.setStart(text, word.index);
    found.setEnd(text, word.index + word[0].length);
    const box = found.getBoundingClientRect();
    return [box.left, box.right];
  });
}"""
OVERLAPS = """(svg) => [...svg.querySelectorAll("text")].filter((one, i, all) => {
  const [a, b, frame] = [one, all[i + 1] ?? one, svg].map((part) => part.getBoundingClientRect());
  const isApart = !all[i + 1] || a.right <= b.left + 1 || b.right <= a.left + 1
    || a.bottom <= b.top + 4 || b.bottom <= a.top + 4;
  return !isApart || a.left < frame.left || a.right > frame.right;
}).map((one) => one.textContent)"""


def a_run(text):
    return av.run(text, av.random_head(64, 16, seed=25))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_labels_have_room(mount, text):
    run = a_run(text)
    page = mount(scene_of(run, view_of(run)))
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function("innerWidth === document.documentElement.clientWidth")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        assert page.locator(".map :is(.rows, .columns)").evaluate_all(CROWDED) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_sentence_keeps_its_order_around_words_from_right_to_left(mount):
    run = a_run(TEXTS["Arabic"])
    page = mount(scene_of(run, view_of(run)), width=1280)
    places = page.locator(".reading").evaluate(PLACES)
    assert len(places) > 10
    assert all(end <= start for (_, end), (start, _) in pairwise(places))


def test_a_family_stays_whole_beside_a_long_word(mount):
    run = a_run("👨‍👩‍👧‍👦 internationalization")
    page = mount(scene_of(run, view_of(run)))
    box = page.locator(".map.weights .columns.upright bdi").first.bounding_box()
    assert box["height"] < 2 * box["width"]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_still_picture_has_room(browser, text):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_content(still_svg(a_run(text), title=True))
    assert page.locator("svg").evaluate(OVERLAPS) == []
    page.close()

"""The whole app with the keyboard alone: each page reached, its main control moved, no trap."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import settle

pytestmark = pytest.mark.e2e
MOST = 90  # presses of Tab once around any page
# Each page by its link, its main control, the keys for it, and what is then on the page.
JOURNEY = [
    ("Explore", ("slider", "d_k"), "ArrowRight", "Head size d_k = 5"),
    ("Step by step", ("button", "Next"), "Enter", "2. Where a score comes from"),
    ("Questions", ("radio", "A: "), "Space", "Commit to it"),
    ("Scaling lab", ("slider", "Head size d_k"), "ArrowRight", "At d_k"),
    ("Softmax lab", ("slider", "score 1"), "ArrowUp", "Score 1: exp("),
    ("By hand", ("slider", "divisor"), "End", "Divisor = 512"),
    ("Teachers", ("radio", "15 minutes"), "ArrowRight Enter", "Exp, sum, divide"),
    ("Words", ("button", "Copy link"), "Enter", "softmax"),
    ("Heads", ("button", re.compile("previous token")), "Enter", "Head size d_k"),
]
# What has the focus now, as words, and whether the one before has lost its mark: an element that
# looks the same with the focus and without it shows a person nothing.
LOOK = """async () => {
  // Some widgets draw their focus a moment after they have it.
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const names = ["outline", "boxShadow", "borderColor", "backgroundColor", "textDecoration",
    "opacity", "color", "stroke", "strokeWidth", "fill"];
  const look = (e) => names.map((name) => getComputedStyle(e)[name]).join();
  const around = (e) => {
    const up = [];
    for (let one = e.parentElement; one && up.length < 5; one = one.parentElement) up.push(one);
    return [e, ...e.children, ...e.parentElement?.children ?? [], ...up].map(look).join();
  };
  const before = window.held;
  const unseen = before?.element.isConnected && around(before.element) === before.look;
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  // A field to type in shows its caret.
  const none = element.matches("body, input[type=text], input[type=number], textarea");
  window.held = none ? null : { element, look: around(element) };
  return unseen ? before.element.outerHTML.slice(0, 200) : "";
}"""


def tab_to(page, locator):
    """Press Tab until a control has the focus; what had it on the way without looking so."""
    unseen = []
    for _ in range(MOST):
        page.keyboard.press("Tab")
        unseen.append(page.evaluate(LOOK))
        if locator.evaluate("one => one.getRootNode().activeElement === one"):
            return [words for words in unseen if words]
    return pytest.fail(f"Tab never comes to {locator}")


def test_through_all_pages(visit):
    page = visit("words")
    page.add_style_tag(content="* { transition: none !important }")
    unseen = []
    for name, (role, control), keys, then in JOURNEY:
        unseen += tab_to(page, page.get_by_role("link", name=name, exact=True))
        page.keyboard.press("Enter")
        target = page.get_by_role(role, name=control).first
        expect(target).to_be_visible(timeout=60_000)
        settle(page)
        unseen += tab_to(page, target)
        for key in keys.split():
            page.keyboard.press(key)
        expect(page.locator("[data-testid=stMain]").get_by_text(then).first).to_be_visible()
        settle(page)
    assert not unseen

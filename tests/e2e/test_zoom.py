"""At 200 % a window of 1280 × 800 has 640 × 400 pixels: nothing leaves it (WCAG 1.4.10)."""

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import DRAWN, settle

pytestmark = pytest.mark.e2e
# The controls that are outside the window, or that another thing lies upon once scrolled to.
LOST = """() => {
  const roots = [document], controls = [];
  for (const root of roots) {
    for (const one of root.querySelectorAll("*")) if (one.shadowRoot) roots.push(one.shadowRoot);
    controls.push(...root.querySelectorAll("button, [role=slider], select, input[type=range]"));
  }
  const inMain = (one) => one.closest("[data-testid=stMain]") || one.getRootNode().host;
  const above = (one, x, y) => {
    let top = document.elementFromPoint(x, y);
    while (top?.shadowRoot?.elementFromPoint(x, y)) {
      const inner = top.shadowRoot.elementFromPoint(x, y);
      if (inner === top) break;
      top = inner;
    }
    return top;
  };
  const isShown = (one) => inMain(one) && one.checkVisibility({ opacityProperty: true });
  return controls.filter(isShown).filter((one) => {
    one.scrollIntoView({ block: "center" });
    const box = one.getBoundingClientRect();
    const top = above(one, box.x + box.width / 2, box.y + box.height / 2);
    const isSeen = one.contains(top) || top?.contains(one);
    return box.left < 0 || box.right > innerWidth || !isSeen;
  }).map((one) => one.outerHTML);
}"""


def test_nothing_leaves_the_window(visit, server):
    page = visit("words", width=640, height=400, device_scale_factor=2)
    lost = {}
    for address, last in DRAWN.items():
        page.goto(f"{server}/{address}")
        settle(page)
        expect(page.locator(last).first).to_be_visible(timeout=60_000)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        assert page.locator("[data-testid=stMain]").evaluate("e => e.scrollWidth <= e.clientWidth")
        lost[address] = page.evaluate(LOST)
    assert {address: found for address, found in lost.items() if found} == {}


@pytest.mark.parametrize(("width", "height"), [(640, 400), (390, 844)])
def test_the_slider_of_d_k_stays_in_reach_of_the_maps(visit, width, height):
    page = visit(width=width, height=height)
    page.locator(".map.weights").evaluate("map => map.scrollIntoView({ block: 'start' })")
    bar = page.get_by_test_id("stHeader").bounding_box()
    slider = page.get_by_role("slider", name="d_k").bounding_box()
    assert bar["y"] + bar["height"] <= slider["y"] <= height / 2

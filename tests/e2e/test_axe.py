"""axe-core on all pages, light, dark and on a phone: names, roles, contrast, landmarks, scrolling.

Nothing is excluded: Streamlit's own elements count too, and in this version none has a grave fault.
"""

import pytest
from playwright.sync_api import expect

import attention_viz as av
from attention_viz.figures import attention_maps
from attention_viz.questions import introduction, outlines, question, title
from attention_viz.worksheet import worksheet
from tests.e2e.conftest import DRAWN, PLOT, settle

pytestmark = pytest.mark.e2e
GRAVE = {"serious", "critical"}
PANELS = {
    "Values into context": PLOT,
    "Numbers": "[data-testid=stDataFrame]",
    "Torch code": "[data-testid=stCode] .token",
}
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => [node.impact, id, node.html]));
}"""


@pytest.fixture
def faults(axe):
    """The grave faults of a page as it stands."""

    def find(page):
        if not page.evaluate("'axe' in window"):
            page.add_script_tag(path=axe)
        found = page.evaluate(RUN)
        return [(page.url, *fault) for fault in found if fault[0] in GRAVE]

    return find


# A phone has other layouts and the same colours, so one theme is enough there.
@pytest.mark.parametrize(
    ("scheme", "width", "height"), [("light", 1280, 800), ("dark", 1280, 800), ("dark", 390, 844)]
)
def test_pages(visit, server, faults, scheme, width, height):
    page = visit("words", color_scheme=scheme, width=width, height=height)
    found = []
    for address, last in DRAWN.items():
        page.goto(f"{server}/{address}")
        settle(page)
        expect(page.locator(last).first).to_be_visible(timeout=60_000)
        unfold = "folds => folds.forEach(fold => fold.click())"
        page.locator("details:not([open]) > summary").evaluate_all(unfold)
        settle(page)
        found += faults(page)
    for panel, last in PANELS.items():
        page.get_by_role("radio", name=panel).click()
        settle(page)
        expect(page.locator(f"[data-testid=stMain] {last}").last).to_be_visible()
        found += faults(page)
    assert not found


@pytest.mark.parametrize("answers", [False, True])
def test_worksheet(browser, faults, answers):
    questions = [question(place) for place in range(len(outlines()))]
    names = [str(place + 1) for place in range(len(questions))]
    page = browser.new_page()
    page.set_content(worksheet(title(), introduction(), questions, names, answers=answers))
    assert not faults(page)
    page.close()


def test_figure_as_html(browser, faults):
    figure = attention_maps(av.run("the cat sat", av.random_head(16, 4)))
    page = browser.new_page()
    html = figure.to_html(full_html=False)
    page.set_content(f"<!doctype html><html lang=en><title>Maps</title><main>{html}</main></html>")
    page.wait_for_function("document.querySelector('.js-plotly-plot .xtick')")
    assert not faults(page)
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("scripts", [True, False])
def test_exported_page(browser, faults, scheme, scripts):
    # axe comes as a script, which the page's own policy would refuse.
    page = browser.new_page(color_scheme=scheme, bypass_csp=True)
    document = av.to_html(av.run("the cat sat", av.random_head(16, 4), causal=True))
    page.set_content(document if scripts else document.replace('type="module"', 'type="off"'))
    expect(page.locator(".stage" if scripts else ".still")).to_be_visible()
    page.locator("summary").evaluate_all("folds => folds.forEach(fold => fold.click())")
    assert not faults(page)
    page.close()

"""Streamlit ends a mount that a newer one has overtaken: what the newer one does must go on.

It does so when new data comes before the script of a component has run, as on a busy machine.
"""

from importlib import resources

import pytest

pytestmark = pytest.mark.e2e
ADDRESS = "http://page.example/steps?step=2"
HTML = "<!doctype html><span class=turning></span><button></button><input hidden>"
TWICE = """async ([js, data]) => {
  const { default: mount } = await import(`data:text/javascript,${encodeURIComponent(js)}`);
  window.told = [];
  const tell = (name, value) => told.push(value);
  const all = { data, parentElement: document, setTriggerValue: tell, setStateValue: tell };
  const first = mount(all);
  mount(all);
  first();
  window.again = () => void mount(all);
}"""


@pytest.fixture
def overtaken(browser):
    """A page on which a component of ours was mounted twice, and the first mount ended."""
    context = browser.new_context()
    context.route(ADDRESS, lambda route: route.fulfill(body=HTML, content_type="text/html"))

    def draw(name, data=None):
        page = context.new_page()
        page.goto(ADDRESS)
        js = resources.files("attention_viz.ui").joinpath(name).read_text("utf-8")
        page.evaluate(TWICE, [js, data])
        return page

    yield draw
    context.close()


def test_arrow_keys_still_turn(overtaken):
    data = {"name": "step", "group": "steps", "at": 2, "last": 9, "heard": 0, "hint": "keys"}
    page = overtaken("turning.js", data)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("told") == [{"to": 3, "turns": 1}]
    assert page.url.endswith("step=3")


def test_a_lost_server_is_still_heard_of(overtaken):
    page = overtaken("connection.js")
    page.evaluate("addEventListener('popstate', () => told.push(location.search))")
    page.evaluate("postMessage({ type: 'WEBSOCKET_DISCONNECTED' })")
    page.wait_for_function("told.includes('?step=2')")


def test_a_narrow_window_is_told_once(overtaken):
    data = {"own": {}, "changed": [], "theirs": [], "copy": "", "copied": "", "narrow": False}
    page = overtaken("browser.js", data)
    page.evaluate("again()")  # new data
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("told.length > 0")
    assert page.evaluate("told") == [True]

"""A page whose server went away, and that is connected again."""

import re

import pytest
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.e2e.conftest import arrive, settle
from tests.e2e.runs import watch

pytestmark = pytest.mark.e2e
KEEP_SOCKET = """
window.WebSocket = class extends WebSocket {
  constructor(...where) { super(...where); window.socket = this; }
};
"""


def asked_after_losing_the_server(page):
    """The address with which a page asks for a run, once it is connected again."""
    with page.expect_websocket() as back:
        page.evaluate("socket.close()")
    frame = back.value.wait_for_event("framesent")
    settle(page)
    return BackMsg.FromString(frame).rerun_script.query_string


def test_a_page_goes_on_from_the_address_it_has_now(browser, server):
    context = browser.new_context()  # not `visit`: a lost connection is an error on the console
    page = context.new_page()
    watch(page)
    page.add_init_script(KEEP_SOCKET)
    page.goto(f"{server}/?text=one+two&d_k=16")
    settle(page)
    slider = page.get_by_role("slider", name="d_k")
    expect(slider).to_be_visible()
    assert "d_k=16" in asked_after_losing_the_server(page), "though nothing was running"
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("d_k=20"))
    assert "d_k=20" in asked_after_losing_the_server(page)
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("d_k=24"))
    context.close()


def test_what_was_moved_while_the_server_was_away_is_told_when_it_is_back(browser, server):
    context = browser.new_context()
    page = context.new_page()
    watch(page)
    page.add_init_script(KEEP_SOCKET)
    page.goto(server)
    arrive(page)
    slider = page.get_by_role("slider", name="d_k")
    context.set_offline(True)
    page.evaluate("socket.close()")
    slider.press("ArrowRight")
    expect(page).to_have_url(re.compile("d_k=5"))  # written when Python is told
    with page.expect_websocket():
        context.set_offline(False)
    settle(page)
    page.get_by_role("link", name="Words").click()
    expect(page.get_by_role("heading", name="Words")).to_be_visible()
    settle(page)
    page.get_by_role("link", name="Explore").first.click()
    expect(slider).to_have_attribute("aria-valuetext", "5")
    context.close()


def test_a_hand_on_the_slider_is_not_led_back_to_the_address(visit):
    page = visit("?d_k=4")
    slider = page.get_by_role("slider", name="d_k")
    slider.hover()  # once it rests
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.1, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.61, box["y"] + box["height"] / 2)
    expect(page.locator(".words").first).to_have_text("Head size d_k = 64")
    page.evaluate("dispatchEvent(new PopStateEvent('popstate', { state: history.state }))")
    expect(page.locator(".words").first).to_have_text("Head size d_k = 64")
    page.mouse.up()
    expect(page).to_have_url(re.compile("d_k=64"))

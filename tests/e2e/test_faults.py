"""What goes wrong around the app: its server dies, an upload is cut."""

import re
import socket
import sys
import urllib.request
from urllib.parse import urlsplit

import pytest
import safetensors.torch
from playwright.sync_api import expect

import attention_viz as av
from benchmarks.machine import free_port
from tests.e2e.conftest import APP, ROOT, arrive, serving, settle
from tests.e2e.runs import watch
from tests.e2e.test_upload import choose_file, open_files

pytestmark = pytest.mark.e2e

# How deep in the page each of its parts stands.
PLACES = """() => [...document.querySelectorAll("[data-testid=stVerticalBlock]")].map((part) => {
  let depth = 0;
  for (let at = part; at; at = at.parentElement.closest("[data-testid=stVerticalBlock]")) depth++;
  return depth;
})"""


def test_a_server_that_is_killed_during_a_drag(browser):
    port = free_port()
    context = browser.new_context()
    page = context.new_page()
    watch(page)
    slider = page.get_by_role("slider", name="d_k")
    with serving(port) as app:
        page.goto(f"{app.address}/?text=I+am+good&seed=4")
        arrive(page)
        slider.hover()  # once it rests
        box = slider.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
        page.mouse.down()
        app.process.kill()
        app.process.wait()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=5)
        page.mouse.up()
        expect(page.get_by_text(re.compile("connect", re.IGNORECASE)).first).to_be_visible()
    d_k = slider.get_attribute("aria-valuetext")
    assert re.search(r"d_k=\d+", page.url)
    with serving(port):
        page.reload()
        arrive(page)
        expect(slider).to_have_attribute("aria-valuetext", d_k)
        expect(page.get_by_label("Sentence")).to_have_value("I am good")
    context.close()


@pytest.mark.parametrize("late", ["hears", "begins", "ends"])
def test_what_is_typed_while_a_slow_server_takes_over_a_movement(browser, serve, late):
    """Otherwise the box says one thing and the picture another, or a page stands in itself."""
    command = [sys.executable, "-m", "tests.e2e.late", late, *APP[APP.index("run") :]]
    context = browser.new_context()
    page = context.new_page()
    watch(page)
    with serve(command, cwd=ROOT) as app:
        page.goto(app.address)
        arrive(page)
        places = page.evaluate(PLACES)
        page.get_by_role("slider", name="d_k").press("ArrowRight")
        expect(page).to_have_url(re.compile("d_k=5(&|$)"))
        box = page.get_by_label("Sentence")
        box.fill("typed at once")  # not `enter`, which waits until the page is at rest
        box.press("Enter")
        expect(page.locator(".reading")).to_contain_text("typed")
        expect(page.locator(".words").first).to_have_text("Head size d_k = 5")
        settle(page)
        assert page.evaluate(PLACES) == places
    context.close()


def test_an_upload_that_is_cut_half_way(browser, server):
    context = browser.new_context()  # not `visit`: the cut is an error on the console
    page = context.new_page()
    watch(page)

    def open_page(query):
        page.goto(f"{server}/{query}")
        arrive(page)
        return page

    open_files(open_page)
    data = safetensors.torch.save(av.random_head(8, 5, seed=1).state_dict())
    uploads = "**/_stcore/upload_file/**"
    page.route(uploads, lambda route: route.fulfill(status=500))
    choose_file(page, "cut.safetensors", data)
    expect(page.get_by_text("Until a file is read")).to_be_visible()
    expect(page.get_by_role("slider", name="d_k")).to_be_enabled()
    page.unroute(uploads)
    choose_file(page, "whole.safetensors", data)
    expect(page.get_by_text("A loaded head: its d_k is 5.")).to_be_visible()
    context.close()


def test_a_connection_that_ends_within_an_upload(server):
    host = urlsplit(server)
    head = (
        "PUT /_stcore/upload_file/nobody/nothing HTTP/1.1\r\n"
        f"Host: {host.netloc}\r\nContent-Length: 1000000\r\n\r\n"
    )
    with socket.create_connection((host.hostname, host.port)) as connection:
        connection.sendall(head.encode() + bytes(1000))
    with urllib.request.urlopen(f"{server}/_stcore/health") as answer:  # noqa: S310 - our own
        assert answer.status == 200

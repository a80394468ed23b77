"""The scaling lab in a browser: a run that is stopped, the address, and a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import expect_fit, settle

pytestmark = pytest.mark.e2e
SIZES = [(1280, 800), (1920, 1080), (390, 844)]
FIGURES = ["Spread", "Largest weight", "Entropy", "Derivatives", "Number of keys"]
SMALL = "scaling?scaling_draws=50&scaling_high=64"


def test_a_long_run_is_stopped_shows_what_it_has_and_goes_on(visit):
    page = visit(SMALL)
    link = "scaling?scaling_keys=64&scaling_draws=4000&scaling_high=4096&scaling_seed=6"
    page.goto(page.url.partition("scaling")[0] + link)
    # Before its first point it says "the start".
    expect(page.get_by_text(re.compile(r"^d_k \d+ of 4096"))).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text(re.compile(r"Stopped at d_k \d+ of 4096"))).to_be_visible()
    expect(page.get_by_text(re.compile("From d_k 1 to"))).to_be_visible()
    # At once after "Go on": the button must not move while what is beside it changes.
    for _ in range(3):
        page.get_by_role("button", name="Go on").click()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("button", name="Go on")).to_be_visible()


def test_what_another_figure_said_is_gone_while_one_is_measured(visit):
    page = visit(f"{SMALL}&scaling_seed=8")
    shown = page.get_by_role("heading", name="Break it on purpose")
    expect(shown).to_be_visible()
    page.get_by_role("radio", name="Training", exact=True).click()
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_visible()
    expect(shown).to_have_count(0)
    stop.click()  # it can still be pressed: the heading went while the training ran
    expect(page.get_by_role("button", name="Go on")).to_be_visible()


def test_the_address_follows_and_restores(visit):
    page = visit("scaling?scaling_draws=50&scaling_high=512")  # where the peak is near 1
    page.get_by_role("radio", name="Entropy", exact=True).click()
    expect(page).to_have_url(re.compile("scaling_figure=entropy"))
    settle(page)
    page.get_by_role("radio", name="goes to 1", exact=True).click()
    expect(page.get_by_text(re.compile("You guessed it"))).to_be_visible()
    expect(page).to_have_url(re.compile("scaling_guess=all"))
    page.reload()
    expect(page.get_by_text(re.compile("Mean entropy ÷ ln 8"))).to_be_visible()
    expect(page.get_by_text(re.compile("You guessed it"))).to_be_visible()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_nothing_is_wider_than_the_window(visit, width, height):
    page = visit(SMALL, width=width, height=height)
    for name in FIGURES:
        page.get_by_role("radio", name=name, exact=True).click()
        expect(page.locator(".js-plotly-plot")).to_have_count(3 if name == FIGURES[-1] else 2)
        expect_fit(page)

"""The Softmax lab in a browser: scores dragged and typed, sections chosen, links restored."""

import math
import re

import pytest
from playwright.sync_api import expect

from attention_viz.places import SECTIONS
from tests.e2e.baselines import STACKED
from tests.e2e.conftest import PHONE, PLOT, arrive, comes_to, enter, expect_word, settle

pytestmark = pytest.mark.e2e


def widths(page):
    """The bars of the sliders, as shares of their tracks."""
    return page.evaluate(
        """() => {
          const found = [];
          const walk = (root) => root.querySelectorAll("*").forEach((one) => {
            if (one.className === "weight") found.push(parseFloat(one.style.width) / 100);
            if (one.shadowRoot) walk(one.shadowRoot);
          });
          walk(document);
          return found;
        }"""
    )


def softmax(*scores):
    masses = [math.exp(score - max(scores)) for score in scores]
    return [mass / sum(masses) for mass in masses]


def test_a_score_is_dragged_and_all_follows(visit):
    page = visit("softmax")
    slider = page.get_by_role("slider", name="score 3")
    expect(slider).to_have_value("0.1")
    comes_to(lambda: widths(page), pytest.approx(softmax(2, 1, 0.1), abs=1e-4))
    expect(page.locator(PLOT).first).to_be_visible()  # the columns have their widths
    slider.hover()  # once it rests
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.505, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2, steps=5)
    # Before it is let go: the bars follow, the rest of the page waits.
    comes_to(lambda: widths(page)[2], pytest.approx(1, abs=0.01))
    expect(page.get_by_label("Scores, 2 to 12, with commas between")).to_have_value("2, 1, 0.1")
    page.mouse.up()
    expect(page.get_by_label("Scores, 2 to 12, with commas between")).to_have_value("2, 1, 10")
    expect(page.get_by_text(re.compile("Score 3: exp.10. = "))).to_be_visible()


def test_keys_move_a_slider_and_keep_the_focus(visit):
    page = visit("softmax?softmax_scores=1,2")
    slider = page.get_by_role("slider", name="score 1")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Scores, 2 to 12, with commas between")).to_have_value("1.1, 2")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Scores, 2 to 12, with commas between")).to_have_value("1.2, 2")
    expect(slider).to_be_focused()


def test_a_score_has_minus_signs_before_it_and_in_its_exponent(visit):
    page = visit("softmax?softmax_scores=-1e-7,2")
    expect(page.get_by_text("−1e−7", exact=True)).to_be_visible()


def test_typed_scores_buttons_and_the_address(visit):
    page = visit("softmax")
    box = page.get_by_label("Scores, 2 to 12, with commas between")
    enter(box, "3, 3, 1, 0")
    expect(page.get_by_text("Scores 1 and 2 are equal")).to_be_visible()
    page.get_by_role("button", name="+5 to all?").click()
    expect(page.get_by_text("to all: no weight changes. Each exp")).to_be_visible()
    page.get_by_role("button", name="× 2?").click()
    expect(page.get_by_text("× 2: the largest weight went from")).to_be_visible()
    expect(page).to_have_url(re.compile("softmax_times=2"))
    expect(page).to_have_url(re.compile("softmax_add=5"))
    page.reload()
    expect(page.get_by_text("× 2: the largest weight went from")).to_be_visible()
    expect(box).to_have_value("3, 3, 1, 0")
    comes_to(lambda: widths(page), pytest.approx(softmax(6, 6, 2, 0), abs=1e-4))


def test_of_two_quick_presses_both_count(visit):
    page = visit("softmax")
    page.get_by_role("button", name="+5 to all?").click()
    page.get_by_role("button", name="× 2?").click()
    expect(page.get_by_text("each score × 2, then + 5")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_every_section_fits_its_screen(visit, width, height):
    twelve = ",".join(str((-1) ** i * i * 1.5) for i in range(12))
    page = visit(f"softmax?softmax_scores={twelve}", width=width, height=height)
    for section, name in SECTIONS.items():
        page.get_by_role("radio", name=name).click()
        expect_word(page, "softmax_section", section, "steps")
        settle(page)
        expect(page.locator(PLOT).first).to_be_visible()
        main = page.locator("[data-testid=stMain]")
        assert main.evaluate("one => one.scrollWidth <= one.clientWidth"), section
        expect(page.locator("[data-testid=stException]")).to_have_count(0)


def test_a_phone_is_drawn_once(visit, server):
    page = visit("words", width=PHONE, height=844)
    asked = []
    page.on(
        "websocket", lambda socket: socket.on("framesent", lambda frame: asked.append(len(frame)))
    )
    page.goto(f"{server}/softmax?softmax_section=instead")
    expect(page.locator(PLOT).first).to_be_visible()
    arrive(page)
    page.wait_for_function(STACKED)
    assert len(asked) == 1, "how narrow it is had to be told"

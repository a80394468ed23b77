"""The exported page as its readers open it: from disk, without a network, or without scripts."""

import re

import pytest
import torch
from playwright.sync_api import expect

import attention_viz as av
from attention_viz.byhand import textbook
from attention_viz.demo import demo_run
from attention_viz.export.hand import hand_html
from attention_viz.scenes import scene_of, view_of
from tests.e2e.test_stage import assert_tables

pytestmark = pytest.mark.e2e
HOSTILE = "</script><script>alert(1)</script> <img src=x onerror=alert(1)> {body} ${x}"


def make(text="Wie geht es dir", **settings):
    return av.run(text, av.random_head(256, 64, seed=25), **settings)


@pytest.fixture
def visitor(browser):
    """A page without a network; at the end: no console error, and nothing was asked for."""
    contexts, faults = [], []

    def visit(*, width=1280, height=800, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        page.on("console", lambda m: m.type == "error" and faults.append(m.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        page.on("request", lambda r: r.url.startswith(("file:", "data:")) or faults.append(r.url))
        return page

    yield visit
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture
def opened(visitor, tmp_path):
    """A run's file, opened from disk."""

    def open_file(run, *, row=0, **options):
        path = tmp_path / "page.html"
        av.to_html(run, path, row=row)
        page = visitor(**options)
        page.goto(path.as_uri())
        return page

    return open_file


def drag(page, name, *, to):
    box = page.get_by_role("slider", name=name).bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + to * box["width"], middle, steps=4)
    page.mouse.up()


def test_e05_a_file_on_disk_is_the_whole_stage(opened):
    run = make(causal=True)
    scene = scene_of(run, view_of(run))
    page = opened(run, row=3)
    assert_tables(page, scene, 64, "sqrt")
    expect(page.get_by_text(re.compile("one file of about [0-9]+ kB"))).to_be_visible()
    told = page.get_by_role("status")  # speaks when a movement is over and the tables are new
    drag(page, "d_k", to=0.999)
    expect(told).to_contain_text("d_k 512.")
    assert_tables(page, scene, 512, "sqrt")
    page.get_by_role("button", name="1: no scaling").click()
    weights = av.softmax(scene.scores[-1].double())
    unscaled = av.read_row(run.tokens, weights, run.trace.mask, 3)
    expect(told).to_contain_text(unscaled)
    drag(page, "divisor", to=0.7)
    expect(told).not_to_contain_text(unscaled)
    divisor = re.search("Divisor = ([0-9.]+)", page.locator(".words").last.inner_text())[1]
    scaled = page.get_by_role("table", name="Scaled scores").locator("td").first
    ratio = scene.scores[-1, 0, 0].item() / float(scaled.text_content())
    assert ratio == pytest.approx(float(divisor), rel=1e-3)
    assert ratio > 1


def test_cells_rows_and_keys(opened):
    run = make(causal=True)
    page = opened(run)
    surface = page.get_by_role("application", name=re.compile("^Attention weights\\."))
    box = surface.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] - 5)
    expect(page.locator(".arithmetic")).to_contain_text(f"= {run.trace.weights[3, 0]:.4g}")
    page.mouse.click(box["x"] + 5, box["y"] + box["height"] - 5)
    read = av.read_row(run.tokens, run.trace.weights, run.trace.mask, 3)
    expect(page.locator(".reading")).to_have_text(f"Random head, no meaning: {read}")
    surface.press("ArrowUp")
    surface.press("Enter")
    expect(page.locator(".reading")).to_contain_text("“\u2068es\u2069” focuses")
    page.get_by_role("slider", name="d_k").press("Home")
    expect(page.locator(".words").first).to_have_text("Head size d_k = 1")


def test_a_loaded_head_starts_at_its_own_size(opened):
    run = demo_run("the cat sat . the cat", "induction")
    page = opened(run, row=5)
    expect(page.locator(".reading")).to_contain_text("“\u2068cat\u2069” (token 6) focuses")
    expect(page.get_by_role("slider", name="d_k")).to_be_disabled()
    assert_tables(page, scene_of(run, view_of(run)), run.trace.d_k, "sqrt")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_phone(opened, scripts):
    page = opened(make(), width=390, height=844, java_script_enabled=scripts)
    expect(page.locator(".stage" if scripts else ".still svg")).to_be_visible()
    expect(page.locator(".still")).to_be_visible(visible=not scripts)
    if scripts:
        assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_in_a_sandboxed_frame(visitor):
    page = visitor()
    run = make()
    page.set_content(av.show(run)._repr_html_())
    frame = page.frame_locator("iframe")
    assert_tables(frame, scene_of(run, view_of(run)), 64, "sqrt")
    frame.get_by_role("slider", name="d_k").press("End")
    expect(frame.locator(".words").first).to_have_text("Head size d_k = 512")


def assert_still(page, run):
    picture = page.get_by_role("img", name=re.compile("Heatmaps of 4 by 4"))
    expect(picture).to_be_visible()
    expect(picture.locator("image")).to_have_count(4)
    cells = page.get_by_role("table", name="Attention weights").locator("td")
    shown = torch.tensor([float(text) for text in cells.all_text_contents()]).reshape(4, 4)
    torch.testing.assert_close(shown, run.trace.weights, rtol=1e-3, atol=0)


def test_the_numbers_are_a_fold_that_paper_opens(opened):
    run = make(divisor=2.5)
    page = opened(run, row=2)
    fold = page.locator(".exported")
    expect(fold.get_by_role("table")).to_be_hidden()
    page.get_by_text("Numbers as a table").click()
    expect(fold.get_by_text("As exported: d_k 64, divisor 2.5.")).to_be_visible()
    cells = fold.get_by_role("table", name="Attention weights").locator("td")
    assert float(cells.first.inner_text()) == pytest.approx(
        run.trace.weights[0, 0].item(), rel=1e-3
    )
    page.get_by_text("Numbers as a table").click()
    page.emulate_media(media="print")
    expect(fold.get_by_role("table")).to_be_visible()


def test_scores_by_hand_are_typed_without_a_server(visitor, tmp_path):
    path = tmp_path / "hand.html"
    path.write_text(hand_html(*textbook()), "utf-8")
    page = visitor()
    page.goto(path.as_uri())
    expect(page.locator(".reading")).to_contain_text("By hand: “\u2068I\u2069” focuses 90")
    page.get_by_role("application", name=re.compile("^Scores\\.")).focus()
    page.keyboard.type("-9")
    page.keyboard.press("Enter")
    expect(page.locator(".reading")).to_contain_text("70\u00a0% on “\u2068am\u2069”")


def test_e06_a_policy_that_blocks_scripts_leaves_the_picture(browser):
    run = make()
    page = browser.new_page()
    # A host's header; the policy is answered from here, so no network is asked.
    headers = {"Content-Security-Policy": "script-src 'self'", "Content-Type": "text/html"}
    page.route("**", lambda route: route.fulfill(body=av.to_html(run), headers=headers))
    page.goto("http://host.example/page.html")
    assert_still(page, run)
    expect(page.locator(".stage")).to_have_count(0)
    page.close()


def test_without_javascript_there_is_the_picture(opened):
    run = make()
    assert_still(opened(run, java_script_enabled=False), run)


def test_paper_gets_the_picture(opened):
    page = opened(make())
    expect(page.locator(".stage")).to_be_visible()
    expect(page.locator(".still")).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator(".stage")).to_be_hidden()
    expect(page.locator(".still svg")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_hostile_words_stay_text(opened, scripts):
    page = opened(make(HOSTILE), java_script_enabled=scripts)
    expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
    expect(page.locator("img, script:not([type])")).to_have_count(0)
    expect(page.locator(".stage" if scripts else ".still svg")).to_be_visible()


def test_no_band_is_promised_that_nobody_draws(opened):
    for count, said in ((16, re.compile("200 other random heads")), (17, "")):
        page = opened(make(" ".join(f"w{i}" for i in range(count))))
        page.get_by_text("Entropy against d_k").click()
        expect(page.locator(".band-note")).to_have_text(said)

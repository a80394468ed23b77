"""The stage on made-up scenes: its numbers against torch in float64, and what a person can do."""

import base64
import math
import re

import pytest
import torch
from playwright.sync_api import expect

import attention_viz as av
from attention_viz import stage
from attention_viz.attention import Bias, Sink, SoftCap, softmax
from attention_viz.jacobian import jacobian_norm
from attention_viz.pipeline import parse_divisor
from attention_viz.stage import Scene, View
from attention_viz.tokens import Tokens

pytestmark = pytest.mark.e2e
MAPS = ("Raw scores", "Scaled scores", "Attention weights", "Attention weights without scaling")
DIVISORS = ("sqrt", "1", "d_k", "sqrt_d_model", "2.297")


def words(*labels):
    spans = ((0, 0),) * len(labels)
    return Tokens("", labels, labels, spans, (False,) * len(labels), ("",) * len(labels))


def a_scene(queries=("a", "b", "c"), keys=None, *, stops=av.STOPS, mask=None, seed=0, **how):
    rows = words(*queries)
    columns = rows if keys is None else words(*keys)
    rng = torch.Generator().manual_seed(seed)
    query = torch.randn(rows.n, stops[-1], generator=rng)
    key = torch.randn(columns.n, stops[-1], generator=rng)
    everywhere = torch.ones(rows.n, columns.n, dtype=torch.bool)
    return Scene(
        stops=stops,
        scores=av.scores_at_stops(query, key, stops),
        queries=rows,
        keys=columns,
        mask=everywhere if mask is None else mask,
        d_model=256,
        **how,
    )


def table(page, name):
    """The numbers of a table; NaN where a cell is masked."""
    rows = page.get_by_role("table", name=name, exact=True).locator("tbody tr")
    texts = rows.evaluate_all(
        "rows => rows.map(r => [...r.querySelectorAll('td')].map(d => d.textContent))"
    )
    return [[math.nan if text == "–" else float(text) for text in row] for row in texts]


def numbers_in(line):
    """Those of a sentence, with its dots left out."""
    words = line.inner_text().replace("−", "-")
    return [float(number) for number in re.findall(r"-?\d(?:[\d.e+-]*\d)?", words)]


def logits_of(scene, scores, divisor):
    logits = scores.double() / divisor
    for step in scene.steps:
        if isinstance(step, SoftCap):
            logits = step.limit * torch.tanh(logits / step.limit)
        if isinstance(step, Bias):
            logits = logits + step.values.double()
    return logits.masked_fill(~scene.mask, -math.inf)


def softmax_of(scene, scores, divisor):
    """torch's float64 softmax of the same float32 scores, sink columns at the end."""
    sinks = [step.logit for step in scene.steps if isinstance(step, Sink)]
    logits = logits_of(scene, scores, divisor)
    extra = torch.tensor(sinks, dtype=torch.float64).expand(len(logits), -1)
    weights = torch.softmax(torch.cat([logits, extra], dim=1), dim=1).nan_to_num(0.0)
    masked = torch.cat([~scene.mask, torch.zeros_like(extra, dtype=torch.bool)], dim=1)
    return weights.masked_fill(masked, math.nan)


def assert_tables(page, scene, d_k, divisor):
    scores = scene.scores[scene.stops.index(d_k)].double()
    number = parse_divisor(divisor, d_k=d_k, d_model=scene.d_model)
    close = {"rtol": 0, "atol": 1e-9, "equal_nan": True}
    raw, scaled, weights, unscaled = (
        torch.tensor(table(page, name), dtype=torch.float64) for name in MAPS
    )
    torch.testing.assert_close(raw, scores, rtol=1e-6, atol=0)
    torch.testing.assert_close(scaled, scores / number, rtol=1e-6, atol=0)
    torch.testing.assert_close(weights, softmax_of(scene, scores, number), **close)
    torch.testing.assert_close(unscaled, softmax_of(scene, scores, 1.0), **close)


# Moves the slider as a mouse would that lets go at every stop, and reads all tables at each.
EVERY_STOP = """async () => {
  const slider = document.querySelector("input[aria-label=d_k]");
  const read = table => [...table.querySelectorAll("tbody tr")]
    .map(row => [...row.querySelectorAll("td")].map(cell => cell.textContent));
  const seen = [];
  for (let stop = 0; stop <= Number(slider.max); stop++) {
    slider.dispatchEvent(new Event("pointerdown"));
    slider.value = String(stop);
    slider.dispatchEvent(new Event("input"));
    slider.dispatchEvent(new Event("change"));
    await new Promise(done => setTimeout(done, 5));
    seen.push([...document.querySelectorAll(".map table")].map(read));
  }
  return seen;
}"""


def masks():
    none = torch.ones(3, 3, dtype=torch.bool)
    odd = torch.tensor([[0, 0, 0], [1, 0, 1], [0, 1, 0]], dtype=torch.bool)
    return {"none": none, "causal": av.causal_mask(3), "with an empty row": odd}


@pytest.mark.parametrize("divisor", DIVISORS)
@pytest.mark.parametrize("mask", masks())
def test_every_stop_equals_torch(mount, mask, divisor):
    scene = a_scene(mask=masks()[mask], init=View(divisor=divisor))
    page = mount(scene)
    seen = page.evaluate(EVERY_STOP)
    assert len(seen) == len(av.STOPS)
    for d_k, scores, tables in zip(scene.stops, scene.scores, seen, strict=True):
        raw, scaled, weights, unscaled = (
            torch.tensor(
                [[math.nan if t == "–" else float(t) for t in row] for row in rows],
                dtype=torch.float64,
            )
            for rows in tables
        )
        number = parse_divisor(divisor, d_k=d_k, d_model=256)
        exact = scores.double()
        torch.testing.assert_close(raw, exact, rtol=1e-6, atol=0)
        torch.testing.assert_close(scaled, exact / number, rtol=1e-6, atol=0)
        close = {"rtol": 0, "atol": 1e-9, "equal_nan": True}
        torch.testing.assert_close(weights, softmax_of(scene, exact, number), **close)
        torch.testing.assert_close(unscaled, softmax_of(scene, exact, 1.0), **close)


STEPS = {
    "soft-cap": (SoftCap(2.5),),
    "bias": (Bias(torch.linspace(-3, 3, 15).reshape(3, 5)),),
    "sink": (Sink(0.7),),
    "all": (SoftCap(4.0), Bias(torch.linspace(2, -1, 15).reshape(3, 5)), Sink(-0.5)),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("divisor", ["sqrt", "1", "3.5"])
def test_what_models_add_on_rectangles(mount, name, divisor):
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]], dtype=torch.bool)
    scene = a_scene(
        ("q0", "q1", "q2"), ("k0", "k1", "k2", "k3", "k4"), mask=mask, steps=STEPS[name],
        init=View(d_k=16, divisor=divisor),
    )  # fmt: skip
    page = mount(scene)
    assert_tables(page, scene, 16, divisor)
    heads = page.get_by_role("table", name="Attention weights", exact=True).locator("thead th")
    assert heads.count() == 1 + 5 + ("sink" in name or name == "all")
    # The same steps as the core's own attention, in float64.
    trace = av.attend(
        torch.eye(3).double(), scene.scores[scene.stops.index(16)].T.double(), torch.ones(5, 2),
        mask=mask, divisor=parse_divisor(divisor, d_k=16, d_model=256), steps=STEPS[name],
    )  # fmt: skip
    shown = torch.tensor(table(page, "Attention weights"), dtype=torch.float64)[:, :5]
    torch.testing.assert_close(shown.nan_to_num(0.0), trace.weights, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 4, 5, 9])
def test_the_sentence_is_the_one_of_python(mount, n):
    tokens = av.tokenize(" ".join(["the", "cat", "the", "dog", "x", "y", "z", "v", "w"][:n]))
    scene = a_scene(tokens.pieces, mask=av.causal_mask(n), init=View(d_k=8), prefix="Read: ")
    scene = Scene(
        **{f: getattr(scene, f) for f in scene.__slots__} | {"queries": tokens, "keys": tokens}
    )
    page = mount(scene)
    weights = av.softmax(logits_of(scene, scene.scores[scene.stops.index(8)], math.sqrt(8)))
    surface = page.get_by_role("application", name=re.compile("^Attention weights\\."))
    for row in range(n):
        surface.focus()
        surface.press("Enter")
        expect(page.locator(".reading")).to_have_text(
            "Read: " + av.read_row(tokens, weights, scene.mask, row)
        )
        surface.press("ArrowDown")


def test_a_row_with_nothing_to_look_at(mount):
    mask = torch.tensor([[0, 0], [1, 1]], dtype=torch.bool)
    page = mount(a_scene(("none", "some"), mask=mask))
    expect(page.locator(".reading")).to_contain_text("may look at nothing")
    page.get_by_text("Numbers of this row").click()
    expect(page.locator(".measures tbody td")).to_have_text(
        ["0", "0", "–", "–", "–", "–", "–", "–"]
    )


def test_hover_marks_all_maps_and_shows_the_arithmetic(mount):
    scene = a_scene(init=View(d_k=64))
    page = mount(scene)
    scores = scene.scores[scene.stops.index(64)].double()
    box = page.locator(".map.raw .surface").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.9)
    line = page.locator(".arithmetic")
    expect(line).to_contain_text("q·k =")
    found = numbers_in(line)
    score, scaled = scores[2, 1].item(), scores[2, 1].item() / 8
    row = scores[2] / 8
    total = (row - row.max()).exp().sum().item()
    want = [score, 8, scaled, scaled, row.max().item(), total, torch.softmax(row, 0)[1].item()]
    # "exp(a − b)" writes the sign of the subtraction in front of b.
    found[4] = math.copysign(found[4], want[4])
    named = [row.max().item(), total]  # what the largest and the sum are, said once more
    assert found == pytest.approx(want + named, rel=1e-3)
    places = page.locator(".cursor").evaluate_all(
        """marks => marks.map(mark => {
          const [box, map] = [mark, mark.parentElement].map(e => e.getBoundingClientRect());
          return [(box.y - map.y) / box.height, (box.x - map.x) / box.width].map(Math.round);
        })"""
    )
    assert places == [[2, 1]] * 4


def test_the_steps_of_a_model_are_a_map(mount):
    steps = (SoftCap(2.0), Bias(torch.linspace(-3, 3, 15).reshape(3, 5)))
    scene = a_scene(keys="vwxyz", steps=steps, init=View(d_k=16), own=3.0)
    page = mount(scene)
    page.get_by_role("button", name="After this model’s steps").click()
    expect(page.get_by_role("table", name="Logits")).to_be_attached()
    scores = scene.scores[scene.stops.index(16)]
    shown = torch.tensor(table(page, "Logits"), dtype=torch.float64)
    torch.testing.assert_close(shown, logits_of(scene, scores, 4.0), rtol=1e-6, atol=1e-6)
    expect(page.get_by_text("QKᵀ ÷ 4, soft-cap 2, position bias, before the mask")).to_be_visible()
    page.get_by_role("button", name="After this model’s steps").click()
    expect(page.get_by_role("table", name="Scaled scores")).to_be_attached()


def test_a_models_own_divisor_is_one_of_the_locks(mount):
    page = mount(a_scene(own=3.0, init=View(d_k=16, divisor="own")))
    own = page.get_by_role("button", name="this model’s = 3")
    expect(own).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("slider", name="divisor")).to_be_disabled()
    assert_tables(page, a_scene(own=3.0), 16, "3")
    page.get_by_role("button", name="√d_k = 4", exact=False).first.click()
    expect(page.get_by_text("Divisor = √16 = 4")).to_be_visible()
    assert page.evaluate("said.at(-1)?.[1]?.divisor ?? ''") in ("", "sqrt")


def test_only_a_model_has_a_divisor_of_its_own(mount):
    page = mount(a_scene(init=View(d_k=16, divisor="own")))
    expect(page.get_by_text("Divisor = √16 = 4")).to_be_visible()
    lock = page.get_by_role("button", name="√d_k = 4")
    expect(lock).to_have_attribute("aria-pressed", "true")


def test_another_head_begins_where_python_says(mount):
    page = mount(a_scene(init=View(d_k=16)))
    page.get_by_role("slider", name="d_k").focus()
    page.keyboard.press("ArrowRight")
    again = base64.b64encode(stage.pack(a_scene(seed=1, init=View(d_k=16)))).decode()
    page.evaluate("data => show(data)", again)
    expect(page.get_by_text("Head size d_k = 20")).to_be_visible()
    model = a_scene(seed=2, own=3.0, init=View(d_k=64, divisor="own"))
    page.evaluate("data => show(data)", base64.b64encode(stage.pack(model)).decode())
    expect(page.get_by_text("Divisor = 3, this model’s; √d_k = 8")).to_be_visible()


def test_keys_report_once_when_they_rest(mount):
    page = mount(a_scene())
    page.clock.install()
    page.get_by_role("slider", name="d_k").focus()
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 3600)  # the past cannot be paused at
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        page.clock.run_for(200)
    assert page.evaluate("said") == []
    page.clock.run_for(250)
    assert page.evaluate("said.map(([, view]) => view.d_k)") == [16]


def test_a_key_is_drawn_while_the_browser_waits_for_the_frame(mount):
    page = mount(a_scene())
    drawn = page.locator("input[aria-label=d_k]").evaluate(
        """(slider) => {
          const canvas = slider.closest(".stage").querySelector(".map.raw canvas.cells");
          const cells = () => canvas.getContext("2d").getImageData(0, 0, 3, 3).data.join();
          const seen = [cells()];
          for (const value of [20, 28]) {
            slider.value = value;
            slider.dispatchEvent(new Event("input"));
            seen.push(cells());
          }
          return new Promise((done) =>
            requestAnimationFrame(() => done([...seen, cells()])));
        }"""
    )
    before, first, second, in_frame = drawn
    assert before != first == second != in_frame


def test_a_click_picks_the_row_and_reports_once(mount):
    page = mount(a_scene())
    box = page.locator(".map.weights .surface").bounding_box()
    page.mouse.click(box["x"] + 5, box["y"] + box["height"] - 5)
    expect(page.locator(".reading")).to_contain_text("c")
    page.wait_for_function("said.length > 0")
    view = {"d_k": 4, "divisor": "sqrt", "row": 2, "scale": "fixed"}
    assert page.evaluate("said") == [["view", view]]


def test_keys_alone(mount):
    page = mount(a_scene())
    page.keyboard.press("Tab")
    expect(page.get_by_role("slider", name="d_k")).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator(".words").first).to_have_text("Head size d_k = 512")
    page.keyboard.press("Home")
    expect(page.locator(".words").first).to_have_text("Head size d_k = 1")
    expect(page.locator(".same").last).to_have_text(re.compile("same picture"))
    # The divisor is locked, so the next stop is its lock; opened, the slider comes before it.
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("slider", name="divisor")).to_be_enabled()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".words").last).to_have_text(re.compile("a temperature"))


def test_the_lock_and_the_named_divisors(mount):
    page = mount(a_scene(init=View(d_k=64)))
    slider = page.get_by_role("slider", name="divisor")
    expect(slider).to_be_disabled()
    for name, value in (("1: no scaling", 1), ("d_k = 64", 64), ("√d_model = 16", 16)):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator(".words").last).to_contain_text(f"Divisor = {value},")
        expect(slider).to_be_enabled()
    page.get_by_role("button", name="√d_k = 8").click()
    expect(page.locator(".words").last).to_have_text("Divisor = √64 = 8")
    expect(slider).to_be_disabled()
    page.get_by_role("slider", name="d_k").press("ArrowRight")
    expect(page.locator(".words").last).to_have_text("Divisor = √80 = 8.944")


def test_an_unlocked_divisor_stays_when_d_k_moves(mount):
    page = mount(a_scene(init=View(d_k=64, divisor="5.5")))
    page.get_by_role("slider", name="d_k").press("ArrowLeft")
    expect(page.locator(".words").last).to_contain_text("Divisor = 5.5,")


def test_the_stage_follows_the_width_of_its_page(mount):
    page = mount(a_scene())
    wide = page.locator(".map.weights .surface").bounding_box()["width"]
    page.set_viewport_size({"width": 760, "height": 800})
    page.wait_for_function(
        "wide => document.querySelector('.map.weights .surface').clientWidth < wide", arg=wide
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 760


def test_new_data_takes_the_five_back(mount):
    page = mount(a_scene())
    plus = page.get_by_role("button", name="+5 to this row")
    plus.click()
    other = base64.b64encode(stage.pack(a_scene(("x", "y")))).decode()
    page.evaluate("data => show(data)", other)
    expect(plus).to_have_attribute("aria-pressed", "false")


def test_five_more_for_a_row_changes_scores_and_no_weight(mount):
    page = mount(a_scene(init=View(d_k=16, row=1)))
    before = {name: table(page, name) for name in MAPS}
    page.get_by_role("button", name="+5 to this row").click()
    expect(page.get_by_role("button", name="+5 to this row")).to_have_attribute(
        "aria-pressed", "true"
    )
    first = (
        page.get_by_role("table", name="Raw scores").locator("tbody tr").nth(1).locator("td").first
    )
    expect(first).not_to_have_text(f"{before['Raw scores'][1][0]:.9g}")
    assert table(page, "Raw scores")[1] == pytest.approx([v + 5 for v in before["Raw scores"][1]])
    assert table(page, "Raw scores")[0] == before["Raw scores"][0]
    for name in MAPS[2:]:
        for row, old in zip(table(page, name), before[name], strict=True):
            assert row == pytest.approx(old, abs=2e-9)


def test_the_colours_of_scores(mount):
    scene = a_scene(init=View(d_k=64))
    page = mount(scene)
    scores = scene.scores[scene.stops.index(64)]
    off = int((scores.abs() > 3).sum())
    expect(page.locator(".map.raw .note")).to_have_text(f"{off} of 9 cells off the scale")
    expect(page.locator(".scale .ends")).to_have_text("≤ −30≥ 3")
    page.get_by_role("button", name="Own").click()
    expect(page.locator(".map.raw .note")).to_have_text(f"its own scale, ±{scores.abs().max():.4g}")
    page.get_by_role("button", name="Fit").click()
    expect(page.locator(".map.raw .note")).to_have_text("")


def test_colours_are_those_of_the_numbers(mount):
    """The pixels of the weights, read back, against the scale of the still figure."""
    from attention_viz.colours import MASKED, WEIGHTS, shade

    scene = a_scene(mask=av.causal_mask(3), init=View(d_k=16))
    page = mount(scene)
    weights = softmax_of(scene, scene.scores[scene.stops.index(16)], 4.0)
    pixels = page.locator(".map.weights canvas.cells").evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )
    for i, weight in enumerate(weights.flatten().tolist()):
        wanted = MASKED if math.isnan(weight) else shade(WEIGHTS, weight)
        assert pixels[4 * i : 4 * i + 3] == pytest.approx(wanted, abs=2)


def test_new_data_keeps_what_was_moved(mount):
    page = mount(a_scene(("a", "b", "c")))
    slider = page.get_by_role("slider", name="d_k")
    slider.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="d_k = 8", exact=True).click()
    surface = page.get_by_role("application", name=re.compile("^Attention weights\\."))
    surface.focus()
    surface.press("End")
    surface.press("ArrowDown")
    surface.press("ArrowDown")
    surface.press("Enter")
    slider.focus()
    other = a_scene(("one", "two", "three", "four"), seed=1)
    page.evaluate("data => show(data)", base64.b64encode(stage.pack(other)).decode())
    expect(page.locator(".words").first).to_have_text("Head size d_k = 8")
    expect(page.locator(".words").last).to_contain_text("Divisor = 8,")
    expect(page.locator(".reading")).to_contain_text("three")
    expect(slider).to_be_focused()
    assert_tables(page, other, 8, "d_k")
    page.evaluate("said.length = 0")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("said.length > 0")
    assert page.evaluate("said.length") == 1, "a listener was added twice"
    shorter = a_scene(("one",), seed=2)
    page.evaluate("data => show(data)", base64.b64encode(stage.pack(shorter)).decode())
    expect(page.locator(".reading")).to_contain_text("focuses 100\u00a0% on itself")


def test_the_end_of_an_overtaken_mount_leaves_the_stage(mount):
    page = mount(a_scene())
    page.evaluate("end()")
    expect(page.locator(".reading")).to_contain_text("focuses")
    page.evaluate("document.querySelector('.stage-place').remove(); end()")
    expect(page.locator(".stage")).to_have_count(0)


def test_new_data_does_not_take_the_slider_from_the_finger(mount):
    page = mount(a_scene(("a", "b", "c")))
    box = page.get_by_role("slider", name="d_k").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2)
    held = page.locator(".words").first.inner_text()
    again = a_scene(("one", "two"), seed=1, init=View(d_k=16))  # another server begins elsewhere
    page.evaluate("data => show(data)", base64.b64encode(stage.pack(again)).decode())
    expect(page.locator(".words").first).to_have_text(held)
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    expect(page.locator(".words").first).to_have_text("Head size d_k = 512")
    page.mouse.up()
    page.wait_for_function("said.length > 0")
    assert page.evaluate("said.at(-1)[1].d_k") == 512


@pytest.mark.parametrize(("n", "rows"), [(32, 32), (33, 1), (128, 1)])
def test_tables_are_whole_while_they_are_small(mount, n, rows):
    scene = a_scene([f"w{i}" for i in range(n)], stops=(1, 4), init=View(row=n - 1))
    page = mount(scene)
    weights = softmax_of(scene, scene.scores[1], 2.0)
    shown = torch.tensor(table(page, "Attention weights"), dtype=torch.float64)
    torch.testing.assert_close(shown, weights[n - rows :], rtol=0, atol=1e-9)


@pytest.mark.parametrize("width", [390, 1000, 1600])
@pytest.mark.parametrize("n", [1, 8, 30, 128])
def test_labels_do_not_overlap_and_nothing_is_cut_off(mount, width, n):
    page = mount(a_scene([f"token{i}" for i in range(n)], stops=(1, 4)), width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    overlaps = page.evaluate(
        """() => [...document.querySelectorAll(".rows, .columns")].map(axis => {
          const boxes = [...axis.querySelectorAll(".tick")].map(t => t.getBoundingClientRect())
            .filter(box => box.width > 0);
          const down = axis.className === "rows";
          return boxes.slice(1).filter((box, i) =>
            (down ? box.top < boxes[i].bottom - 4 : box.left < boxes[i].right - 1)).length;
        })"""
    )
    assert sum(overlaps) == 0
    assert page.locator(".map.weights .rows .tick").count() > 0


def test_cell_numbers_disappear_when_they_do_not_fit(mount):
    few = mount(a_scene(("a", "b")))
    assert few.locator(".map.weights canvas.numbers").evaluate("c => c.width") > 0
    many = mount(a_scene([f"w{i}" for i in range(9)]))
    assert many.locator(".map.weights canvas.numbers").evaluate("c => c.width") == 0


@pytest.mark.parametrize("ratio", [1, 2, 3])
def test_numbers_have_the_pixels_of_the_screen(mount, ratio):
    page = mount(a_scene(), device_scale_factor=ratio)
    canvas = page.locator(".map.weights canvas.numbers")
    assert canvas.evaluate("c => c.width / c.clientWidth") == pytest.approx(ratio, rel=0.02)


def test_moving_the_slider_moves_nothing_else(mount):
    page = mount(a_scene(("Wie", "geht", "es", "dir")))
    where = """() => [...document.querySelectorAll(".map, details, .below, .arithmetic, .answer")]
      .map(part => part.getBoundingClientRect().top)"""
    before = page.evaluate(where)
    slider = page.get_by_role("slider", name="d_k")
    for key in ("Home", "End", "ArrowLeft"):
        slider.press(key)
        page.wait_for_function("said.length > 0")
        assert page.evaluate(where) == before


def test_numbers_of_the_row(mount):
    scene = a_scene(("a", "b", "c", "d", "e"), mask=av.causal_mask(5), init=View(d_k=16, row=3))
    page = mount(scene)
    page.get_by_text("Numbers of this row").click()
    cells = page.locator(".measures tbody td")
    for column, divisor in ((0, 4.0), (1, 1.0)):
        weights = softmax_of(scene, scene.scores[scene.stops.index(16)], divisor).nan_to_num(0.0)
        nats = av.entropy(weights, scene.mask)[3].item()
        want = [
            f"{weights[3].sum():.4g}",
            f"{weights[3].max():.4g}",
            f"{nats:.3f}",
            f"{math.exp(nats):.2f}",
        ]
        assert cells.all_text_contents()[column::2] == want
        bars = page.locator(f".bars i.{'scaled' if column == 0 else 'unscaled'}").evaluate_all(
            "bars => bars.map(bar => Number(bar.style.transform.slice(7, -1)))"
        )
        assert bars == pytest.approx(weights[3].tolist(), abs=1e-5)

    heads = page.locator(".measures tbody th").all_text_contents()
    assert heads[2:] == ["Entropy (nats, at most 1.386)", "Effective tokens (at most 4)"]


def test_the_answer_is_of_the_numbers_shown_and_moves_with_them(mount):
    scene = a_scene(("a", "b", "c", "d", "e"), mask=av.causal_mask(5), init=View(d_k=4))
    page = mount(scene)
    answer = page.locator(".answer")

    def measured(d_k, divisor):
        # The first row may look at itself alone: it has no choice, and is left out.
        logits = scene.scores[scene.stops.index(d_k)].double() / divisor
        logits = logits.masked_fill(~scene.mask, -math.inf)
        return softmax(logits)[1:].amax(dim=-1).mean().item(), jacobian_norm(logits)[
            1:
        ].mean().item()

    page.get_by_role("slider", name="d_k").fill(str(scene.stops.index(64)))
    (peak, slope), (bare_peak, bare_slope) = measured(64, 8.0), measured(64, 1.0)
    assert slope / bare_slope > 2
    expect(answer).to_contain_text("times less")
    assert numbers_in(answer) == pytest.approx(
        [4, peak, bare_peak, slope, bare_slope, slope / bare_slope], rel=6e-3
    )
    page.get_by_role("button", name="1: no scaling").click()
    expect(answer).not_to_contain_text("without scaling")
    assert numbers_in(answer) == pytest.approx([4, bare_peak, bare_slope], rel=1e-3)


def test_the_answer_of_a_saturated_row_keeps_its_digits(mount):
    scene = a_scene(("a",), ("x", "y", "z"), seed=21, init=View(d_k=512, divisor="1"))
    logits = scene.scores[scene.stops.index(512)].double()
    slope = jacobian_norm(logits).item()
    assert slope < 1e-16, "1 − weight would be 0"
    found = numbers_in(mount(scene).locator(".answer"))
    assert found == pytest.approx([1, 1, slope], rel=1e-3, abs=0)


def test_curves_and_their_marker(mount):
    tokens = av.tokenize("a b c d")
    band = av.entropy_band(tokens, 16, heads=20)
    scene = a_scene(tokens.pieces, band=band, init=View(d_k=64))
    page = mount(scene)
    page.get_by_text("Entropy against d_k").click()
    words = page.get_by_role("img", name=re.compile("Mean entropy")).get_attribute("aria-label")
    scaled, unscaled = (
        av.entropy(softmax_of(scene, scene.scores[scene.stops.index(64)], d)).mean().item()
        for d in (8.0, 1.0)
    )
    assert f"At d_k 64: {scaled:.2f} nats with this divisor, {unscaled:.2f} without" in words
    assert page.locator(".curves polygon").count() == 2
    low, high = (page.locator(f".curves circle.{kind}") for kind in ("unscaled", "scaled"))
    assert float(low.get_attribute("cy")) > float(high.get_attribute("cy"))
    for kind, root in (("scaled", math.sqrt), ("unscaled", lambda _: 1.0)):
        heights = [
            float(point.split(",")[1])
            for point in page.locator(f".curves polyline.{kind}").get_attribute("points").split()
        ]
        nats = [
            av.entropy(softmax_of(scene, scores, root(d))).mean().item()
            for d, scores in zip(scene.stops, scene.scores, strict=True)
        ]
        assert heights == pytest.approx([height_of(n, 4) for n in nats], abs=0.01)
    for kind, quantiles in (("scaled", band.scaled), ("unscaled", band.unscaled)):
        corners = page.locator(f".curves polygon.{kind}").get_attribute("points").split()
        heights = [float(corner.split(",")[1]) for corner in corners]
        low, high = quantiles.tolist()
        wanted = [height_of(n, 4) for n in [*low, *reversed(high)]]
        assert heights == pytest.approx(wanted, abs=0.01)


def height_of(nats, n):
    """Where the drawing of the curves puts an entropy: 0 at its bottom, ln n at its top."""
    return 28 + (1 - nats / math.log(n)) * (260 - 28 - 44)


def test_the_band_is_asked_for_when_it_is_looked_at(mount):
    page = mount(a_scene())
    assert page.evaluate("said") == []
    page.get_by_text("Entropy against d_k").click()
    page.wait_for_function("said.length == 1")
    page.get_by_text("Entropy against d_k").click()
    page.wait_for_function("said.length == 2")
    assert page.evaluate("said") == [["curves", True], ["curves", False]]


def test_hostile_labels_stay_text(mount):
    hostile = ("<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "{query}")
    page = mount(a_scene(hostile))
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    assert page.locator(".stage img, .stage script").count() == 0
    heads = page.get_by_role("table", name="Raw scores").locator("tbody th")
    assert heads.all_text_contents() == list(hostile)
    surface = page.get_by_role("application", name=re.compile("^Attention weights\\."))
    surface.focus()
    surface.press("ArrowDown")
    expect(page.locator(".arithmetic")).to_contain_text("</script>")


@pytest.mark.parametrize("data", [b"", b"\xff\xff\xff\xff{}", b"\x02\x00\x00\x00{}"])
def test_a_fault_is_one_sentence(mount, data):
    page = mount(data)
    expect(page.locator(".stage-place")).to_have_text(
        "The stage could not be drawn: reload the page."
    )


def test_a_pale_map_says_so(mount):
    page = mount(a_scene([f"w{i}" for i in range(64)], stops=(1, 4), init=View(divisor="512")))
    expect(page.locator(".map.weights .note")).to_contain_text("largest weight 0.0")


def test_fixed_d_k_is_greyed_and_tells_why(mount):
    scene = a_scene(stops=(64,), init=View(d_k=64), fixed="This head was loaded: its d_k is 64.")
    page = mount(scene)
    expect(page.get_by_role("slider", name="d_k")).to_be_disabled()
    expect(page.locator(".control .note").first).to_have_text(
        "This head was loaded: its d_k is 64."
    )
    assert_tables(page, scene, 64, "sqrt")


def test_touch_picks_and_keeps_the_arithmetic(mount):
    page = mount(a_scene(), width=390, has_touch=True)
    box = page.locator(".map.weights .surface").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] - 8, box["y"] + box["height"] - 8)
    expect(page.locator(".arithmetic")).to_contain_text("q·k")
    expect(page.locator(".reading")).to_contain_text("c")
    page.get_by_role("button", name="Scaled scores").tap()
    expect(page.locator(".map.scaled")).to_be_visible()
    expect(page.locator(".map.raw")).to_be_hidden()

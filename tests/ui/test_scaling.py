"""The scaling lab: every control, every address, runs that are stopped, and numbers of the core."""

import json
from dataclasses import asdict
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_viz.errors import SettingError
from attention_viz.experiments import words
from attention_viz.experiments.breaking import about_start
from attention_viz.experiments.draws import Start
from attention_viz.experiments.learning import RATES, SEEDS, STEPS, Way, by_way
from attention_viz.experiments.sweep import Progress, Sweep, steps, stops_between, walk
from attention_viz.places import FIGURES
from attention_viz.ui import experiments, lab
from attention_viz.ui.address import read_address
from attention_viz.ui.lab import Lab
from attention_viz.ui.runs import MOST_UNFINISHED, Run

pytestmark = pytest.mark.ui
PAGE = "attention_viz/ui/pages/scaling.py"
SMALL = {"scaling_draws": "50", "scaling_high": "16"}


@pytest.fixture
def open_lab(open_page):
    return partial(open_page, "scaling")


def said(at):
    """All sentences on the page, without the signs that keep Markdown from reading them."""
    return [element.value.replace("\\", "") for element in (*at.markdown, *at.caption)]


def small(**settings):
    return Sweep(**({"stops": stops_between(1, 16), "draws": 50} | settings))


def charts(at):
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def run_button(at):
    return next(button for button in at.button if button.label == "Run")


def test_the_first_screen_asks_and_measures(open_lab):
    at = open_lab(**SMALL)
    assert "#### Why divide by √d_k?" in said(at)
    heads = small(draws=200)
    points = {point.d_k: point for point in walk(heads)}
    assert f"##### {words.about_heads(heads, points[4])}" in said(at)
    dots = charts(at)[0]["data"]
    assert [len(trace["y"]) if isinstance(trace["y"], list) else 200 for trace in dots] == [200] * 2
    at.select_slider(key="scaling_d_k").set_value(16).run()
    assert f"##### {words.about_heads(heads, points[16])}" in said(at)
    assert not [sentence for sentence in said(at) if sentence.startswith(("You guessed", "Not so"))]
    at.segmented_control(key="scaling_guess").set_value("all").run()
    assert words.about_guess("all", heads, list(points.values())) in said(at)


@pytest.mark.parametrize(
    ("figure", "about"),
    [
        ("spread", words.about_spread),
        ("entropy", words.about_entropy),
        ("derivatives", words.about_derivatives),
    ],
)
def test_each_figure_of_a_sweep_says_what_the_core_says(open_lab, figure, about):
    at = open_lab(**SMALL)
    at.segmented_control(key="scaling_figure").set_value(figure).run()
    points = list(walk(small()))
    assert about(small(), points) in said(at)
    assert about_start(small(), points) in said(at)
    assert words.SHARED in said(at)
    assert about(small(), points) in at.get("plotly_chart")[1].proto.alt


def test_the_distribution_is_of_the_d_k_of_the_slider(open_lab):
    at = open_lab(**SMALL, scaling_figure="peaks", scaling_d_k="8")
    (point,) = (point for point in walk(small()) if point.d_k == 8)
    assert words.about_peaks(small(), point) in said(at)


def test_the_number_of_keys(open_lab):
    at = open_lab(scaling_figure="keys", scaling_seed="2")
    assert words.about_support(experiments.support(2)) in said(at)
    assert len(charts(at)) == 3


def test_training(open_lab, monkeypatch):
    each = torch.rand(
        len(Way) * STEPS, len(RATES), SEEDS, generator=torch.Generator().manual_seed(0)
    )
    monkeypatch.setattr("attention_viz.experiments.learning.train_all", lambda _seed: iter(each))
    at = open_lab(scaling_figure="training", scaling_seed="4321")
    assert words.about_learning(by_way(list(each))) in said(at)
    assert words.TASK in said(at)
    assert len(charts(at)) == 2


@pytest.mark.parametrize("start", list(Start))
def test_each_start_says_where_the_theory_fails(open_lab, start):
    at = open_lab(**SMALL)
    at.selectbox(key="scaling_start").set_value(start)
    run_button(at).click().run()
    sweep = small(start=start)
    assert about_start(sweep, list(walk(sweep))) in said(at)


def test_controls_wait_for_the_button(open_lab):
    at = open_lab(**SMALL)
    at.multiselect(key="scaling_divisors").set_value(["sqrt", "d_k"])
    at.select_slider(key="scaling_keys").set_value(16)
    at.number_input(key="scaling_seed").set_value(7)
    at.selectbox(key="scaling_low").set_value(2)
    run_button(at).click().run()
    assert not at.exception
    sweep = Sweep(stops_between(2, 16), keys=16, draws=50, seed=7, divisors=("sqrt", "d_k"))
    assert words.about_spread(sweep, list(walk(sweep))) in said(at)


def test_a_range_the_wrong_way_round_is_put_right(open_lab):
    at = open_lab(scaling_low="64", scaling_high="8", scaling_draws="50", scaling_d_k="512")
    assert at.selectbox(key="scaling_low").value == 8
    assert at.selectbox(key="scaling_high").value == 64
    assert at.select_slider(key="scaling_d_k").value == 64


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ({"scaling_keys": "1024", "scaling_draws": "4000"}, "draws must be at most 256"),
        ({"scaling_start": "torch", "scaling_draws": "20000"}, "draws must be at most 4,096"),
    ],
)
def test_a_run_that_is_too_large_is_refused_in_a_sentence(open_lab, address, sentence):
    at = open_lab(**address)
    assert not at.exception
    (problem,) = at.warning
    assert sentence in problem.value.replace("\\", "")


@pytest.mark.parametrize("divisors", [[], ["x"], ["0"]])
def test_divisors_that_are_none_are_refused_in_a_sentence(open_lab, divisors):
    at = open_lab(**SMALL)
    at.multiselect(key="scaling_divisors").set_value(divisors)
    run_button(at).click().run()
    assert not at.exception
    assert len(at.warning) == 1


def test_the_widget_the_run_and_the_link_take_as_many_divisors(open_lab):
    at = open_lab(**SMALL, scaling_divisors="sqrt,1,d_k,2")
    widget = at.multiselect(key="scaling_divisors")
    assert widget.proto.max_selections == len(widget.value) == lab.MOST_DIVISORS
    assert not at.info
    too_many = Lab(divisors=("sqrt", "1", "d_k", "2", "3"))
    with pytest.raises(SettingError, match="divisors must be at most 4; got 5"):
        assert too_many.sweep
    assert read_address(lab.to_address(too_many), lab.READERS)[1]


def test_a_wrong_guess_in_the_address_names_the_words_it_could_be(open_lab):
    at = open_lab(**SMALL, scaling_guess="up")
    (notice,) = at.info
    assert "must be one of away, stays, all;" in notice.value.replace("\\", "")


def test_the_derivatives_are_a_table(open_lab):
    at = open_lab(**SMALL, scaling_figure="derivatives")
    (table,) = at.dataframe
    expected = words.derivatives_table(small(), list(walk(small())))
    assert table.value.to_dict("records") == expected
    assert words.DERIVATIVES in said(at)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("guess", "up"), ("d_k", "0"), ("d_k", "5000"), ("d_k", "x"), ("figure", "<b>"),
        ("keys", "1"), ("keys", "2000"), ("low", "-1"), ("high", "4097"), ("draws", "1"),
        ("draws", "9" * 5000), ("seed", "1.5"), ("start", "warm"), ("divisors", "0"),
        ("divisors", ""), ("divisors", "1,2,3,4,5"), ("divisors", "sqrt_d_model"),
    ],
)  # fmt: skip
def test_a_bad_address_shows_the_default_and_says_so(open_lab, key, value):
    at = open_lab(**(SMALL | {f"scaling_{key}": value}))
    (notice,) = at.info
    assert f"scaling_{key} must be" in notice.value.replace("\\", "")
    assert len(notice.value) < 400


def test_the_address_restores_the_page(open_lab):
    at = open_lab(
        scaling_keys="5", scaling_d_k="12", scaling_low="3", scaling_high="20", scaling_draws="77",
        scaling_seed="9", scaling_start="shift", scaling_divisors="1,2.5", scaling_figure="entropy",
    )  # fmt: skip
    sweep = Sweep(
        stops_between(3, 20), keys=5, draws=77, seed=9, start=Start.SHIFT, divisors=("1", "2.5")
    )
    assert words.about_entropy(sweep, list(walk(sweep))) in said(at)
    assert at.select_slider(key="scaling_d_k").value == 12
    assert not at.info


def test_the_page_comes_back_as_it_was_and_meets_no_other(open_lab):
    at = open_lab(**SMALL)
    at.number_input(key="scaling_seed").set_value(5)
    run_button(at).click().run()
    at.query_params.clear()
    at.switch_page("attention_viz/ui/pages/explore.py").run()
    assert at.number_input(key="seed").value == 25
    at.switch_page(PAGE).run()
    assert at.number_input(key="scaling_seed").value == 5
    assert not at.exception


def stopped(of, begin, steps):
    """A run that was stopped after some steps."""
    run = Run(of, begin)
    for _ in range(steps):
        assert run.advance()
    run.stopped = True
    return run


def test_a_stopped_sweep_shows_what_it_has_and_goes_on_where_it_was(open_lab, monkeypatch):
    sweep = small(seed=777)
    at = open_lab(**SMALL)
    # The sixteen points are of one block; what was measured of it comes first.
    run = stopped(sweep, lambda: steps(sweep), 3)
    run.progress = Progress(0.2, 3)
    monkeypatch.setattr("attention_viz.ui.experiments.steps", None)  # it does not begin anew
    at.session_state["experiments_run_sweep"] = run
    at.session_state["scaling_seed"] = 777
    at.run()
    points = list(walk(sweep))
    assert "Stopped at d_k 3 of 16." in said(at)
    assert words.about_spread(sweep, points[:3]) in said(at)
    at.button(key="experiments_on_sweep").click().run()
    assert words.about_spread(sweep, points) in said(at)
    assert not [button for button in at.button if button.label in {"Stop", "Go on"}]


def test_a_sweep_that_is_stopped_before_its_first_point_says_so(open_lab):
    sweep = small(seed=779)
    at = open_lab(**SMALL)
    run = stopped(sweep, lambda: steps(sweep), 0)
    run.progress = Progress(0.1, 0)  # while the inputs are drawn
    at.session_state["experiments_run_sweep"] = run
    at.session_state["scaling_seed"] = 779
    at.run()
    assert "Stopped at the start." in said(at)
    assert len(charts(at)) == 1


def test_what_is_stopped_stays_so_while_the_visitor_looks_at_other_figures(open_lab):
    each = torch.rand(300, len(RATES), SEEDS, generator=torch.Generator().manual_seed(0))
    sweep = small(seed=780)
    at = open_lab(**SMALL, scaling_seed="780", scaling_figure="keys")
    at.session_state["experiments_run_training"] = stopped(780, lambda: iter(each), 96)
    at.session_state["experiments_run_sweep"] = stopped(sweep, lambda: steps(sweep), 3)
    places = {"training": "training step 96", "spread": "d_k 3 of 16", "keys": ""}
    for figure, place in list(places.items()) * 2:
        at.segmented_control(key="scaling_figure").set_value(figure).run()
        assert [s for s in said(at) if s.startswith(f"Stopped at {place}")] or not place
        assert any(button.label == "Go on" for button in at.button) == bool(place)
        assert not any(button.label == "Stop" for button in at.button)


def test_a_visitor_whose_run_made_way_is_told_and_can_begin_again(open_lab):
    sweep = small(seed=781)
    at = open_lab(**SMALL)
    run = Run(sweep, lambda: steps(sweep))
    assert run.advance()
    others = [Run(i, lambda: iter(range(9))) for i in range(MOST_UNFINISHED)]
    assert all(other.advance() for other in others)
    at.session_state["experiments_run_sweep"] = run
    at.session_state["scaling_seed"] = 781
    at.run()
    (told,) = (sentence for sentence in said(at) if sentence.startswith("Stopped at"))
    assert "to make way for another visitor's run" in told
    at.button(key="experiments_on_sweep").click().run()
    assert words.about_spread(sweep, list(walk(sweep))) in said(at)


def test_what_is_whole_is_not_measured_again(open_lab, monkeypatch):
    address = SMALL | {"scaling_seed": "778"}
    first = said(open_lab(**address))

    def never(_sweep):
        raise AssertionError("measured again")

    monkeypatch.setattr("attention_viz.ui.experiments.walk", never)
    assert said(open_lab(**address)) == first


@given(
    st.builds(
        Lab,
        guess=st.sampled_from([*lab.GUESSES]),
        d_k=st.integers(1, 4096),
        figure=st.sampled_from(list(FIGURES)),
        keys=st.integers(2, 1024),
        low=st.integers(1, 4096),
        high=st.integers(1, 4096),
        draws=st.integers(2, 20_000),
        seed=st.integers(0, 2**32 - 1),
        start=st.sampled_from([start.value for start in Start]),
        divisors=st.sampled_from([("sqrt",), ("1", "d_k"), ("2.5", "sqrt", "1")]),
    )
)
def test_an_address_gives_back_its_settings(chosen):
    named, wrong = read_address(lab.to_address(chosen), lab.READERS)
    read = {name.removeprefix("scaling_"): value for name, value in named.items()}
    assert read == asdict(chosen)
    assert not wrong


def test_no_guess_in_an_address_is_no_mistake(open_lab):
    at = open_lab(**(lab.to_address(Lab()) | SMALL))
    assert not at.info
    assert at.segmented_control(key="scaling_guess").value is None

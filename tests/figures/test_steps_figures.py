"""The pictures of the steps: numbers are read back from them."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attention_viz import figures
from attention_viz.attention import Sink, attend
from attention_viz.heads import random_head
from attention_viz.pipeline import run

RUN = run("the cat, the dog", random_head(67, 13, seed=3), seed=3, causal=True)
LONG = run("a b c d e f g h i j k l m", random_head(67, 13, seed=3), seed=3)
ROW = 3


def titles(bars):
    return [panel.title for panel in bars.panels]


def test_mix_shows_the_products_once_they_are_known():
    before, after = (
        figures.mix_bars([2, 1, 0.1], [10, 20, 30], solved=solved) for solved in (False, True)
    )
    assert titles(before) == ["Scores", "Weights", "Values"]
    assert titles(after)[-1] == "Weight × value"
    weights = torch.softmax(torch.tensor([2, 1, 0.1], dtype=torch.float64), 0)
    torch.testing.assert_close(before.panels[1].values, weights)
    assert (
        after.panels[2].note
        == f"they sum to {(weights @ after.panels[2].values.new_tensor([10, 20, 30])).item():.4g}"
    )


def test_products_sum_to_the_score():
    bars = figures.product_bars(RUN, ROW, 1, solved=True)
    query, key, products = (panel.values for panel in bars.panels)
    torch.testing.assert_close(query * key, products)
    assert len(products) == 10
    score = RUN.trace.scores[ROW, 1].item()
    assert bars.panels[2].note == f"all 13 sum to {score:.4g}"
    assert bars.panels[0].note == "10 of 13 shown"
    assert titles(figures.product_bars(RUN, ROW, 1, solved=False)) == ["Query", "Key"]


def test_shares_are_of_allowed_keys_alone():
    bars = figures.share_bars(RUN, ROW, solved=True)
    logits, exps, weights = (panel.values for panel in bars.panels)
    assert bars.labels == ("the", "cat", ",", "the")
    torch.testing.assert_close(weights, torch.softmax(logits, 0), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(exps, (logits - logits.max()).exp())
    assert bars.panels[1].note == f"they sum to {exps.sum().item():.4g}"
    assert titles(figures.share_bars(RUN, ROW, solved=False))[-1] == "exp(score − largest)"


def test_a_sink_takes_part_in_the_sum_and_has_no_bar():
    trace = RUN.trace
    with_sink = attend(trace.query, trace.key, trace.value, mask=trace.mask, steps=[Sink(1.5)])
    bars = figures.share_bars(replace(RUN, trace=with_sink), ROW, solved=True)
    logits = trace.logits[ROW, :4].double()
    total = ((logits - logits.max()).exp().sum() + (1.5 - logits.max()).exp()).item()
    assert bars.panels[1].note == f"they and the sink sum to {total:.4g}"
    assert bars.panels[2].note == f"they sum to {with_sink.weights[ROW].sum().item():.4g}"


def test_terms_sum_to_the_context():
    bars = figures.context_bars(RUN, ROW, solved=True)
    weights, values, terms = (panel.values for panel in bars.panels)
    torch.testing.assert_close(weights * values, terms)
    assert terms.sum().item() == pytest.approx(RUN.trace.context[ROW, 0].item(), abs=1e-5)


def test_of_many_keys_the_heaviest_are_drawn_and_it_says_so():
    bars = figures.share_bars(LONG, 0, solved=True)
    assert len(bars.labels) == 10
    weights = LONG.trace.weights[0].double()
    assert set(bars.panels[2].values.tolist()) == set(weights.topk(10).values.tolist())
    assert bars.panels[0].note == "10 of 13 shown"
    assert bars.panels[2].note == "all 13 sum to 1"


def test_bars_are_drawn_and_told_with_their_labels():
    bars = figures.share_bars(RUN, ROW, solved=True)
    figure = figures.draw_bars(bars)
    assert list(figure.layout.yaxis.ticktext) == ["the", "cat", ",", "the"]
    assert [figure.layout[f"yaxis{i}"].showticklabels for i in ("", 2, 3)] == [True, False, False]
    for panel, drawn in zip(bars.panels, figure.data, strict=True):
        np.testing.assert_array_equal(drawn.x, panel.values.numpy())
    assert f"cat {bars.panels[2].values[1].item():.4g}" in figures.describe_bars(bars)


def test_some_maps_of_a_run():
    trace = RUN.trace
    every = {0: trace.scores, 1: trace.scaled_scores, 2: trace.weights}
    for step, matrix in every.items():
        figure = figures.step_maps(RUN, [step], row=ROW)
        np.testing.assert_array_equal(figure.data[0].z, matrix.numpy())
        assert figure.layout.shapes[0].y0 == ROW - 0.5
    both = figures.step_maps(RUN, [0, 1])
    maps = [one for one in both.data if one.name]
    assert [one.name for one in maps] == ["Raw scores", "Scaled scores"]


def test_inputs_are_drawn_as_they_are():
    figure = figures.inputs_map(RUN)
    np.testing.assert_array_equal(figure.data[0].z, RUN.inputs.numpy())
    assert figure.layout.annotations[0].text == "<b>inputs 5 × 67</b>"

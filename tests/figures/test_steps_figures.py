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


def test_mix_goes_from_scores_over_exp_to_shares_and_hides_the_sum_alone():
    before, after = (
        figures.mix_bars([2, 1, 0.1], [10, 20, 30], solved=solved) for solved in (False, True)
    )
    expected = ["Scores", "exp(score)", "Weights", "Values", "Weight × value"]
    assert titles(before) == titles(after) == expected
    row, exps, weights, values, terms = (panel.values for panel in after.panels)
    torch.testing.assert_close(exps, row.exp())
    torch.testing.assert_close(weights, torch.softmax(row, 0))
    torch.testing.assert_close(terms, weights * values)
    assert after.panels[1].note == f"they sum to {exps.sum().item():.4g}"
    assert after.panels[4].note == f"they sum to {terms.sum().item():.4g}"
    assert before.panels[4].note == "they sum to ?"
    assert f"{terms.sum().item():.4g}" not in figures.describe_bars(before)


def test_products_sum_to_the_score():
    bars = figures.product_bars(RUN, ROW, 1)
    query, key, products = (panel.values for panel in bars.panels)
    torch.testing.assert_close(query * key, products)
    assert len(products) == 10
    score = RUN.trace.scores[ROW, 1].item()
    assert bars.panels[2].note == f"all 13 sum to {score:.4g}"
    assert bars.panels[0].note == "10 of 13 shown"


@pytest.mark.parametrize(
    ("bars", "line"),
    [
        (figures.product_bars(RUN, ROW, 1, asked=4), 4),
        (figures.share_bars(RUN, ROW, asked=2), 2),
        (figures.context_bars(RUN, ROW, asked=1), 1),
    ],
    ids=["product", "shares", "context"],
)
def test_a_number_that_is_asked_for_and_no_other_is_hidden(bars, line):
    last = bars.panels[-1]
    drawn = figures.draw_bars(bars).data
    assert [place for place, word in enumerate(drawn[-1].text) if word == "?"] == [line]
    assert drawn[-1].x[line] == 0
    assert last.values[line] != 0
    assert not any("?" in one.text for one in drawn[:-1])
    told = figures.describe_bars(bars)
    assert told.count("?") == 1
    assert f"{last.values[line].item():.4g}" not in told.rpartition(last.title)[2]


def test_shares_are_of_allowed_keys_alone():
    bars = figures.share_bars(RUN, ROW)
    logits, exps, weights = (panel.values for panel in bars.panels)
    assert bars.labels == ("the", "cat", ",", "the")
    torch.testing.assert_close(weights, torch.softmax(logits, 0), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(exps, (logits - logits.max()).exp())
    assert bars.panels[1].note == f"they sum to {exps.sum().item():.4g}"


def test_a_sink_takes_part_in_the_sum_and_has_no_bar():
    trace = RUN.trace
    with_sink = attend(trace.query, trace.key, trace.value, mask=trace.mask, steps=[Sink(1.5)])
    bars = figures.share_bars(replace(RUN, trace=with_sink), ROW)
    logits = trace.logits[ROW, :4].double()
    total = ((logits - logits.max()).exp().sum() + (1.5 - logits.max()).exp()).item()
    assert bars.panels[1].note == f"they and the sink sum to {total:.4g}"
    assert bars.panels[2].note == f"they sum to {with_sink.weights[ROW].sum().item():.4g}"


def test_terms_sum_to_the_context():
    bars = figures.context_bars(RUN, ROW)
    weights, values, terms = (panel.values for panel in bars.panels)
    torch.testing.assert_close(weights * values, terms)
    assert terms.sum().item() == pytest.approx(RUN.trace.context[ROW, 0].item(), abs=1e-5)


def test_of_many_keys_the_heaviest_are_drawn_and_it_says_so():
    bars = figures.share_bars(LONG, 0)
    assert len(bars.labels) == 10
    weights = LONG.trace.weights[0].double()
    assert set(bars.panels[2].values.tolist()) == set(weights.topk(10).values.tolist())
    assert bars.panels[0].note == "10 of 13 shown"
    assert bars.panels[2].note == "all 13 sum to 1"


def test_bars_are_drawn_and_told_with_their_labels():
    bars = figures.share_bars(RUN, ROW)
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


@pytest.mark.parametrize("run", [RUN, LONG], ids=["numbers", "no numbers"])
def test_of_two_maps_a_cell_that_is_asked_for_is_a_sign_and_no_pointer_reads_it(run):
    key = 1
    figure = figures.step_maps(run, [0, 1], row=ROW, asked=key)
    raw, scaled = (one for one in figure.data if one.name)
    hidden = np.zeros(scaled.z.shape, dtype=bool)
    hidden[ROW, key] = True
    np.testing.assert_array_equal(np.isnan(scaled.z), hidden)
    assert not np.isnan(raw.z).any()
    (sign,) = (one for one in figure.data if "?" in (one.text or ()))
    assert (sign.x, sign.y, sign.text) == ((key,), (ROW,), ("?",))
    assert sign.xaxis == scaled.xaxis
    for one in (raw, scaled):
        assert "q·k" in one.hovertext[ROW][key]
        assert "÷" not in one.hovertext[ROW][key]
        assert "÷" in one.hovertext[ROW][0]
    assert not np.isnan(run.trace.scaled_scores.numpy()).any()


def test_inputs_are_drawn_as_they_are():
    figure = figures.inputs_map(RUN)
    np.testing.assert_array_equal(figure.data[0].z, RUN.inputs.numpy())
    assert figure.layout.annotations[0].text == "<b>inputs 5 × 67</b>"


def test_a_token_like_a_tag_is_read_in_a_heading_as_it_stands():
    """Plotly would swallow <s>; the text alternative, which is no HTML, has it plain."""
    small = run("the cat, the dog", random_head(67, 7, seed=3), seed=3)
    special, long = (
        replace(small.tokens, labels=(label,) * small.tokens.n)
        for label in ("<s>", "Donaudampfschiff")
    )
    bars = figures.product_bars(replace(small, tokens=special, keys=long), ROW, 1)
    headings = [note.text for note in figures.draw_bars(bars).layout.annotations]
    assert headings[0] == "<b>Query</b><br>of &lt;s&gt;"
    assert headings[1] == "<b>Key</b><br>of Donau…hiff"
    assert "Query, of <s>:" in figures.describe_bars(bars)

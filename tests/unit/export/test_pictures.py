"""What stands on a picture for print; tests/e2e/test_pictures.py draws it."""

import pytest
import torch

import attention_viz as av
from attention_viz.demo import demo_run
from attention_viz.export.pictures import still_figure
from attention_viz.models import HeadFacts, WeightsRun
from attention_viz.tokens import tokenize


def texts(figure):
    return [one.text for one in figure.layout.annotations]


def maps(figure):
    return [trace for trace in figure.data if trace.type == "heatmap"]


def test_sentence_and_head_stand_above_the_maps():
    run = av.run("I <b>\n am", av.random_head(8, 4, seed=3))
    title = (
        "<b>I &lt;b&gt; am</b><br>random head, which carries no meaning: seed 3; d_k 4, divisor 2"
    )
    assert title in texts(still_figure(run))
    bare = still_figure(run, title=False)
    assert title not in texts(bare)
    assert bare.layout.height < still_figure(run).layout.height


def test_a_loaded_head_is_on_its_own_scale():
    run = demo_run("the cat", "induction")
    figure = still_figure(run)
    assert "<b>the cat</b><br>induction; d_k 32, divisor 5.657" in texts(figure)
    assert maps(figure)[1].zmax == pytest.approx(run.trace.scaled_scores.abs().max().item())


def test_row_and_scale_are_those_asked_for():
    run = av.run("I am", av.random_head(8, 4))
    figure = still_figure(run, row=1, scale="fit")
    assert figure.layout.shapes[0].y0 == 0.5
    assert maps(figure)[0].zmax == run.trace.scores.abs().max().item()


def test_weights_alone():
    tokens = tokenize("a b")
    facts = HeadFacts("m", 1, "1", 2, float("nan"))
    figure = still_figure(WeightsRun(tokens, tokens, torch.eye(2), facts, "Closed."))
    assert "<b>a b</b><br>m, layer 1, head 2" in texts(figure)

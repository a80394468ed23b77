"""The presenter's slides: their numbers against torch, and which heads they suit."""

import json
import struct
from functools import partial

import pytest
import torch

import attention_viz as av
from attention_viz import presenting, stage
from attention_viz.errors import LessonError
from attention_viz.lessons import parse
from attention_viz.pipeline import parse_divisor
from attention_viz.presenting import slides
from attention_viz.stage import Scene, Slide, with_slides


def run_at(view, *, text="one two three four five", seed=3):
    d_k = view.get("d_k", 16)
    divisor = parse_divisor(str(view["divisor"]), d_k=d_k, d_model=64)
    return av.run(text, av.random_head(64, d_k, seed=seed), seed=seed, divisor=divisor)


def peaks(d_k, divisor):
    return torch.softmax(run_at({"d_k": d_k, "divisor": 1}).trace.scores / divisor, dim=1).amax(1)


def test_the_numbers_are_those_of_the_persons_own_head():
    softer, grown, other, read = slides(run_at, largest=512, lock="sqrt")
    assert (
        f"average {peaks(4, 2).mean():.2f}, without scaling {peaks(4, 1).mean():.2f}"
        in softer.answer
    )
    assert f"at d_k 64 its largest weights average {peaks(64, 1).mean():.2f}" in grown.answer
    assert f"with scaling {peaks(64, 8).mean():.2f}" in grown.answer
    assert "from 4 to 64" in grown.question
    assert other.answer.startswith("In 0 of 5:")
    assert f"average {peaks(64, 1).mean():.2f}." in other.answer
    assert "mix of values" in read.answer
    assert [slide.pair for slide in (softer, grown, other, read)] == [True, True, False, False]
    assert (grown.begin, grown.end) == (
        {"d_k": 4, "divisor": "sqrt"},
        {"d_k": 64, "divisor": "sqrt"},
    )


@pytest.mark.parametrize("seed", range(5))
def test_unscaled_is_never_softer(seed):
    """What the first answer says of every head: one divisor above 1 flattens every row."""
    softer, *_ = slides(partial(run_at, seed=seed), largest=512, lock="sqrt")
    scaled, unscaled = (float(word.rstrip(".,")) for word in softer.answer.split() if "0." in word)
    assert scaled < unscaled


def test_a_loaded_head_keeps_its_size_and_its_divisor():
    every = slides(run_at, largest=None, lock="own")
    assert len(every) == 2
    assert [slide.begin for slide in every] == [{"divisor": "own"}] * 2
    assert every[0].end == {"divisor": "1"}


@pytest.mark.parametrize(
    ("text", "first"),
    [("one", "Every query here may look at one key only"), ("one one one", "Read the picked row")],
)
def test_what_a_sentence_cannot_show_is_not_asked(text, first):
    """One key, or equal ones: scaling changes no weight, and no answer may say that it does."""
    every = slides(partial(run_at, text=text), largest=512, lock="sqrt")
    assert every[0].question.startswith(first)
    assert not any(slide.pair or "divisor" in slide.question for slide in every)


def test_a_head_that_divides_by_one_is_not_asked_what_dividing_by_one_does():
    def run_as_it_is(view):
        return run_at({**view, "divisor": "1"})

    (only,) = slides(run_as_it_is, largest=None, lock="own")
    assert only.question.startswith("Read the picked row")


@pytest.mark.parametrize("seed", range(20))
def test_growth_is_said_to_sharpen_only_where_it_does(seed):
    def mean(d_k, divisor):
        run = run_at({"d_k": d_k, "divisor": divisor}, text="one two", seed=seed)
        return round(run.trace.weights.amax(1).mean().item(), 2)

    every = slides(partial(run_at, text="one two", seed=seed), largest=512, lock="sqrt")
    (grown,) = (slide for slide in every if "grows" in slide.question)
    sharpens = mean(64, 1) - mean(4, 1) > abs(mean(64, 8) - mean(4, 2))
    assert grown.question.endswith("changes its character?") == sharpens
    if not sharpens:
        assert f"{mean(64, 8):.2f} after {mean(4, 2):.2f}, without it" in grown.answer
        assert f"{mean(64, 1):.2f} after {mean(4, 1):.2f}." in grown.answer


def test_a_start_with_few_dimensions_has_slides_that_fit():
    _, grown, *_ = slides(run_at, largest=8, lock="sqrt")
    assert "from 4 to 8" in grown.question
    assert grown.end["d_k"] == 8


def test_a_fact_that_nobody_measures_is_an_error(monkeypatch):
    (part, *_) = parse("## Q?\nheads: all\nwhen: sharpen\nbegin: divisor=1\nend: divisor=1\n")
    monkeypatch.setattr(presenting, "_parts", lambda: (part,))
    with pytest.raises(LessonError, match=r"when must be one of alone, .*; got 'sharpen'\."):
        slides(run_at, largest=None, lock="sqrt")


def test_slides_travel_with_the_scene_and_change_nothing_else():
    run = run_at({"divisor": "sqrt"})
    scene = Scene((16,), run.trace.scores.unsqueeze(0), run.tokens, run.keys, run.trace.mask, 64)
    before = stage.pack(scene)
    after = with_slides(before, [Slide("Q?", "A.", {"d_k": 4}, {})])
    (one, header), (other, changed) = map(_split, (before, after))
    assert one == other
    assert changed.pop("slides") == [
        {"question": "Q?", "answer": "A.", "begin": {"d_k": 4}, "end": {}, "pair": False}
    ]
    assert header | {"slides": []} == changed | {"slides": []}


def _split(data):
    (length,) = struct.unpack_from("<I", data)
    return data[4 + length :], json.loads(data[4 : 4 + length])

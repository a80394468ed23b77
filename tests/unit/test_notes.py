"""The teacher's notes: lengths of the lessons, and numbers against torch and closed forms."""

import math
import re

import pytest
import torch

import attention_viz as av
from attention_viz.answers import run_of
from attention_viz.lessons import parse_link, read_parts
from attention_viz.notes import _NUMBERS, mistakes, moments

PARTS = {part.fields["key"]: part for part in read_parts("teachers")[1:] if "key" in part.fields}


def link(key):
    return parse_link(PARTS[key].fields["link"])


def numbers(key):
    return _NUMBERS[key](link(key))


def share(words):
    return float(words.removeprefix("over\u00a0").split("\u00a0")[0]) / 100


def close(word, value):
    assert float(word) == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize(("lesson", "minutes"), [("short", 15), ("long", 45)])
def test_a_lesson_fills_its_time(lesson, minutes):
    every = moments(lesson)
    assert [one.begin for one in every] == [0, *(one.end for one in every[:-1])]
    assert every[-1].end == minutes


def test_every_mistake_is_told_with_its_numbers():
    assert len(mistakes()) == len(PARTS) == 12
    assert not any("{" in mistake.text for mistake in mistakes())


def test_no_number_is_typed():
    for part in read_parts("teachers"):
        text = re.sub(r"\{\w+\}|1 ÷ √d_k", "", " ".join([part.title, *part.texts.values()]))
        assert not re.search(r"\d", text), part.title


def test_own_token_wins_as_often_as_chance_says():
    found = numbers("own")
    assert found["chance"] == "25\u00a0%"
    # Four standard errors of 1,000 rows.
    heads = [av.random_head(256, 4, seed=seed) for seed in range(250)]
    runs = [av.run("Wie geht es dir", head, seed=seed) for seed, head in enumerate(heads)]
    winners = torch.stack([one.trace.scores.argmax(dim=1) for one in runs])
    own = (winners == torch.arange(4)).sum().item()
    assert found["own"] == av.reading.percent(own / 1000)
    assert share(found["own"]) == pytest.approx(1 / 4, abs=4 * math.sqrt(3 / 16 / 1000))


def test_bound_and_symmetry():
    weights = run_of(link("bound")).trace.weights
    assert share(numbers("bound")["weight"]) == pytest.approx(weights[2].max().item(), abs=0.005)
    found = numbers("symmetric")
    assert share(found["there"]) == pytest.approx(weights[2, 1].item(), abs=0.005)
    assert share(found["back"]) == pytest.approx(weights[1, 2].item(), abs=0.005)


def test_the_heaviest_key_adds_less_than_another():
    found, trace = numbers("contribution"), run_of(link("contribution")).trace
    added = (trace.weights[1].unsqueeze(-1) * trace.value).norm(dim=-1)
    heaviest = int(trace.weights[1].argmax())
    assert found["heaviest"] != found["largest"]
    close(found["weight"], trace.weights[1].max().item())
    close(found["less"], added[heaviest].item())
    close(found["most"], added.max().item())


def test_causal():
    assert numbers("causal") == {"weight": "1", "keys": "1", "entropy": "0"}


def test_blue_and_flat():
    weights = [float(word) for word in numbers("blue")["weights"].split(", ")]
    assert weights == pytest.approx(
        torch.softmax(torch.tensor([-1.0, -2, -3]), 0).tolist(), rel=1e-3
    )
    assert numbers("flat") == {"n": "4", "weight": "0.25"}


def test_sizes():
    assert numbers("sizes") == {"inputs": "4 × 256", "queries": "4 × 16", "scores": "4 × 4"}


def test_model_width_is_the_wrong_root():
    found, trace = numbers("model"), run_of(link("model")).trace
    assert (found["divisor"], found["root"], found["n"]) == ("16", "4", "4")
    right = av.effective_support(torch.softmax(trace.scores / 4, dim=-1)).mean().item()
    wrong = av.effective_support(torch.softmax(trace.scores / 16, dim=-1)).mean().item()
    assert float(found["right"]) == pytest.approx(right, abs=0.005)
    assert float(found["effective"]) == pytest.approx(wrong, abs=0.005)


def test_dividing_after_softmax():
    found = numbers("after")
    assert found["sum"] == "0.125"
    unscaled = torch.softmax(run_of(link("after")).trace.scores[0], dim=0).max().item()
    assert unscaled > 0.99
    assert found["weight"] == av.reading.percent(unscaled)

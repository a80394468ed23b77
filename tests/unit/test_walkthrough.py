"""The numbers of the steps, against torch and closed forms; what "try this" promises, as laws."""

import math
import re
from urllib.parse import parse_qsl

import pytest
import torch

import attention_viz as av
from attention_viz import lessons, walkthrough
from attention_viz.attention import attend, unscaled_weights
from attention_viz.errors import SettingError
from attention_viz.experiments.sweep import Sweep, walk
from attention_viz.measures import entropy
from attention_viz.origins import UNNAMED
from attention_viz.pipeline import Run
from attention_viz.rows import read_typed
from attention_viz.walkthrough import OF_RUNS, spot
from attention_viz.worked import Answer, say

TEXT = "the cat and the dog"
STEPS = lessons.read_by_key("steps")


def run_of(text=TEXT, d_k=7, **how):
    return av.run(text, av.random_head(67, d_k, seed=3), seed=3, **how)


RUN = run_of()
ROW = 2


def worked(name, run=RUN, row=ROW):
    return OF_RUNS[name](spot(run, row))


def values(name, run=RUN, row=ROW):
    return [answer.value for answer in worked(name, run, row).answers]


@pytest.mark.parametrize("name", OF_RUNS)
@pytest.mark.parametrize(
    "run",
    [
        RUN,
        run_of("I", d_k=1),
        run_of("w a b " * 20, d_k=64, causal=True),
        run_of(d_k=512, divisor=1.0),
    ],
    ids=["plain", "one token", "long", "undivided"],
)
def test_every_text_and_every_blank_of_a_run_is_filled(name, run):
    for row in {0, run.tokens.n - 1}:
        step = worked(name, run, row)
        part = STEPS[name].filled(step.words)
        asks = [key for key in part.fields if key.startswith("ask")]
        hints = [key for key in part.fields if key.startswith("hint")]
        assert len(asks) == len(hints) == len(step.answers)
        assert all(math.isfinite(answer.value) for answer in step.answers)
        assert "nan" not in part.text
        assert "inf" not in part.text.replace("information", "")


def test_first_one_blank_later_three():
    blanks = [sum(key.startswith("ask") for key in part.fields) for part in STEPS.values()]
    assert blanks == sorted(blanks)
    assert set(blanks) == {1, 3}


def test_mix():
    scores, mixed = (2.0, 1.0, 0.1), (10.0, 20.0, 30.0)
    step = walkthrough.mix(scores, mixed)
    weights = torch.softmax(torch.tensor(scores).double(), 0)
    assert step.answers[0].value == pytest.approx((weights * torch.tensor(mixed)).sum().item())
    assert step.words["weight"] == "0.659"
    assert step.words["total"] == "11.21"
    assert step.words["term"] == "6.59"
    assert step.words["exp"] == "7.389"


def test_product_is_one_term_of_the_score():
    at = spot(RUN, ROW)
    query, key = RUN.trace.query[ROW], RUN.trace.key[at.key]
    assert values("product") == pytest.approx([(query[1] * key[1]).item()])
    assert (query * key).sum().item() == pytest.approx(RUN.trace.scores[ROW, at.key].item(), 1e-4)
    assert worked("product").words["score"] == say(RUN.trace.scores[ROW, at.key])


def test_growth_says_what_was_measured():
    sweep = Sweep((64,), draws=200, by_query=False)
    (point,) = walk(sweep)
    step = walkthrough.growth(sweep, point, other=256)
    assert step.words["unscaled"] == f"{point.readings[1].peak.mean:.2f}"
    assert float(step.words["unscaled"]) == pytest.approx(0.875, abs=0.05)
    assert float(step.words["scaled"]) == pytest.approx(0.359, abs=0.05)
    flat, steep = (point.readings[i].jacobian_norm.median for i in (1, 0))
    assert (step.words["flat"], step.words["steep"]) == (f"{flat:.2f}", f"{steep:.2f}")
    assert flat < steep / 3
    assert step.words["root"] == "8"
    assert step.answers[0].value == 16


def test_sizes():
    assert values("inputs") == [5 * 67]
    assert values("projections") == [3 * 5 * 7]
    assert values("pairs") == [25, 25 * 7, 100]
    assert worked("projections").words["larger"] == "28"


def test_a_rectangle_has_rows_and_columns_of_its_own(randn):
    trace = attend(randn(5, 3), randn(11, 3), randn(11, 2))
    run = Run(av.tokenize(TEXT), av.tokenize("a b c d e f g h i j k"), randn(5, 13), trace, UNNAMED)
    assert values("projections", run) == [5 * 3 + 11 * 3 + 11 * 2]
    assert values("pairs", run) == [55, 165, 220]
    assert values("context", run)[2] == 10
    assert worked("context", run).words["d_v"] == "2"


def test_division_shares_context_and_reading():
    at, trace = spot(RUN, ROW), RUN.trace
    ranked = trace.weights[ROW].argsort(descending=True, stable=True)
    assert [at.key, at.other] == ranked[:2].tolist()
    logits = trace.scores[ROW].double() / math.sqrt(7)
    weights = torch.softmax(logits, 0)
    one, two = weights[at.key].item(), weights[at.other].item()
    scaled = logits[at.other].item()
    apart = logits[at.key].item() - scaled
    assert values("division") == pytest.approx([math.sqrt(28), scaled, apart], rel=1e-4)
    assert values("shares") == pytest.approx([two, one, 1 - one], rel=1e-4)
    shifted = torch.softmax(logits + walkthrough.SHIFT, 0)[at.key].item()
    assert shifted == pytest.approx(one)
    first = trace.value[:, 0].tolist()
    assert values("context") == pytest.approx([two * first[at.other], first[at.key], 35], rel=1e-4)
    assert values("reading") == pytest.approx([100 - 100 * one, 5, 1], rel=1e-4)
    total = worked("shares").words["total"]
    assert float(total) == pytest.approx((logits - logits.max()).exp().sum().item(), rel=1e-3)


def test_masked_keys_are_never_looked_at():
    run = run_of(causal=True)
    assert spot(run, 0).key == spot(run, 0).other == 0
    assert values("reading", run, 1)[1] == 2
    assert values("shares", run, 0) == [1, 1, 0]


def test_a_row_without_keys_is_a_sentence():
    trace = attend(RUN.trace.query, RUN.trace.key, RUN.trace.value, mask=torch.zeros(5, 5) > 0)
    with pytest.raises(SettingError, match="may look at no key"):
        spot(Run(RUN.tokens, RUN.keys, RUN.inputs, trace, UNNAMED), 0)


def test_two_decimals_are_enough_and_counts_are_exact():
    answer = worked("shares").answers[0]
    assert answer.takes(round(answer.value, 2))
    assert not answer.takes(answer.value + 0.05)
    assert not worked("inputs").answers[0].takes(336)
    assert Answer(2.0, within=0.5).takes(1.5)


@pytest.mark.parametrize("name", OF_RUNS)
def test_what_the_page_prints_of_an_answer_is_taken_when_it_is_typed(name):
    for run in (RUN, run_of("w a b " * 40, d_k=64), run_of(d_k=512, divisor=1.0)):
        for answer in worked(name, run).answers:
            assert answer.takes(read_typed(answer.written))


def test_a_share_and_a_count_are_printed_as_whole_numbers():
    assert Answer(66.75, within=1, whole=True).written == "67"
    assert Answer(65536, within=0, whole=True).written == "65536"
    assert Answer(-0.25, within=0.01).written == "−0.25"


@pytest.mark.parametrize("name", OF_RUNS)
def test_one_of_a_thing_is_no_plural(name):
    run = run_of("I", d_k=1)
    part = STEPS[name].filled(worked(name, run, 0).words)
    text = " ".join([*part.fields.values(), part.text])
    assert not re.search(r"\b(all )?1 (tokens|numbers|queries|keys|values|products|rows)\b", text)


def setting(name, run=RUN):
    """What the link of a step sets up."""
    return dict(
        parse_qsl(STEPS[name].filled(worked(name, run).words).fields["go"].partition("?")[2])
    )


def test_promise_a_repeated_word_has_the_same_row():
    inputs = run_of(setting("inputs")["text"]).inputs
    torch.testing.assert_close(inputs[0], inputs[3], rtol=0, atol=0)


def test_promise_a_larger_head_keeps_its_columns():
    larger = run_of(d_k=int(setting("projections")["d_k"])).trace
    torch.testing.assert_close(larger.query[:, :7], RUN.trace.query)
    torch.testing.assert_close(larger.key[:, :7], RUN.trace.key)


def test_promise_a_sentence_turned_around_has_the_same_scores():
    turned = run_of(setting("pairs")["text"]).trace.scores
    torch.testing.assert_close(turned, RUN.trace.scores.flip(0, 1))


def test_promise_explore_shows_the_row_with_and_without_division():
    assert setting("division") == {"row": "2"}
    words = worked("division").words
    assert words["peak"] == say(RUN.trace.weights[ROW].max())
    assert words["unscaled"] == say(torch.softmax(RUN.trace.scores[ROW], 0).max())
    assert (entropy(unscaled_weights(RUN.trace)) <= entropy(RUN.trace.weights) + 1e-9).all()


def test_promise_a_causal_mask_leaves_the_first_token_itself():
    assert (setting("shares")["mask"], setting("shares")["row"]) == ("causal", "0")
    assert run_of(causal=True).trace.weights[0].tolist() == [1, 0, 0, 0, 0]

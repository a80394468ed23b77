"""What holds for every head, whatever the numbers."""

import math

import numpy as np
import pytest
import regex
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch.testing import assert_close

from attention_viz.attention import attend, causal_mask, softmax
from attention_viz.errors import TextError
from attention_viz.jacobian import softmax_jacobian
from attention_viz.measures import effective_support, entropy, max_entropy
from attention_viz.tokens import tokenize, visible

sizes = st.integers(1, 7)
seeds = st.integers(0, 2**32 - 1)
divisors = st.floats(0.05, 1e3)
INK = regex.compile(r"[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]")
# Characters that tokenisers and screens stumble over, often; and any other.
odd = st.sampled_from(
    list(" \n\t\0\u00a0\u200b\u200c\u200d\u2028\ufe0f\u0301\u3164\u2800\ud800\udfff")
)
texts = st.text(st.one_of(odd, st.characters(), st.sampled_from("abc.'1")), max_size=30)


@st.composite
def matrices(draw, n_q=sizes, n_k=sizes, largest=30.0):
    """(n_q, n_k) numbers in ±largest."""
    numbers = st.floats(-largest, largest)
    return torch.from_numpy(draw(arrays(np.float64, (draw(n_q), draw(n_k)), elements=numbers)))


@st.composite
def heads(draw, square=False):
    """Query (n_q, d_k), key (n_k, d_k), value (n_k, d_v) and a mask (n_q, n_k)."""
    n_q, n_k, d_k, d_v = (draw(sizes) for _ in range(4))
    if square:
        n_q = n_k
    query, key, value = (
        draw(matrices(st.just(n), st.just(width), largest=5.0))
        for n, width in ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    )
    return query, key, value, torch.from_numpy(draw(arrays(np.bool_, (n_q, n_k))))


def attend_scores(scores, divisor):
    """The weights of given raw scores: every key has a coordinate of its own."""
    eye = torch.eye(scores.shape[1], dtype=torch.float64)
    return attend(scores, eye, eye, divisor=divisor).weights


@given(heads(), divisors)
def test_rows_are_shares_of_what_may_be_looked_at(head, divisor):
    *head, mask = head
    weights = attend(*head, mask=mask, divisor=divisor).weights
    assert (weights >= 0).all()
    assert not weights[~mask].any()
    assert_close(weights.sum(dim=-1), mask.any(dim=-1).double())


@given(matrices(), st.floats(-1e3, 1e3))
def test_a_constant_changes_nothing(logits, constant):
    assert_close(softmax(logits + constant), softmax(logits), rtol=1e-9, atol=1e-12)


@given(matrices(), divisors)
def test_order_is_kept(scores, divisor):
    weights = attend_scores(scores, divisor)
    above = scores.unsqueeze(-1) >= scores.unsqueeze(-2)
    assert (weights.unsqueeze(-1) >= weights.unsqueeze(-2))[above].all()
    far_above = (scores.unsqueeze(-1) - scores.unsqueeze(-2)) / divisor > 1e-6
    both = far_above & (weights.unsqueeze(-1) > 1e-300)
    assert (weights.unsqueeze(-1) > weights.unsqueeze(-2))[both].all()


@given(arrays(np.int64, st.tuples(sizes, sizes), elements=st.integers(-5, 5)))
def test_a_small_divisor_gives_all_to_the_largest_and_ties_share(scores):
    scores = torch.from_numpy(scores).double()
    winners = (scores == scores.amax(dim=-1, keepdim=True)).double()
    expected = winners / winners.sum(dim=-1, keepdim=True)
    assert_close(attend_scores(scores, divisor=1e-4), expected, rtol=1e-15, atol=0)


@given(matrices())
def test_a_large_divisor_gives_the_same_to_all(scores):
    even = torch.full_like(scores, 1 / scores.shape[1])
    assert_close(attend_scores(scores, divisor=1e12), even, rtol=1e-9, atol=0)


@given(heads(), divisors)
def test_entropy_lies_between_0_and_ln_of_the_allowed_keys(head, divisor):
    *head, mask = head
    weights = attend(*head, mask=mask, divisor=divisor).weights
    nats, some = entropy(weights, mask), mask.any(dim=-1)
    assert torch.equal(nats.isnan(), ~some)
    assert (nats[some] >= 0).all()
    assert (nats <= max_entropy(weights, mask))[some].all()
    tokens, allowed = effective_support(weights, mask)[some], mask.sum(dim=-1)[some].double()
    assert (tokens >= 1).all()
    assert (tokens <= allowed * (1 + 2e-15)).all()


@given(matrices(), divisors, divisors)
def test_entropy_rises_with_the_divisor(scores, one, other):
    small, large = sorted((one, other))
    nats = [entropy(attend_scores(scores, divisor)) for divisor in (small, large)]
    assert (nats[1] >= nats[0] - 1e-12).all()
    # Strictly, while there is something left to level out.
    spread = scores.amax(dim=-1) - scores.amin(dim=-1)
    assume(large > 1.5 * small)
    seen = (spread / large > 0.01) & (spread / small < 20)
    assert (nats[1] > nats[0])[seen].all()


@given(heads(), divisors, st.randoms(use_true_random=False))
def test_permuting_keys_permutes_columns(head, divisor, random):
    query, key, value, mask = head
    order = list(range(len(key)))
    random.shuffle(order)
    one = attend(query, key, value, mask=mask, divisor=divisor)
    other = attend(query, key[order], value[order], mask=mask[:, order], divisor=divisor)
    assert_close(other.weights, one.weights[:, order], rtol=1e-9, atol=1e-12)
    assert_close(other.context, one.context, rtol=1e-9, atol=1e-12)


@given(heads(), divisors, seeds)
def test_context_lies_in_the_hull_of_the_values(head, divisor, seed):
    query, key, value, mask = head
    mask[:, 0] = True
    context = attend(query, key, value, mask=mask, divisor=divisor).context
    rng = torch.Generator().manual_seed(seed)
    directions = torch.randn(value.shape[1], 13, generator=rng, dtype=torch.float64)
    reach = value @ directions
    farthest = torch.stack([reach[allowed].amax(dim=0) for allowed in mask])
    assert (context @ directions <= farthest + 1e-9).all()


@given(heads(square=True), divisors, st.data())
def test_a_later_token_changes_no_earlier_row(head, divisor, data):
    query, key, value, _ = head
    changed = data.draw(st.integers(0, len(key) - 1))
    mask = causal_mask(len(key))
    before = attend(query, key, value, mask=mask, divisor=divisor)
    query, key, value = (torch.cat([m[:changed], 7 - 3 * m[changed:]]) for m in (query, key, value))
    after = attend(query, key, value, mask=mask, divisor=divisor)
    for name in ("weights", "context"):
        earlier = getattr(before, name)[:changed]
        assert_close(getattr(after, name)[:changed], earlier, rtol=1e-12, atol=1e-12)


@given(matrices(), st.data())
def test_the_jacobian_is_symmetric_sums_to_0_and_has_no_negative_curve(logits, data):
    mask = torch.from_numpy(data.draw(arrays(np.bool_, tuple(logits.shape))))
    jacobian = softmax_jacobian(logits.masked_fill(~mask, -math.inf))
    assert_close(jacobian, jacobian.mT, rtol=0, atol=0)
    assert_close(jacobian.sum(dim=-1), torch.zeros_like(logits), rtol=0, atol=2e-15)
    assert torch.linalg.eigvalsh(jacobian).min() >= -1e-14


@given(texts)
@example("\ud800 \udfff")
@example("\u200d\u200d")
@example("\u3164")
@example("\u2800")
def test_any_text_gives_tokens_that_can_be_seen_or_one_sentence(text):
    try:
        tokens = tokenize(text)
    except TextError:
        assert not text.strip()
        return
    assert tokens.n == len(tokens.labels) == len(tokens.offsets) == len(tokens.special) > 0
    assert tuple(text[start:end] for start, end in tokens.offsets) == tokens.pieces
    # Nothing is lost but white space, and nothing is counted twice.
    ends = [0, *(end for _, end in tokens.offsets)]
    starts = [*(start for start, _ in tokens.offsets), len(text)]
    for end, start in zip(ends, starts, strict=True):
        assert end <= start
        assert not text[end:start].strip()
    for label in tokens.labels:
        assert INK.search(label), ascii(label)


@given(texts)
@example("")
@example("\u200d\u200d")
def test_every_label_can_be_seen(piece):
    label = visible(piece)
    assert INK.search(label), ascii(label)
    assert not set(label) & set("\n\t\r\0 ")


@pytest.mark.parametrize("kind", ["weights", "entropy"])
@given(logits=matrices())
def test_the_order_of_queries_does_not_matter(kind, logits):
    measure = {"weights": softmax, "entropy": lambda rows: entropy(softmax(rows))}[kind]
    assert_close(measure(logits.flip(0)), measure(logits).flip(0), rtol=1e-12, atol=1e-15)

import inspect
import math
import re

import pytest
import torch

from attention_viz import errors
from attention_viz.attention import Bias, Sink, SoftCap, attend, softmax
from attention_viz.errors import AttentionVizError, SettingError, ShapeError, TextError
from attention_viz.heads import random_head
from attention_viz.jacobian import softmax_jacobian
from attention_viz.measures import entropy
from attention_viz.pipeline import parse_divisor, run
from attention_viz.tokens import tokenize

Q, K, V = torch.ones(3, 5), torch.ones(7, 5), torch.ones(7, 2)
NAN, INF = math.nan, math.inf

REFUSED = {
    "no text": (lambda: tokenize(""), TextError, 'at least one word; got none. Try "I am good".'),
    "blank text": (lambda: run(" \n\t", random_head(3, 2)), TextError, "at least one word"),
    "long text": (
        lambda: tokenize("a" * 20_001),
        TextError,
        "at most 4,000 characters; got 20,001. Shorten it.",
    ),
    "many tokens": (lambda: tokenize("a " * 513), TextError, "at most 512 tokens; got 513."),
    "one axis": (
        lambda: attend(Q[0], K, V),
        ShapeError,
        "query must be a real matrix with 2 axes; got torch.float32 of shape (5,).",
    ),
    "complex": (lambda: attend(Q, K * 1j, V), ShapeError, "key must be a real matrix"),
    "words": (lambda: attend(Q, K, "abc"), ShapeError, "value must be a matrix of numbers; got"),
    "ragged": (lambda: entropy([[1.0], [0.5, 0.5]]), ShapeError, "weights must be a matrix of"),
    "no rows": (
        lambda: attend(Q, K[:0], V[:0]),
        ShapeError,
        "key must have at least one row and one column; got shape (0, 5).",
    ),
    "no columns": (lambda: attend(Q[:, :0], K[:, :0], V), ShapeError, "query must have at least"),
    "other d_k": (
        lambda: attend(Q[:, :2], K, V),
        ShapeError,
        "query and key must have the same width d_k; got 2 and 5.",
    ),
    "other n_k": (
        lambda: attend(Q, K, V[:4]),
        ShapeError,
        "key and value must have the same number of rows n_k; got 7 and 4.",
    ),
    "mask turned": (
        lambda: attend(Q, K, V, mask=torch.ones(7, 3, dtype=torch.bool)),
        ShapeError,
        "mask must have shape (n_q, n_k)=(3, 7); got (7, 3).",
    ),
    "mask of numbers": (
        lambda: attend(Q, K, V, mask=torch.ones(3, 7)),
        SettingError,
        "mask must be booleans, True where a query may look; got torch.float32.",
    ),
    "ragged mask": (lambda: attend(Q, K, V, mask=[[True], [True] * 2]), ShapeError, "mask must"),
    "divisor 0": (
        lambda: attend(Q, K, V, divisor=0),
        SettingError,
        "divisor must be a finite number above 0; got 0.",
    ),
    "divisor below 0": (lambda: attend(Q, K, V, divisor=-2.5), SettingError, "got -2.5."),
    "divisor nan": (lambda: attend(Q, K, V, divisor=NAN), SettingError, "above 0; got nan."),
    "divisor inf": (lambda: attend(Q, K, V, divisor=INF), SettingError, "above 0; got inf."),
    "nan": (
        lambda: attend([[1.0, 2.0], [NAN, 4.0]], Q[:, :2], Q),
        SettingError,
        "query must be finite in float32; got nan in row 1, column 0.",
    ),
    "overflow": (
        lambda: attend(Q * 1e20, K * 1e20, V),
        SettingError,
        "scores / divisor must be finite in float32; got inf in row 0, column 0.",
    ),
    "overflow of the division": (
        lambda: attend(Q.double(), K.double(), V.double(), divisor=1e-320),
        SettingError,
        "scores / divisor must be finite in float64",
    ),
    "bias of another shape": (
        lambda: attend(Q, K, V, steps=[Bias(torch.ones(7, 3))]),
        ShapeError,
        "(3, 7)",
    ),
    "bias not finite": (
        lambda: attend(Q, K, V, steps=[Bias(torch.full((3, 7), -INF))]),
        SettingError,
        "must be finite",
    ),
    "soft-cap 0": (lambda: attend(0 * Q, K, V, steps=[SoftCap(0.0)]), SettingError, "must be"),
    "sink nan": (lambda: attend(Q, K, V, steps=[Sink(NAN)]), SettingError, "must be"),
    "logits nan": (
        lambda: softmax([[NAN, 1.0]]),
        SettingError,
        "logits must be numbers below infinity; got NaN or infinity.",
    ),
    "logits inf": (lambda: softmax([[INF, 1.0]]), SettingError, "logits must"),
    "jacobian of inf": (lambda: softmax_jacobian([[INF, 1.0]]), SettingError, "logits must"),
    "start": (
        lambda: random_head(5, 3, start="warm"),
        SettingError,
        "start must be one of gaussian, torch, positive, tied, heavy, layer_norm; got 'warm'.",
    ),
    "d_model": (lambda: random_head(0, 3), SettingError, "d_model must be in 1 … 16384; got 0."),
    "d_k": (lambda: random_head(5, 16385), SettingError, "d_k must be in 1 … 16384; got 16385."),
    "seed": (lambda: random_head(5, 3, seed=-1), SettingError, "seed must be in 0 … 4294967295;"),
    "wide layer_norm": (
        lambda: random_head(5, 7, start="layer_norm"),
        SettingError,
        "d_k must be at most d_model=5 when the start is layer_norm",
    ),
    "divisor word": (
        lambda: parse_divisor("x", d_k=4, d_model=8),
        SettingError,
        "divisor must be sqrt, own, 1, d_k, sqrt_d_model or a number in 0.000001 … 1000000; "
        "got 'x'.",
    ),
    "divisor words": (lambda: parse_divisor("-3", d_k=4, d_model=8), SettingError, "got '-3'."),
    "divisor 'nan'": (lambda: parse_divisor("nan", d_k=4, d_model=8), SettingError, "got 'nan'."),
    "divisor '1e999'": (lambda: parse_divisor("1e999", d_k=4, d_model=8), SettingError, "1e999"),
}


@pytest.mark.parametrize(("call", "error", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_messages(call, error, message):
    with pytest.raises(error, match=re.escape(message)) as caught:
        call()
    assert str(caught.value).endswith(".")


def test_the_docstring_is_the_tree():
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    assert {AttentionVizError, TextError, ShapeError, SettingError} <= set(kinds)
    for kind in kinds:
        assert issubclass(kind, AttentionVizError)
        assert issubclass(kind, ValueError)
        assert re.search(rf"\b{kind.__name__}\b", errors.__doc__)

"""Where exp leaves each type, against finfo, the neighbouring numbers and float64."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention_viz.errors import SettingError
from attention_viz.precision import (
    TYPES,
    Outcome,
    digits_lost,
    dtype_name,
    exp_range,
    is_subnormal,
    largest_error,
    outcome,
    smallest_subnormal,
    softmax_steps,
)

INF = math.inf


def row(*scores):
    return torch.tensor(scores, dtype=torch.float64)


def exact(scores):
    return torch.softmax(scores, dim=-1)


def both(scores, dtype):
    return [
        outcome(softmax_steps(scores, dtype=dtype, shifted=shifted), exact(scores))
        for shifted in (False, True)
    ]


@pytest.mark.parametrize("dtype", TYPES, ids=dtype_name)
def test_overflow_lies_between_two_neighbouring_numbers(dtype):
    found = exp_range(dtype)
    last, first = (torch.tensor(x, dtype=dtype) for x in (found.last_finite, found.first_infinite))
    assert torch.nextafter(last, torch.tensor(INF, dtype=dtype)) == first
    assert last.exp().isfinite()
    assert first.exp().isinf()
    # Against Python's own logarithm: half a step of the type lies between max and infinity.
    assert found.log_largest == math.log(torch.finfo(dtype).max)
    ulp = torch.finfo(dtype).eps * 2 ** math.floor(math.log2(last.item()))
    assert abs(last.item() - found.log_largest) <= ulp


@pytest.mark.parametrize("dtype", TYPES, ids=dtype_name)
def test_underflow_lies_between_two_neighbouring_numbers(dtype):
    found = exp_range(dtype)
    last, first = (torch.tensor(x, dtype=dtype) for x in (found.last_zero, found.first_above_zero))
    assert torch.nextafter(last, torch.tensor(INF, dtype=dtype)) == first
    assert last.exp() == 0
    assert first.exp() == smallest_subnormal(dtype)
    # The smallest number above 0: half of it is 0.
    smallest = torch.tensor(smallest_subnormal(dtype), dtype=dtype)
    assert smallest > 0
    assert torch.nextafter(torch.zeros((), dtype=dtype), smallest) == smallest


@pytest.mark.parametrize(
    ("dtype", "last", "log_largest"),
    [
        (torch.float16, 11.0859375, 11.0898),
        (torch.bfloat16, 88.5, 88.7189),
        (torch.float32, 88.72283172607422, 88.7228),
        (torch.float64, 709.782712893384, 709.7827),
    ],
)
def test_the_places_as_measured(dtype, last, log_largest):
    found = exp_range(dtype)
    assert found.last_finite == last
    assert found.log_largest == pytest.approx(log_largest, abs=1e-4)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_exp_and_sum_of_half_types_are_float32_rounded(dtype):
    """What the page says of torch on a CPU."""
    numbers = torch.linspace(-17, 11, 997).to(dtype)
    assert torch.equal(numbers.exp(), numbers.float().exp().to(dtype))
    shares = torch.linspace(0, 1, 997).to(dtype)
    assert_close(shares.sum(), shares.float().sum().to(dtype), rtol=0, atol=0)


@pytest.mark.parametrize("dtype", TYPES, ids=dtype_name)
@pytest.mark.parametrize("shifted", [False, True])
def test_steps_are_softmax_of_that_type(dtype, shifted, randn):
    scores = 2 * randn(7)
    steps = softmax_steps(scores, dtype=dtype, shifted=shifted)
    assert steps.scores.dtype == steps.exps.dtype == steps.weights.dtype == dtype
    assert steps.shift == (steps.scores.max().item() if shifted else 0)
    within = 4 * torch.finfo(dtype).eps
    assert_close(steps.weights.double(), exact(steps.scores.double()), rtol=0, atol=within)
    assert_close((steps.exps / steps.total).double(), steps.weights.double())
    assert outcome(steps, exact(scores)) is Outcome.RIGHT


@pytest.mark.parametrize(
    ("scores", "dtype", "naive", "shifted"),
    [
        ((12.0, 1.0), torch.float16, Outcome.EXP_OVERFLOW, Outcome.RIGHT),
        ((12.0, 1.0), torch.bfloat16, Outcome.RIGHT, Outcome.RIGHT),
        # Each exp is 59 874, below 65 504; their sum is not.
        ((11.0, 11.0), torch.float16, Outcome.SUM_OVERFLOW, Outcome.RIGHT),
        ((-20.0, -21.0), torch.float16, Outcome.UNDERFLOW, Outcome.RIGHT),
        ((-110.0, -111.0), torch.float32, Outcome.UNDERFLOW, Outcome.RIGHT),
        # exp lies where float32 has few digits left.
        ((-103.0, -102.0), torch.float32, Outcome.SUBNORMAL, Outcome.RIGHT),
        ((-17.0, -16.5), torch.float16, Outcome.SUBNORMAL, Outcome.RIGHT),
        ((-92.4, -91.9), torch.bfloat16, Outcome.SUBNORMAL, Outcome.RIGHT),
        ((-744.6, -744.0), torch.float64, Outcome.SUBNORMAL, Outcome.RIGHT),
        # exp is subnormal here too, but bfloat16 holds both scores as -88.
        ((-88.2, -87.8), torch.bfloat16, Outcome.ROUNDED, Outcome.ROUNDED),
        ((70_000.0, 69_999.0), torch.float16, Outcome.SCORE_OVERFLOW, Outcome.SCORE_OVERFLOW),
        # bfloat16 holds 1002, 1001 and 1000 as 1000.
        ((1002.0, 1001.0, 1000.0), torch.bfloat16, Outcome.EXP_OVERFLOW, Outcome.ROUNDED),
        ((800.0, 799.0), torch.float64, Outcome.EXP_OVERFLOW, Outcome.RIGHT),
        ((-800.0, -799.0), torch.float64, Outcome.UNDERFLOW, Outcome.RIGHT),
    ],
)
def test_outcomes(scores, dtype, naive, shifted):
    assert both(row(*scores), dtype) == [naive, shifted]


def test_a_sum_that_overflows_leaves_no_weight_at_all():
    steps = softmax_steps(row(11, 11), dtype=torch.float16, shifted=False)
    assert steps.exps.isfinite().all()
    assert steps.weights.tolist() == [0, 0]
    assert largest_error(steps, exact(row(11, 11))) == 0.5


def test_subnormal_is_below_the_normal_numbers_and_above_0():
    below = {-9.7: False, -9.71: True, -17.3: True, -17.4: False}  # ln 2^-14 and ln 2^-25
    for score, expected in below.items():
        steps = softmax_steps(row(score, score - 1), dtype=torch.float16, shifted=False)
        assert is_subnormal(steps) == expected, score


def test_lost_digits_are_those_of_exp_and_not_of_the_scores():
    held = softmax_steps(row(-88.2, -87.8), dtype=torch.bfloat16, shifted=False)
    assert digits_lost(held) == 0
    gradual = softmax_steps(row(-17, -16.5), dtype=torch.float16, shifted=False)
    assert digits_lost(gradual) == pytest.approx(1 / (1 + math.exp(-0.5)) - 0.5)


def test_the_smallest_subnormal_has_nothing_between_it_and_0():
    for dtype in TYPES:
        zero, one = torch.zeros((), dtype=dtype), torch.ones((), dtype=dtype)
        assert torch.nextafter(zero, one).item() == smallest_subnormal(dtype)


def test_no_score_is_a_sentence():
    with pytest.raises(SettingError, match="at least one score"):
        softmax_steps(row())

import math

import pytest

from attention_viz.errors import SettingError
from attention_viz.experiments.support import (
    COUNTS,
    SPREADS,
    freezing_d_k,
    measure_support,
    random_energy_entropy,
)
from attention_viz.jacobian import even_norm


@pytest.fixture(scope="module")
def support():
    return measure_support()


def at(support, table, spread, keys):
    return table[support.spreads.index(spread)][support.counts.index(keys)]


def test_the_number_of_keys_alone_does_not_undo_a_spread(support):
    for spread, keys, expected in ((8.0, 1024, 0.706), (8.0, 8, 0.875), (1.0, 1024, 0.0164)):
        one = at(support, support.peak, spread, keys)
        assert one.mean == pytest.approx(expected, abs=4 * one.error + 0.004)
    one = at(support, support.effective_support, 1.0, 1024)
    assert one.mean == pytest.approx(624, abs=4 * one.error)


def test_a_larger_spread_looks_at_less_and_more_keys_at_more(support):
    for n in range(len(COUNTS)):
        column = [row[n].mean for row in support.effective_support]
        assert column == sorted(column, reverse=True)
    for row in support.effective_support[:5]:
        means = [one.mean for one in row]
        assert means == sorted(means)


def test_effective_tokens_lie_between_1_and_n(support):
    assert len(support.effective_support) == len(SPREADS)
    for row in support.effective_support:
        for one, n in zip(row, COUNTS, strict=True):
            assert 1 <= one.low <= one.high <= n + 1e-9


@pytest.mark.parametrize(
    ("spread", "nats"), [(1, 6.431), (2, 4.931), (4, 0), (math.sqrt(2 * math.log(1024)), 0)]
)
def test_the_random_energy_model(spread, nats):
    assert random_energy_entropy(spread, 1024) == pytest.approx(nats, abs=5e-4)


def test_it_freezes_where_its_entropy_is_0():
    assert freezing_d_k(1024) == pytest.approx(13.863, abs=1e-3)
    assert random_energy_entropy(math.sqrt(freezing_d_k(1024) * 0.99), 1024) > 0


def test_the_random_energy_model_of_8_keys_is_below_what_is_measured():
    assert random_energy_entropy(1, 8) == pytest.approx(1.579, abs=1e-3)


def test_c16_the_jacobian_of_even_weights():
    assert even_norm(4) == pytest.approx(0.4330127, abs=1e-7)


def test_no_law_of_one_key():
    with pytest.raises(SettingError, match="keys must be in 2"):
        random_energy_entropy(1, 1)

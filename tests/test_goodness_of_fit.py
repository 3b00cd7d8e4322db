"""The bounds that fresh draws are held against: never too small for a right sampler, small for a wrong one."""

import numpy as np
import pytest
from scipy.stats import chi2, poisson

from tests.goodness_of_fit import ALPHA, FALSE_ALARMS_PER_RUN, MOST_CALLS, p_value_bound, smallest_binomial_p_value

SHARES = [np.full(6, 1 / 6), np.array([0.9, 0.0999, 0.0001]), 0.5 ** np.arange(1, 40) / (1 - 0.5**39)]


@pytest.mark.parametrize("shares", SHARES, ids=["dice", "rare", "falling"])
def test_right_draws_get_a_small_value_no_more_often_than_it_says(shares):
    rng = np.random.default_rng(0)
    found = np.array([p_value_bound(rng.multinomial(10_000, shares), 10_000 * shares) for _ in range(400)])
    for alpha in (0.001, 0.01, 0.1):
        assert (found <= alpha).mean() <= alpha


def test_the_tail_of_two_cells_is_bounded_where_it_can_be_added_up():
    # n draws, a cell of expectation 5 and the rest: its count is as good as Poisson, whose tail is known.
    expected = np.array([5.0, 999_995.0])
    for count in (17, 20, 30, 40):
        tail = poisson.sf(count - 1, 5.0)
        assert p_value_bound(np.array([count, 1_000_000 - count]), expected) >= tail
        # What χ² would say is too small.
        assert chi2.sf((count - 5) ** 2 / 5, 1) < tail


def test_a_die_that_is_wrong_by_one_percent_is_seen():
    fair = np.full(6, 1 / 6)
    loaded = np.array([1.01, 0.998, 0.998, 0.998, 0.998, 0.998]) / 6
    right, wrong = (np.random.default_rng(1).multinomial(4_000_000, shares) for shares in (fair, loaded))
    assert p_value_bound(right, 4_000_000 * fair) > 0.01
    assert p_value_bound(wrong, 4_000_000 * fair) < ALPHA


def test_something_impossible_or_missing_is_named():
    with pytest.raises(AssertionError, match="something impossible was drawn"):
        p_value_bound(np.array([9, 1]), np.array([10.0, 0.0]))
    with pytest.raises(AssertionError, match="as many must be expected"):
        p_value_bound(np.array([9, 1]), np.array([5.0, 4.0]))


def test_one_wrong_count_among_many_is_seen_and_chance_is_not():
    rng = np.random.default_rng(2)
    p = np.full(64, 0.01)
    hits = rng.binomial(1_000_000, p)
    assert smallest_binomial_p_value(hits, 1_000_000, p) > 0.01
    hits[7] += 700  # seven standard deviations
    assert smallest_binomial_p_value(hits, 1_000_000, p) < ALPHA


def test_the_rate_is_once_in_ten_thousand_runs():
    assert MOST_CALLS * ALPHA == pytest.approx(FALSE_ALARMS_PER_RUN) == 1e-4

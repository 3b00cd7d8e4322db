"""k-RR: the numbers a device draws from, and the reports it makes of them."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from spatialldp import tables
from spatialldp.oracles import RandomizedResponse
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value
from tests.scripted_draws import Script, telling


def test_the_probabilities_are_the_textbooks():
    oracle, e = RandomizedResponse(1.4, 7), math.exp(1.4)
    assert oracle.p == pytest.approx(e / (e + 6), rel=1e-14)
    assert oracle.q == pytest.approx(1 / (e + 6), rel=1e-14)
    assert oracle.gap == pytest.approx((e - 1) / (e + 6), rel=1e-14)
    likelihoods = oracle.likelihoods(np.arange(7))
    np.testing.assert_allclose(likelihoods, np.where(np.eye(7) == 1, oracle.p, oracle.q), rtol=1e-14)
    np.testing.assert_allclose(likelihoods.sum(axis=0), 1.0, rtol=1e-14)


def test_a_small_epsilon_does_not_cancel():
    oracle = RandomizedResponse(1e-12, 4)
    assert oracle.gap == pytest.approx(0.25e-12, rel=1e-11)
    assert oracle.variance(1) == pytest.approx(3 / 1e-24, rel=1e-9)  # (e^ε + m − 2)/(e^ε − 1)² with m = 4


@pytest.mark.parametrize(("epsilon", "m"), [(0.7, 2), (2.0, 5), (50.0, 3), (1e-17, 4)])
def test_the_weights_count_the_numbers_that_decode_to_each_report(epsilon, m):
    oracle = RandomizedResponse(epsilon, m)
    table = oracle.table
    for value in range(m):
        # Between two borders all numbers mean one report: count them by their ends.
        starts = sorted({0, *(table.far * i for i in range(m + 1)), table.total})
        counted = [0] * m
        for start, end in pairwise(starts):
            (report,) = table.decode(start, value)
            assert table.decode(end - 1, value) == (report,)
            counted[report] += end - start
        assert counted == oracle.device_weights(value).tolist()
    assert oracle.largest_ratio() == table.largest_ratio()
    pairs = [oracle.device_weights(value) for value in range(m)]
    every = [
        Fraction(int(a), int(b)) for first in pairs for second in pairs for a, b in zip(first, second, strict=True)
    ]
    assert oracle.largest_ratio() == max(every)


def test_reports_are_what_the_table_makes_of_the_numbers(monkeypatch):
    oracle = RandomizedResponse(1.2, 6)
    u = telling(oracle.table)
    values = np.arange(u.size) % 6
    script = Script(u)
    monkeypatch.setattr(tables, "uniform_below", script)
    reports = oracle.randomize(values)
    assert script.totals == [oracle.table.total]
    assert reports.tolist() == [oracle.table.decode(int(n), int(v))[0] for n, v in zip(u, values, strict=True)]


def test_both_samplers_draw_from_the_probabilities():
    oracle = RandomizedResponse(1.1, 6)
    expected = DRAWS * oracle.likelihoods(np.arange(6), [4])[:, 0]
    drawn = oracle.aggregate(oracle.randomize(np.full(DRAWS, 4), np.random.default_rng(0)))
    assert drawn.users == DRAWS
    assert chi_square_p_value(drawn.counts, expected) > ALPHA
    people = np.bincount([4] * DRAWS, minlength=6)
    perturbed = oracle.perturb(people, np.random.default_rng(1))
    assert perturbed.users == perturbed.counts.sum() == DRAWS
    assert chi_square_p_value(perturbed.counts, expected) > ALPHA
    mutant = RandomizedResponse(1.1 * 1.175, 6)
    assert chi_square_p_value(mutant.perturb(people, np.random.default_rng(1)).counts, expected) < ALPHA


def test_expected_shares_are_turned_back_into_the_truth():
    oracle = RandomizedResponse(0.4, 5)
    truth = np.array([0.5, 0.3, 0.2, 0.0, 0.0])
    shares = oracle.likelihoods(np.arange(5)) @ truth
    np.testing.assert_allclose(oracle.frequencies(shares), truth, atol=1e-14)

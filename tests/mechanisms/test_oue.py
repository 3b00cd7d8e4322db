"""OUE over the cells of a map."""

import math
from itertools import product

import numpy as np
import pytest

from spatialldp import OUE, wasserstein2
from spatialldp.datasets import SYNTHETIC
from spatialldp.mechanisms import InclusionCounts
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value


@pytest.mark.parametrize("epsilon", [0.7, 2.0])
def test_oue_draws_every_row_of_bits_as_often_as_it_should(epsilon):
    mechanism = OUE(epsilon, 2)
    q = 1 / (math.exp(epsilon) + 1)
    bits = mechanism.randomize(np.full(DRAWS, 1), np.full(DRAWS, 0), np.random.default_rng(0))
    observed = np.bincount(bits @ (8, 4, 2, 1), minlength=16)
    expected = [
        DRAWS * 0.5 * math.prod(q if bit else 1 - q for cell, bit in enumerate(row) if cell != 2)
        for row in product((0, 1), repeat=4)
    ]
    assert chi_square_p_value(observed, np.array(expected)) > ALPHA
    assert chi_square_p_value(observed, np.array(expected)[::-1]) < ALPHA


def test_oue_perturb_has_the_mean_and_variance_of_its_bits():
    mechanism = OUE(1.4, 6)
    counts = np.random.default_rng(0).integers(0, 3_000, (6, 6))
    users = counts.sum()
    q = 1 / (math.exp(1.4) + 1)
    mean = counts * 0.5 + (users - counts) * q
    deviation = np.sqrt(counts * 0.25 + (users - counts) * q * (1 - q))
    rng = np.random.default_rng(1)
    scores = np.array([(mechanism.perturb(counts, rng).counts - mean) / deviation for _ in range(300)])
    assert abs(scores.mean()) < 5 / math.sqrt(scores.size)
    assert scores.std() == pytest.approx(1.0, abs=5 / math.sqrt(2 * scores.size))
    bits = mechanism.randomize(*np.divmod(np.repeat(np.arange(36), counts.ravel()), 6), np.random.default_rng(2))
    total = mechanism.aggregate(bits)
    assert total.users == users
    assert np.abs((total.counts - mean) / deviation).max() < 5


def test_oue_recovers_a_large_crowd_and_shows_shares():
    recipe = SYNTHETIC["mnormal"]
    counts = recipe.grid(8).bin(*recipe.points(0)).counts
    mechanism = OUE(3.0, 8)
    reports = mechanism.perturb(counts, np.random.default_rng(0))
    assert wasserstein2(counts, mechanism.estimate(reports).distribution) < 0.3
    np.testing.assert_array_equal(mechanism.report_map(reports).values, reports.counts / reports.users)
    likelihoods = mechanism.likelihoods(np.eye(3, 64, dtype=int), [0, 5])
    assert likelihoods[0, 0] / likelihoods[0, 1] == pytest.approx(math.exp(3.0))


def test_bad_reports_are_named():
    mechanism = OUE(1.0, 3)
    with pytest.raises(ValueError, match=r"reports must hold bits 0 and 1, got values from 0 to 2"):
        mechanism.aggregate(np.full((1, 9), 2) * np.eye(1, 9, dtype=int))
    with pytest.raises(ValueError, match=r"reports must be an integer array of shape \(n, 9\)"):
        mechanism.aggregate(np.zeros((2, 4), dtype=int))
    with pytest.raises(ValueError, match=r"users must be a whole number ≥ 1, got 0"):
        mechanism.estimate(InclusionCounts(np.zeros((3, 3), dtype=int), 0))
    with pytest.raises(ValueError, match=r"OUE\(.* outputs, too many for a matrix"):
        mechanism.transition_matrix()

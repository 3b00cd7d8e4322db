"""k-RR and OUE, the general-purpose mechanisms."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spatialldp import KRR, OUE, wasserstein2
from spatialldp.datasets import SYNTHETIC
from spatialldp.estimation import on_simplex
from spatialldp.mechanisms import InclusionCounts
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value


@pytest.mark.parametrize(("epsilon", "d"), [(0.5, 2), (3.5, 5), (9.0, 15)])
def test_krr_has_its_textbook_probabilities(epsilon, d):
    mechanism, m = KRR(epsilon, d), d * d
    p = math.exp(epsilon) / (math.exp(epsilon) + m - 1)
    assert mechanism.p == pytest.approx(p, rel=1e-14)
    expected = np.full((m, m), (1 - p) / (m - 1))
    np.fill_diagonal(expected, p)
    np.testing.assert_allclose(mechanism.transition_matrix(), expected, rtol=1e-12)


def test_krr_estimates_without_bias_by_inversion_and_by_em():
    recipe = SYNTHETIC["normal"]
    counts = recipe.grid(8).bin(*recipe.points(0)).counts
    mechanism = KRR(3.0, 8)
    reports = mechanism.perturb(counts, np.random.default_rng(0))
    inverse, em = mechanism.estimate(reports), mechanism.estimate(reports, "adaptive")
    assert (inverse.stopping, em.stopping) == ("closed form", "adaptive")
    for estimate in (inverse, em):
        assert estimate.distribution.min() >= 0
        assert estimate.distribution.sum() == pytest.approx(1.0)
        assert wasserstein2(counts, estimate.distribution) < 0.3
    # Expected reports are inverted exactly.
    truth = np.random.default_rng(1).dirichlet(np.ones(64)).reshape(8, 8)
    expected = (truth.ravel() @ mechanism.transition_matrix()).reshape(8, 8)
    np.testing.assert_allclose(mechanism.estimate(expected).distribution, truth, atol=1e-12)
    assert KRR(1.0, 1).estimate([[3]]).distribution.tolist() == [[1.0]]
    # Options of EM ask for EM: a mask is honoured.
    western = np.arange(8)[:, None].repeat(8, axis=1) < 4
    masked = mechanism.estimate(reports, mask=western)
    assert masked.stopping == "adaptive"
    assert masked.distribution[~western].sum() == 0


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


@given(values=st.lists(st.floats(-5, 5), min_size=1, max_size=30))
def test_projection_on_the_simplex_is_the_nearest_distribution(values):
    v = np.array(values)
    p = on_simplex(v)
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1.0)
    # Optimality: the gradient v − p is the same wherever p > 0, and no larger where p = 0.
    gradient = v - p
    assert np.ptp(gradient[p > 1e-12]) < 1e-9
    assert (gradient[p <= 1e-12] <= gradient[p > 1e-12].max() + 1e-9).all()


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

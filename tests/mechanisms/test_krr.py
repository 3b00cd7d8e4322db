"""k-RR over the cells of a map."""

import math

import numpy as np
import pytest

from spatialldp import KRR, wasserstein2
from spatialldp.datasets import SYNTHETIC
from spatialldp.mechanisms import SAM, Mechanism
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


def test_krr_is_no_disk_and_has_no_radius():
    mechanism = KRR(2.0, 4)
    assert not isinstance(mechanism, SAM)
    assert not hasattr(mechanism, "b")
    assert mechanism.n_outputs == 16
    assert mechanism.output_cells.tolist() == [[ix, iy] for ix in range(4) for iy in range(4)]
    assert repr(mechanism) == "KRR(epsilon=2, d=4)"


def test_krr_reports_are_cells_drawn_from_the_matrix():
    mechanism = KRR(1.4, 4)
    row = mechanism.transition_matrix()[2 * 4 + 1]
    reports = mechanism.randomize(np.full(DRAWS, 2), np.full(DRAWS, 1), np.random.default_rng(3))
    assert reports.shape == (DRAWS, 2)
    counted = mechanism.aggregate(reports)
    assert chi_square_p_value(counted.ravel(), DRAWS * row) > ALPHA
    assert chi_square_p_value(counted.T.ravel(), DRAWS * row) < ALPHA
    people = np.zeros((4, 4), dtype=int)
    people[2, 1] = DRAWS
    perturbed = mechanism.perturb(people, np.random.default_rng(4))
    assert perturbed.shape == (4, 4)
    assert chi_square_p_value(perturbed.ravel(), DRAWS * row) > ALPHA
    wrong = KRR(1.4 * 1.175, 4).perturb(people, np.random.default_rng(4))
    assert chi_square_p_value(wrong.ravel(), DRAWS * row) < ALPHA


@pytest.mark.parametrize("d", [4, 13])
def test_krr_operator_and_likelihoods_are_its_matrix(d):
    # 13⁴ entries are too many for a dense operator, 4⁴ are not.
    mechanism = KRR(2.0, d)
    matrix = mechanism.transition_matrix()
    x, r = np.random.default_rng(0).random((2, d, d))
    np.testing.assert_allclose(mechanism.operator.forward(x).ravel(), x.ravel() @ matrix, rtol=1e-12)
    np.testing.assert_allclose(mechanism.operator.backward(r).ravel(), matrix @ r.ravel(), rtol=1e-12)
    np.testing.assert_array_equal(mechanism.likelihoods(mechanism.output_cells), matrix.T)
    np.testing.assert_array_equal(mechanism.likelihoods([[1, 2], [0, 0]], [3, d + 2])[:, 1], [mechanism.p, mechanism.q])


def test_krr_loses_the_same_between_any_two_cells():
    mechanism = KRR(1.3, 3)
    expected = Mechanism.device_losses_from(mechanism, 4)
    np.testing.assert_allclose(mechanism.device_losses_from(4), expected, rtol=1e-12)
    assert mechanism.device_losses_from(4)[4] == 0


def test_bad_reports_of_krr_are_named():
    mechanism = KRR(1.0, 3)
    with pytest.raises(ValueError, match=r"reports must be cells 0 to 2 for KRR.*got \(1, 3\)"):
        mechanism.aggregate([[0, 0], [1, 3]])
    with pytest.raises(ValueError, match=r"reports must be cells 0 to 2 for KRR.*got \(-1, 0\)"):
        mechanism.likelihoods([[-1, 0]])
    with pytest.raises(ValueError, match=r"reports must have shape \(3, 3\)"):
        mechanism.estimate(np.ones((5, 5)))

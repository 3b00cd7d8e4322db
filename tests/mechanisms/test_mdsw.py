"""MDSW: the authors' matrices, both samplers, and what a product of marginals can and cannot do."""

import math

import numpy as np
import pytest

from spatialldp import MDSW, wasserstein2
from spatialldp.datasets import SYNTHETIC
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value
from tests.golden import authors


@pytest.mark.parametrize("row", authors()["mdsw"], ids=lambda r: f"eps{r['eps']}-d{r['d']}")
def test_the_marginal_equals_the_authors(row):
    mechanism = MDSW(row["eps"], row["d"])
    assert mechanism.b == row["b"]
    assert mechanism.q == pytest.approx(row["q"], rel=1e-12)
    np.testing.assert_allclose(mechanism.marginal_matrix(), row["matrix_out_by_in"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("epsilon", [1e-3, 0.05, 0.7, 3.5, 12.0])
@pytest.mark.parametrize("d", [1, 2, 7, 20])
def test_rows_are_distributions_and_the_loss_is_epsilon(epsilon, d):
    mechanism = MDSW(epsilon, d)
    matrix = mechanism.transition_matrix()
    assert matrix.shape == (d * d, 2 * (d + 2 * mechanism.b)) == (d * d, mechanism.n_outputs)
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, atol=1e-12)
    assert np.log(matrix.max(axis=0) / matrix.min(axis=0)).max() <= epsilon + 1e-12


def test_the_half_width_follows_the_formula():
    for epsilon, d in [(0.7, 20), (1.4, 30), (3.5, 50), (5.0, 100)]:
        e = math.exp(epsilon)
        expected = math.floor(d * ((epsilon - 1) * e + 1) / (2 * e * (e - 1 - epsilon)))
        assert MDSW(epsilon, d).b == expected
    assert MDSW(1e-3, 1000).b == 499  # the limit is half the domain


@pytest.mark.parametrize("mechanism", [MDSW(0.7, 6), MDSW(3.5, 5)], ids=repr)
@pytest.mark.parametrize("cell", [(0, 0), (2, 4)])
def test_both_samplers_draw_from_the_matrix(mechanism, cell):
    expected = DRAWS * mechanism.transition_matrix()[cell[0] * mechanism.d + cell[1]]
    counts = np.zeros((mechanism.d, mechanism.d), dtype=int)
    counts[cell] = DRAWS
    perturbed = mechanism.perturb(counts, np.random.default_rng(0))
    assert chi_square_p_value(perturbed.ravel(), expected) > ALPHA
    reports = mechanism.randomize(np.full(DRAWS, cell[0]), np.full(DRAWS, cell[1]), np.random.default_rng(1))
    assert chi_square_p_value(mechanism.aggregate(reports).ravel(), expected) > ALPHA
    mutant = MDSW(mechanism.epsilon * 1.175, mechanism.d)
    if mutant.b == mechanism.b:
        wrong = mutant.perturb(counts, np.random.default_rng(2))
        assert chi_square_p_value(wrong.ravel(), expected) < ALPHA


def test_likelihoods_are_the_columns_of_the_matrix():
    mechanism = MDSW(1.0, 5)
    size = 5 + 2 * mechanism.b
    reports = np.array([(axis, value - mechanism.b) for axis in (0, 1) for value in range(size)])
    np.testing.assert_array_equal(mechanism.likelihoods(reports), mechanism.transition_matrix().T)
    np.testing.assert_array_equal(mechanism.likelihoods(reports, [3, 7]), mechanism.transition_matrix().T[:, [3, 7]])


def test_independent_coordinates_are_recovered_and_correlation_is_lost():
    rng = np.random.default_rng(0)
    independent = np.outer(np.arange(1, 11), np.arange(10, 0, -1)) * 400
    diagonal = np.eye(10, dtype=int) * 20_000
    mechanism = MDSW(3.5, 10)
    reports = [mechanism.perturb(counts, rng) for counts in (independent, diagonal)]
    assert wasserstein2(independent, mechanism.estimate(reports[0], smoothing=False).distribution) < 0.15
    # Smoothing flattens the ends of so small a grid: the price of the default.
    assert wasserstein2(independent, mechanism.estimate(reports[0]).distribution) < 0.5
    assert wasserstein2(diagonal, mechanism.estimate(reports[1], smoothing=False).distribution) > 3


def test_smoothing_is_the_default_and_em_the_option():
    recipe = SYNTHETIC["normal"]
    counts = recipe.grid(15).bin(*recipe.points(0, 50_000)).counts
    mechanism = MDSW(2.1, 15)
    reports = mechanism.perturb(counts, np.random.default_rng(3))
    smooth, plain = mechanism.estimate(reports), mechanism.estimate(reports, smoothing=False)
    for estimate in (smooth, plain):
        assert estimate.distribution.sum() == pytest.approx(1.0)
        # A product of two marginals has rank one.
        assert np.linalg.matrix_rank(estimate.distribution, tol=1e-12) == 1
    roughness = [np.abs(np.diff(e.distribution.sum(axis=1), 2)).sum() for e in (smooth, plain)]
    assert roughness[0] < roughness[1]
    mask = np.ones((15, 15), dtype=bool)
    mask[3:6] = False
    assert mechanism.estimate(reports, mask=mask).distribution[~mask].sum() == 0


def test_a_single_user_is_no_error_and_the_map_shows_two_strips():
    mechanism = MDSW(1.0, 8)
    counts = np.zeros((8, 8), dtype=int)
    counts[1, 6] = 1
    reports = mechanism.perturb(counts, np.random.default_rng(0))
    assert reports.sum() == 1
    assert mechanism.estimate(reports).distribution.sum() == pytest.approx(1.0)
    picture = mechanism.report_map(np.arange(2 * (8 + 2 * mechanism.b)).reshape(2, -1) + 1)
    margin = -picture.origin[0]
    assert picture.values.shape == (8 + 2 * margin,) * 2
    assert np.isnan(picture.values[margin : margin + 8, margin : margin + 8]).all()
    assert picture.values[margin, 0] == mechanism.b + 1  # column 0 of the x marginal
    assert picture.values[0, margin] == 8 + 2 * mechanism.b + mechanism.b + 1


def test_bad_reports_are_named():
    mechanism = MDSW(3.5, 5)
    with pytest.raises(ValueError, match=r"reports must be \(axis 0 or 1, value .* got \(2, 0\)"):
        mechanism.aggregate([[0, 0], [2, 0]])
    with pytest.raises(ValueError, match=r"reports must be an integer array of shape \(n, 2\)"):
        mechanism.aggregate([[0, 0, 0]])
    with pytest.raises(ValueError, match=r"reports must have shape \(2, 5\)"):
        mechanism.estimate(np.ones((5, 5)))

"""Planar Laplace: the textbook noise, its discretised kernel, and the operator that folds it onto the grid."""

import math

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.stats import kstest

from spatialldp import PlanarLaplace, wasserstein2
from spatialldp.datasets import SYNTHETIC
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value


def radius_score(radii: np.ndarray, epsilon: float) -> float:
    """How many standard errors the mean radius is off 2/ε; a Gamma(2, 1/ε) has the deviation √2/ε."""
    return abs(radii.mean() - 2 / epsilon) / (math.sqrt(2) / epsilon / math.sqrt(radii.size))


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
def test_the_mean_radius_is_two_over_epsilon_in_all_directions(epsilon):
    offsets = PlanarLaplace(epsilon, 10).draw_offsets(DRAWS, np.random.default_rng(0))
    radii = np.hypot(offsets[:, 0], offsets[:, 1])
    assert radius_score(radii, epsilon) < 5
    angles = np.arctan2(offsets[:, 1], offsets[:, 0])
    assert kstest(angles, "uniform", (-math.pi, 2 * math.pi)).pvalue > ALPHA
    assert np.abs(offsets.mean(axis=0)).max() < 5 * math.sqrt(3) / epsilon / 1000


def test_an_exponential_radius_is_rejected():
    radii = np.random.default_rng(0).exponential(1.0, DRAWS)
    assert radius_score(radii, 1.0) > 100


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_the_kernel_is_the_integral_of_the_density(epsilon):
    mechanism = PlanarLaplace(epsilon, 6)

    def density(y: float, x: float) -> float:
        return epsilon**2 / (2 * math.pi) * math.exp(-epsilon * math.hypot(x, y))

    for dx, dy in [(0, 0), (1, 0), (1, 1), (3, 2), (5, 5)]:
        # The cusp is at a corner of each quarter of the centre cell, where the rule does not look.
        pieces = [(dx - 0.5, dx), (dx, dx + 0.5)], [(dy - 0.5, dy), (dy, dy + 0.5)]
        expected = sum(dblquad(density, *x, *y, epsabs=1e-12)[0] for x in pieces[0] for y in pieces[1])
        assert mechanism.kernel[6 + dx, 6 + dy] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 3.0, 10.0, 60.0])
@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_quadrature_and_tails_add_up_to_one(epsilon, d):
    mechanism = PlanarLaplace(epsilon, d)
    # The parts before normalisation: the cell of the cusp, all others by quadrature, and the tails.
    parts = mechanism._centre_cell() + 4 * sum(
        mechanism._integral(dx, dy) for dx in range(1, d + 1) for dy in range(d + 1)
    )
    assert parts == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(mechanism.transition_matrix().sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("cell", [(0, 0), (0, 3), (3, 3)])
def test_samplers_and_the_textbook_noise_draw_from_the_matrix(epsilon, cell):
    mechanism = PlanarLaplace(epsilon, 7)
    expected = DRAWS * mechanism.transition_matrix()[cell[0] * 7 + cell[1]]
    counts = np.zeros((7, 7), dtype=int)
    counts[cell] = DRAWS
    assert chi_square_p_value(mechanism.perturb(counts, np.random.default_rng(0)).ravel(), expected) > ALPHA
    reports = mechanism.randomize(np.full(DRAWS, cell[0]), np.full(DRAWS, cell[1]), np.random.default_rng(2))
    assert chi_square_p_value(mechanism.aggregate(reports).ravel(), expected) > ALPHA
    # Independent of the quadrature: continuous noise around the centre, rounded and clamped.
    noisy = np.rint(mechanism.draw_offsets(DRAWS, np.random.default_rng(1)) + cell)
    clamped = np.clip(noisy, 0, 6).astype(int)
    observed = np.bincount(clamped[:, 0] * 7 + clamped[:, 1], minlength=49)
    assert chi_square_p_value(observed, expected) > ALPHA


@pytest.mark.parametrize("d", [1, 2, 3, 9, 16])
@pytest.mark.parametrize("epsilon", [0.05, 0.8, 6.0])
def test_the_folded_operator_equals_the_matrix(d, epsilon):
    mechanism = PlanarLaplace(epsilon, d)
    matrix = mechanism.transition_matrix()
    rng = np.random.default_rng(0)
    x, r = rng.random((2, 3, d, d))
    forward, backward = mechanism.operator.forward(x), mechanism.operator.backward(r)
    np.testing.assert_allclose(forward.reshape(3, -1), x.reshape(3, -1) @ matrix, rtol=0, atol=1e-12 * forward.max())
    np.testing.assert_allclose(backward.reshape(3, -1), r.reshape(3, -1) @ matrix.T, rtol=0, atol=1e-12)


def test_epsilon_per_metre_is_epsilon_per_cell_times_the_cell():
    metres = PlanarLaplace(0.002, 8, cell_size_m=500.0)
    cells = PlanarLaplace(1.0, 8)
    assert metres.epsilon_per_cell == 1.0
    np.testing.assert_array_equal(metres.kernel, cells.kernel)
    assert repr(metres) == "PlanarLaplace(epsilon=0.002, d=8, cell_size_m=500)"
    with pytest.raises(ValueError, match=r"cell_size_m must be a finite number and > 0, got 0"):
        PlanarLaplace(1.0, 8, cell_size_m=0)
    with pytest.raises(ValueError, match=r"epsilon × cell_size_m must be .* got 500"):
        PlanarLaplace(1.0, 8, cell_size_m=500.0)


def test_em_recovers_the_map():
    recipe = SYNTHETIC["mnormal"]
    counts = recipe.grid(12).bin(*recipe.points(0)).counts
    mechanism = PlanarLaplace(1.0, 12)
    reports = mechanism.perturb(counts, np.random.default_rng(0))
    estimate = mechanism.estimate(reports)
    assert wasserstein2(counts, estimate.distribution) < 0.5 * wasserstein2(counts, reports)
    assert mechanism.report_map(reports).values.sum() == counts.sum()
    with pytest.raises(ValueError, match=r"reports must be cells 0 to 11"):
        mechanism.aggregate([[0, 12]])

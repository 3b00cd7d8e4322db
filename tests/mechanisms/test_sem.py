"""SEM-Geo-I: the authors' numbers, enumeration on small grids, and sizes at which counting subsets overflows."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spatialldp import SEMGeoI, wasserstein2
from spatialldp.datasets import SYNTHETIC
from spatialldp.mechanisms import InclusionCounts
from spatialldp.mechanisms.sem import mean_distance
from tests.cells import distances
from tests.chi_square import ALPHA, DRAWS, chi_square_p_value
from tests.golden import authors

GOLDEN = [row for row in authors()["sem_geo_i"] if row["d"] > 1]


def table_of_probabilities(epsilon: float, d: int, k: int) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """All subsets and P(subset or null | cell) by the definition, listing every subset."""
    distance = distances(d)
    subsets = list(combinations(range(d * d), k))
    weight = np.array(
        [[math.exp(-epsilon * min(distance[x, s] for s in subset)) for subset in subsets] for x in range(d * d)]
    )
    mass = weight.sum(axis=1)
    omega = max(
        (math.exp(epsilon * distance[i, j]) * mass[i] - mass[j]) / (math.exp(epsilon * distance[i, j]) - 1)
        for i in range(d * d)
        for j in range(d * d)
        if i != j
    )
    return subsets, np.hstack([weight / omega, 1 - mass[:, None] / omega])


@pytest.mark.parametrize("row", GOLDEN, ids=lambda r: f"eps{r['eps']}-d{r['d']}")
def test_size_masses_and_omega_equal_the_authors(row):
    mechanism = SEMGeoI(row["eps"], row["d"])
    subsets = math.comb(row["d"] ** 2, row["k"])
    assert mechanism.k == row["k"]
    np.testing.assert_allclose(mechanism.masses.ravel() * subsets, row["mass"], rtol=1e-10)
    assert mechanism.omega * subsets == pytest.approx(row["omega"], rel=1e-10)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda r: f"eps{r['eps']}-d{r['d']}")
def test_probabilities_equal_the_authors(row):
    mechanism = SEMGeoI(row["eps"], row["d"])
    listed = {subset: i for i, subset in enumerate(combinations(range(row["d"] ** 2), mechanism.k))}
    listed[()] = len(listed)  # their name for the null
    order = [listed[tuple(sorted(subset))] for subset in row["prob"]["subsets"]]
    ours = mechanism.transition_matrix()[:, order]
    np.testing.assert_allclose(ours, row["prob"]["P_in_by_subset"], rtol=1e-10, atol=1e-15)


def test_mean_distance_is_that_of_all_ordered_pairs():
    for d in (2, 3, 7):
        distance = distances(d)
        assert mean_distance(d) == pytest.approx(distance.sum() / (d**2 * (d**2 - 1)), rel=1e-14)


@pytest.mark.parametrize(
    ("epsilon", "d", "k"), [(0.3, 2, None), (1.0, 3, None), (0.5, 3, 4), (0.7, 4, None), (0.2, 4, 3)]
)
def test_the_matrix_and_the_inclusion_table_equal_enumeration(epsilon, d, k):
    mechanism = SEMGeoI(epsilon, d, k)
    subsets, table = table_of_probabilities(epsilon, d, mechanism.k)
    np.testing.assert_allclose(mechanism.transition_matrix(), table, rtol=1e-11, atol=1e-15)
    holds = np.zeros((len(subsets), d * d))
    for i, subset in enumerate(subsets):
        holds[i, list(subset)] = 1
    np.testing.assert_allclose(mechanism.inclusion_rows(np.arange(d * d)), table[:, :-1] @ holds, rtol=1e-11)


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.7, 1.5, 3.5])
@pytest.mark.parametrize("d", [2, 3, 4])
def test_it_is_geo_indistinguishable_nulls_included(epsilon, d):
    matrix = SEMGeoI(epsilon, d).transition_matrix()
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, atol=1e-12)
    bound = np.exp(epsilon * distances(d)) * (1 + 1e-10)
    for i in range(d * d):
        for j in range(d * d):
            # An absolute 1e-15 for the null where it is impossible: 1 − mass/Ω rounds there.
            assert (matrix[i] <= bound[i, j] * matrix[j] + 1e-15).all()


@pytest.mark.parametrize(
    ("epsilon", "d", "k"), [(0.3, 2, None), (0.9, 3, None), (0.3, 3, None), (0.4, 3, 6), (2.5, 3, 1)]
)
@pytest.mark.parametrize("cell", [0, 1])
def test_the_sampler_draws_every_subset_as_often_as_it_should(epsilon, d, k, cell):
    mechanism = SEMGeoI(epsilon, d, k)
    subsets, table = table_of_probabilities(epsilon, d, mechanism.k)
    index = {subset: i for i, subset in enumerate(subsets)} | {(-1,) * mechanism.k: len(subsets)}
    reports = mechanism.randomize(np.full(DRAWS, cell // d), np.full(DRAWS, cell % d), np.random.default_rng(5))
    kinds, counts = np.unique(reports, axis=0, return_counts=True)
    observed = np.zeros(len(subsets) + 1)
    observed[[index[tuple(kind)] for kind in kinds.tolist()]] = counts
    expected = np.maximum(table[cell], 0) * DRAWS
    expected[expected < 1e-6] = 0  # a null that is impossible up to rounding
    assert chi_square_p_value(observed, expected) > ALPHA
    stronger = table_of_probabilities(epsilon * 1.175, d, mechanism.k)[1][cell] * DRAWS
    assert chi_square_p_value(observed, np.maximum(stronger, 1e-9)) < ALPHA


@pytest.mark.parametrize(("epsilon", "k"), [(0.05, None), (0.3, None), (1.0, None), (0.2, 60)])
def test_perturb_names_each_cell_as_often_as_the_inclusion_table_says(epsilon, k):
    mechanism = SEMGeoI(epsilon, 9, k)
    users = 200_000
    counts = np.zeros((9, 9), dtype=int)
    counts[2, 5] = users
    named, total = mechanism.perturb(counts, np.random.default_rng(1))
    assert total == users
    share = mechanism.inclusion_rows(np.array([2 * 9 + 5]))[0]
    deviation = np.sqrt(users * share * (1 - share))
    assert np.abs((named.ravel() - users * share) / np.maximum(deviation, 1)).max() < 5.5
    # randomize and aggregate are the other way to the same numbers.
    reports = mechanism.randomize(np.full(50_000, 2), np.full(50_000, 5), np.random.default_rng(2))
    assert np.abs(mechanism.aggregate(reports).counts.ravel() / 50_000 - share).max() < 0.02
    told = reports[reports[:, 0] >= 0]
    assert (np.diff(told, axis=1) > 0).all()
    assert (reports[:, 0] < 0).mean() == pytest.approx(mechanism.null_probabilities[2, 5], abs=0.01)


@settings(max_examples=25, deadline=None)
@given(epsilon=st.floats(0.05, 10), d=st.integers(1, 30), seed=st.integers(0, 2**32 - 1))
def test_finite_and_normalised_at_any_size(epsilon, d, seed):
    mechanism = SEMGeoI(epsilon, d)
    assert np.isfinite(mechanism.masses).all()
    assert mechanism.masses.min() > 0
    assert mechanism.omega >= mechanism.masses.max()
    assert ((mechanism.null_probabilities >= 0) & (mechanism.null_probabilities < 1)).all()
    assert mechanism._first_rank.sum() == pytest.approx(1.0, abs=1e-11)
    cells = np.random.default_rng(seed).integers(0, d * d, 3)
    # The expected number of named cells is k for everybody who is not a null.
    named = mechanism.inclusion_rows(cells).sum(axis=1)
    np.testing.assert_allclose(named, mechanism.k * (1 - mechanism.null_probabilities.ravel()[cells]), rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 10.0])
def test_a_grid_of_thirty_by_thirty_runs_from_end_to_end(epsilon):
    recipe = SYNTHETIC["normal"]
    counts = recipe.grid(30).bin(*recipe.points(0, 20_000)).counts
    mechanism = SEMGeoI(epsilon, 30)
    estimate = mechanism.estimate(mechanism.perturb(counts, np.random.default_rng(0)))
    assert np.isfinite(estimate.distribution).all()
    assert estimate.distribution.sum() == pytest.approx(1.0)
    assert (estimate.iterations, estimate.converged, estimate.stopping) == (0, True, "closed form")


@pytest.mark.parametrize("d", [1, 2, 5, 8])
def test_the_estimate_inverts_the_inclusion_table(d):
    mechanism = SEMGeoI(1.2, d)
    truth = np.random.default_rng(d).dirichlet(np.ones(d * d)).reshape(d, d)
    expected = truth.ravel() @ mechanism.inclusion_rows(np.arange(d * d))
    np.testing.assert_allclose(mechanism._solver.solve(expected.reshape(d, d)), truth, atol=1e-9)


def test_a_large_crowd_is_recovered():
    recipe = SYNTHETIC["mnormal"]
    counts = recipe.grid(10).bin(*recipe.points(0)).counts
    mechanism = SEMGeoI(2.0, 10)
    estimate = mechanism.estimate(mechanism.perturb(counts, np.random.default_rng(0)))
    assert wasserstein2(counts, estimate.distribution) < 0.3


def test_one_cell_is_always_reported():
    mechanism = SEMGeoI(0.5, 1)
    assert mechanism.k == 1
    assert mechanism.randomize([0, 0], [0, 0]).tolist() == [[0], [0]]
    assert mechanism.perturb([[5]], np.random.default_rng(0)) == (np.array([[5]]), 5)
    assert mechanism.estimate(InclusionCounts(np.array([[5]]), 5)).distribution.tolist() == [[1.0]]


def test_system_entropy_and_nothing_but_nulls():
    mechanism = SEMGeoI(0.3, 12)
    first, second = (mechanism.randomize(np.full(40, 3), np.full(40, 3)) for _ in range(2))
    assert not np.array_equal(first, second)
    flat = mechanism.estimate(InclusionCounts(np.zeros((12, 12), dtype=int), 7)).distribution
    np.testing.assert_allclose(flat, 1 / 144)


def test_breakpoints_are_where_the_size_drops():
    for d in (4, 9):
        for point in SEMGeoI.breakpoints(d, 0.05, 10.0):
            assert SEMGeoI(point * (1 - 1e-9), d).k == SEMGeoI(point * (1 + 1e-9), d).k + 1
        assert len(SEMGeoI.breakpoints(d, 0.05, 10.0)) == SEMGeoI(0.05, d).k - SEMGeoI(10.0, d).k


def test_bad_input_is_named():
    mechanism = SEMGeoI(0.5, 4)
    with pytest.raises(ValueError, match=r"k must be a whole number from 1 to 16, got 17"):
        SEMGeoI(0.5, 4, 17)
    with pytest.raises(ValueError, match=r"reports must be an integer array of shape \(n, 5\)"):
        mechanism.aggregate(np.zeros((3, 2), dtype=int))
    with pytest.raises(ValueError, match=r"reports must be 5 different cell numbers 0 to 15"):
        mechanism.aggregate(np.full((3, mechanism.k), 16))
    with pytest.raises(ValueError, match=r"reports must be a pair \(counts, users\)"):
        mechanism.estimate(np.ones((4, 4)))
    with pytest.raises(ValueError, match=r"reports must be at most users = 3"):
        mechanism.estimate(InclusionCounts(np.full((4, 4), 4), 3))
    with pytest.raises(ValueError, match=r"reports must hold 5 cells per user .* got 1 for 3 users"):
        mechanism.estimate(InclusionCounts(np.eye(1, 16, dtype=int).reshape(4, 4), 3))
    with pytest.raises(ValueError, match=r"too large for a dense matrix"):
        SEMGeoI(0.3, 10).transition_matrix()


def test_sets_of_all_cells_say_nothing():
    mechanism = SEMGeoI(3.5, 3, k=9)
    reports = mechanism.perturb(np.diag([50, 30, 20]), np.random.default_rng(3))
    assert mechanism.estimate(reports).distribution.tolist() == [[1 / 9] * 3] * 3

"""Local privacy: the authors' numbers, enumeration, and simulation against both."""

import numpy as np
import pytest

from spatialldp import DAM, KRR, MDSW, OUE, PlanarLaplace, SEMGeoI
from spatialldp.privacy import local_privacy
from spatialldp.privacy.distances import distance_maps, mean_pair_distance
from tests.cells import distances
from tests.golden import authors


def by_the_definition(matrix: np.ndarray, d: int) -> float:
    """(1/m) Σ_out [Σ_ij P(out|i) P(out|j) dist(i, j)] / Σ_j P(out|j)."""
    pairs = np.einsum("io,jo,ij->o", matrix, matrix, distances(d), optimize=True)
    return float((pairs / matrix.sum(axis=0)).sum() / d**2)


@pytest.mark.parametrize("row", authors()["lp_dam"], ids=lambda r: f"eps{r['eps']}-d{r['d']}")
def test_dam_equals_the_authors(row):
    value, error = local_privacy(DAM(row["eps"], row["d"], row["b"]))
    assert value == pytest.approx(row["LP"], abs=1e-10)
    assert error == 0


@pytest.mark.parametrize(
    "row", [r for r in authors()["sem_geo_i"] if r["d"] > 1], ids=lambda r: f"eps{r['eps']}-d{r['d']}"
)
def test_sem_equals_the_authors(row):
    assert local_privacy(SEMGeoI(row["eps"], row["d"])) == (pytest.approx(row["LP"], abs=1e-10), 0)


@pytest.mark.parametrize(
    "mechanism", [DAM(1.0, 6), MDSW(2.0, 5), KRR(1.0, 4), PlanarLaplace(0.7, 6), SEMGeoI(0.4, 4)], ids=repr
)
def test_exact_values_follow_the_definition(mechanism):
    expected = by_the_definition(mechanism.transition_matrix(), mechanism.d)
    assert local_privacy(mechanism).value == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    "mechanism",
    [
        SEMGeoI(0.6, 4),
        SEMGeoI(1.2, 4),
        SEMGeoI(0.9, 5),
        SEMGeoI(1.5, 5),
        DAM(3.5, 8),
        MDSW(1.0, 6),
        PlanarLaplace(0.5, 8),
    ],
    ids=repr,
)
def test_simulation_agrees_with_enumeration_within_its_error(mechanism):
    exact = local_privacy(mechanism, exact=True)
    simulated = local_privacy(mechanism, exact=False, rng=np.random.default_rng(1))
    assert exact.standard_error == 0
    assert 0 < simulated.standard_error <= 0.005 * simulated.value
    assert abs(simulated.value - exact.value) < 5 * simulated.standard_error


def test_oue_by_simulation_agrees_with_all_its_bits():
    epsilon, d = 1.5, 2
    q = 1 / (np.exp(epsilon) + 1)
    rows = (np.arange(16)[:, None] >> np.arange(4)) & 1
    others = np.where(rows == 1, q, 1 - q)
    matrix = np.array([0.5 * np.delete(others, cell, axis=1).prod(axis=1) for cell in range(4)])
    value, error = local_privacy(OUE(epsilon, d), relative_error=0.002)
    assert abs(value - by_the_definition(matrix, d)) < 5 * error


def test_large_grids_are_simulated_to_half_a_percent_and_reproducible():
    for mechanism in (SEMGeoI(0.5, 15), OUE(3.5, 15), DAM(1.0, 60)):
        first, second = local_privacy(mechanism), local_privacy(mechanism)
        assert first == second
        assert 0 < first.standard_error <= 0.005 * first.value
    assert local_privacy(DAM(3.5, 1)).value == 0


def test_expected_distances_by_transform_equal_the_table():
    rng = np.random.default_rng(0)
    for d in (1, 2, 7, 12):
        p = rng.dirichlet(np.ones(d * d), 3)
        maps = distance_maps(p.reshape(3, d, d)).reshape(3, -1)
        np.testing.assert_allclose(maps, p @ distances(d), atol=1e-12)
        np.testing.assert_allclose(
            mean_pair_distance(p.reshape(3, d, d)), (p @ distances(d) * p).sum(axis=1), atol=1e-12
        )

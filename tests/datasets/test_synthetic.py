"""The generated sets match their stated moments and ranges."""

import numpy as np
import pytest

from spatialldp.datasets import SYNTHETIC

ROWS = 300_000
#: Six standard errors of a mean or correlation of 300,000 points with unit variance.
TOLERANCE = 6 / np.sqrt(ROWS)


def test_normal_has_unit_variance_and_correlation_one_half():
    x, y, _ = SYNTHETIC["normal"].points(seed=1)
    assert x.size == ROWS
    assert [x.mean(), y.mean()] == pytest.approx([0, 0], abs=TOLERANCE)
    assert np.cov(x, y).ravel() == pytest.approx([1, 0.5, 0.5, 1], abs=2 * TOLERANCE)


def test_szipf_follows_its_density_and_its_coordinates_are_independent():
    x, y, _ = SYNTHETIC["szipf"].points(seed=1)
    assert x.size == 100_000
    assert min(x.min(), y.min()) >= 0
    assert max(x.max(), y.max()) < 1
    # Density 1/((1+x) ln 2): the CDF is log2(1+x), the mean 1/ln 2 − 1.
    for q in (0.1, 0.5, 0.9):
        assert (x < q).mean() == pytest.approx(np.log2(1 + q), abs=0.01)
        assert (y < q).mean() == pytest.approx(np.log2(1 + q), abs=0.01)
    assert x.mean() == pytest.approx(1 / np.log(2) - 1, abs=0.005)
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(0, abs=0.02)


def test_mnormal_has_three_different_centres():
    x, y, _ = SYNTHETIC["mnormal"].points(seed=1)
    assert x.size == ROWS
    parts = [(x[i : i + 100_000], y[i : i + 100_000]) for i in range(0, ROWS, 100_000)]
    for (px, py), centre, correlation in zip(parts, [(0, 0), (1, 2), (2, 0)], [0.5, 0, -0.2], strict=True):
        assert (px.mean(), py.mean()) == pytest.approx(centre, abs=0.02)
        assert np.corrcoef(px, py)[0, 1] == pytest.approx(correlation, abs=0.02)
    assert (x.mean(), y.mean()) == pytest.approx((1, 2 / 3), abs=0.02)


@pytest.mark.parametrize("name", SYNTHETIC)
def test_points_are_reproducible_and_almost_all_in_the_domain(name):
    recipe = SYNTHETIC[name]
    first, second, other = recipe.points(3), recipe.points(3), recipe.points(4)
    np.testing.assert_array_equal(first.x, second.x)
    assert not np.array_equal(first.x, other.x)
    binned = recipe.grid(15).bin(*first)
    assert binned.inside + binned.outside == recipe.rows
    assert binned.outside < 20
    assert recipe.points(0, rows=7).x.shape == (7,)


def test_bad_seeds_and_rows_are_named():
    with pytest.raises(ValueError, match=r"seed must be a whole number ≥ 0, got -1"):
        SYNTHETIC["normal"].points(seed=-1)
    with pytest.raises(ValueError, match=r"rows must be a whole number ≥ 1, got 0"):
        SYNTHETIC["normal"].points(rows=0)

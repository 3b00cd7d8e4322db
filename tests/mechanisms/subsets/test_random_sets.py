"""Sets drawn evenly, and the distances of all cells from them."""

import math
from itertools import combinations

import numpy as np
import pytest

from spatialldp.mechanisms.subsets.random_sets import nearest_distances, uniform_subsets
from tests.cells import distances


@pytest.mark.parametrize(("d", "k"), [(1, 1), (2, 1), (3, 4), (5, 7), (6, 36), (9, 2)])
def test_distances_to_the_nearest_cell_of_a_set(d, k):
    sets = uniform_subsets(d, k, 40, np.random.default_rng(1))
    assert (sets.sum(axis=(1, 2)) == k).all()
    expected = [distances(d)[:, one.ravel()].min(axis=1) for one in sets]
    np.testing.assert_allclose(nearest_distances(sets).reshape(40, -1), expected, atol=1e-12)


def test_all_sets_are_equally_likely():
    n, sets = 60_000, list(combinations(range(4), 2))
    drawn = uniform_subsets(2, 2, n, np.random.default_rng(2)).reshape(n, 4)
    counts = [np.all(drawn[:, list(one)], axis=1).sum() for one in sets]
    assert sum(counts) == n
    # Standard deviation of each count: sqrt(n·1/6·5/6) = 91.
    np.testing.assert_allclose(counts, n / len(sets), atol=5 * math.sqrt(n * 5 / 36))

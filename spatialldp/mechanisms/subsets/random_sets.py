"""Sets of cells drawn evenly, and how far every cell is from one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def uniform_subsets(d: int, k: int, n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """n uniformly random sets of k of the d×d cells, (n, d, d), True for a cell of the set."""
    keys = rng.random((n, d * d))
    if k == d * d:
        return np.ones((n, d, d), dtype=bool)
    # The k smallest keys: where the k-th stands all smaller ones do too.
    return (keys < np.partition(keys, k, axis=1)[:, k, None]).reshape(n, d, d)


def nearest_distances(sets: NDArray[np.bool_]) -> Array:
    """Distance in cells of every cell from the nearest one of the set, (n, d, d); first along y, then along x."""
    n, d, _ = sets.shape
    at = np.arange(d)
    nowhere = 4 * d  # farther than any cell
    before = np.maximum.accumulate(np.where(sets, at, -nowhere), axis=2)
    after = np.minimum.accumulate(np.where(sets, at, at[-1] + nowhere)[:, :, ::-1], axis=2)[:, :, ::-1]
    along = np.minimum(at - before, after - at).astype(np.float64) ** 2
    least = np.full((n, d, d), np.inf)
    for row in range(d):
        np.minimum(least, along[:, row, None, :] + ((at - row) ** 2)[:, None], out=least)
    return np.sqrt(least)

"""Exact transport by POT's network simplex: slower and in floating point, for machines without numba."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

Array = NDArray[np.float64]

#: POT stops at 100,000 pivots unless told otherwise, and then returns a plan that is not optimal.
_PIVOT_LIMIT = 1_000_000_000
#: Pairs of cells above which it would need gigabytes and minutes.
_LARGEST_PROBLEM = 30_000_000
_LARGEST_CACHED_GRID = 1_024


class Solution(NamedTuple):
    """The fields of `spatialldp.wasserstein.Transport`."""

    value: float
    dual: float
    relative_gap: float
    plan: coo_array


def solve(source: Array, target: Array) -> Solution:
    """Exact optimal transport between two distributions of one shape, squared distance in cells."""
    import ot  # imported here: POT takes longer to load than most answers take to compute

    cells = source.size
    if np.array_equal(source, target):
        # The root would turn a rounding of 1e-18 in W2² into 1e-9 in W2.
        stay = np.flatnonzero(source)
        return Solution(0.0, 0.0, 0.0, coo_array((source.ravel()[stay], (stay, stay)), shape=(cells, cells)))
    from_cells, to_cells = np.flatnonzero(source), np.flatnonzero(target)
    if from_cells.size * to_cells.size > _LARGEST_PROBLEM:
        raise ValueError(
            f"histograms of shape {source.shape} with {from_cells.size:,} and {to_cells.size:,} occupied cells are too "
            "large without numba: install it (pip install numba) or use a coarser grid"
        )
    costs = _costs(source.shape, from_cells, to_cells)
    supply, demand = source.ravel()[from_cells], target.ravel()[to_cells]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a plan that is not optimal must not pass for the distance
        plan, log = ot.emd(supply, demand, costs, numItermax=_PIVOT_LIMIT, log=True)
    squared = max(0.0, float(log["cost"]))
    dual = max(0.0, float(log["u"] @ supply + log["v"] @ demand))
    rows, columns = np.nonzero(plan)
    sparse = coo_array((plan[rows, columns], (from_cells[rows], to_cells[columns])), shape=(cells, cells))
    gap = (squared - dual) / squared if squared else 0.0
    return Solution(math.sqrt(squared), math.sqrt(dual), gap, sparse)


def solve_values(source: Array, targets: Sequence[Array]) -> Array:
    """W2 to each target, (n,)."""
    return np.array([solve(source, target).value for target in targets])


def warm_up() -> None:
    """Load POT."""
    solve(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))


def _costs(shape: tuple[int, ...], from_cells: NDArray[np.intp], to_cells: NDArray[np.intp]) -> Array:
    """Squared distances between the given cells, in cells²."""
    if math.prod(shape) <= _LARGEST_CACHED_GRID:
        return _all_costs(shape)[np.ix_(from_cells, to_cells)]
    return _squared_distances(np.unravel_index(from_cells, shape), np.unravel_index(to_cells, shape))


@lru_cache(maxsize=16)
def _all_costs(shape: tuple[int, ...]) -> Array:
    cells = np.unravel_index(np.arange(math.prod(shape)), shape)
    return _squared_distances(cells, cells)


def _squared_distances(a: tuple[NDArray[np.intp], ...], b: tuple[NDArray[np.intp], ...]) -> Array:
    total = np.zeros((a[0].size, b[0].size))
    for p, q in zip(a, b, strict=True):
        total += np.subtract.outer(p, q).astype(np.float64) ** 2
    return total

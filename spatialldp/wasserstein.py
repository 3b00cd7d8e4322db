"""The error between two maps: the 2-Wasserstein distance on a grid, in cells.

W2² is the least total of mass × squared distance between cell centres over all ways of moving one
distribution onto the other. Multiply W2 by `Grid.cell_size_m` for metres.
"""

from __future__ import annotations

import math
import warnings
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate

Array = NDArray[np.float64]

#: POT stops at 100,000 pivots unless told otherwise, and then returns a plan that is not optimal.
_PIVOT_LIMIT = 1_000_000_000
#: Cost entries above which the exact solver would need gigabytes and minutes.
_LARGEST_PROBLEM = 100_000_000
_LARGEST_CACHED_GRID = 1_024
_SINKHORN_LIMIT = 10_000
#: Total error of the plan's marginals at which the Sinkhorn iteration stops.
_SINKHORN_TOLERANCE = 1e-6


def wasserstein2(a: ArrayLike, b: ArrayLike) -> float:
    """Exact W2 between two histograms of one shape, in cells. Each is scaled to total 1."""
    source, target = _pair(a, b)
    # The root turns a rounding of 1e-18 in W2² into 1e-9 in W2: equal maps are told apart before.
    if np.array_equal(source, target):
        return 0.0
    return math.sqrt(_exact_squared(source, target))


def _exact_squared(source: Array, target: Array) -> float:
    """W2² in cells². The one place that chooses the solver."""
    return _by_network_simplex(source, target)


def _by_network_simplex(source: Array, target: Array) -> float:
    """POT's network simplex on the cells that hold anything."""
    from ot.lp import emd2  # imported here: POT takes longer to load than most answers take to compute

    from_cells, to_cells = np.flatnonzero(source), np.flatnonzero(target)
    if from_cells.size * to_cells.size > _LARGEST_PROBLEM:
        raise ValueError(
            f"histograms of shape {source.shape} with {from_cells.size:,} and {to_cells.size:,} occupied cells are too "
            f"large for the exact solver (at most {_LARGEST_PROBLEM:,} pairs): use a coarser grid"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a plan that is not optimal must not pass for the distance
        squared = emd2(
            source.ravel()[from_cells],
            target.ravel()[to_cells],
            _costs(source.shape, from_cells, to_cells),
            numItermax=_PIVOT_LIMIT,
        )
    return max(0.0, float(squared))


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
    return sum(np.subtract.outer(p, q).astype(np.float64) ** 2 for p, q in zip(a, b, strict=True))  # type: ignore[return-value]


def sinkhorn_w2(a: ArrayLike, b: ArrayLike, lambda_: float = 5.0) -> float:
    """The entropy-regularised value of the paper's tables, in cells. It is **not** W2.

    Its plan is blurred with weight exp(−λ·cost), so it does not vanish for equal maps: at λ = 5 it is about
    0.145 for a map against itself on 5×5 cells. Use it only to compare with those tables.
    """
    lambda_ = validate.real_number("lambda_", lambda_, above=0.0)
    source, target = _pair(a, b)
    # The cost is a sum over the two axes, so every sum with the kernel is done one axis after the
    # other, O(d³) a step; in logarithms, because exp(−5·19²) is zero in a double.
    cost_x, cost_y = (np.subtract.outer(np.arange(n), np.arange(n)) ** 2.0 for n in source.shape)
    kernel_x, kernel_y = -lambda_ * cost_x, -lambda_ * cost_y
    with np.errstate(divide="ignore"):
        log_source, log_target = np.log(source), np.log(target)
        log_v = np.where(target > 0, 0.0, -np.inf)
        for _ in range(_SINKHORN_LIMIT):
            log_u = log_source - _spread(kernel_x, log_v, kernel_y)
            reached = _spread(kernel_x, log_u, kernel_y)
            settled = np.abs(np.exp(log_v + reached) - target).sum() < _SINKHORN_TOLERANCE
            log_v = log_target - reached
            if settled:
                break
        else:
            warnings.warn(
                f"sinkhorn_w2 has not settled after {_SINKHORN_LIMIT:,} steps (lambda_ = {lambda_:g})", stacklevel=2
            )
        # Plan × cost = the cost along x with the plain kernel along y, and the reverse.
        moved_x = _spread(kernel_x + np.log(cost_x), log_v, kernel_y)
        moved_y = _spread(kernel_x, log_v, kernel_y + np.log(cost_y))
    return math.sqrt(float(np.exp(log_u + moved_x).sum() + np.exp(log_u + moved_y).sum()))


def _spread(kernel_x: Array, log_scaling: Array, kernel_y: Array) -> Array:
    """ln Σ exp(kernel_x + log_scaling + kernel_y) over the cells of the other side."""
    along_x = _log_sum_exp(kernel_x[:, :, None] + log_scaling[None, :, :], axis=1)
    return _log_sum_exp(along_x[:, None, :] + kernel_y[None, :, :], axis=2)


def _log_sum_exp(values: Array, axis: int) -> Array:
    # SciPy's logsumexp does the same nine times slower on arrays this small.
    peak = values.max(axis=axis, keepdims=True)
    peak = np.where(np.isfinite(peak), peak, 0.0)
    return np.log(np.exp(values - peak).sum(axis=axis)) + peak.squeeze(axis)


def _pair(a: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    source = validate.non_negative_array("a", a)
    if source.ndim != 2:
        raise ValueError(f"a must be a 2-D histogram, got shape {source.shape}")
    target = validate.non_negative_array("b", b, source.shape, " (that of a)")
    return source / source.sum(), target / target.sum()

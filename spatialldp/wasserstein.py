"""The error between two maps: the 2-Wasserstein distance on a grid, in cells.

W2² is the least total of mass × squared distance between cell centres over all ways of moving one
distribution onto the other. Multiply W2 by `Grid.cell_size_m` for metres.
"""

from __future__ import annotations

import importlib.util
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate

Array = NDArray[np.float64]

_SINKHORN_LIMIT = 10_000
#: Total error of the plan's marginals at which the Sinkhorn iteration stops.
_SINKHORN_TOLERANCE = 1e-6
#: Times the largest squared distance it is still a double.
_LARGEST_LAMBDA = 1e300


@dataclass(frozen=True)
class Transport:
    """An optimal way to move one map onto the other, with its proof.

    Attributes:
        value: W2, in cells.
        dual: a lower bound of W2 from the dual problem, in cells.
        relative_gap: (W2² − dual²)/W2²; exactly 0 when the optimum is proved in whole numbers.
        plan: sparse (cells, cells), mass moved from cell i to cell j (numbered ix·columns + iy); total 1.

    Example:
        >>> from spatialldp import transport
        >>> result = transport([[1, 1], [0, 0]], [[1, 0], [0, 1]])
        >>> result.plan.toarray()[1].tolist()
        [0.0, 0.0, 0.0, 0.5]
        >>> result.relative_gap < 1e-9
        True
    """

    value: float
    dual: float
    relative_gap: float
    plan: scipy.sparse.coo_array


def wasserstein2(a: ArrayLike, b: ArrayLike) -> float:
    """Exact W2 between two histograms of one shape. Each is scaled to total 1.

    Args:
        a: people or shares per cell, (rows, columns).
        b: the same for the other map, of the same shape.

    Returns:
        W2 in cells; times `Grid.cell_size_m` it is in metres.

    Raises:
        ValueError: `a` or `b` is not two-dimensional, all zero, or holds a negative or infinite number or NaN; they
            differ in shape; or the grid is too large for the solver.

    Example:
        >>> from spatialldp import wasserstein2
        >>> wasserstein2([[1, 0], [0, 0]], [[0, 1], [0, 0]])
        1.0
        >>> round(wasserstein2([[1, 1], [0, 0]], [[1, 0], [0, 1]]), 4)
        0.7071
    """
    source, target = _pair(a, b)
    return float(_solver().solve_values(source, [target])[0])


def wasserstein2_many(truth: ArrayLike, estimates: Sequence[ArrayLike]) -> Array:
    """W2 from one histogram to each of many: the same numbers as one by one.

    Our own solver works on two of them at a time, in two threads; POT's on one after the other.

    Args:
        truth: people or shares per cell, (rows, columns); scaled to total 1.
        estimates: n histograms of the same shape.

    Returns:
        W2 of each, (n,), in cells.

    Raises:
        ValueError: as `wasserstein2`.

    Example:
        >>> from spatialldp import wasserstein2_many
        >>> wasserstein2_many([[1, 0], [0, 0]], [[[1, 0], [0, 0]], [[0, 1], [0, 0]]]).tolist()
        [0.0, 1.0]
    """
    if not validate.goes_through(estimates):
        raise ValueError(f"estimates must be a sequence of histograms, got {validate.shown(estimates)}")
    source = _histogram("truth", truth)
    targets = [
        _histogram(f"estimates[{number}]", estimate, source.shape, " (that of truth)")
        for number, estimate in enumerate(estimates)
    ]
    return _solver().solve_values(source, targets) if targets else np.empty(0)


def transport(a: ArrayLike, b: ArrayLike) -> Transport:
    """The optimal plan between two histograms of one shape, and the certificate that it is optimal.

    Args:
        a: people or shares per cell, (rows, columns); scaled to total 1.
        b: the same for the other map, of the same shape.

    Returns:
        W2, its lower bound and the plan; see `Transport`.

    Raises:
        ValueError: as `wasserstein2`.

    Example:
        >>> from spatialldp import transport
        >>> result = transport([[4, 0], [0, 0]], [[3, 1], [0, 0]])
        >>> result.value
        0.5
        >>> result.plan.toarray()[0].tolist()
        [0.75, 0.25, 0.0, 0.0]
    """
    solution = _solver().solve(*_pair(a, b))
    return Transport(solution.value, solution.dual, solution.relative_gap, solution.plan)


def quick_side() -> int:
    """Cells per side up to which W2 takes a fraction of a second: 128, or 48 where POT has to do without numba."""
    return 128 if _has_numba() else 48


def warm_up() -> None:
    """Compile the solver, or load it from disk, before anybody waits for it."""
    _solver().warm_up()


def _has_numba() -> bool:
    return importlib.util.find_spec("numba") is not None


@cache
def _solver() -> Any:
    """The one place that chooses the solver: our own, compiled by numba, or POT's where there is no numba."""
    if _has_numba():
        import spatialldp._transport as solver

        return solver
    import spatialldp._pot as pot

    return pot


def sinkhorn_w2(a: ArrayLike, b: ArrayLike, lambda_: float = 5.0) -> float:
    """The entropy-regularised value of the paper's tables, in cells. It is **not** W2.

    Its plan is blurred with weight exp(−λ·cost), so it does not vanish for equal maps: at λ = 5 it is about
    0.145 for a map against itself on 5×5 cells. Use it only to compare with those tables. It warns when it has not
    settled after 10,000 steps.

    Args:
        a: people or shares per cell, (rows, columns); scaled to total 1.
        b: the same for the other map, of the same shape.
        lambda_: λ, per squared cell; the larger, the less blurred.

    Returns:
        The value, in cells.

    Raises:
        ValueError: `lambda_` is not a number > 0 and ≤ 1e300, or `a` and `b` are not histograms of one shape.

    Example:
        >>> from spatialldp import sinkhorn_w2
        >>> round(sinkhorn_w2([[1, 1], [1, 1]], [[1, 1], [1, 1]]), 3)
        0.116
    """
    lambda_ = validate.real_number("lambda_", lambda_, above=0.0, at_most=_LARGEST_LAMBDA)
    source, target = _pair(a, b)
    side = max(source.shape)
    validate.fits_in_memory(f"Sinkhorn's steps on {side} cells per side", 3 * side**3, 8, "choose a coarser grid")
    # The cost is a sum over the two axes, so every sum with the kernel is done one axis after the
    # other, O(d³) per step; in logarithms, because exp(−5·19²) is zero in a double.
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
    source = _histogram("a", a)
    return source, _histogram("b", b, source.shape, " (that of a)")


def _histogram(name: str, value: ArrayLike, shape: tuple[int, ...] | None = None, meaning: str = "") -> Array:
    """`value` scaled to total 1; the errors call it `name`."""
    histogram = validate.non_negative_array(name, value, shape, meaning)
    if histogram.ndim != 2:
        raise ValueError(f"{name} must be a 2-D histogram, got shape {histogram.shape}")
    if max(histogram.shape) > validate.LARGEST_D:
        raise ValueError(
            f"{name} must have at most {validate.LARGEST_D:,} cells per side, got shape {histogram.shape}: choose a "
            "coarser grid"
        )
    return validate.shares(histogram)

"""Accelerated EM: the same climb in far fewer steps.

EM multiplies x by g = Mᵀ(f / Mx), f the shares of the reports. In ln x that is a step along ln g, and EM creeps
because ln g is small where reports say little about a cell. Two things speed it up:

* the length of the step. A mechanism whose reports are at most r times likelier from one cell than from another
  bends the likelihood by at most (r − 1)²/4r (that is sinh²(ε/2) under ε-LDP; never more than EM's own 1), so a step
  may be longer by the inverse of that.
* momentum (Nesterov): each step continues the last, more so the longer things go well, so that k steps go as far as
  a multiple of k² plain ones.

Momentum can overshoot. A step that lowers the likelihood is not taken: a plain EM step, which never does, is taken in
its place and the momentum starts anew. Each fit of a batch has its own momentum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spatialldp.operators import Operator

Array = NDArray[np.float64]

#: Step k continues the last by k/(k + 3) of its length: Nesterov's schedule.
_MOMENTUM_DELAY = 3.0
#: Reports that say less than this (ε ≈ 0.001) would ask for steps without bound.
_SMALLEST_EXCESS = 1e-3
#: ln 0, near enough, and without the NaN of ∞ − ∞.
_LOG_OF_ZERO = -1e300
TINY = np.finfo(np.float64).tiny


@dataclass
class _Position:
    """Where the fits are: ln x (`level`), x, Mx, ln Mx, and the mean of ln Mx over reports, (fits,)."""

    level: Array
    x: Array
    expected: Array
    log_expected: Array
    likelihood: Array

    def replace(self, fits: NDArray[np.bool_], other: _Position) -> None:
        """Move the fits selected to the positions of `other`, which holds only those."""
        for name, values in vars(self).items():
            values[fits] = getattr(other, name)


def accelerated_iterates(
    operator: Operator, reports: Array, *, mask: NDArray[np.bool_] | None = None
) -> Iterator[tuple[Array, Array]]:
    """The sequence x₀, x₁, … as pairs (distributions, ln Mx), without end, of several fits side by side.

    `reports` (fits, *output shape); each is fitted on its own. x₀ is uniform over the mask. The likelihood of no fit
    ever falls. The arrays are new at every step, so a caller may keep them.
    """
    cell_axes = tuple(range(1, 1 + len(operator.input_shape)))
    shares = reports / reports.sum(axis=tuple(range(1, reports.ndim)), keepdims=True)
    start = np.zeros((len(reports), *operator.input_shape))
    if mask is not None:
        start[:, ~mask] = _LOG_OF_ZERO
    step = step_length(operator.largest_ratio)

    def position(level: Array, shares: Array) -> _Position:
        # The highest level becomes 0, so that nothing overflows.
        level = level - level.max(axis=cell_axes, keepdims=True)
        x = np.exp(level)
        total = x.sum(axis=cell_axes, keepdims=True)
        x /= total
        level -= np.log(total)
        # Where no report can lie Mx is zero: the floor keeps its logarithm finite, and no report counts it.
        expected = operator.forward(x)
        np.maximum(expected, TINY, out=expected)
        log_expected = np.log(expected)
        likelihood = np.einsum("fo,fo->f", *(a.reshape(len(a), -1) for a in (shares, log_expected)))
        return _Position(level, x, expected, log_expected, likelihood)

    here = position(start, shares)
    stepped = here.level
    age = np.zeros((len(reports), *(1 for _ in cell_axes)))
    while True:
        yield here.x, here.log_expected
        factor = operator.backward(shares / here.expected)
        log_factor = np.log(np.maximum(factor, TINY))
        previous, stepped = stepped, here.level + step * log_factor
        there = position(stepped + age / (age + _MOMENTUM_DELAY) * (stepped - previous), shares)
        age = age + 1
        fallen = ~(there.likelihood >= here.likelihood)
        if fallen.any():
            there.replace(fallen, position(here.level[fallen] + log_factor[fallen], shares[fallen]))
            stepped[fallen] = there.level[fallen]
            age[fallen] = 0
        here = there


def step_length(largest_ratio: float) -> float:
    """The power of EM's factor that one step applies, for reports that are at most so many times likelier (r ≥ 1)."""
    excess = max(largest_ratio - 1.0, _SMALLEST_EXCESS)
    bend = excess / 4 * (excess / largest_ratio) if np.isfinite(largest_ratio) else np.inf
    return 1.0 / min(bend, 1.0)

"""Accelerated EM: the same climb in far fewer steps.

EM multiplies x by g = Mᵀ(f / Mx), f the shares of the reports. In ln x that is a step along ln g, and EM creeps
because ln g is small where reports say little about a cell. Two things speed it up:

* the length of the step. Only a share s of the reports depends on the cell at all (the rest is the same noise for
  everybody). Where people are spread evenly that flattens the likelihood to s² of what EM's step allows for, so a step
  may be 1/s² times as long. (Where all of them stand in one place it is s; the check below is there for that.)
* momentum (Nesterov): each step continues the last, more so the longer things go well, so that k steps go as far as
  a multiple of k² plain ones.

Momentum can overshoot. A step that lowers the likelihood is not taken: a plain EM step, which never does, is taken in
its place and the momentum starts anew. Each fit of a batch has its own momentum.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from spatialldp.operators import Operator

Array = NDArray[np.float64]

#: Step k continues the last by k/(k + 3) of its length: Nesterov's schedule.
_MOMENTUM_DELAY = 3.0
#: Reports that say less than this would ask for steps without bound.
_SMALLEST_SHARE = 1e-3
#: ln 0, near enough, and without the NaN of ∞ − ∞.
_LOG_OF_ZERO = -1e300
TINY = np.finfo(np.float64).tiny


class _Position:
    """Where the fits to `shares` are: ln x (`level`), x, Mx, ln Mx, and the mean of ln Mx over reports, (fits,)."""

    def __init__(self, operator: Operator, shares: Array) -> None:
        self._operator = operator
        self._shares = shares
        self._cell_axes = tuple(range(1, 1 + len(operator.input_shape)))
        self.level, self.x = (np.empty((len(shares), *operator.input_shape)) for _ in range(2))
        self.expected, self.log_expected = np.empty_like(shares), np.empty_like(shares)
        self.likelihood = np.empty(len(shares))

    def settle(self) -> None:
        """Work out everything that follows from `level`, which may be off by a constant for each fit."""
        # The highest level becomes 0, so that nothing overflows.
        self.level -= self.level.max(axis=self._cell_axes, keepdims=True)
        np.exp(self.level, out=self.x)
        total = self.x.sum(axis=self._cell_axes, keepdims=True)
        self.x /= total
        self.level -= np.log(total)
        self._operator.forward(self.x, out=self.expected)
        # Where no report can lie Mx is zero: the floor keeps its logarithm finite, and no report counts it.
        np.maximum(self.expected, TINY, out=self.expected)
        np.log(self.expected, out=self.log_expected)
        flat = (a.reshape(len(a), -1) for a in (self._shares, self.log_expected))
        np.einsum("fo,fo->f", *flat, out=self.likelihood)

    def replace(self, fits: NDArray[np.bool_], level: Array) -> None:
        """Move the fits selected to another `level`, which holds only those."""
        other = _Position(self._operator, self._shares[fits])
        other.level[...] = level
        other.settle()
        for name in ("level", "x", "expected", "log_expected", "likelihood"):
            getattr(self, name)[fits] = getattr(other, name)


def accelerated_iterates(
    operator: Operator, reports: Array, *, mask: NDArray[np.bool_] | None = None
) -> Iterator[tuple[Array, Array]]:
    """The sequence x₀, x₁, … as pairs (distributions, ln Mx), without end, of several fits side by side.

    `reports` (fits, *output shape); each is fitted on its own. x₀ is uniform over the mask. The likelihood of no fit
    ever falls. The next step overwrites the arrays: copy what is to be kept.
    """
    shares = reports / reports.sum(axis=tuple(range(1, reports.ndim)), keepdims=True)
    here, there = (_Position(operator, shares) for _ in range(2))
    here.level[...] = 0.0
    if mask is not None:
        here.level[:, ~mask] = _LOG_OF_ZERO
    here.settle()
    stepped, previous = here.level.copy(), np.empty_like(here.level)
    ratio, log_factor = np.empty_like(shares), np.empty_like(here.level)
    step = step_length(operator.informative_share)
    age = np.zeros((len(reports), *(1 for _ in operator.input_shape)))
    while True:
        yield here.x, here.log_expected
        np.divide(shares, here.expected, out=ratio)
        operator.backward(ratio, out=log_factor)
        np.maximum(log_factor, TINY, out=log_factor)
        np.log(log_factor, out=log_factor)
        previous, stepped = stepped, previous
        np.multiply(log_factor, step, out=stepped)
        stepped += here.level
        np.subtract(stepped, previous, out=there.level)
        there.level *= age / (age + _MOMENTUM_DELAY)
        there.level += stepped
        there.settle()
        age += 1
        fallen = ~(there.likelihood >= here.likelihood)
        if fallen.any():
            there.replace(fallen, here.level[fallen] + log_factor[fallen])
            stepped[fallen] = there.level[fallen]
            age[fallen] = 0
        here, there = there, here


def step_length(informative_share: float) -> float:
    """The power of EM's factor that one step applies where this share of the reports depends on the cell."""
    return max(informative_share, _SMALLEST_SHARE) ** -2

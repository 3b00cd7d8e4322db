"""HUEM, the hybrid uniform-exponential mechanism: the probability falls ring by ring."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from spatialldp.mechanisms.sam import SAM, disk_share, nearest_distance


class HUEM(SAM):
    """Rings k = 1…b around the truth with weights e^(ε·(1 − (k−1)/b)), then 1 beyond, in units of q.

    ε-LDP by the form of the family: the weights lie between 1 and e^ε, and a cell cut by a ring's border
    mixes the two it lies in. The paper drops ε from the exponent in one place, as does the authors'
    program; the weights here are those that the paper defines. With b = 0 there are no rings, and it is DAM with b = 0.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        d: cells per side of the grid, 1 to 512; d + 2·b is at most 1,536.
        b: the radius in whole cells, 0 to 2·d (or 100, on small grids); None for the optimal one.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import HUEM
        >>> mechanism = HUEM(epsilon=3.0, d=3, b=2)
        >>> mechanism.kernel[2].round(2).tolist()  # falls ring by ring
        [0.18, 1.0, 1.0, 1.0, 0.18]
        >>> reports = mechanism.perturb(np.diag([6000, 3000, 1000]), np.random.default_rng(0))
        >>> mechanism.estimate(reports).distribution.round(1).tolist()
        [[0.6, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.1]]
    """

    full_name = "Hybrid uniform-exponential mechanism"
    summary = "Reports near cells more often than far ones: the probability falls ring by ring around the truth."

    def _shape(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
        if self.b == 0:
            return np.ones(x.shape)
        nearest = nearest_distance(x, y)
        squared = x**2 + y**2
        inner = np.floor(np.sqrt(squared)).astype(np.int64)
        outer = np.ceil(np.sqrt(squared)).astype(np.int64)
        share = np.zeros(x.shape)
        for radius in range(self.b + 1):
            on_ring = inner == radius
            share[on_ring] = disk_share(x[on_ring], y[on_ring], radius)
        mixed = share * self._ring(inner) + (1.0 - share) * self._ring(inner + 1)
        whole = self._ring(outer)
        value = np.where(y == 0, self._ring(np.maximum(x, 1)), np.where(inner > nearest, mixed, whole))
        # Rounding may put the innermost ring a hair above 1, and a share of more than all breaks the promise.
        return np.where(nearest >= self.b, 0.0, np.minimum(value, 1.0))

    def _ring(self, k: NDArray[np.int64]) -> NDArray[np.float64]:
        """A of ring k: (its weight − 1)/(e^ε − 1), so that 1 + (e^ε − 1)·A is the weight; 0 beyond the last ring."""
        exponent = 1.0 - (np.clip(k, 1, self.b + 1) - 1) / self.b
        return np.expm1(self.epsilon * exponent) / math.expm1(self.epsilon)

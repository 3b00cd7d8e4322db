"""DAM-NS: DAM without shrinking the cells on the border of the disk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spatialldp.mechanisms.sam import SAM


class DAMNS(SAM):
    """DAM without shrinkage: a cell is near if its centre is in the disk, else far. ε-LDP by the form of the family.

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        d: cells per side of the grid, 1 to 512; d + 2·b is at most 1,536.
        b: the radius in whole cells, 0 to 2·d (or 100, on small grids); None for the optimal one.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM, DAMNS
        >>> mechanism = DAMNS(epsilon=3.0, d=3, b=1)
        >>> mechanism.kernel.astype(int).tolist(), float(DAM(3.0, 3, 1).kernel[0, 0].round(2))
        ([[0, 1, 0], [1, 1, 1], [0, 1, 0]], 0.17)
        >>> reports = mechanism.perturb(np.diag([6000, 3000, 1000]), np.random.default_rng(0))
        >>> mechanism.estimate(reports).distribution.round(1).tolist()
        [[0.6, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.1]]
    """

    full_name = "Disk area mechanism without shrinkage"
    summary = "Like DAM, but a cell on the border of the disk is either wholly inside or wholly outside."

    def _shape(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
        return (x**2 + y**2 <= self.b**2).astype(np.float64)

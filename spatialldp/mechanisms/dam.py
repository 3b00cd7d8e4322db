"""DAM, the disk area mechanism: a disk around the truth, its border cells shrunken."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spatialldp.mechanisms.sam import SAM, PartialCell, disk_share, shrunken_cell


class DAM(SAM):
    """Disk area mechanism: near is a disk of radius b; a cell on its border counts by its shrunken area.

    ε-LDP by the form of the family: `disk_share` is clipped to [0, 1].

    Args:
        epsilon: the privacy budget, above 0 and at most 100.
        d: cells per side of the grid, 1 to 512; d + 2·b is at most 1,536.
        b: the radius in whole cells, 0 to 2·d (or 100, on small grids); None for the optimal one.

    Raises:
        ValueError: a parameter is not a number in its range.

    Example:
        >>> import numpy as np
        >>> from spatialldp import DAM
        >>> mechanism = DAM(epsilon=3.0, d=3, b=1)
        >>> reports = mechanism.perturb(np.diag([6000, 3000, 1000]), np.random.default_rng(0))
        >>> reports.shape  # reports may lie b cells outside
        (5, 5)
        >>> mechanism.estimate(reports).distribution.round(1).tolist()
        [[0.6, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.1]]
    """

    full_name = "Disk area mechanism"
    summary = "Reports each cell of a disk around the truth equally often, and more often than any cell outside it."
    in_lesson = True

    def _shape(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
        return disk_share(x, y, self.b)

    def partial_cells(self) -> list[PartialCell]:
        """The cells on the border: the inner corner of each stays, and its middle moves onto the circle."""
        found = []
        for column, row in np.argwhere((self.kernel > 0) & (self.kernel < 1)).tolist():
            x, y = column - self.b, row - self.b
            near, far = np.sort(np.abs([x, y]))
            along, across = (float(side) for side in shrunken_cell(far, near, self.b))
            width, height = (along, across) if abs(x) >= abs(y) else (across, along)
            left = x - 0.5 if x >= 0 else x + 0.5 - width
            low = y - 0.5 if y >= 0 else y + 0.5 - height
            found.append(PartialCell(x, y, float(self.kernel[column, row]), left, low, width, height))
        return found

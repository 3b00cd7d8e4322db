"""DAM-NS: DAM without shrinking the cells on the border of the disk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spatialldp.mechanisms.sam import SAM


class DAMNS(SAM):
    """DAM without shrinkage: a cell is near if its centre is in the disk, else far. ε-LDP by the form of the family."""

    full_name = "Disk area mechanism without shrinkage"
    summary = "Like DAM, but a cell on the border of the disk is either wholly inside or wholly outside."

    def _shape(self, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.float64]:
        return (x**2 + y**2 <= self.b**2).astype(np.float64)

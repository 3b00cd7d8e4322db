"""What every source of data gives back, and how it says that something is wrong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class DataError(ValueError):
    """Data that cannot be used. The message is one line: what is wrong and what to do about it.

    Example:
        >>> from spatialldp.datasets import DataError, load_outline
        >>> try:
        ...     load_outline("atlantis")
        ... except DataError as error:
        ...     print(error)
        there is no outline of 'atlantis': choose one of chicago, new-haven, new-york, san-francisco
    """


class Points(NamedTuple):
    """Places of people, so that `grid.bin(*points)` counts them.

    Attributes:
        x: longitude in degrees, or plain units, float64 (n,).
        y: latitude in degrees, or plain units, float64 (n,).
        weights: how many people are at each place, int64 (n,); None for one each.

    Example:
        >>> import numpy as np
        >>> from spatialldp import Grid
        >>> from spatialldp.datasets import Points
        >>> points = Points(np.array([0.5, 1.5]), np.array([0.5, 0.5]), np.array([3, 4]))
        >>> points.people
        7
        >>> Grid.from_bounds((0, 0, 2, 2), d=2, crs=None).bin(*points).counts.tolist()
        [[3, 0], [4, 0]]
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    weights: NDArray[np.int64] | None = None

    @property
    def people(self) -> int:
        """Number of people, which is the number of rows unless there are weights."""
        return self.x.size if self.weights is None else int(self.weights.sum())

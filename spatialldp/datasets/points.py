"""What every source of data gives back, and how it says that something is wrong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class DataError(ValueError):
    """Data that cannot be used. The message is one line: what is wrong and what to do about it."""


class Points(NamedTuple):
    """One place a row, so that `grid.bin(*points)` counts them.

    `x`, `y` float64 (n,), longitude and latitude in degrees or plain units;
    `weights` int64 (n,), how many people are at that place, or None for one each.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    weights: NDArray[np.int64] | None = None

    @property
    def people(self) -> int:
        """Number of people, which is the number of rows unless there are weights."""
        return self.x.size if self.weights is None else int(self.weights.sum())

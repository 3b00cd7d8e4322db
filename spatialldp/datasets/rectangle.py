"""Any rectangle of a map: the square domain around it and the people inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spatialldp.datasets.points import DataError, Points
from spatialldp.grid import LONGITUDE_LATITUDE, METRES_PER_DEGREE, Binned, Bounds, Grid

#: A smaller square is within the error of the coordinates themselves.
SMALLEST_SIDE_M = 100.0
#: With fewer people there is no distribution to estimate.
FEWEST_PEOPLE = 10


@dataclass(frozen=True)
class Rectangle:
    """A box turned into a domain. `binned.counts` are the people in each cell of `grid`."""

    grid: Grid
    binned: Binned

    @property
    def note(self) -> str:
        """What became of the box, and who is inside, in words for the page."""
        inside, everybody = self.binned.inside, self.binned.inside + self.binned.left_out
        requested = self.grid.requested_bounds or self.grid.bounds
        wide, high = _size(requested, self.grid.crs)
        side = _size(self.grid.bounds, self.grid.crs)[1]
        if self.grid.bounds == requested:
            box = f"The domain is the square of {_length(side, self.grid.crs)} a side that was asked for"
        else:
            drawn = f"{_length(wide, self.grid.crs)} × {_length(high, self.grid.crs)}"
            box = f"The box of {drawn} grew to the square of {_length(side, self.grid.crs)} a side around it"
        return f"{box}; {inside:,} of {everybody:,} people are inside."


def count_in(bounds: Sequence[float], points: Points, d: int, crs: str | None = LONGITUDE_LATITUDE) -> Rectangle:
    """The square around the box (west, south, east, north) with d×d cells, and the people in them.

    In degrees the square is one in metres; with `crs=None` one in plain units (the paper's squares are such, in
    plain degrees). Raises DataError with a sentence for a box that is not one, is tiny, or holds nobody to speak of.
    """
    try:
        grid = Grid.from_bounds(bounds, d, crs)
    except ValueError as error:
        raise DataError(str(error)) from None
    side = _size(grid.bounds, crs)[1]
    if crs is not None and side < SMALLEST_SIDE_M:
        raise DataError(
            f"the box is {side:.0f} m a side; at least {SMALLEST_SIDE_M:.0f} m make sense: draw a larger one"
        )
    if not ((np.diff(grid.x_edges) > 0).all() and (np.diff(grid.y_edges) > 0).all()):
        raise DataError("the box is too small to be divided into cells: draw a larger one")
    binned = grid.bin(*points)
    if binned.inside < FEWEST_PEOPLE:
        found = "nobody is" if binned.inside == 0 else f"only {binned.inside} of {points.people:,} people are"
        raise DataError(f"{found} in this box; at least {FEWEST_PEOPLE} are needed: draw it where the points are")
    return Rectangle(grid, binned)


def _size(bounds: Bounds, crs: str | None) -> tuple[float, float]:
    """Width and height, in metres or plain units."""
    west, south, east, north = bounds
    if crs is None:
        return east - west, north - south
    shrink = float(np.cos(np.radians((south + north) / 2)))
    return (east - west) * METRES_PER_DEGREE * shrink, (north - south) * METRES_PER_DEGREE


def _length(value: float, crs: str | None) -> str:
    if crs is None:
        return f"{value:.4g}"
    return f"{value / 1000:.1f} km" if value >= 1000 else f"{value:.0f} m"

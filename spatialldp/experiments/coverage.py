"""How much of each cell a polygon covers."""

from __future__ import annotations

import math

import numpy as np
import shapely
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.grid import FARTHEST, Grid


@validate.takes(grid=Grid)
def in_cells(grid: Grid, polygon: shapely.Geometry) -> shapely.Geometry:
    """A polygon in units of cells, from the south-west corner of the domain; repaired where it crosses itself.

    Args:
        grid: where the cells lie.
        polygon: a shapely polygon or multipolygon, in the coordinates of the grid.

    Returns:
        The same polygon on the grid of unit squares; its area is its size in cells.

    Raises:
        ValueError: `polygon` is something else, has no area, or reaches too far to be measured in cells.

    Example:
        >>> import shapely
        >>> from spatialldp import Grid
        >>> from spatialldp.experiments.coverage import in_cells
        >>> in_cells(Grid.from_bounds((4, 0, 8, 4), d=2, crs=None), shapely.box(4, 0, 8, 2)).bounds
        (0.0, 0.0, 2.0, 1.0)
    """
    if not isinstance(polygon, shapely.Geometry) or polygon.is_empty:
        raise ValueError(f"polygon must be a shapely polygon with an area, got {str(polygon)[:60]!r}")
    size = np.array(grid.cell_size)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = shapely.transform(polygon, lambda points: (points - grid.bounds[:2]) / size)
    if not (np.abs(shapely.bounds(scaled)) < FARTHEST).all():
        raise ValueError(f"polygon must be near the domain {grid.bounds}, got one with bounds {polygon.bounds}")
    if not scaled.is_valid:
        scaled = shapely.make_valid(scaled)
    if not shapely.area(scaled) > 0:
        raise ValueError(f"polygon must be a shapely polygon with an area, got {str(polygon)[:60]!r}")
    return scaled


@validate.takes(polygon=shapely.Geometry)
def covered(polygon: shapely.Geometry, d: int) -> NDArray[np.float64]:
    """Which share of each cell a polygon covers. Ratios of areas in degrees are those in metres.

    Args:
        polygon: in units of cells, of `in_cells`.
        d: cells per side.

    Returns:
        Shares 0 to 1, (d, d), [ix, iy].

    Raises:
        ValueError: `polygon` is something else, or d is out of range.

    Example:
        >>> import shapely
        >>> from spatialldp.experiments.coverage import covered
        >>> covered(shapely.Polygon([(0, 0), (2, 0), (0, 2)]), d=2).tolist()
        [[1.0, 0.5], [0.5, 0.0]]
    """
    shares = np.zeros((validate.cells_per_side(d), d))
    low_x, low_y, high_x, high_y = np.clip(shapely.bounds(polygon), 0, d)
    x = np.arange(math.floor(low_x), math.ceil(high_x))
    y = np.arange(math.floor(low_y), math.ceil(high_y))
    if not (x.size and y.size):
        return shares
    cells = shapely.box(x[:, None], y[None, :], x[:, None] + 1, y[None, :] + 1)
    shapely.prepare(polygon)
    near = shares[x[0] : x[-1] + 1, y[0] : y[-1] + 1]
    whole = shapely.covers(polygon, cells)
    near[whole] = 1.0
    # Only along the border does the part have to be cut out, which is slow.
    border = ~whole & shapely.intersects(polygon, cells)
    near[border] = np.minimum(shapely.area(shapely.intersection(polygon, cells[border])), 1.0)
    return shares

"""How many people are in an area: random squares as a measure of error, rectangles and districts as questions.

Areas count cells by the share of each that they cover: within a cell nobody knows where people are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.experiments.coverage import covered, in_cells
from spatialldp.formatting import percent
from spatialldp.grid import Bounds, Grid, checked_box

Array = NDArray[np.float64]

#: Side ω of the random squares, as a share of the side of the map; of its area they are ω² = 0.09.
SHARE = 0.3
#: How many squares a workload has, and the seed that places them: the same for every mechanism.
_SQUARES, _SEED = 1_000, 7


@lru_cache(maxsize=64)
def _workload(d: int, share: float) -> NDArray[np.int64]:
    side = _side(d, share)
    corners = np.random.default_rng(_SEED).integers(0, d - side + 1, size=(_SQUARES, 2))
    boxes = np.stack([corners[:, 0], corners[:, 0] + side, corners[:, 1], corners[:, 1] + side], axis=1)
    boxes.flags.writeable = False
    return boxes


def _side(d: int, share: float) -> int:
    """Of a square, in cells."""
    return max(1, int(np.floor(share * d + 0.5)))


def random_squares(d: int, share: float = SHARE) -> NDArray[np.int64]:
    """The squares over which `range_error` averages: 1,000 of one size, placed at random, always the same ones.

    Args:
        d: cells per side of the map.
        share: side ω of a square as a share of the side of the map, above 0 and at most 1; ω² of the area. Rounded to
            whole cells: with ω = 0.3 and d ≤ 4 to one cell.

    Returns:
        Half-open boxes of cells (ix from, ix to, iy from, iy to), (1000, 4).

    Raises:
        ValueError: a number is out of range.

    Example:
        >>> from spatialldp.experiments.ranges import random_squares
        >>> random_squares(32)[0].tolist()
        [21, 31, 14, 24]
    """
    return _workload(validate.cells_per_side(d), validate.real_number("share", share, above=0.0, at_most=1.0))


def square_in_words(d: int, share: float = SHARE) -> str:
    """How large the squares of `range_error` are.

    Args:
        d: cells per side of the map.
        share: side of a square as a share of the side of the map, above 0 and at most 1.

    Returns:
        Its cells, and its share of the area after rounding to whole cells.

    Raises:
        ValueError: a number is out of range.

    Example:
        >>> from spatialldp.experiments.ranges import square_in_words
        >>> square_in_words(15), square_in_words(4)
        ('5×5 cells, 11.1% of the area', 'one cell, 6.2% of the area')
    """
    d = validate.cells_per_side(d)
    side = _side(d, validate.real_number("share", share, above=0.0, at_most=1.0))
    return f"{'one cell' if side == 1 else f'{side}×{side} cells'}, {percent((side / d) ** 2)} of the area"


def range_error(true: Array, recovered: Array, share: float = SHARE) -> float:
    """By how much a recovered map misses the people in an area: the mean over random squares.

    Args:
        true: the true map, (d, d), in any unit.
        recovered: the recovered map, (d, d), in any unit.
        share: side ω of a square as a share of the side of the map, above 0 and at most 1; `square_in_words` says how
            many cells that is.

    Returns:
        Mean absolute difference, as a share of all people; × 1,000 it is people per thousand.

    Raises:
        ValueError: a map is not square, holds anything but numbers ≥ 0 or nothing but zeros; the shapes differ; or
            `share` is out of range.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import range_error
        >>> true = np.array([[4, 0], [0, 0]])
        >>> range_error(true, true)
        0.0
        >>> round(range_error(true, np.ones((2, 2)), share=0.5), 2)  # cells: ¾ where people are, ¼ in the three others
        0.37
    """
    true = validate.square_map("true", true)
    recovered = validate.square_map("recovered", recovered, true.shape)
    squares = random_squares(true.shape[0], share)
    return float(np.abs(answers(validate.shares(recovered) - validate.shares(true), squares)).mean())


def answers(values: Array, boxes: NDArray[np.int64]) -> Array:
    """The sums of a map in boxes of cells.

    Args:
        values: of the cells, (d, d), in any unit.
        boxes: half-open (ix from, ix to, iy from, iy to) within 0 … d, (n, 4).

    Returns:
        The sums, (n,), in the unit of the values.

    Raises:
        ValueError: the values are not a square map of finite numbers, or a box is not one of its cells.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments.ranges import answers
        >>> answers(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0, 1, 0, 2], [0, 2, 0, 2]])).tolist()
        [3.0, 10.0]
    """
    values = _square("values", values)
    boxes = _boxes(boxes, values.shape[0])
    until = np.zeros((values.shape[0] + 1, values.shape[1] + 1))
    # In units of the largest value: sums of doubles near the largest one would be infinite.
    unit = np.abs(values).max() or 1.0
    until[1:, 1:] = (values / unit).cumsum(axis=0).cumsum(axis=1)
    x0, x1, y0, y1 = boxes.T
    sums = until[x1, y1] - until[x0, y1] - until[x1, y0] + until[x0, y0]
    with np.errstate(over="ignore"):
        found: Array = sums * unit
    return found


@validate.takes(grid=Grid)
def counted_in(values: Array, grid: Grid, bounds: Bounds) -> float:
    """The sum of a map in a rectangle; a cell that is partly inside counts by the share of it that is.

    Args:
        values: of the cells, (d, d), in any unit.
        grid: where the cells lie, d×d of them.
        bounds: the rectangle (west, south, east, north), in the coordinates of the grid; what is outside the grid
            counts nothing.

    Returns:
        The sum, in the unit of the values.

    Raises:
        ValueError: the values do not fit the grid, or `bounds` is not a box.

    Example:
        >>> import numpy as np
        >>> from spatialldp import Grid
        >>> from spatialldp.experiments import counted_in
        >>> grid = Grid.from_bounds((0, 0, 2, 2), d=2, crs=None)
        >>> counted_in(np.array([[8.0, 0.0], [4.0, 2.0]]), grid, (0.5, 0, 2, 1))  # half of the first cell
        8.0
    """
    values = _on(grid, "values", values)
    west, south, east, north = checked_box(bounds)
    columns = _covered(grid.x_edges, west, east)
    rows = _covered(grid.y_edges, south, north)
    return _weighted(values, np.outer(columns, rows))


class DistrictWeights(NamedTuple):
    """How much of each cell a district covers.

    Attributes:
        weights: the share of each cell, (d, d), 0 to 1.
        inside: the share of the district's own area that lies in the square of the grid, 0 to 1.

    Example:
        >>> import shapely
        >>> from spatialldp import Grid
        >>> from spatialldp.experiments import district_weights
        >>> found = district_weights(Grid.from_bounds((0, 0, 2, 2), d=2, crs=None), shapely.box(1, 0, 3, 1))
        >>> found.weights.tolist(), found.inside
        ([[0.0, 0.0], [1.0, 0.0]], 0.5)
    """

    weights: Array
    inside: float

    def counted(self, values: Array) -> float:
        """The sum of a map (d, d) in the district, in the unit of the values.

        Raises:
            ValueError: the values do not fit the weights.
        """
        values = validate.real_array("values", values)
        if values.shape != self.weights.shape:
            raise ValueError(f"values must have shape {self.weights.shape}, got shape {values.shape}")
        return _weighted(values, self.weights)


@validate.takes(grid=Grid)
def district_weights(grid: Grid, polygon: shapely.Geometry) -> DistrictWeights:
    """How much of each cell a district covers.

    Args:
        grid: where the cells lie.
        polygon: the district, a shapely polygon or multipolygon in the coordinates of the grid; one that crosses itself
            is repaired.

    Returns:
        The share of each cell, and the share of the district that lies in the square.

    Raises:
        ValueError: `polygon` is something else, or has no area.

    Example:
        >>> import numpy as np
        >>> import shapely
        >>> from spatialldp import Grid
        >>> from spatialldp.experiments import district_weights
        >>> grid = Grid.from_bounds((0, 0, 2, 2), d=2, crs=None)
        >>> found = district_weights(grid, shapely.Polygon([(0, 0), (2, 0), (0, 2)]))
        >>> found.weights.tolist()
        [[1.0, 0.5], [0.5, 0.0]]
        >>> round(found.counted(np.array([[0.1, 0.2], [0.3, 0.4]])), 2)
        0.35
    """
    district = in_cells(grid, polygon)
    weights = covered(district, grid.d)
    return DistrictWeights(weights, float(min(1.0, weights.sum() / shapely.area(district))))


def _square(name: str, values: Array) -> Array:
    values = validate.real_array(name, values)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise ValueError(f"{name} must be a map of a square grid, (d, d), got shape {values.shape}")
    return values


def _on(grid: Grid, name: str, values: Array) -> Array:
    values = validate.real_array(name, values)
    if values.shape != (grid.d, grid.d):
        raise ValueError(f"{name} must have the shape of the grid, {(grid.d, grid.d)}, got shape {values.shape}")
    return values


def _boxes(boxes: NDArray[np.int64], d: int) -> NDArray[np.int64]:
    try:
        given = np.asarray(boxes)
    except ValueError:  # Lists of different lengths.
        given = np.empty(0, np.int64)
    if given.ndim != 2 or given.shape[1] != 4 or given.dtype.kind not in "iu":
        raise ValueError(
            f"boxes must be whole numbers (ix from, ix to, iy from, iy to), (n, 4), got {validate.shown(boxes)}"
        )
    if given.size and (given.min() < 0 or given.max() > d or (given[:, [0, 2]] > given[:, [1, 3]]).any()):
        raise ValueError(f"boxes must go from one cell border to a later one, all from 0 to {d}")
    return given.astype(np.int64)


def _covered(edges: Array, low: float, high: float) -> Array:
    """Which share of each interval between edges lies between the two ends."""
    both = np.minimum(edges[1:], high) - np.maximum(edges[:-1], low)
    share: Array = np.clip(both / np.diff(edges), 0.0, 1.0)
    return share


def _weighted(values: Array, weights: Array) -> float:
    # In units of the largest value, as in `answers`.
    unit = np.abs(values).max() or 1.0
    return float(np.sum(weights * (values / unit))) * float(unit)

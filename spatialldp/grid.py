"""The square domain: bounds → d×d cells → counts.

A mechanism knows only cell numbers. This module is the one place that knows where on Earth
(or in which plain units) they lie. Arrays are indexed [ix, iy]: x to the east, y to the north.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray

from spatialldp import _validation as validate

#: Mean Earth radius (IUGG), metres; a degree of latitude is then 111.195 km.
EARTH_RADIUS_M = 6_371_008.8
METRES_PER_DEGREE = math.radians(EARTH_RADIUS_M)
LONGITUDE_LATITUDE = "EPSG:4326"

Bounds = tuple[float, float, float, float]
#: Coordinates beyond this are a mistake, and differences and squares of them would be infinite.
FARTHEST = 1e100


class PointsLeftOutWarning(UserWarning):
    """Some points lie outside the domain and are in no cell."""


@dataclass(frozen=True)
class Binned:
    """Points sorted into cells, with an account of those that are in none. With weights, all four count people.

    Attributes:
        counts: points per cell, int64 (d, d), [ix, iy].
        outside: points beyond the square.
        masked: points in cells that the mask rules out.
        invalid: points with a coordinate that is NaN or infinite.

    Example:
        >>> from spatialldp import Grid
        >>> grid = Grid.from_bounds((0, 0, 2, 2), d=2, crs=None)
        >>> binned = grid.bin([0.5, 1.5, 9.0], [0.5, 0.5, 0.5])
        >>> binned.counts.tolist()
        [[1, 0], [1, 0]]
        >>> binned.inside, binned.outside, binned.left_out
        (2, 1, 1)
    """

    counts: NDArray[np.int64]
    outside: int
    masked: int
    invalid: int

    @property
    def inside(self) -> int:
        """Points that are in a cell."""
        return int(self.counts.sum())

    @property
    def left_out(self) -> int:
        """Points that are in no cell, for whatever reason."""
        return self.outside + self.masked + self.invalid


@dataclass(frozen=True, eq=False)
class Grid:
    """A square domain of d×d square cells. Make one with `Grid.from_bounds`: the constructor checks nothing.

    Attributes:
        bounds: (west, south, east, north) of the domain itself, in degrees or plain units.
        d: cells per side.
        crs: "EPSG:4326" for longitude and latitude in degrees, None for plain units.
        requested_bounds: the requested box, before it grew to a square; None where none was requested.
        mask: bool (d, d), True where somebody may be; None where every cell is allowed.

    Example:
        >>> from spatialldp import Grid
        >>> grid = Grid.from_bounds((-122.51, 37.70, -122.36, 37.83), d=15)
        >>> round(grid.cell_size_m)
        964
        >>> int(grid.histogram([-122.42, -122.42, -122.40], [37.78, 37.78, 37.79]).sum())
        3
    """

    bounds: Bounds
    d: int
    crs: str | None = LONGITUDE_LATITUDE
    requested_bounds: Bounds | None = None
    mask: NDArray[np.bool_] | None = field(default=None, repr=False)

    @classmethod
    def from_bounds(
        cls,
        bounds: Sequence[float],
        d: int,
        crs: str | None = LONGITUDE_LATITUDE,
        polygon: shapely.Geometry | None = None,
    ) -> Grid:
        """The grid on the smallest square around the same centre that holds a box.

        In degrees the square is one in metres on an equirectangular map about the box's centre, which
        is linear in longitude and latitude: cell edges stay meridians and parallels.

        Args:
            bounds: the box (west, south, east, north), in degrees or plain units.
            d: cells per side, 1 to 1,024.
            crs: "EPSG:4326" for degrees; None for plain units, in which the square is then a square.
            polygon: a shapely polygon in the same coordinates; cells that share no area with it are masked.

        Returns:
            The grid; its `bounds` are the square, its `requested_bounds` the box.

        Raises:
            ValueError: `bounds` is not a box or, in degrees, not one on Earth, or is too small to be divided; `d` is
                not a whole number from 1 to 1,024; `crs` is neither of the two; `polygon` has no area or lies
                elsewhere.

        Example:
            >>> from spatialldp import Grid
            >>> Grid.from_bounds((0, 0, 4, 2), d=4, crs=None).bounds
            (0.0, -1.0, 4.0, 3.0)
        """
        d = validate.cells_per_side(d)
        if not (crs is None or (isinstance(crs, str) and crs == LONGITUDE_LATITUDE)):
            raise ValueError(
                f"crs must be {LONGITUDE_LATITUDE!r} (longitude and latitude in degrees) or None (plain units), "
                f"got {validate.shown(crs)}: convert the coordinates first, for example with geopandas "
                ".to_crs('EPSG:4326')"
            )
        requested = _checked_bounds(bounds, crs)
        square = _enclosing_square(requested, crs)
        grid = cls(square, d, crs, requested)
        steps = np.concatenate([np.diff(grid.x_edges), np.diff(grid.y_edges)])
        # In the smallest numbers a double has, one over the side of a cell would be infinite.
        if not (steps > np.finfo(np.float64).tiny).all():
            raise ValueError(
                f"bounds {requested} are too small to be divided into cells: choose a larger box or a smaller d"
            )
        return grid if polygon is None else grid.with_polygon(polygon)

    def with_polygon(self, polygon: shapely.Geometry) -> Grid:
        """The same grid, its mask True for the cells that share an area with the polygon.

        Args:
            polygon: a shapely polygon or multipolygon, in the coordinates of `bounds`.

        Raises:
            ValueError: `polygon` is something else, has no area, or shares none with the domain.

        Example:
            >>> import shapely
            >>> from spatialldp import Grid
            >>> grid = Grid.from_bounds((0, 0, 2, 2), d=2, crs=None)
            >>> grid.with_polygon(shapely.box(0, 0, 1, 2)).mask.tolist()
            [[True, True], [False, False]]
        """
        if not isinstance(polygon, shapely.Geometry) or polygon.is_empty or shapely.area(polygon) == 0:
            raise ValueError(f"polygon must be a shapely polygon with an area, got {str(polygon)[:60]!r}")
        x, y = self.x_edges, self.y_edges
        cells = shapely.box(x[:-1, None], y[None, :-1], x[1:, None], y[None, 1:])
        shapely.prepare(polygon)
        # A cell that only touches the outline from outside shares no area with it.
        mask = shapely.intersects(polygon, cells) & ~shapely.touches(polygon, cells)
        if not mask.any():
            raise ValueError(
                f"polygon must overlap the domain {self.bounds}, got one with bounds {polygon.bounds}: "
                "are both in (longitude, latitude) order?"
            )
        return Grid(self.bounds, self.d, self.crs, self.requested_bounds, mask)

    # -- geometry ------------------------------------------------------------------------------

    @property
    def cell_size(self) -> tuple[float, float]:
        """Width and height of a cell in the units of `bounds` (degrees or plain units)."""
        west, south, east, north = self.bounds
        return (east - west) / self.d, (north - south) / self.d

    @property
    def cell_size_m(self) -> float | None:
        """Side of a cell in metres; None for a domain in plain units."""
        return None if self.crs is None else self.cell_size[1] * METRES_PER_DEGREE

    @cached_property
    def x_edges(self) -> NDArray[np.float64]:
        """The d+1 cell borders from west to east."""
        return np.linspace(self.bounds[0], self.bounds[2], self.d + 1)

    @cached_property
    def y_edges(self) -> NDArray[np.float64]:
        """The d+1 cell borders from south to north."""
        return np.linspace(self.bounds[1], self.bounds[3], self.d + 1)

    def cell_centres(self) -> NDArray[np.float64]:
        """Centre of each cell, (d, d, 2): [ix, iy] → (x, y)."""
        x = (self.x_edges[:-1] + self.x_edges[1:]) / 2
        y = (self.y_edges[:-1] + self.y_edges[1:]) / 2
        return np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)

    def cell_polygons(self) -> NDArray[np.float64]:
        """Closed ring of each cell, counter-clockwise from the south-west corner, (d, d, 5, 2)."""
        west, east = self.x_edges[:-1], self.x_edges[1:]
        south, north = self.y_edges[:-1], self.y_edges[1:]
        corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
        rings = [np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1) for x, y in corners]
        return np.stack(rings, axis=2)

    def extended(self, margin: int) -> Grid:
        """The same cells and `margin` more on every side: the square that holds all reports of radius b = margin.

        Raises:
            ValueError: `margin` is not a whole number ≥ 0, or larger than a radius may be (2·d, or 100 on small grids).
        """
        margin = validate.radius(margin, self.d, "margin")
        width, height = (margin * side for side in self.cell_size)
        west, south, east, north = self.bounds
        return Grid((west - width, south - height, east + width, north + height), self.d + 2 * margin, self.crs)

    # -- binning -------------------------------------------------------------------------------

    def cells_of(self, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The cell of each point.

        The rule: ix = floor((x − west)·(d/(east − west))). A cell holds its western and southern
        border; the outermost eastern and northern border belong to the last cell.

        Args:
            x: (n,), longitude in degrees, or plain units.
            y: (n,), latitude in degrees, or plain units.

        Returns:
            (ix, iy, inside), each (n,). Where `inside` is False the indices mean nothing.

        Raises:
            ValueError: `x` and `y` are not flat arrays of numbers of one length.

        Example:
            >>> from spatialldp import Grid
            >>> grid = Grid.from_bounds((0, 0, 2, 2), d=2, crs=None)
            >>> ix, iy, inside = grid.cells_of([0.5, 2.0, 2.1], [1.0, 0.0, 0.0])
            >>> ix[inside].tolist(), iy[inside].tolist()
            ([0, 1], [1, 0])
        """
        x, y = _coordinates(x, y)
        west, south, east, north = self.bounds
        with np.errstate(invalid="ignore"):
            inside = (x >= west) & (x <= east) & (y >= south) & (y <= north)
        ix = np.floor((np.where(inside, x, west) - west) * (self.d / (east - west))).astype(np.int64)
        iy = np.floor((np.where(inside, y, south) - south) * (self.d / (north - south))).astype(np.int64)
        return np.minimum(ix, self.d - 1), np.minimum(iy, self.d - 1), inside

    def bin(self, x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None) -> Binned:
        """Sort points into cells and account for every one that is in none.

        Args:
            x: (n,), longitude in degrees, or plain units.
            y: (n,), latitude in degrees, or plain units.
            weights: whole numbers (n,), how many people are at each point; None for one each.

        Returns:
            The counts, and how many were left out and why; see `Binned`.

        Raises:
            ValueError: `x` and `y` are not flat arrays of numbers of one length, or `weights` is not one whole number
                ≥ 0 per point.

        Example:
            >>> from spatialldp import Grid
            >>> grid = Grid.from_bounds((0, 0, 2, 2), d=2, crs=None)
            >>> grid.bin([0.5, 1.5], [0.5, 0.5], weights=[3, 4]).counts.tolist()
            [[3, 0], [4, 0]]
        """
        x, y = _coordinates(x, y)
        people = None if weights is None else validate.people_per_point("weights", weights, x.size)
        ix, iy, inside = self.cells_of(x, y)
        finite = np.isfinite(x) & np.isfinite(y)
        invalid = int(np.count_nonzero(~finite) if people is None else people[~finite].sum())
        outside = int(np.count_nonzero(~inside) if people is None else people[~inside].sum()) - invalid
        cells = ix[inside] * self.d + iy[inside]
        counts = np.zeros((self.d, self.d), np.int64)
        if people is None:
            counts.reshape(-1)[:] = np.bincount(cells, minlength=counts.size)
        else:
            # Not bincount: it adds weights up as floats, which loses people beyond 2⁵³.
            np.add.at(counts.reshape(-1), cells, people[inside])
        masked = 0
        if self.mask is not None:
            masked = int(counts[~self.mask].sum())
            counts = np.where(self.mask, counts, 0)
        return Binned(counts, outside, masked, invalid)

    def histogram(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.int64]:
        """People in each cell. Warns when points are left out; `bin` says how many and why.

        Args:
            x: (n,), longitude in degrees, or plain units.
            y: (n,), latitude in degrees, or plain units.

        Returns:
            int64 (d, d), [ix, iy].

        Raises:
            ValueError: `x` and `y` are not flat arrays of numbers of one length.

        Example:
            >>> from spatialldp import Grid
            >>> Grid.from_bounds((0, 0, 2, 2), d=2, crs=None).histogram([0.5, 0.6], [0.5, 1.5]).tolist()
            [[1, 1], [0, 0]]
        """
        binned = self.bin(x, y)
        if binned.left_out:
            warnings.warn(
                f"{binned.left_out:,} of {binned.left_out + binned.inside:,} points are in no cell of the domain "
                f"{self.bounds} and are left out ({binned.outside:,} outside, {binned.masked:,} masked, "
                f"{binned.invalid:,} not finite); Grid.bin(x, y) gives these numbers without a warning",
                PointsLeftOutWarning,
                stacklevel=2,
            )
        return binned.counts


def _coordinates(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    try:
        if np.iscomplexobj(x) or np.iscomplexobj(y):
            raise TypeError
        x, y = np.atleast_1d(np.asarray(x, np.float64)), np.atleast_1d(np.asarray(y, np.float64))
    except (TypeError, ValueError, OverflowError):
        raise ValueError("x and y must be numbers or flat arrays of numbers, got something else") from None
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"x and y must be flat arrays of one length, got shapes {x.shape} and {y.shape}")
    return x, y


def checked_box(bounds: Any) -> Bounds:
    """`bounds` as (west, south, east, north), if that is a box, in whatever units.

    Raises:
        ValueError: it is not four finite numbers, not in that order, or farther out than `FARTHEST`.

    Example:
        >>> from spatialldp.grid import checked_box
        >>> checked_box([0, 0, 4, 2])
        (0.0, 0.0, 4.0, 2.0)
    """
    try:
        if any(np.iscomplexobj(value) or value is np.ma.masked for value in bounds):
            raise TypeError
        west, south, east, north = (float(value) for value in bounds)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"bounds must be four numbers (west, south, east, north), got {validate.shown(bounds)}"
        ) from None
    box = (west, south, east, north)
    if not all(math.isfinite(value) for value in box):
        raise ValueError(f"bounds must be finite numbers (west, south, east, north), got {box}")
    if not (west < east and south < north):
        raise ValueError(f"bounds must have west < east and south < north, got {box}")
    if max(map(abs, box)) > FARTHEST:
        raise ValueError(f"bounds must lie between −{FARTHEST:g} and {FARTHEST:g}, got {box}: use other units")
    return box


def _checked_bounds(bounds: Any, crs: str | None) -> Bounds:
    box = checked_box(bounds)
    if crs is not None and not _on_earth(box):
        raise ValueError(
            f"bounds must lie within longitude −180…180 and latitude −90…90, got {box}: "
            "the order is west, south, east, north; use crs=None for plain units"
        )
    return box


def _on_earth(box: Bounds) -> bool:
    west, south, east, north = box
    return west >= -180 and east <= 180 and south >= -90 and north <= 90


def _enclosing_square(box: Bounds, crs: str | None) -> Bounds:
    """The smallest square with the same centre. An exact square is returned as it is, to the last digit."""
    west, south, east, north = box
    centre_x, centre_y = (west + east) / 2, (south + north) / 2
    # Height of a square in the units of y, for a width of one in the units of x.
    aspect = 1.0 if crs is None else math.cos(math.radians(centre_y))
    width, height = east - west, north - south
    if math.isclose(width * aspect, height, rel_tol=1e-12):
        return box
    if width * aspect < height:
        half = height / aspect / 2
        square = (centre_x - half, south, centre_x + half, north)
    else:
        half = width * aspect / 2
        square = (west, centre_y - half, east, centre_y + half)
    if crs is not None and not _on_earth(square):
        raise ValueError(
            f"bounds {box} grow to the square {tuple(round(v, 4) for v in square)}, which leaves the map of the Earth: "
            "choose a smaller box, away from the poles and the 180th meridian"
        )
    return square

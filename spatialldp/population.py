"""People counted on a grid: the noun everything else is about.

A population is made from a data set, or a box of it, by `Population.of`; from points of one's own by
`Population.of_points`. Both turn the box into the square domain around it and account for everybody left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.datasets import DATASETS, DataError, Dataset, Points, dataset
from spatialldp.formatting import metres_or_kilometres
from spatialldp.grid import LONGITUDE_LATITUDE, METRES_PER_DEGREE, Binned, Bounds, Grid, checked_box

#: A smaller square is within the error of the coordinates themselves.
SMALLEST_SIDE_M = 100.0
#: With fewer people there is no distribution to estimate.
FEWEST_PEOPLE = 10


@dataclass(frozen=True)
class Population:
    """The people of one area, counted on d×d cells. Made by `Population.of` or `Population.of_points`.

    Attributes:
        grid: the square domain.
        binned: the people in each cell, and how many were left out and why.
        points: where they are; None for a population that was counted elsewhere and is known by its cells alone.

    Example:
        >>> from spatialldp.population import Population
        >>> people = Population.of("new-haven", d=5)
        >>> people.users, people.left_out, people.counts.shape
        (3293, 0, (5, 5))
        >>> round(float(people.shares.max()), 2)
        0.25
    """

    grid: Grid
    binned: Binned
    points: Points | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(
        cls, data: str | Dataset, d: int, bounds: Sequence[float] | None = None, points: Points | None = None
    ) -> Population:
        """The people of a data set, or of a box in it, on d×d cells.

        Args:
            data: the id of a data set, or its entry in `spatialldp.datasets.DATASETS`.
            d: cells per side, 1 to 1,024.
            bounds: a box (west, south, east, north), in the units of the data set; None for its default view.
            points: the points of the data set, where they are loaded already.

        Returns:
            The people in the square around the box.

        Raises:
            DataError: there is no such data set, it is not on this computer, `d` is not a whole number from 1 to 1,024,
                or the box cannot be used (see `of_points`).

        Example:
            >>> from spatialldp.population import Population
            >>> downtown = Population.of("new-haven", d=5, bounds=(-72.945, 41.295, -72.905, 41.325))
            >>> downtown.users
            1603
        """
        if not isinstance(data, (str, Dataset)):
            raise DataError(f"data must be the id of a data set, or its entry, got {validate.shown(data)}")
        entry = dataset(data) if isinstance(data, str) else data
        try:
            validate.cells_per_side(d)
            box = entry.default_view if bounds is None else checked_box(bounds)
        except ValueError as error:
            raise DataError(str(error)) from None
        return cls.of_points(entry.load() if points is None else points, d, box, _box_crs(entry, box))

    @classmethod
    def of_points(
        cls, points: Points, d: int, bounds: Sequence[float], crs: str | None = LONGITUDE_LATITUDE
    ) -> Population:
        """The people among some points who are in the square around a box, on d×d cells.

        Args:
            points: where people are.
            d: cells per side.
            bounds: the box (west, south, east, north), in the units of the points.
            crs: "EPSG:4326" for degrees, where the square is a square in metres; None for plain units, where it is one
                in those (the paper's squares are squares in plain degrees).

        Returns:
            The people in the square, and how many points are outside.

        Raises:
            DataError: `bounds` is not a box, is too small (below 100 m per side, in degrees), or holds fewer than 10
                people; `d` is not a whole number from 1 to 1,024; or `points` are not such. The message is one sentence
                that says what to do.

        Example:
            >>> import numpy as np
            >>> from spatialldp.datasets import Points
            >>> from spatialldp.population import Population
            >>> points = Points(np.linspace(0.0, 1.0, 20), np.linspace(0.0, 1.0, 20))
            >>> Population.of_points(points, 2, (0, 0, 1, 1), crs=None).counts.tolist()
            [[10, 0], [0, 10]]
        """
        if not isinstance(points, Points):
            raise DataError(f"points must be `spatialldp.datasets.Points`, got {validate.shown(points)}")
        try:
            grid = Grid.from_bounds(bounds, d, crs)
        except ValueError as error:
            raise DataError(str(error)) from None
        side = _size(grid.bounds, crs)[1]
        if crs is not None and side < SMALLEST_SIDE_M:
            raise DataError(
                f"the area is only {metres_or_kilometres(side)} wide; at least "
                f"{metres_or_kilometres(SMALLEST_SIDE_M)} is needed: draw a larger one"
            )
        try:
            binned = grid.bin(*points)
        except ValueError as error:
            raise DataError(str(error)) from None
        if binned.inside < FEWEST_PEOPLE:
            found = "nobody is" if binned.inside == 0 else f"only {binned.inside} of {points.people:,} people are"
            raise DataError(f"{found} in this area; at least {FEWEST_PEOPLE} people are needed: choose one with people")
        return cls(grid, binned, points)

    @property
    def counts(self) -> NDArray[np.int64]:
        """People per cell, (d, d), [ix, iy]."""
        return self.binned.counts

    @property
    def users(self) -> int:
        """How many people there are: each sends one report."""
        return self.binned.inside

    @property
    def left_out(self) -> int:
        """How many people of the data set are in no cell."""
        return self.binned.left_out

    @property
    def shares(self) -> NDArray[np.float64]:
        """The true map: the share of all people in each cell, (d, d)."""
        return self.counts / self.users

    def finer(self, times: int) -> NDArray[np.int64]:
        """The same people on cells that are `times` smaller per side, (times·d, times·d), [ix, iy].

        Raises:
            ValueError: `times` is not a whole number from 1 on, or the population is known by its cells alone.
        """
        times = validate.whole_number("times", times, 1, validate.LARGEST_D // self.grid.d)
        if times == 1:
            return self.counts
        if self.points is None:
            raise ValueError(
                "the population is known by its cells alone: make it with Population.of or Population.of_points"
            )
        mask = None if self.grid.mask is None else np.kron(self.grid.mask, np.ones((times, times), dtype=bool))
        return replace(self.grid, d=times * self.grid.d, mask=mask).bin(*self.points).counts

    @property
    def note(self) -> str:
        """What became of the area, and how many people are inside, in words."""
        everybody = self.users + self.left_out
        requested = self.grid.requested_bounds or self.grid.bounds
        wide, high = (_length(size, self.grid.crs) for size in _size(requested, self.grid.crs))
        side = _length(_size(self.grid.bounds, self.grid.crs)[1], self.grid.crs)
        square = f"a square with sides of {side}" if self.grid.crs is None else f"a {side} square"
        changed = "is" if self.grid.bounds == requested or wide == high else "was widened to"
        inside = f"all {self.users:,}" if self.left_out == 0 else f"{self.users:,} of {everybody:,}"
        return f"Your area {changed} {square}; {inside} people are inside."


#: The people of one area, counted on d×d cells for any d.
PopulationOn = Callable[[int], Population]


def population(data: str, d: int, bounds: Sequence[float] | None = None) -> Population:
    """`Population.of`, under the name that programs written for earlier versions call.

    Args:
        data: the id of a data set.
        d: cells per side.
        bounds: a box (west, south, east, north), in the units of the data set; None for its default view.

    Returns:
        The people in the square around the box.

    Raises:
        DataError: as `Population.of`.

    Example:
        >>> from spatialldp.population import population
        >>> population("new-haven", 5).users
        3293
    """
    return Population.of(data, d, bounds)


@validate.takes(entry=Dataset)
def paper_squares(entry: Dataset) -> dict[str, Bounds]:
    """The squares that the paper cuts this set into.

    Args:
        entry: a data set.

    Returns:
        Bounds (west, south, east, north) in degrees by id of the part; empty where the paper cuts nothing.

    Example:
        >>> from spatialldp.datasets import dataset
        >>> from spatialldp.population import paper_squares
        >>> list(paper_squares(dataset("chicago-crimes-2022")))
        ['chicago-crimes-2022', 'chicago-crimes-2022-a', 'chicago-crimes-2022-b', 'chicago-crimes-2022-c']
    """
    if entry.download is None:
        return {}
    return {other.id: other.default_view for other in DATASETS.values() if other.download is entry.download}


def _box_crs(entry: Dataset, box: Sequence[float]) -> str | None:
    """How a box becomes a square: in metres, but in plain units or degrees where the paper defines the square so."""
    if entry.simulated or _alike(box, entry.default_view):
        return entry.crs
    return None if any(_alike(box, square) for square in paper_squares(entry).values()) else LONGITUDE_LATITUDE


def _alike(box: Sequence[float], square: Bounds) -> bool:
    # A link and a number field carry six digits.
    return all(abs(a - b) < 1e-6 for a, b in zip(box, square, strict=True))


def _size(bounds: Bounds, crs: str | None) -> tuple[float, float]:
    """Width and height, in metres or plain units."""
    west, south, east, north = bounds
    if crs is None:
        return east - west, north - south
    shrink = float(np.cos(np.radians((south + north) / 2)))
    return (east - west) * METRES_PER_DEGREE * shrink, (north - south) * METRES_PER_DEGREE


def _length(value: float, crs: str | None) -> str:
    return f"{value:.4g}" if crs is None else metres_or_kilometres(value)

"""The error of a map: how wrong it is about where people are, the size of its cells included.

W2 between two grids falls to 0 on a single cell, so it cannot say how good a map is. Here the people are counted on a
grid several times finer than the map, and the map is spread evenly over its cells, as it is drawn: the error is W2
between these two, in metres (or the map's own unit). What remains of it for the true map is the part from cell size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from spatialldp import _validation as validate
from spatialldp.experiments.plan import Plan, side_and_unit
from spatialldp.experiments.ranges import range_error
from spatialldp.experiments.repeats import half_width_of_mean, half_width_of_next
from spatialldp.population import Population
from spatialldp.wasserstein import quick_side, wasserstein2

Array = NDArray[np.float64]

#: What a map is for: to show where people are, or how many are in an area.
PLACES, COUNTS = "places", "counts"
PURPOSES = (PLACES, COUNTS)
#: Unit of the error of counts: people, of a thousand on the whole map.
PER_THOUSAND = "per 1,000"
_THOUSAND = 1_000.0


def fineness(d: int) -> int:
    """How many times finer than d×d cells people are counted: as often as 128 cells per side allow.

    Args:
        d: cells per side of the map.

    Returns:
        A whole number; 1 from 65 cells per side on, where the map itself is the finest grid.

    Raises:
        ValueError: `d` is out of range.

    Example:
        >>> from spatialldp.experiments.map_error import fineness
        >>> [fineness(d) for d in (1, 15, 40, 64, 100)]
        [128, 8, 3, 2, 1]
    """
    return max(1, quick_side() // validate.cells_per_side(d))


@dataclass(frozen=True)
class Ground:
    """The people that the maps of one grid are held against, counted more finely than any of these maps shows.

    Attributes:
        counts: people per cell of the maps, (d, d).
        fine: the same people on cells `fineness(d)` times smaller per side.
        half: the same people on cells about half as fine, for what need not be exact.
        side: of the whole square, in `unit`s.
        unit: "m", or "map units" where the map has no metres.

    Example:
        >>> from spatialldp.experiments.map_error import Ground
        >>> from spatialldp.population import Population
        >>> ground = Ground.of(Population.of("new-haven", d=6))
        >>> ground.fine.shape, ground.half.shape, int(ground.fine.sum())
        ((126, 126), (66, 66), 3293)
        >>> f"{ground.error(ground.counts):.0f} {ground.unit}"  # the part from cell size
        '407 m'
    """

    counts: NDArray[np.int64]
    fine: NDArray[np.int64]
    half: NDArray[np.int64]
    side: float
    unit: str

    @classmethod
    def of(cls, population: Population) -> Ground:
        """The ground of these people.

        Args:
            population: on the cells of the maps; made from points, so that it can be counted more finely.

        Returns:
            The ground.

        Raises:
            ValueError: the population is known by its cells alone.

        Example:
            >>> from spatialldp.experiments.map_error import Ground
            >>> from spatialldp.population import Population
            >>> Ground.of(Population.of("new-haven", d=40)).fine.shape
            (120, 120)
        """
        times = fineness(validate.instance("population", population, Population).grid.d)
        side, unit = side_and_unit(population.grid)
        return cls(
            population.counts,
            population.finer(times),
            population.finer((times + 1) // 2),
            side * population.grid.d,
            unit,
        )

    @property
    def d(self) -> int:
        """Cells per side of the maps."""
        return int(self.counts.shape[0])

    def error(self, shares: Array) -> float:
        """W2 between the people and a map (d, d) spread evenly over its cells, in `unit`s."""
        return self._w2(self.fine, shares)

    def rough_error(self, shares: Array) -> float:
        """The same on the grid half as fine, some ten times faster."""
        return self._w2(self.half, shares)

    def error_of_counts(self, shares: Array) -> float:
        """By how much a map (d, d), spread evenly over its cells, misses the people in random squares of 0.3 of the
        side: the mean over the squares, in people per thousand of all."""
        return _THOUSAND * range_error(self.fine.astype(np.float64), spread(shares, len(self.fine) // self.d))

    @cached_property
    def uniform(self) -> Array:
        """The map of somebody who knows nothing but the square, (d, d)."""
        return np.ones(self.counts.shape)

    def _w2(self, people: NDArray[np.int64], shares: Array) -> float:
        return wasserstein2(people, spread(shares, len(people) // self.d)) * (self.side / len(people))


def spread(shares: Array, times: int) -> Array:
    """A map on cells that are smaller by a whole factor, the mass of each cell spread evenly over its parts.

    Args:
        shares: of the cells, (d, d).
        times: by how much the parts are smaller, per side.

    Returns:
        The map on the parts, (times·d, times·d), with the same total.

    Raises:
        ValueError: `shares` is not a map of finite numbers, or `times` is not a whole number from 1 to 1,024.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments.map_error import spread
        >>> spread(np.array([[0.4, 0.6]]), 2).tolist()
        [[0.1, 0.1, 0.15, 0.15], [0.1, 0.1, 0.15, 0.15]]
    """
    shares = validate.real_array("shares", shares)
    if shares.ndim != 2:
        raise ValueError(f"shares must be a map, (rows, columns), got shape {shares.shape}")
    times = validate.whole_number("times", times, 1, validate.LARGEST_D)
    return np.asarray(shares / times**2).repeat(times, axis=0).repeat(times, axis=1)


@dataclass(frozen=True)
class MapError:
    """The error of a plan's map over simulated collections; all amounts are in `unit`s.

    Attributes:
        plan: what was measured.
        users: how many people took part.
        epsilon_used: the ε of the mechanism: the plan's own, or ε′ per cell of a calibrated Geo-I mechanism.
        values: error of each collection, (collections,).
        cell: the part from cell size: the error of the true map on these cells.
        side: side of a cell, in `length_unit`s.
        length_unit: "m", or "map units" where the map has no metres.
        purpose: what the map is for, one of `PURPOSES`.
        overstated: how much of the error comes from counting people on a fine grid instead of where they are.
        w2_cells: W2 between the two grids, in cells, of each collection; empty if unknown.
        shift_error: standard error of what was added to `values` that were measured roughly; 0 where all are exact.
        jumped: whether the plan protects more than required, because a jump skips the target.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import MapError, Plan
        >>> error = MapError(Plan(), 900, 3.5, np.array([240.0, 250.0, 260.0]), cell=150.0, side=900.0)
        >>> error.mean, error.noise, round(error.half_width, 1)  # Student's t for two degrees of freedom
        (250.0, 100.0, 24.8)
        >>> error.unit
        'm'
    """

    plan: Plan
    users: int
    epsilon_used: float
    values: Array
    cell: float
    side: float
    length_unit: str = "m"
    purpose: str = PLACES
    overstated: float = 0.0
    w2_cells: Array | None = None
    shift_error: float = 0.0
    jumped: bool = False

    @property
    def unit(self) -> str:
        """Of all amounts."""
        return self.length_unit if self.purpose == PLACES else PER_THOUSAND

    @property
    def mean(self) -> float:
        """Of the error over the collections."""
        return float(self.values.mean())

    @property
    def knows_cell_part(self) -> bool:
        """Whether people were counted more finely than the map shows them; otherwise `cell` is 0, whatever it is."""
        return fineness(self.plan.d) > 1

    @property
    def noise(self) -> float:
        """What the randomisation adds to the error of the true map on these cells."""
        return self.mean - self.cell

    @property
    def half_width(self) -> float:
        """Half the 95% interval of the mean (Student's t); infinite for a single collection, which says nothing."""
        return math.hypot(half_width_of_mean(self.values), self._shift_half_width)

    @property
    def low(self) -> float:
        """Lower end of the 95% interval of the mean."""
        return max(self.mean - self.half_width, 0.0)

    @property
    def high(self) -> float:
        """Upper end of the 95% interval of the mean."""
        return self.mean + self.half_width

    @property
    def spread(self) -> float:
        """Standard deviation of the error of one collection; infinite for a single one, which says nothing."""
        return float(self.values.std(ddof=1)) if self.values.size > 1 else math.inf

    @property
    def one_collection(self) -> float:
        """Half the range around the mean in which the error of one further collection lies with 95%."""
        return math.hypot(half_width_of_next(self.values), self._shift_half_width)

    @property
    def w2(self) -> float:
        """Mean W2 between the two grids, the paper's measure, in `length_unit`s; NaN if unknown."""
        if self.w2_cells is None or self.w2_cells.size == 0:
            return math.nan
        return float(self.w2_cells.mean()) * self.side

    @property
    def _shift_half_width(self) -> float:
        return float(stdtrit(max(self.values.size - 1, 1), 0.975)) * self.shift_error if self.shift_error else 0.0


@dataclass(frozen=True)
class MapBaselines:
    """The two ends between which the error of a map lies, in the unit of that error.

    Attributes:
        uniform_guess: error of a map that knows nothing but the square.
        no_privacy: error of the map of as many people drawn anew, each with their true cell: chance and cells alone.

    Example:
        >>> from spatialldp.experiments.map_error import MapBaselines
        >>> MapBaselines(uniform_guess=3_000.0, no_privacy=155.0).no_privacy
        155.0
    """

    uniform_guess: float
    no_privacy: float

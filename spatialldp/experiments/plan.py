"""A plan (who reports, how, on which grid) and the error that its map will have, as lengths people understand."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.experiments import defaults
from spatialldp.experiments.comparison import both_sides, equal_footing
from spatialldp.experiments.repeats import half_width_of_mean, half_width_of_next, repeated
from spatialldp.experiments.run import make_mechanism
from spatialldp.grid import Grid
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.population import Population
from spatialldp.privacy.protection import LOCAL_PRIVACY, MEASURES

#: Rms distance of a point from the centre of its square cell, in sides.
CELL_SHARE = 1 / math.sqrt(6)


@dataclass(frozen=True)
class Plan:
    """What every device does, on which grid, and how many take part.

    Attributes:
        mechanism: its name, a key of `spatialldp.MECHANISMS`.
        epsilon: privacy budget ε.
        d: cells per side.
        b: radius in cells, where the mechanism has one; None for the optimal one.
        users: how many people take part; None for everybody.
        calibrated: a Geo-I mechanism runs at the ε′ that protects as much as DAM does at `epsilon`, or where a jump
            skips that, at the largest that protects more. False: at `epsilon` per cell.
        by: the ruler by which it then protects as much, one of `spatialldp.privacy.MEASURES`.

    Raises:
        ValueError: a value is out of range, or of another type. A mechanism may still refuse them together: see
            `check_fits`.

    Example:
        >>> from spatialldp.experiments import Plan
        >>> plan = Plan(epsilon=2.0, d=10)
        >>> plan.make()
        DAM(epsilon=2, d=10, b=4)
        >>> plan.with_changes(mechanism="MDSW").make()
        MDSW(epsilon=2, d=10)
    """

    mechanism: str = defaults.MECHANISM
    epsilon: float = defaults.EPSILON
    d: int = defaults.D
    b: int | None = None
    users: int | None = None
    calibrated: bool = True
    by: str = LOCAL_PRIVACY

    def __post_init__(self) -> None:
        validate.one_of("mechanism", self.mechanism, tuple(MECHANISMS))
        validate.not_a_text("epsilon", self.epsilon)
        validate.privacy_budget(self.epsilon)
        validate.cells_per_side(self.d)
        validate.whole_number("b", 0 if self.b is None else self.b, 0)
        validate.people("users", 1 if self.users is None else self.users)
        validate.instance("calibrated", self.calibrated, bool)
        validate.one_of("by", self.by, tuple(MEASURES))

    def check_fits(self) -> Plan:
        """The plan itself, if its mechanism can do what it asks. Nothing is searched for, as `make` may.

        Raises:
            ValueError: the values do not go together.
        """
        make_mechanism(self.mechanism, self.epsilon, self.d, self._radius)
        if self.users is not None:
            MECHANISMS[self.mechanism].checked_people(self.users)
        return self

    def make(self) -> Mechanism:
        """The mechanism of the plan."""
        if self._radius is not None:
            return make_mechanism(self.mechanism, self.epsilon, self.d, self._radius)
        return equal_footing(self.mechanism, self.epsilon, self.d, self.calibrated, self.by)

    @property
    def _radius(self) -> int | None:
        """`b`, where there is a radius to choose."""
        return None if MECHANISMS[self.mechanism].parameter("b") is None else self.b

    @property
    def jumped(self) -> bool:
        """Whether it protects more than required, because a jump skips the target."""
        return len(both_sides(self.mechanism, self.epsilon, self.d, self.calibrated, self.by)) > 1

    def with_changes(self, **values: Any) -> Plan:
        """The same plan with some values replaced."""
        unknown = sorted(set(values) - set(self.__dataclass_fields__))
        if unknown:
            raise TypeError(f"a plan has no value {unknown[0]!r}: choose from {', '.join(self.__dataclass_fields__)}")
        return replace(self, **values)


@validate.takes(plan=Plan)
def is_calibrated(plan: Plan) -> bool:
    """Whether the plan's mechanism runs at an ε′ of its own.

    Args:
        plan: the plan.

    Returns:
        True for a Geo-I mechanism that is to protect as much as DAM does at the plan's ε.

    Example:
        >>> from spatialldp.experiments import Plan
        >>> from spatialldp.experiments.plan import is_calibrated
        >>> is_calibrated(Plan("SEM-Geo-I")), is_calibrated(Plan("SEM-Geo-I", calibrated=False)), is_calibrated(Plan())
        (True, False, False)
    """
    return plan.calibrated and MECHANISMS[plan.mechanism].notion == "Geo-I"


@dataclass(frozen=True)
class MapError:
    """The error of a plan's map over repeats; lengths are in `unit`s.

    Two parts: `transport`, the mean W2 between the true and the recovered map, and `cell`, the rms distance of a
    person from the centre of their own cell, which a map of cells hides. Their sum is an upper bound of the distance
    between where people are and what the map says (triangle inequality).

    Attributes:
        plan: what was measured.
        users: how many people took part.
        epsilon_used: the ε of the mechanism: the plan's own, or ε′ per cell of a calibrated Geo-I mechanism.
        w2_cells: W2 of each repeat, (repeats,), in cells.
        side: side of a cell.
        unit: of all lengths: "m", or "map units" where the map has no metres.
        jumped: whether the plan protects more than required, because a jump skips the target.

    Example:
        >>> import numpy as np
        >>> from spatialldp.experiments import MapError, Plan
        >>> error = MapError(Plan(), 900, 3.5, np.array([1.0, 2.0, 3.0]), side=100.0, unit="m")
        >>> error.transport, round(error.cell, 1), round(error.total, 1)
        (200.0, 40.8, 240.8)
        >>> round(error.half_width, 1)  # Student's t for two degrees of freedom
        248.4
    """

    plan: Plan
    users: int
    epsilon_used: float
    w2_cells: NDArray[np.float64]
    side: float
    unit: str
    jumped: bool = False

    @property
    def transport(self) -> float:
        """Mean W2."""
        return float(self.w2_cells.mean()) * self.side

    @property
    def cell(self) -> float:
        """What the cell hides, side/√6."""
        return self.side * CELL_SHARE

    @property
    def total(self) -> float:
        """Both parts together."""
        return self.transport + self.cell

    @property
    def half_width(self) -> float:
        """Half the 95 % interval of the mean (Student's t); infinite for a single repeat, which says nothing."""
        return half_width_of_mean(self.w2_cells) * self.side

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval of the total."""
        return max(self.transport - self.half_width, 0.0) + self.cell

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval of the total."""
        return self.total + self.half_width

    @property
    def one_collection(self) -> float:
        """Half the range in which the total of one further collection lies with 95 %."""
        return half_width_of_next(self.w2_cells) * self.side


@validate.takes(grid=Grid)
def side_and_unit(grid: Grid) -> tuple[float, str]:
    """Side of a cell and its unit: metres where the map has them, otherwise the map's own.

    Args:
        grid: the grid.

    Returns:
        The length, and "m" or "map units".

    Example:
        >>> from spatialldp import Grid
        >>> from spatialldp.experiments.plan import side_and_unit
        >>> side_and_unit(Grid.from_bounds((0, 0, 3, 3), d=6, crs=None))
        (0.5, 'map units')
    """
    metres = grid.cell_size_m
    return (metres, "m") if metres is not None else (grid.cell_size[1], "map units")


@validate.takes(population=Population, plan=Plan)
def measure(population: Population, plan: Plan, seed: int, repeats: int) -> MapError:
    """The error of a plan with the seeds seed, seed + 1, …; with everybody the first is the run of `simulate`.

    The recovered map is compared with the map of *all* people, so a sample pays for being one.

    Args:
        population: the people, on d×d cells for the plan's d.
        plan: what is measured.
        seed: of the first repeat.
        repeats: how often; two at least for an interval.

    Returns:
        The error, as lengths on the map.

    Raises:
        ValueError: the plan cannot be run, or `repeats` is not a whole number ≥ 1.

    Example:
        >>> from spatialldp.experiments import Plan, measure
        >>> from spatialldp.population import Population
        >>> error = measure(Population.of("new-haven", d=6), Plan(d=6), seed=1, repeats=3)
        >>> round(error.total), round(error.low), round(error.high), error.unit
        (1401, 1336, 1465, 'm')
    """
    mechanism = plan.make()
    found = repeated(population.counts, mechanism, seed, repeats, plan.users)
    side, unit = side_and_unit(population.grid)
    users = population.users if plan.users is None else plan.users
    return MapError(plan, users, mechanism.epsilon, found.w2_cells, side, unit, plan.jumped)

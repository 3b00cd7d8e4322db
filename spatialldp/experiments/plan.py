"""A plan: who reports, how, and on which grid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from spatialldp import _validation as validate
from spatialldp.experiments import defaults
from spatialldp.experiments.comparison import both_sides, equal_footing
from spatialldp.experiments.run import make_mechanism
from spatialldp.grid import Grid
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.privacy.protection import LOCAL_PRIVACY, MEASURES


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

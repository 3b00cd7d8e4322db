"""A plan (who reports, how, on which grid) and the error that its map will have, as lengths people understand."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from spatialldp import _validation as validate
from spatialldp.experiments.comparison import both_sides, equal_footing
from spatialldp.experiments.run import has_radius, make_mechanism
from spatialldp.grid import Grid
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.population import Population
from spatialldp.privacy.protection import LOCAL_PRIVACY
from spatialldp.wasserstein import wasserstein2_many

#: Rms distance of a point from the centre of its square cell, in sides.
CELL_SHARE = 1 / math.sqrt(6)


@dataclass(frozen=True)
class Plan:
    """What every device does. `b` None: the best radius; `users` None: everybody, otherwise how many take part;
    `calibrated`: a Geo-I mechanism runs at the ε′ that protects as much as DAM does at `epsilon`, by the ruler `by`, or
    where a jump skips that, at the largest that protects more."""

    mechanism: str = "DAM"
    epsilon: float = 3.5
    d: int = 15
    b: int | None = None
    users: int | None = None
    calibrated: bool = True
    by: str = LOCAL_PRIVACY

    def make(self) -> Mechanism:
        """The mechanism of the plan."""
        if self.b is not None and has_radius(self.mechanism):
            return make_mechanism(self.mechanism, self.epsilon, self.d, self.b)
        return equal_footing(self.mechanism, self.epsilon, self.d, self.calibrated, self.by)

    @property
    def jumped(self) -> bool:
        """Whether it protects more than asked, because a jump skips what was asked."""
        return len(both_sides(self.mechanism, self.epsilon, self.d, self.calibrated, self.by)) > 1

    def with_changes(self, **values: Any) -> Plan:
        """The same plan with some values replaced."""
        return replace(self, **values)


def is_calibrated(plan: Plan) -> bool:
    """Whether the plan's mechanism runs at an ε′ of its own."""
    return plan.calibrated and MECHANISMS[plan.mechanism].notion == "Geo-I"


@dataclass(frozen=True)
class MapError:
    """The error of a plan's map over repeats, in `unit`s (metres, or the map's own units).

    Two parts: `transport`, the mean W2 between the true and the recovered map, and `cell`, the rms distance of a
    person from the centre of their own cell, which a map of cells hides. Their sum is an upper bound of the distance
    between where people are and what the map says (triangle inequality). `jumped`: the plan protects more than asked,
    because a jump skips what was asked.
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
        """Half the 95 % interval of the mean (Student's t); infinite for a single repeat, which tells nothing."""
        return self._spread(1 / self.w2_cells.size)

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
        return self._spread(1 + 1 / self.w2_cells.size)

    def _spread(self, variance: float) -> float:
        repeats = self.w2_cells.size
        if repeats < 2:
            return math.inf
        deviation = self.w2_cells.std(ddof=1) * math.sqrt(variance)
        return float(stdtrit(repeats - 1, 0.975) * deviation) * self.side


def side_and_unit(grid: Grid) -> tuple[float, str]:
    """Side of a cell and its unit: metres where the map has them, otherwise the map's own."""
    metres = grid.cell_size_m
    return (metres, "m") if metres is not None else (grid.cell_size[1], "map units")


def participants(counts: NDArray[np.int64], users: int | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """`users` people of this map: fewer than there are is a random sample; more is everybody several times and a
    sample for the rest."""
    everybody = int(counts.sum())
    if users is None or users == everybody:
        return counts
    times, rest = divmod(validate.whole_number("users", users, 1), everybody)
    sample = rng.multivariate_hypergeometric(counts.ravel(), rest, method="marginals").reshape(counts.shape)
    return times * counts + sample


def measure(population: Population, plan: Plan, seed: int, repeats: int) -> MapError:
    """The error of a plan with the seeds seed, seed + 1, …; with everybody the first is the run of `simulate`.

    The recovered map is compared with the map of *all* people, so a sample pays for being one.
    """
    repeats = validate.whole_number("repeats", repeats, 1)
    counts, mechanism = population.counts, plan.make()
    recovered = []
    for number in range(seed, seed + repeats):
        taking_part = participants(counts, plan.users, np.random.default_rng([number, 2]))
        reports = mechanism.perturb(taking_part, np.random.default_rng(number))
        recovered.append(mechanism.estimate(reports).distribution)
    side, unit = side_and_unit(population.grid)
    users = population.users if plan.users is None else plan.users
    return MapError(plan, users, mechanism.epsilon, wasserstein2_many(counts, recovered), side, unit, plan.jumped)

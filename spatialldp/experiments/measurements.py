"""What has been measured about the plans for one area, so that nothing is measured twice, whoever asks.

The work is made of small tasks: one simulated collection, the error of one given map, the risk of one plan. Each needs
only the ground of its grid, so any process can do it; results are kept here, by task.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import stdtrit

from spatialldp import _validation as validate
from spatialldp import engines
from spatialldp.experiments.map_error import COUNTS, PLACES, PURPOSES, Array, Ground, MapBaselines, MapError
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.repeats import recovered
from spatialldp.formatting import STANDARD_ERRORS_95
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.population import Population, PopulationOn
from spatialldp.privacy import LocalPrivacy, RepeatedRisk, local_privacy, repeated_risk

#: Results kept per area: small objects, a few megabytes in all.
_MOST_RESULTS = 20_000
#: Grounds kept per area: some 200 KB each.
_MOST_GROUNDS = 24
#: What counting people in cells usually adds to the square of an error, in squared sides of these cells: mostly 0.1 to
#: 0.3 (`benchmarks.map_error`). Good enough for a first look; what is reported is measured.
_USUAL_ADDED = 0.2
#: Collections of a plan that are measured on the fine grid as well; the others are shifted by what these differ. Of
#: many collections more are: what is common to all must not be less sure than their mean.
FEW_EXACT, MORE_EXACT, MANY_COLLECTIONS = 2, 4, 20
#: By how much that difference varies from collection to collection, as a share of how much their errors do: at most
#: this (`benchmarks.map_error`), mostly far less. Two collections do not say, so they are given this much.
_SHIFT_VARIES = 0.15


class Level(IntEnum):
    """How much is measured of a collection: each level includes those before it."""

    COUNTED = 0
    """Errors of counts only, which take no transport."""
    ROUGH = 1
    """Its error on the grid half as fine, and W2 between the two grids, too."""
    EXACT = 2
    """Its error on the fine grid, too."""


class Draw(NamedTuple):
    """One simulated collection, measured.

    Attributes:
        counts: error of counts, people per thousand.
        rough: error on the grid half as fine, in the unit of the map; NaN if not measured.
        w2_cells: W2 between the two grids, in cells; NaN if not measured.
        exact: error on the fine grid, in the unit of the map; NaN if not measured.
    """

    counts: float
    rough: float = np.nan
    w2_cells: float = np.nan
    exact: float = np.nan


class Task(Protocol):
    """Something to be measured on one grid; equal tasks have equal results."""

    @property
    def d(self) -> int:
        """Cells per side of the grid."""
        ...

    def result(self, ground: Ground) -> Any:
        """Measure it."""
        ...


@dataclass(frozen=True)
class OfPlan:
    """A task about one plan."""

    plan: Plan
    """The plan."""

    @property
    def d(self) -> int:
        """Cells per side of the grid."""
        return self.plan.d


@dataclass(frozen=True)
class Collection(OfPlan):
    """Simulate one collection.

    Attributes:
        plan: the plan.
        seed: of all its draws.
        level: how much is measured.
    """

    seed: int
    level: Level = Level.EXACT

    def result(self, ground: Ground) -> Draw:
        """The errors of its map."""
        from spatialldp.wasserstein import wasserstein2

        found = recovered(ground.counts, self.plan.make(), self.seed, self.plan.users)
        counts = ground.error_of_counts(found)
        if self.level == Level.COUNTED:
            return Draw(counts)
        rough = Draw(counts, ground.rough_error(found), wasserstein2(ground.counts, found))
        return rough if self.level == Level.ROUGH else rough._replace(exact=ground.error(found))


@dataclass(frozen=True)
class Risk(OfPlan):
    """What some reports of one person tell an attacker who knows the true map.

    Attributes:
        plan: the plan.
        reports: how many.
        most_people: how many people are drawn at most, where it is simulated; None for the usual number.
    """

    reports: int
    most_people: int | None = None

    def result(self, ground: Ground) -> RepeatedRisk:
        """The risk."""
        most: dict[str, Any] = {} if self.most_people is None else {"most_people": self.most_people}
        return repeated_risk(self.plan.make(), self.reports, ground.counts, **most)


@dataclass(frozen=True)
class Local(OfPlan):
    """The paper's local privacy of a plan's mechanism.

    Attributes:
        plan: the plan.
    """

    def result(self, ground: Ground) -> LocalPrivacy:
        """The local privacy."""
        return local_privacy(self.plan.make())


@dataclass(frozen=True)
class GivenMap:
    """The error of a map that is known without any report."""

    d: int
    """Cells per side."""
    purpose: str
    """What the map is for."""
    which: str
    """"cell": the true map on these cells; "uniform": a guess that knows only the square; "resampled": the map of as
    many people drawn anew, each with their true cell."""
    users: int | None = None
    """How many are drawn anew; None for as many as there are."""
    seed: int = 0
    """Of who is drawn."""

    def result(self, ground: Ground) -> float:
        """Its error."""
        shares = self._shares(ground)
        return ground.error(shares) if self.purpose == PLACES else ground.error_of_counts(shares)

    def _shares(self, ground: Ground) -> Array:
        if self.which == "uniform":
            return ground.uniform
        true = ground.counts.astype(np.float64)
        if self.which == "cell":
            return true
        rng = np.random.default_rng([self.seed, 1])
        asked = int(ground.counts.sum()) if self.users is None else self.users
        drawn = rng.multinomial(asked, true.ravel() / true.sum())
        return drawn.reshape(true.shape).astype(np.float64)


class Measurements:
    """What has been measured for the people of one area. Several threads may ask at once.

    Example:
        >>> from spatialldp.experiments.measurements import Measurements
        >>> from spatialldp.experiments import Plan
        >>> from spatialldp.population import Population
        >>> found = Measurements(lambda d: Population.of("new-haven", d))
        >>> round(found.error(Plan(d=6), seed=1, repeats=3).mean)
        542
    """

    def __init__(self, population_on: PopulationOn, workers: engines.Workers = None) -> None:
        """`population_on` gives the people on d×d cells, for any d, in this process; `workers` do the work."""
        self._population_on, self._workers = population_on, workers
        self._results: OrderedDict[Task, Any] = OrderedDict()
        self._grounds: OrderedDict[int, Ground] = OrderedDict()
        self._lock = Lock()

    def population(self, d: int) -> Population:
        """The people on d×d cells."""
        return self._population_on(d)

    def ground(self, d: int) -> Ground:
        """What maps of d×d cells are held against."""
        with self._lock:
            found = self._grounds.get(d)
        if found is None:
            found = Ground.of(self._population_on(d))
            with self._lock:
                self._grounds[d] = found
                while len(self._grounds) > _MOST_GROUNDS:
                    self._grounds.popitem(last=False)
        return found

    def known(self, task: Task) -> Any:
        """The result of a task; None where it has not been done."""
        with self._lock:
            if not isinstance(task, Collection):
                return self._results.get(task)
            levels = (Collection(task.plan, task.seed, level) for level in Level if level >= task.level)
            return next((self._results[one] for one in levels if one in self._results), None)

    def measuring(self, tasks: Iterable[Task]) -> Iterator[Task]:
        """Do what has not been done, in parallel where there are workers; yields each task when its result is known."""
        todo = [task for task in dict.fromkeys(tasks) if self.known(task) is None]
        if not todo:
            return
        engine = engines.engine(self._workers)
        items = ((task, self.ground(task.d)) for task in todo)
        if isinstance(engine, engines.InProcess):
            results = engine.map(_result, items)
        else:
            # Other processes know the mechanisms that ship and not what the program has added to them.
            names = {task.plan.mechanism for task in todo if isinstance(task, OfPlan)}
            results = engine.map(partial(_result_elsewhere, kinds={name: MECHANISMS[name] for name in names}), items)
        for task, result in zip(todo, results, strict=True):
            with self._lock:
                self._results[task] = result
                while len(self._results) > _MOST_RESULTS:
                    self._results.popitem(last=False)
            yield task

    def result(self, task: Task) -> Any:
        """The result of a task, which is done now if it has not been."""
        found = self.known(task)
        if found is not None:
            return found
        for _ in self.measuring([task]):
            pass
        return self.known(task)

    # -- errors of plans -------------------------------------------------------------------------------

    def tasks(self, plan: Plan, seed: int, repeats: int, purpose: str = PLACES, exact: int | None = None) -> list[Task]:
        """What the error of a plan needs. `exact` is how many collections are measured exactly; None for the usual
        number."""
        if validate.one_of("purpose", purpose, PURPOSES) == COUNTS:
            levels = [Level.COUNTED] * repeats
        else:
            usual = FEW_EXACT if repeats < MANY_COLLECTIONS else MORE_EXACT
            sure = min(usual if exact is None else exact, repeats)
            levels = [Level.EXACT] * sure + [Level.ROUGH] * (repeats - sure)
        collections = [Collection(plan, seed + number, level) for number, level in enumerate(levels)]
        return [*collections, GivenMap(plan.d, purpose, "cell")]

    def error(self, plan: Plan, seed: int, repeats: int, purpose: str = PLACES, exact: int | None = None) -> MapError:
        """The error of a plan with the seeds seed, seed + 1, …; what has not been measured is measured now."""
        *collections, cell = self.tasks(plan, seed, repeats, purpose, exact)
        for _ in self.measuring([*collections, cell]):
            pass
        draws = [_up_to(task.level, self.result(task)) for task in collections if isinstance(task, Collection)]
        ground, mechanism = self.ground(plan.d), plan.make()
        users = int(ground.counts.sum()) if plan.users is None else plan.users
        values, overstated, shift_error = (
            (np.array([draw.counts for draw in draws]), 0.0, 0.0) if purpose == COUNTS else _values(draws, ground)
        )
        return MapError(
            plan,
            users,
            mechanism.epsilon,
            values,
            self.result(cell),
            ground.side / plan.d,
            ground.unit,
            purpose,
            overstated,
            np.array([draw.w2_cells for draw in draws if not np.isnan(draw.w2_cells)]),
            shift_error,
            plan.jumped,
        )

    def rough_errors(
        self, plan: Plan, seed: int, repeats: int, purpose: str = PLACES, as_differs: int | None = None
    ) -> Array:
        """A first idea of the errors of some collections, measured roughly and shifted by what is usual; or by as much
        as the collection with the seed `as_differs` differs, which is then measured exactly."""
        level = Level.COUNTED if purpose == COUNTS else Level.ROUGH
        draws = [self.result(Collection(plan, seed + number, level)) for number in range(repeats)]
        if purpose == COUNTS:
            return np.array([draw.counts for draw in draws])
        if as_differs is None:
            ground = self.ground(plan.d)
            shift = _USUAL_ADDED * ((ground.side / len(ground.half)) ** 2 - (ground.side / len(ground.fine)) ** 2)
        else:
            both = self.result(Collection(plan, as_differs))
            shift = both.rough**2 - both.exact**2
        return np.sqrt(np.maximum(np.array([draw.rough for draw in draws]) ** 2 - shift, 0.0))

    @staticmethod
    def ends(d: int, users: int | None, seed: int, purpose: str = PLACES) -> tuple[GivenMap, GivenMap]:
        """What the baselines of a plan with so many people need."""
        return GivenMap(d, purpose, "uniform"), GivenMap(d, purpose, "resampled", users, seed)

    def baselines(self, d: int, users: int | None, seed: int, purpose: str = PLACES) -> MapBaselines:
        """The two ends between which the error of a plan with so many people lies."""
        return MapBaselines(*(self.result(task) for task in self.ends(d, users, seed, purpose)))


def _result(item: tuple[Task, Ground]) -> Any:
    task, ground = item
    return task.result(ground)


def _result_elsewhere(item: tuple[Task, Ground], kinds: dict[str, type[Mechanism]]) -> Any:
    MECHANISMS.update(kinds)
    return _result(item)


def _up_to(level: Level, draw: Draw) -> Draw:
    """What was asked for and no more: an error is the same whatever has been measured before."""
    if level == Level.COUNTED:
        return Draw(draw.counts)
    return draw if level == Level.EXACT else draw._replace(exact=np.nan)


def _values(draws: Sequence[Draw], ground: Ground) -> tuple[Array, float, float]:
    """Errors of the collections, how much of their mean is due to the fine grid, and the standard error of the shift.

    A finer grid lowers the *square* of the error by nearly the same amount for all collections of a plan, because what
    counting in cells adds to it does not depend on where the noise has moved people. So what is measured roughly is
    shifted by the mean difference of those that are measured both ways.
    """
    rough = np.array([draw.rough for draw in draws])
    exact = np.array([draw.exact for draw in draws])
    both = ~np.isnan(exact)
    differences = rough[both] ** 2 - exact[both] ** 2
    shift = float(differences.mean()) if differences.size else 0.0
    values = np.where(both, exact, np.sqrt(np.maximum(rough**2 - shift, 0.0)))
    mean = float(values.mean())
    ratio = (len(ground.fine) / len(ground.half)) ** 2
    if ratio == 1 or mean == 0:
        return values, float("nan") if ratio == 1 else 0.0, 0.0
    # What counting in cells adds to the square is proportional to the square of their side.
    overstated = mean - float(np.sqrt(max(mean**2 - shift / (ratio - 1), 0.0)))
    roughly = 1 - differences.size / values.size
    if roughly == 0:
        return values, overstated, 0.0
    if differences.size < MORE_EXACT:
        varies = _SHIFT_VARIES * float(values.std(ddof=1))
    else:
        # Of so few, a standard deviation is itself unsure: as Student's t has it, for an interval of 95%.
        unsure = float(stdtrit(differences.size - 1, 0.975)) / STANDARD_ERRORS_95
        varies = unsure * float(differences.std(ddof=1)) / (2 * mean)
    return values, overstated, float(roughly * varies / np.sqrt(max(differences.size, 1)))


@validate.takes(population=Population, plan=Plan)
def measure(population: Population, plan: Plan, seed: int, repeats: int, purpose: str = PLACES) -> MapError:
    """The error of a plan's map with the seeds seed, seed + 1, …

    The recovered map is held against *all* people, so a sample pays for being one.

    Args:
        population: the people, on d×d cells for the plan's d, made from points.
        plan: what is measured.
        seed: of the first collection.
        repeats: how many collections are simulated; two at least for an interval.
        purpose: what the map is for, one of `PURPOSES`: "places", where people are, or "counts", how many are in an
            area.

    Returns:
        The error: W2 between the people and the map spread evenly over its cells, as a length; or for counts the mean
        error over random squares of 0.3 of the side, in people per thousand.

    Raises:
        ValueError: the plan cannot be run, `repeats` is not a whole number ≥ 1, or the population is on another grid or
            known by its cells alone.

    Example:
        >>> from spatialldp.experiments import Plan, measure
        >>> from spatialldp.population import Population
        >>> error = measure(Population.of("new-haven", d=6), Plan(d=6), seed=1, repeats=3)
        >>> round(error.mean), round(error.low), round(error.high), round(error.cell), error.unit
        (542, 434, 651, 407, 'm')
    """
    if population.grid.d != plan.d:
        raise ValueError(f"population must be on the {plan.d}×{plan.d} cells of the plan, got d = {population.grid.d}")
    seed, repeats = validate.seed(seed), validate.repeats(repeats)
    return Measurements(lambda d: population).error(plan, seed, repeats, purpose)

"""From what somebody can accept to what they should choose: a budget, a grid, a number of people.

Every search begins with a first look: a few collections per plan, measured roughly, show where the answer is. What they
find is then measured with so many other collections that the answer is sure to about 0.04 in ε. None of it depends on
the settings somebody happens to look at: a question has one answer. Each search is an iterator: what was done on the
way, and last the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from spatialldp import _validation as validate
from spatialldp.experiments.calibrated import USUAL, is_stored
from spatialldp.experiments.map_error import COUNTS, PLACES, PURPOSES, MapError
from spatialldp.experiments.measurements import Collection, GivenMap, Level, Measurements, Task
from spatialldp.experiments.plan import Plan, is_calibrated
from spatialldp.population import Population, PopulationOn

#: The budgets that are looked at: from 0.5 to 9 in steps of 0.05.
EPSILONS = tuple(step / 20 for step in range(10, 181))
#: The grids that are looked at; all but the first two divide the same fine grid of 120 × 120.
GRIDS = (5, 8, 12, 15, 20, 30, 40, 60)
#: Numbers of people, about 20 % apart, from a hundred to ten million.
USERS = (
    *(round(lead * 10**power) for power in range(2, 7) for lead in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)),
    10**7,
)
#: A coarser grid is preferred to one that is better by no more than this: it has fewer cells and says as much.
AS_GOOD = 1.05
#: Collections of one plan in a first look, and in a closer one at the grids that come into question.
_FIRST_LOOK, _CLOSER_LOOK = 3, 6
#: Where a first look begins to look for a budget.
_LANDMARKS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 6.0, 9.0)
#: Seeds of first looks begin this far from those of all other measurements: the draws that led to a plan would flatter
#: it.
_APART = 1_000_000
#: How sure an answer is to be: a budget in ε, a number of people as a share of it. How many times the usual repeats
#: that may take.
_SURE_TO, _SURE_TO_SHARE = 0.04, 0.1
_FEWEST_TIMES, _MOST_TIMES = 4, 24
#: How the error falls with ε, or the number of people, where nothing is known: as this power of it.
_USUAL_POWER = 0.6
#: By how many times the target is missed, at most, as far as the next guess is concerned.
_FARTHEST = 1e6

Found = TypeVar("Found")
Steps = Generator[Task, None, Found]
#: How sure an amount, an ε or a number of people, is to be.
SureTo = Callable[[float], float]
#: The people of an area: on one grid, on any grid, or with what has been measured of them.
People = Population | PopulationOn | Measurements


@dataclass(frozen=True)
class BudgetAnswer:
    """The smallest ε of `EPSILONS` whose upper 95 % bound meets the target, or that there is none.

    Example:
        >>> from spatialldp.planning import Plan, budget_for
        >>> from spatialldp.population import Population
        >>> *_, answer = budget_for(Population.of("new-haven", d=6), Plan(d=6), target=100, seed=1, repeats=2)
        >>> answer.met, answer.epsilon  # the cells alone hide more than 100 m
        (False, 9.0)
    """

    target: float
    """The accepted error, in the unit of `error`."""
    met: bool
    """Whether there is such an ε."""
    error: MapError
    """Error and plan of the answer; of the largest ε where none meets the target."""
    below: MapError | None = None
    """The next smaller ε that was measured, which does not meet the target for sure; None where there is none."""

    @property
    def epsilon(self) -> float:
        """The answer, or the largest ε there is."""
        return self.error.plan.epsilon

    @property
    def plan(self) -> Plan:
        """The plan of the answer."""
        return self.error.plan


@dataclass(frozen=True)
class FirstIdea:
    """What a first look makes of a target; it is then measured.

    Example:
        >>> from spatialldp.planning import Plan, budget_on_any_grid
        >>> from spatialldp.planning.searches import FirstIdea
        >>> from spatialldp.population import Population
        >>> people_on = lambda d: Population.of("new-haven", d)
        >>> steps = budget_on_any_grid(people_on, Plan(), target=1_000, seed=1, repeats=2, grids=(5, 8))
        >>> next(step.plan.d for step in steps if isinstance(step, FirstIdea))
        5
    """

    plan: Plan
    """About what the answer will be."""


@dataclass(frozen=True)
class GridAnswer:
    """The best grid of `GRIDS` at the plan's ε, and its error: the coarsest that is within 5 % of the smallest error.

    Example:
        >>> from spatialldp.planning import Plan, best_grid
        >>> from spatialldp.population import Population
        >>> *_, answer = best_grid(lambda d: Population.of("new-haven", d), Plan(epsilon=1.0), seed=1, repeats=2)
        >>> answer.d
        5
    """

    error: MapError
    """Error and plan on that grid."""

    @property
    def d(self) -> int:
        """Cells per side."""
        return self.error.plan.d

    @property
    def plan(self) -> Plan:
        """The plan on that grid."""
        return self.error.plan


@dataclass(frozen=True)
class UsersAnswer:
    """The fewest people of `USERS` whose upper 95 % bound meets the target with the plan's ε and grid.

    Example:
        >>> from spatialldp.planning import Plan, users_for
        >>> from spatialldp.population import Population
        >>> *_, answer = users_for(Population.of("new-haven", d=6), Plan(d=6), target=100, seed=1, repeats=2)
        >>> answer  # whoever takes part, the cells alone hide more than 100 m
        UsersAnswer(target=100.0, met=False, error=None)
    """

    target: float
    """The accepted error, in the unit of `error`."""
    met: bool
    """Whether that many people are enough."""
    error: MapError | None
    """Error and plan with that many people; with the most where not even they are enough. None where the cells alone
    hide more than the target, whoever takes part."""


def measurements_of(people: People) -> Measurements:
    """What is measured of these people, and where it is kept.

    Args:
        people: on one grid, on any grid (a function of d), or with what has been measured of them.

    Returns:
        The measurements; new ones unless they are given.

    Raises:
        ValueError: `people` is something else.

    Example:
        >>> from spatialldp.planning import measurements_of
        >>> from spatialldp.population import Population
        >>> measurements_of(Population.of("new-haven", d=6)).ground(6).d
        6
    """
    if isinstance(people, Measurements):
        return people
    if isinstance(people, Population):
        only = people

        def on(d: int) -> Population:
            if d != only.grid.d:
                raise ValueError(f"the people are on {only.grid.d}×{only.grid.d} cells, and the plan is for {d}×{d}")
            return only

        return Measurements(on)
    if not callable(people):
        raise ValueError(
            f"people must be a population, a function of d that gives one, or measurements, got {people!r}"
        )
    return Measurements(people)


def grids_for(plan: Plan) -> tuple[int, ...]:
    """The grids that a search tries for a plan.

    Args:
        plan: its mechanism and how that is made comparable count.

    Returns:
        Cells per side. For a Geo-I mechanism that is to protect as much as DAM, only those for which the equal ε′ are
        stored in small steps: a search for each would take minutes.

    Example:
        >>> from spatialldp.planning import Plan
        >>> from spatialldp.planning.searches import grids_for
        >>> grids_for(Plan()), grids_for(Plan("SEM-Geo-I"))
        ((5, 8, 12, 15, 20, 30, 40, 60), (5, 8, 12, 15))
    """
    fine_steps = len(USUAL[5])
    found = [d for d in GRIDS if not is_calibrated(plan) or len(USUAL.get(d, ())) == fine_steps]
    return tuple(d for d in found if fits(plan.with_changes(d=d, b=None)))


def epsilons_for(plan: Plan) -> tuple[float, ...]:
    """The budgets that a search tries for a plan on its own grid.

    Args:
        plan: its mechanism, grid and how the mechanism is made comparable count.

    Returns:
        `EPSILONS`, or for a Geo-I mechanism that is to protect as much as DAM those whose equal ε′ is stored; all where
        none is, which takes its time.

    Example:
        >>> from spatialldp.planning import Plan
        >>> from spatialldp.planning.searches import epsilons_for
        >>> len(epsilons_for(Plan())), epsilons_for(Plan("SEM-Geo-I"))[:3]
        (171, (0.5, 0.6, 0.7))
    """
    if not is_calibrated(plan):
        return EPSILONS
    stored = tuple(e for e in EPSILONS if is_stored(plan.mechanism, e, plan.d, plan.by))
    return stored or EPSILONS


def fits(plan: Plan) -> bool:
    """Whether a plan's mechanism can do what it asks."""
    try:
        plan.check_fits()
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class _Search:
    """What all searches of one question have in common."""

    measurements: Measurements
    seed: int
    repeats: int
    purpose: str

    def first_look(self, plans: Sequence[Plan], collections: int = _FIRST_LOOK) -> Steps[list[float]]:
        """A first idea of the errors of some plans."""
        level, apart = Level.COUNTED if self.purpose == COUNTS else Level.ROUGH, self.seed + _APART
        tasks = [Collection(plan, apart + number, level) for plan in plans for number in range(collections)]
        yield from self.measurements.measuring(tasks)
        return [self.measurements.rough_mean(plan, apart, collections, self.purpose) for plan in plans]

    def error(self, plan: Plan, repeats: int) -> Steps[MapError]:
        """The error of a plan; the usual repeats are measured exactly, further ones roughly."""
        tasks = self.measurements.tasks(plan, self.seed, repeats, self.purpose, self.repeats)
        yield from self.measurements.measuring(tasks)
        return self.measurements.error(plan, self.seed, repeats, self.purpose, self.repeats)

    def cell_part(self, d: int) -> Steps[float]:
        task = GivenMap(d, self.purpose, "cell")
        yield from self.measurements.measuring([task])
        return float(self.measurements.result(task))

    def sharp(
        self, plans: Sequence[Plan], amounts: Sequence[float], start: int, power: float, target: float, sure_to: SureTo
    ) -> Steps[tuple[int | None, dict[int, MapError]]]:
        """The first of `plans`, in an order in which the error falls as `amounts` grow, that meets the target for sure.

        `start` is where it probably is, `power` how the error falls (as this power of the amount), and `sure_to` how
        sure an amount is to be. Returns the number of that plan, or None, and what was measured.
        """
        measured: dict[int, MapError] = {}
        low, high, here = -1, len(plans), start
        while high - low > 1:
            here = min(max(here, low + 1), high - 1)
            amount = amounts[here]
            wanted = sure_to(amount) * power * target / amount
            measured[here] = error = yield from self._sure(plans[here], target, wanted)
            met = error.high <= target
            low, high = (low, here) if met else (here, high)
            if low >= 0 and high < len(plans):
                here = (low + high) // 2
            else:
                # As far as it will take by the power.
                needed = amount * min(error.high / target, _FARTHEST) ** (1 / power)
                here = next((index for index, other in enumerate(amounts) if other >= needed), len(plans) - 1)
        return (None if high == len(plans) else high), measured

    def _sure(self, plan: Plan, target: float, wanted: float) -> Steps[MapError]:
        """The error of a plan, its interval about `wanted` on either side; less sure where it misses the target."""
        error = yield from self.error(plan, _FEWEST_TIMES * self.repeats)
        # Where the mean misses the target, `wanted` may be so small a share of the spread that its square is no number.
        if error.mean > target or wanted <= 0:
            return error
        times = min(math.ceil((2 * error.spread / wanted) ** 2 / self.repeats), _MOST_TIMES)
        if times <= _FEWEST_TIMES:
            return error
        return (yield from self.error(plan, times * self.repeats))


@validate.takes(plan=Plan)
def budget_for(
    people: People, plan: Plan, target: float, seed: int, repeats: int, purpose: str = PLACES
) -> Iterator[Task | BudgetAnswer]:
    """The smallest ε whose error (upper 95 % bound of the mean) is at most `target`, on the plan's own grid.

    Args:
        people: on the plan's grid, on any grid, or with what has been measured of them.
        plan: what is considered; its ε is searched for.
        target: the accepted error, in metres or the map's own unit, or in people per thousand.
        seed: of the first collection.
        repeats: how often a plan is usually measured; at least 2. The answer is measured several times as often.
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.

    Yields:
        What was done on the way, and last a `BudgetAnswer`.

    Raises:
        ValueError: `target` is not an amount above 0, or there is only one repeat.

    Example:
        >>> from spatialldp.planning import Plan, budget_for
        >>> from spatialldp.population import Population
        >>> *steps, answer = budget_for(Population.of("new-haven", d=6), Plan(d=6), target=800, seed=1, repeats=3)
        >>> answer.epsilon
        1.6
    """
    search, target = _checked(people, target, seed, repeats, purpose)
    yield (yield from _budget_on(search, plan, target))


def _budget_on(search: _Search, plan: Plan, target: float) -> Steps[BudgetAnswer]:
    epsilons = epsilons_for(plan)
    plans = [plan.with_changes(epsilon=epsilon) for epsilon in epsilons]
    landmarks = _landmarks(epsilons)
    low, high = -1, len(landmarks) - 1
    looked: dict[int, float] = {}
    while high - low > 1:
        middle = (low + high) // 2
        [looked[middle]] = yield from search.first_look([plans[landmarks[middle]]])
        low, high = (low, middle) if looked[middle] <= target else (middle, high)
    start, power = _between(epsilons, landmarks, high, looked.get(low), looked.get(high), target)
    return (yield from _sharp_budget(search, plans, start, power, target))


def _sharp_budget(search: _Search, plans: list[Plan], start: int, power: float, target: float) -> Steps[BudgetAnswer]:
    found, measured = yield from search.sharp(
        plans, [plan.epsilon for plan in plans], start, power, target, lambda _: _SURE_TO
    )
    if found is None:
        return BudgetAnswer(target, False, measured[len(plans) - 1], None)
    return BudgetAnswer(target, True, measured[found], measured.get(found - 1))


def _landmarks(epsilons: Sequence[float]) -> list[int]:
    """Where a first look looks: the numbers of the budgets nearest to `_LANDMARKS`."""
    nearest = {min(range(len(epsilons)), key=lambda i: abs(epsilons[i] - mark)) for mark in _LANDMARKS}
    return sorted(nearest)


def _between(
    epsilons: Sequence[float],
    landmarks: Sequence[int],
    high: int,
    error_below: float | None,
    error_there: float | None,
    target: float,
) -> tuple[int, float]:
    """Where between two landmarks the error probably meets the target, and the power with which it falls there."""
    there = epsilons[landmarks[high]]
    if high == 0 or not error_below or not error_there or error_below <= error_there:
        return landmarks[high], _USUAL_POWER
    before = epsilons[landmarks[high - 1]]
    power = min(max(math.log(error_below / error_there) / math.log(there / before), 0.15), 2.0)
    needed = there * (error_there / target) ** (1 / power)
    index = next((i for i, epsilon in enumerate(epsilons) if epsilon >= needed), len(epsilons) - 1)
    return index, power


@validate.takes(plan=Plan)
def budget_on_any_grid(
    people: People,
    plan: Plan,
    target: float,
    seed: int,
    repeats: int,
    grids: Sequence[int] | None = None,
    purpose: str = PLACES,
) -> Iterator[Task | FirstIdea | BudgetAnswer]:
    """The same when the grid may change too: on the coarsest grid that needs within 5 % of the least ε.

    The answer depends on the plan's mechanism and people alone, not on its own ε, d or b.

    Args:
        people: on any grid, or with what has been measured of them.
        plan: what is considered; its ε and d are searched for.
        target: the accepted error, in metres or the map's own unit, or in people per thousand.
        seed: of the first collection.
        repeats: how often a plan is usually measured; at least 2. The answer is measured several times as often.
        grids: cells per side of those that are tried; None for `grids_for(plan)`.
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.

    Yields:
        What was done on the way, a `FirstIdea` as soon as there is one, and last a `BudgetAnswer`.

    Raises:
        ValueError: `target` is not an amount above 0, there is only one repeat, or no grid.

    Example:
        >>> from spatialldp.planning import Plan, budget_on_any_grid
        >>> from spatialldp.population import Population
        >>> people_on = lambda d: Population.of("new-haven", d)
        >>> *steps, answer = budget_on_any_grid(people_on, Plan(), target=800, seed=1, repeats=3, grids=(5, 8))
        >>> answer.epsilon, answer.plan.d
        (1.65, 8)
    """
    search, target = _checked(people, target, seed, repeats, purpose)
    if grids is not None and not validate.goes_through(grids):
        raise ValueError(f"grids must be a sequence of whole numbers, got {validate.shown(grids)}")
    tried = grids_for(plan) if grids is None else tuple(validate.cells_per_side(d, name="grids") for d in grids)
    if not tried:
        raise ValueError("grids must name at least one grid that the plan's mechanism can use")
    # Those of all grids: ε′ are stored in larger steps for some.
    allowed = [set(epsilons_for(plan.with_changes(d=d))) for d in tried]
    epsilons = [epsilon for epsilon in EPSILONS if all(epsilon in some for some in allowed)]
    lines = {d: [plan.with_changes(d=d, b=None, epsilon=epsilon) for epsilon in epsilons] for d in tried}
    landmarks = _landmarks(epsilons)

    def looked_at(mark: int, collections: int = _FIRST_LOOK) -> Steps[dict[int, float]]:
        plans = [lines[d][landmarks[mark]] for d in tried]
        return dict(zip(tried, (yield from search.first_look(plans, collections)), strict=True))

    low, high = -1, len(landmarks) - 1
    looked: dict[int, dict[int, float]] = {}
    while high - low > 1:
        middle = (low + high) // 2
        looked[middle] = yield from looked_at(middle)
        low, high = (low, middle) if min(looked[middle].values()) <= target else (middle, high)
    if high not in looked:
        looked[high] = yield from looked_at(high)
    if min(looked[high].values()) > target:
        best = min(tried, key=lambda d: looked[high][d])
        yield (yield from _sharp_budget(search, lines[best], landmarks[high], _USUAL_POWER, target))
        return
    there = yield from looked_at(high, _CLOSER_LOOK)
    below = (yield from looked_at(high - 1, _CLOSER_LOOK)) if high > 0 else {}
    # By the closer look nobody may meet the target there; the best one is then tried all the same.
    enough = max(target, min(there.values()))
    starts = {
        d: _between(epsilons, landmarks, high, below.get(d), error, target)
        for d, error in there.items()
        if error <= enough
    }
    least = min(epsilons[start] for start, _ in starts.values())
    chosen = min(d for d, (start, _) in starts.items() if epsilons[start] <= AS_GOOD * least)
    start, power = starts[chosen]
    yield FirstIdea(lines[chosen][start])
    yield (yield from _sharp_budget(search, lines[chosen], start, power, target))


@validate.takes(plan=Plan)
def best_grid(
    people: People, plan: Plan, seed: int, repeats: int, purpose: str = PLACES
) -> Iterator[Task | GridAnswer]:
    """The grid on which the map of this plan is best at its ε (see `GridAnswer`); its own d and b do not count.

    Args:
        people: on any grid, or with what has been measured of them.
        plan: what is considered; its d is searched for.
        seed: of the first collection.
        repeats: how often each grid is measured; at least 2.
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.

    Yields:
        What was done on the way, and last a `GridAnswer`.

    Raises:
        ValueError: there is only one repeat.

    Example:
        >>> from spatialldp.planning import Plan, best_grid
        >>> from spatialldp.population import Population
        >>> *steps, answer = best_grid(lambda d: Population.of("new-haven", d), Plan(), seed=1, repeats=2)
        >>> answer.d
        15
    """
    search, _ = _checked(people, 1.0, seed, repeats, purpose)
    grids = grids_for(plan) or (plan.d,)
    plans = [plan.with_changes(d=d, b=None) for d in grids]
    found = yield from search.first_look(plans, search.repeats)
    chosen = next(one for one, error in zip(plans, found, strict=True) if error <= AS_GOOD * min(found))
    yield GridAnswer((yield from search.error(chosen, search.repeats)))


@validate.takes(plan=Plan)
def users_for(
    people: People, plan: Plan, target: float, seed: int, repeats: int, purpose: str = PLACES
) -> Iterator[Task | UsersAnswer]:
    """How many people must take part for the plan's ε and grid to meet the target.

    Args:
        people: on the plan's grid, on any grid, or with what has been measured of them.
        plan: what is considered; its number of people is searched for.
        target: the accepted error, in metres or the map's own unit, or in people per thousand.
        seed: of the first collection.
        repeats: how often each number is usually measured; at least 2.
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.

    Yields:
        What was done on the way, and last a `UsersAnswer`.

    Raises:
        ValueError: `target` is not an amount above 0, or there is only one repeat.

    Example:
        >>> from spatialldp.planning import Plan, users_for
        >>> from spatialldp.population import Population
        >>> *steps, answer = users_for(Population.of("new-haven", d=6), Plan(d=6), target=600, seed=1, repeats=3)
        >>> answer.error.users
        2000
    """
    search, target = _checked(people, target, seed, repeats, purpose)
    if (yield from search.cell_part(plan.d)) >= target:
        yield UsersAnswer(target, False, None)
        return
    plans = [one for one in (plan.with_changes(users=users) for users in USERS) if fits(one)]
    low, high = -1, len(plans) - 1
    while high - low > 1:
        middle = (low + high) // 2
        [error] = yield from search.first_look([plans[middle]])
        low, high = (low, middle) if error <= target else (middle, high)
    amounts = [float(one.users or 0) for one in plans]
    found, measured = yield from search.sharp(
        plans, amounts, high, _USUAL_POWER / 2, target, lambda users: _SURE_TO_SHARE * users
    )
    yield UsersAnswer(target, found is not None, measured[len(plans) - 1 if found is None else found])


def _checked(people: People, target: float, seed: int, repeats: int, purpose: str) -> tuple[_Search, float]:
    search = _Search(
        measurements_of(people),
        validate.seed(seed),
        validate.repeats(repeats, 2),
        validate.one_of("purpose", purpose, PURPOSES),
    )
    return search, validate.real_number("target", target, above=0.0)

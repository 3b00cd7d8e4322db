"""From what somebody can accept to what they should choose: a budget, a grid, a number of people.

All searches bisect: the error falls (up to chance) as ε or the number of people grows, and in cells it grows with d.
The same seeds are used at every step, so chance hardly tips the scales between neighbours, and the neighbours of an
answer are measured too. Each search is an iterator: errors as they are measured, and last the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Generic, TypeVar

from spatialldp import _validation as validate
from spatialldp.experiments.measures import baselines
from spatialldp.experiments.plan import CELL_SHARE, MapError, Plan, measure, side_and_unit
from spatialldp.population import Population, PopulationOn

#: The budgets that are looked at: from 0.5 to 9 in steps of 0.05.
EPSILONS = tuple(step / 20 for step in range(10, 181))
#: Grids tried when the grid may change too.
GRIDS = (5, 10, 15, 20, 30, 40, 50)
#: Beyond this a grid shows more cells than a reader can use.
FINEST_GRID = 64
#: Numbers of people, about 20 % apart, from a hundred to ten million.
USERS = (
    *(round(lead * 10**power) for power in range(2, 7) for lead in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)),
    10**7,
)
#: Neighbours of an answer that are measured to confirm it.
_BELOW, _ABOVE = 3, 2

_Step = Generator[MapError, None, MapError]
_Found = Generator[MapError, None, int | None]
Value = TypeVar("Value")
Meets = Callable[[MapError], bool]


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
    perhaps_from: float | None
    """The smallest ε whose 95 % interval reaches down to the target: from there up to the answer the repeats cannot
    decide. None where no ε meets the target."""
    unsteady: bool
    """Whether a larger ε close by misses the target by chance."""

    @property
    def epsilon(self) -> float:
        """The answer, or the largest ε there is."""
        return self.error.plan.epsilon


@dataclass(frozen=True)
class GridAnswer:
    """The finest grid that is still useful at the plan's ε, and its error.

    Useful: the upper 95 % bound of W2 is at most one cell, and at most half of what a blind guess gets wrong.

    Example:
        >>> from spatialldp.planning import Plan, finest_useful_grid
        >>> from spatialldp.population import Population
        >>> *_, answer = finest_useful_grid(lambda d: Population.of("new-haven", d), Plan(), seed=1, repeats=2)
        >>> answer.error.transport + answer.error.half_width <= answer.error.side
        True
    """

    error: MapError
    """Error and plan on that grid."""
    at_the_end: bool
    """Whether it is the finest grid that is tried, so that a finer one may be useful too."""

    @property
    def d(self) -> int:
        """Cells per side."""
        return self.error.plan.d


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


class _Search(Generic[Value]):
    """Measures each value at most once. The values are in an order in which the error falls."""

    def __init__(self, values: Sequence[Value], measure_at: Callable[[Value], MapError]) -> None:
        self.values, self._measure_at = values, measure_at
        self.measured: dict[int, MapError] = {}

    def at(self, index: int) -> _Step:
        if index not in self.measured:
            self.measured[index] = self._measure_at(self.values[index])
            yield self.measured[index]
        return self.measured[index]

    def first(self, meets: Meets, last: int | None = None) -> _Found:
        """Where the values begin to meet, if `last` (the end) does."""
        high = len(self.values) - 1 if last is None else last
        if high < 0 or not meets((yield from self.at(high))):
            return None
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            if meets((yield from self.at(middle))):
                high = middle
            else:
                low = middle
        return high

    def lowest_nearby(self, index: int, meets: Meets) -> Generator[MapError, None, int]:
        """A bisection may step over a dip: look a little below, and go on from there if there is one."""
        below = max(0, index - _BELOW)
        for other in range(below, index):
            if meets((yield from self.at(other))):
                return (yield from self.lowest_nearby(other, meets))
        return index


@validate.takes(population=Population, plan=Plan)
def budget_for(
    population: Population, plan: Plan, target: float, seed: int, repeats: int
) -> Iterator[MapError | BudgetAnswer]:
    """The smallest ε whose error (both parts, upper 95 % bound) is at most `target`, on the plan's own grid.

    Args:
        population: the people, on d×d cells for the plan's d.
        plan: what is considered; its ε is searched for.
        target: the accepted error, metres or the map's own unit.
        seed: of the first repeat of every measurement.
        repeats: how often each ε is measured; at least 2.

    Yields:
        Errors as they are measured, and last a `BudgetAnswer`.

    Raises:
        ValueError: `target` is not a length above 0, or there is only one repeat.

    Example:
        >>> from spatialldp.planning import Plan, budget_for
        >>> from spatialldp.population import Population
        >>> *steps, answer = budget_for(Population.of("new-haven", d=6), Plan(d=6), target=2_000, seed=1, repeats=3)
        >>> answer.epsilon
        1.5
    """
    target, repeats = _checked(target, repeats)
    search = _budgets(population, plan, seed, repeats)

    def surely(error: MapError) -> bool:
        return error.high <= target

    def perhaps(error: MapError) -> bool:
        return error.low <= target

    found = yield from search.first(surely)
    yield (yield from _answer(search, found, target, surely, perhaps))


@validate.takes(population_on=validate.A_FUNCTION, plan=Plan, grids=[Integral])
def budget_on_any_grid(
    population_on: PopulationOn, plan: Plan, target: float, seed: int, repeats: int, grids: Sequence[int] = GRIDS
) -> Iterator[MapError | BudgetAnswer | None]:
    """The same when the grid may change too: the one that needs the least ε and is useful at that ε (see `GridAnswer`).

    Args:
        population_on: the people on d×d cells, for any d.
        plan: what is considered; its ε and d are searched for.
        target: the accepted error, metres or the map's own unit.
        seed: of the first repeat of every measurement.
        repeats: how often each ε and grid is measured; at least 2.
        grids: cells per side of those that are tried.

    Yields:
        Errors as they are measured, and last a `BudgetAnswer`, or None if no grid will do.

    Raises:
        ValueError: `target` is not a length above 0, or there is only one repeat.

    Example:
        >>> from spatialldp.planning import Plan, budget_on_any_grid
        >>> from spatialldp.population import Population
        >>> people_on = lambda d: Population.of("new-haven", d)
        >>> *steps, answer = budget_on_any_grid(people_on, Plan(), target=2_000, seed=1, repeats=3, grids=(5, 10))
        >>> answer.epsilon, answer.error.plan.d
        (1.65, 5)
    """
    target, repeats = _checked(target, repeats)
    best: tuple[_Search[float], int, Meets, Meets] | None = None
    last = len(EPSILONS) - 1
    for d in grids:
        population = population_on(d)
        if side_and_unit(population.grid)[0] * CELL_SHARE >= target:
            continue
        search = _budgets(population, plan.with_changes(d=d, b=None), seed, repeats)
        surely, perhaps = _useful_within(population, seed, target)
        # Only what beats the best so far is of interest.
        found = yield from search.first(surely, last)
        if found is not None:
            best, last = (search, found, surely, perhaps), found - 1
    if best is None:
        yield None
        return
    search, found, surely, perhaps = best
    yield (yield from _answer(search, found, target, surely, perhaps))


def _budgets(population: Population, plan: Plan, seed: int, repeats: int) -> _Search[float]:
    return _Search(EPSILONS, lambda epsilon: measure(population, plan.with_changes(epsilon=epsilon), seed, repeats))


def _answer(
    search: _Search[float], found: int | None, target: float, surely: Meets, perhaps: Meets
) -> Generator[MapError, None, BudgetAnswer]:
    """What a bisection found, after a look at its neighbours, with its uncertainty."""
    last = len(search.values) - 1
    if found is None:
        return BudgetAnswer(target, False, search.measured[last], None, False)
    found = yield from search.lowest_nearby(found, surely)
    unsteady = False
    for index in range(found + 1, min(found + _ABOVE, last) + 1):
        unsteady = not surely((yield from search.at(index))) or unsteady
    earliest = yield from search.first(perhaps, found)
    assert earliest is not None
    return BudgetAnswer(target, True, search.measured[found], search.values[earliest], unsteady)


def _useful(population: Population, seed: int) -> tuple[Meets, Meets]:
    """Whether this grid is useful with an error (see GridAnswer): for sure, and perhaps."""
    guess = baselines(population.counts, seed).uniform_guess

    def surely(error: MapError) -> bool:
        return error.transport + error.half_width <= error.side * min(1.0, guess / 2)

    def perhaps(error: MapError) -> bool:
        return error.transport - error.half_width <= error.side * min(1.0, guess / 2)

    return surely, perhaps


def _useful_within(population: Population, seed: int, target: float) -> tuple[Meets, Meets]:
    """The same for a grid that must meet the target as well."""
    useful, perhaps_useful = _useful(population, seed)
    return (
        lambda error: error.high <= target and useful(error),
        lambda error: error.low <= target and perhaps_useful(error),
    )


@validate.takes(population_on=validate.A_FUNCTION, plan=Plan)
def finest_useful_grid(
    population_on: PopulationOn, plan: Plan, seed: int, repeats: int
) -> Iterator[MapError | GridAnswer]:
    """The finest grid on which the map of this plan still means something (see `GridAnswer`).

    Args:
        population_on: the people on d×d cells, for any d.
        plan: what is considered; its d is searched for.
        seed: of the first repeat of every measurement.
        repeats: how often each grid is measured; at least 2.

    Yields:
        Errors as they are measured, and last a `GridAnswer`.

    Raises:
        ValueError: there is only one repeat.

    Example:
        >>> from spatialldp.planning import Plan, finest_useful_grid
        >>> from spatialldp.population import Population
        >>> *steps, answer = finest_useful_grid(lambda d: Population.of("new-haven", d), Plan(), seed=1, repeats=2)
        >>> answer.d
        17
    """
    repeats = _checked(1.0, repeats)[1]
    plan = plan.with_changes(b=None)
    search = _Search(
        range(FINEST_GRID, 0, -1), lambda d: measure(population_on(d), plan.with_changes(d=d), seed, repeats)
    )
    found = yield from search.first(lambda error: _useful(population_on(error.plan.d), seed)[0](error))
    # On one cell nothing can be wrong, so that one is always useful.
    assert found is not None
    yield GridAnswer(search.measured[found], found == 0)


@validate.takes(population=Population, plan=Plan)
def users_for(
    population: Population, plan: Plan, target: float, seed: int, repeats: int
) -> Iterator[MapError | UsersAnswer]:
    """How many people must take part for the plan's ε and grid to meet the target.

    Args:
        population: the people, on d×d cells for the plan's d.
        plan: what is considered; its number of people is searched for.
        target: the accepted error, metres or the map's own unit.
        seed: of the first repeat of every measurement.
        repeats: how often each number is measured; at least 2.

    Yields:
        Errors as they are measured, and last a `UsersAnswer`.

    Raises:
        ValueError: `target` is not a length above 0, or there is only one repeat.

    Example:
        >>> from spatialldp.planning import Plan, users_for
        >>> from spatialldp.population import Population
        >>> *steps, answer = users_for(Population.of("new-haven", d=6), Plan(d=6), target=1_500, seed=1, repeats=3)
        >>> answer.error.users
        4000
    """
    target, repeats = _checked(target, repeats)
    if side_and_unit(population.grid)[0] * CELL_SHARE >= target:
        yield UsersAnswer(target, False, None)
        return
    search = _Search(USERS, lambda users: measure(population, plan.with_changes(users=users), seed, repeats))
    found = yield from search.first(lambda error: error.high <= target)
    index = len(USERS) - 1 if found is None else found
    yield UsersAnswer(target, found is not None, search.measured[index])


def _checked(target: float, repeats: int) -> tuple[float, int]:
    return validate.real_number("target", target, above=0.0), validate.repeats(repeats, 2)

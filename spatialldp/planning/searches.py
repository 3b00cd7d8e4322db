"""From what somebody can accept to what they should choose: a budget, a grid, a number of people.

Every search begins with a first look that shows where the answer is. It is then measured with so many other collections
that the answer is sure to about 0.04 in ε. None of it depends on the settings somebody happens to look at: a question
has one answer. Each search is an iterator: what was done on the way, and last the answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from spatialldp import _validation as validate
from spatialldp.experiments.map_error import PLACES, PURPOSES
from spatialldp.experiments.measurements import Measurements, Task
from spatialldp.experiments.plan import Plan
from spatialldp.planning.answers import BudgetAnswer, FirstIdea, GridAnswer, Outlook, UsersAnswer
from spatialldp.planning.candidates import EPSILONS, GRIDS, USERS, epsilons_for, fits, grids_for
from spatialldp.planning.looking import AS_GOOD, FARTHEST, Look, Search, Steps, choice
from spatialldp.population import Population, PopulationOn

__all__ = [
    "AS_GOOD",
    "EPSILONS",
    "GRIDS",
    "USERS",
    "BudgetAnswer",
    "FirstIdea",
    "GridAnswer",
    "Outlook",
    "People",
    "UsersAnswer",
    "best_grid",
    "budget_for",
    "budget_on_any_grid",
    "epsilons_for",
    "fits",
    "grids_for",
    "measurements_of",
    "users_for",
]

#: Where a first look begins to look for a budget.
_LANDMARKS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 6.0, 9.0)
#: Grids within this of the best one, as far as is known, are looked at for other budgets too.
_WORTH_A_LOOK = 1.15
#: Collections of a plan where all that is wanted is about where to begin.
_LOOKS_BEFORE = 4
#: How sure an answer is to be: a budget in ε, a number of people as a share of it.
_SURE_TO, _SURE_TO_SHARE = 0.04, 0.2
#: How the error falls with ε, or the number of people, where nothing is known: as this power of it.
_USUAL_POWER = 0.6

#: The people of an area: on one grid, on any grid, or with what has been measured of them.
People = Population | PopulationOn | Measurements


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


@validate.takes(plan=Plan)
def budget_for(
    people: People, plan: Plan, target: float, seed: int, repeats: int, purpose: str = PLACES
) -> Iterator[Task | Outlook | BudgetAnswer]:
    """The smallest ε whose error (upper 95% bound of the mean) is at most `target`, on the plan's own grid.

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
        >>> people = Population.of("new-haven", d=6)
        >>> *steps, answer = budget_for(people, Plan(d=6), target=40, seed=1, repeats=2, purpose="counts")
        >>> answer.epsilon  # counts of areas may be off by 40 people of a thousand
        1.05
    """
    search, target = _checked(people, target, seed, repeats, purpose)
    yield (yield from _budget_on(search, plan, target))


def _budget_on(search: Search, plan: Plan, target: float) -> Steps[BudgetAnswer]:
    epsilons = epsilons_for(plan)
    plans = [plan.with_changes(epsilon=epsilon) for epsilon in epsilons]
    landmarks = _landmarks(epsilons)

    def looked_at(mark: int) -> Steps[float]:
        [look] = yield from search.closer_look([plans[landmarks[mark]]])
        return look.error

    low, high = -1, len(landmarks) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if (yield from looked_at(middle)) <= target else (middle, high)
    there = yield from looked_at(high)
    below = (yield from looked_at(high - 1)) if high > 0 else None
    start, power = _between(epsilons, landmarks, high, below, there, target)
    return (yield from _sharp_budget(search, plans, start, power, target))


def _sharp_budget(search: Search, plans: list[Plan], start: int, power: float, target: float) -> Steps[BudgetAnswer]:
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
    """Where between two landmarks the error probably meets the target, and the power with which it falls there.

    A few collections tell the power badly. One that is too high would let an answer pass for surer than it is, so it is
    at most the usual one.
    """
    there = epsilons[landmarks[high]]
    if error_there and error_there > target:
        # The luckiest of several first looks met the target here; a closer one says how far it still is.
        power = _USUAL_POWER
    elif high == 0 or not error_below or not error_there or error_below <= error_there:
        return landmarks[high], _USUAL_POWER
    else:
        before = epsilons[landmarks[high - 1]]
        power = min(max(math.log(error_below / error_there) / math.log(there / before), 0.15), 2.0)
    needed = there * min(error_there / target, FARTHEST) ** (1 / power)
    index = next((i for i, epsilon in enumerate(epsilons) if epsilon >= needed), len(epsilons) - 1)
    return index, min(power, _USUAL_POWER)


@validate.takes(plan=Plan)
def budget_on_any_grid(
    people: People,
    plan: Plan,
    target: float,
    seed: int,
    repeats: int,
    grids: Sequence[int] | None = None,
    purpose: str = PLACES,
) -> Iterator[Task | Outlook | FirstIdea | BudgetAnswer]:
    """The same when the grid may change too: on the coarsest grid that needs within 5% of the least ε.

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
        >>> settings = {"seed": 1, "repeats": 2, "purpose": "counts"}
        >>> *steps, answer = budget_on_any_grid(people_on, Plan(), target=40, grids=(5, 8), **settings)
        >>> answer.epsilon, answer.plan.d
        (1.15, 8)
    """
    search, target = _checked(people, target, seed, repeats, purpose)
    if grids is not None and not validate.goes_through(grids):
        raise ValueError(f"grids must be a sequence of whole numbers, got {validate.shown(grids)}")
    named = grids_for(plan) if grids is None else tuple(validate.cells_per_side(d, name="grids") for d in grids)
    tried = sorted(set(named))
    if not tried:
        raise ValueError("grids must name at least one grid that the plan's mechanism can use")
    # Those of all grids: ε′ are stored in larger steps for some.
    allowed = [set(epsilons_for(plan.with_changes(d=d))) for d in tried]
    epsilons = [epsilon for epsilon in EPSILONS if all(epsilon in some for some in allowed)]
    lines = {d: [plan.with_changes(d=d, b=None, epsilon=epsilon) for epsilon in epsilons] for d in tried}
    landmarks = _landmarks(epsilons)

    def on(grids: Sequence[int], mark: int) -> list[Plan]:
        return [lines[d][landmarks[mark]] for d in grids]

    low, high = -1, len(landmarks) - 1
    looked: dict[int, dict[int, Look]] = {}
    while high - low > 1:
        middle = (low + high) // 2
        grids = _worth_a_look(tried, looked, middle)
        looked[middle] = dict(zip(grids, (yield from search.first_look(on(grids, middle))), strict=True))
        low, high = (low, middle) if _least(looked[middle]) <= target else (middle, high)
    grids = _worth_a_look(tried, looked, high)
    there = dict(zip(grids, (yield from search.closer_look(on(grids, high))), strict=True))
    if _least(there) > target and high == len(landmarks) - 1:
        best = min(there, key=lambda d: there[d].error)
        yield (yield from _sharp_budget(search, lines[best], landmarks[high], _USUAL_POWER, target))
        return
    # By the closer look nobody may meet the target there; the best one is then tried all the same.
    enough = max(target, _least(there))
    near = {d: look.error for d, look in there.items() if look.error <= enough}
    before = (
        (yield from search.first_look(on(tuple(near), high - 1), _LOOKS_BEFORE)) if high > 0 else [None] * len(near)
    )
    starts = {
        d: _between(epsilons, landmarks, high, look.error if look else None, error, target)
        for (d, error), look in zip(near.items(), before, strict=True)
    }
    least = min(epsilons[start] for start, _ in starts.values())
    chosen = min(d for d, (start, _) in starts.items() if epsilons[start] <= AS_GOOD * least)
    start, power = starts[chosen]
    yield FirstIdea(lines[chosen][start])
    yield (yield from _sharp_budget(search, lines[chosen], start, power, target))


def _least(looks: Mapping[int, Look]) -> float:
    return min(look.error for look in looks.values())


def _worth_a_look(tried: Sequence[int], looked: Mapping[int, Mapping[int, Look]], mark: int) -> tuple[int, ...]:
    """The grids that may be best for a budget, by what is known of others: a larger budget is worth smaller cells."""
    coarsest, finest = tried[0], tried[-1]
    for other, looks in looked.items():
        enough = _WORTH_A_LOOK * _least(looks)
        near = [d for d, look in looks.items() if look.error * (1 - 2 * look.unsure) <= enough]
        if other < mark:
            coarsest = max(coarsest, min(near))
        else:
            finest = min(finest, max(near))
    # Chance may have them the wrong way round.
    return tuple(d for d in tried if min(coarsest, finest) <= d <= max(coarsest, finest))


@validate.takes(plan=Plan)
def best_grid(
    people: People, plan: Plan, seed: int, repeats: int, purpose: str = PLACES
) -> Iterator[Task | Outlook | FirstIdea | GridAnswer]:
    """The grid on which the map of this plan is best at its ε (see `GridAnswer`); its own d and b do not count.

    Args:
        people: on any grid, or with what has been measured of them.
        plan: what is considered; its d is searched for.
        seed: of the first collection.
        repeats: how often each grid is measured; at least 2.
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.

    Yields:
        What was done on the way, a `FirstIdea` as soon as there is one, and last a `GridAnswer`.

    Raises:
        ValueError: there is only one repeat.

    Example:
        >>> from spatialldp.planning import Plan, best_grid
        >>> from spatialldp.population import Population
        >>> people_on = lambda d: Population.of("new-haven", d)
        >>> *steps, answer = best_grid(people_on, Plan(), seed=1, repeats=2, purpose="counts")
        >>> answer.d
        30
    """
    search, _ = _checked(people, 1.0, seed, repeats, purpose)
    grids = grids_for(plan) or (plan.d,)
    plans = [plan.with_changes(d=d, b=None) for d in grids]
    yield FirstIdea(plans[choice((yield from search.first_look(plans)))])
    chosen = plans[choice((yield from search.closer_look(plans)))]
    yield GridAnswer((yield from search.error(chosen, search.repeats)))


@validate.takes(plan=Plan)
def users_for(
    people: People, plan: Plan, target: float, seed: int, repeats: int, purpose: str = PLACES
) -> Iterator[Task | Outlook | UsersAnswer]:
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
        >>> people = Population.of("new-haven", d=6)
        >>> *steps, answer = users_for(people, Plan(d=6), target=25, seed=1, repeats=2, purpose="counts")
        >>> answer.error.users
        1500
    """
    search, target = _checked(people, target, seed, repeats, purpose)
    if (yield from search.cell_part(plan.d)) >= target:
        yield UsersAnswer(target, False, None)
        return
    plans = [one for one in (plan.with_changes(users=users) for users in USERS) if fits(one)]
    low, high = -1, len(plans) - 1
    while high - low > 1:
        middle = (low + high) // 2
        [look] = yield from search.first_look([plans[middle]], _LOOKS_BEFORE)
        low, high = (low, middle) if look.error <= target else (middle, high)
    amounts = [float(one.users or 0) for one in plans]
    found, measured = yield from search.sharp(
        plans, amounts, high, _USUAL_POWER / 2, target, lambda users: _SURE_TO_SHARE * users
    )
    yield UsersAnswer(target, found is not None, measured[len(plans) - 1 if found is None else found])


def _checked(people: People, target: float, seed: int, repeats: int, purpose: str) -> tuple[Search, float]:
    search = Search(
        measurements_of(people),
        validate.seed(seed),
        validate.repeats(repeats, 2),
        validate.one_of("purpose", purpose, PURPOSES),
    )
    return search, validate.real_number("target", target, above=0.0)

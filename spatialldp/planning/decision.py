"""Both sides of the trade for one plan, and the answers to the two questions a decision starts from.

"I can accept an error of …" asks for ε (`decide`); "I can offer ε = …" asks for the error and the grid (`offer`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spatialldp import _validation as validate
from spatialldp.experiments.measures import Baselines, baselines
from spatialldp.experiments.plan import MapError, Plan, measure
from spatialldp.planning.searches import (
    BudgetAnswer,
    GridAnswer,
    UsersAnswer,
    budget_for,
    budget_on_any_grid,
    finest_useful_grid,
    users_for,
)
from spatialldp.population import Population, PopulationOn
from spatialldp.privacy import LocalPrivacy, RepeatedRisk, local_privacy, repeated_risk


@dataclass(frozen=True)
class Assessment:
    """Both sides of the trade for one plan: the error of its map, and what a report gives away.

    Example:
        >>> from spatialldp.planning import Plan, assess
        >>> from spatialldp.population import Population
        >>> found = assess(Population.of("new-haven", d=6), Plan(d=6), seed=1, repeats=3, reports=2)
        >>> round(found.one.hit_rate, 2), round(found.many.hit_rate, 2)  # two reports give away more than one
        (0.43, 0.56)
    """

    error: MapError
    """Error of the map over the repeats."""
    baselines: Baselines
    """The two ends between which it lies: a uniform guess, and no privacy."""
    one: RepeatedRisk
    """What one report tells an attacker who knows the true map."""
    many: RepeatedRisk
    """What several reports of the same person about the same place tell; `one` itself where one is asked about."""
    local: LocalPrivacy
    """The paper's local privacy: an attacker who knows nothing beforehand and draws a guess from one report; cells."""


@dataclass(frozen=True)
class Decision:
    """What follows from an accepted error.

    Example:
        >>> from functools import cache
        >>> from spatialldp.planning import Plan, decide
        >>> from spatialldp.population import Population
        >>> people_on = cache(lambda d: Population.of("new-haven", d))
        >>> *_, found = decide(people_on, Plan(d=6), target=2_000, seed=1, repeats=3)
        >>> found.here.epsilon, found.best.epsilon, found.best.error.plan.d
        (1.5, 1.5, 6)
    """

    here: BudgetAnswer
    """The smallest ε on the plan's own grid, or that there is none."""
    anywhere: BudgetAnswer | None
    """The smallest ε where the grid may change too, with its grid; None where none of the grids tried will do."""
    users: UsersAnswer
    """How many people it takes with the plan's own ε and grid."""
    risk: RepeatedRisk
    """What one report tells under the recommended plan, that of `best`."""

    @property
    def best(self) -> BudgetAnswer:
        """The one with the smaller ε; the current grid if it is as good."""
        return _recommended(self.here, self.anywhere)


def _recommended(here: BudgetAnswer, anywhere: BudgetAnswer | None) -> BudgetAnswer:
    return here if anywhere is None or (here.met and here.epsilon <= anywhere.epsilon) else anywhere


#: What a search yields on the way.
Step = MapError | BudgetAnswer | GridAnswer | UsersAnswer | None


@validate.takes(population=Population, plan=Plan)
def assess(population: Population, plan: Plan, seed: int, repeats: int, reports: int = 1) -> Assessment:
    """Error and risk of a plan.

    Args:
        population: the people, on d×d cells for the plan's d.
        plan: what is assessed.
        seed: of the first repeat.
        repeats: how often the map is made.
        reports: how many of one person the second attacker sees.

    Returns:
        Both sides of the trade.

    Raises:
        ValueError: the plan cannot be run, or a number is out of range.

    Example:
        >>> from spatialldp.planning import Plan, assess
        >>> from spatialldp.population import Population
        >>> round(assess(Population.of("new-haven", d=6), Plan(d=6), seed=1, repeats=3).error.total)  # metres
        1401
    """
    reports = validate.reports_per_person(reports)
    mechanism, counts = plan.make(), population.counts
    one = repeated_risk(mechanism, 1, counts)
    many = one if reports == 1 else repeated_risk(mechanism, reports, counts)
    scale = baselines(counts, seed, plan.users)
    return Assessment(measure(population, plan, seed, repeats), scale, one, many, local_privacy(mechanism))


@validate.takes(population_on=validate.A_FUNCTION, plan=Plan)
def decide(
    population_on: PopulationOn, plan: Plan, target: float, seed: int, repeats: int
) -> Iterator[Step | Decision]:
    """Everything that follows from an accepted error, step by step; last the decision.

    Args:
        population_on: the people on d×d cells, for any d.
        plan: what is considered; its ε and, where the grid may change, its d are searched for.
        target: the accepted error, metres or the map's own unit.
        seed: of the first repeat of every measurement.
        repeats: how often each plan is measured; at least 2.

    Yields:
        What each search measures and finds (see `spatialldp.planning.searches`), and last a `Decision`.

    Raises:
        ValueError: `target` is not a length above 0, or there is only one repeat.

    Example:
        >>> from functools import cache
        >>> from spatialldp.planning import Plan, decide
        >>> from spatialldp.population import Population
        >>> people_on = cache(lambda d: Population.of("new-haven", d))
        >>> *steps, decision = decide(people_on, Plan(d=6), target=2_000, seed=1, repeats=3)
        >>> decision.best.met
        True
    """
    here = anywhere = users = None
    for step in budget_for(population_on(plan.d), plan, target, seed, repeats):
        yield step
        here = step
    for other in budget_on_any_grid(population_on, plan, target, seed, repeats):
        yield other
        anywhere = other
    for last in users_for(population_on(plan.d), plan, target, seed, repeats):
        yield last
        users = last
    assert isinstance(here, BudgetAnswer)
    assert anywhere is None or isinstance(anywhere, BudgetAnswer)
    assert isinstance(users, UsersAnswer)
    chosen = _recommended(here, anywhere).error.plan
    yield Decision(here, anywhere, users, repeated_risk(chosen.make(), 1, population_on(chosen.d).counts))


@validate.takes(population_on=validate.A_FUNCTION, plan=Plan)
def offer(population_on: PopulationOn, plan: Plan, seed: int, repeats: int) -> Iterator[MapError | GridAnswer]:
    """What follows from an offered ε beside the plan's own error; last the finest grid that is still useful.

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
        >>> from functools import cache
        >>> from spatialldp.planning import Plan, offer
        >>> from spatialldp.population import Population
        >>> *steps, answer = offer(cache(lambda d: Population.of("new-haven", d)), Plan(), seed=1, repeats=2)
        >>> answer.d
        17
    """
    yield from finest_useful_grid(population_on, plan, seed, repeats)

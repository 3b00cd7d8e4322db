"""Both sides of the trade for one plan, and the answers to the two questions a decision starts from.

"I can accept an error of …" asks for ε and a grid (`decide`); "I can offer ε = …" asks for a grid (`offer`). Both
recommend one plan, and which one does not depend on the ε, d and b that somebody happens to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spatialldp import _validation as validate
from spatialldp.experiments.map_error import PLACES, PURPOSES, MapBaselines, MapError
from spatialldp.experiments.measurements import Local, Measurements, Risk, Task
from spatialldp.experiments.plan import Plan
from spatialldp.planning.searches import (
    BudgetAnswer,
    FirstIdea,
    GridAnswer,
    Outlook,
    People,
    best_grid,
    budget_on_any_grid,
    measurements_of,
)
from spatialldp.privacy import LocalPrivacy, RepeatedRisk


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
    """Error of the map over the simulated collections."""
    baselines: MapBaselines
    """The two ends between which it lies: a uniform guess, and no privacy."""
    one: RepeatedRisk
    """What one report tells an attacker who knows the true map."""
    many: RepeatedRisk
    """What several reports of the same person about the same place tell; `one` itself where one is asked about."""
    local: LocalPrivacy
    """The paper's local privacy: an attacker who knows nothing beforehand and draws a guess from one report; cells."""

    @property
    def plan(self) -> Plan:
        """What is assessed."""
        return self.error.plan


@dataclass(frozen=True)
class Decision:
    """The recommended plan, and how sure it is.

    Example:
        >>> from functools import cache
        >>> from spatialldp.planning import Plan, decide
        >>> from spatialldp.population import Population
        >>> people_on = cache(lambda d: Population.of("new-haven", d))
        >>> *_, found = decide(people_on, Plan("OUE"), target=30, seed=1, repeats=2, purpose="counts")
        >>> found.met, found.plan.epsilon, found.plan.d
        (True, 2.0, 8)
    """

    error: MapError
    """Error and plan that are recommended; where nothing meets the target, those that come nearest."""
    target: float | None = None
    """The accepted error, in the unit of `error`; None where ε was offered."""
    met: bool = True
    """Whether the target is met, by the upper end of the 95% interval of the mean."""
    below: MapError | None = None
    """The next smaller ε on that grid, which does not meet the target for sure; None where there is none."""

    @property
    def plan(self) -> Plan:
        """What is recommended."""
        return self.error.plan


@validate.takes(plan=Plan)
def assess(people: People, plan: Plan, seed: int, repeats: int, reports: int = 1, purpose: str = PLACES) -> Assessment:
    """Error and risk of a plan.

    Args:
        people: on the plan's grid, on any grid, or with what has been measured of them.
        plan: what is assessed.
        seed: of the first collection.
        repeats: how many collections are simulated.
        reports: how many of one person the second attacker sees.
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.

    Returns:
        Both sides of the trade.

    Raises:
        ValueError: the plan cannot be run, or a number is out of range.

    Example:
        >>> from spatialldp.planning import Plan, assess
        >>> from spatialldp.population import Population
        >>> round(assess(Population.of("new-haven", d=6), Plan(d=6), seed=1, repeats=3).error.mean)  # metres
        542
    """
    *_, found = assessing(measurements_of(people), plan, seed, repeats, reports, purpose)
    assert isinstance(found, Assessment)
    return found


def assessing(
    measurements: Measurements,
    plan: Plan,
    seed: int,
    repeats: int,
    reports: int = 1,
    purpose: str = PLACES,
    settled: MapError | None = None,
) -> Iterator[Task | Assessment]:
    """The same with what is done on the way. `settled` is the error of the plan, where it is known better."""
    seed, repeats, reports = validate.seed(seed), validate.repeats(repeats), validate.reports_per_person(reports)
    validate.one_of("purpose", purpose, PURPOSES)
    ends = measurements.ends(plan.d, plan.users, seed, purpose)
    one, many, local = Risk(plan, 1), Risk(plan, reports), Local(plan)
    own = [] if settled is not None else measurements.tasks(plan, seed, repeats, purpose)
    yield from measurements.measuring([*own, *ends, one, many, local])
    yield Assessment(
        settled or measurements.error(plan, seed, repeats, purpose),
        measurements.baselines(plan.d, plan.users, seed, purpose),
        measurements.result(one),
        measurements.result(many),
        measurements.result(local),
    )


@validate.takes(plan=Plan)
def decide(
    people: People, plan: Plan, target: float, seed: int, repeats: int, purpose: str = PLACES
) -> Iterator[Task | Outlook | FirstIdea | Decision]:
    """The plan that follows from an accepted error; the ε, d and b of `plan` do not count.

    Args:
        people: on any grid, or with what has been measured of them.
        plan: what is considered; its ε and d are searched for.
        target: the accepted error, in metres or the map's own unit, or in people per thousand.
        seed: of the first collection.
        repeats: how often a plan is usually measured; at least 2. The answer is measured several times as often.
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.

    Yields:
        What was done on the way, a `FirstIdea` as soon as there is one, and last a `Decision`.

    Raises:
        ValueError: `target` is not an amount above 0, or there is only one repeat.

    Example:
        >>> from functools import cache
        >>> from spatialldp.planning import Plan, decide
        >>> from spatialldp.population import Population
        >>> people_on = cache(lambda d: Population.of("new-haven", d))
        >>> *steps, decision = decide(people_on, Plan("OUE"), target=60, seed=1, repeats=2, purpose="counts")
        >>> decision.plan.epsilon, decision.plan.d, decision.error.high <= 60
        (0.7, 5, True)
    """
    for step in budget_on_any_grid(people, plan, target, seed, repeats, purpose=purpose):
        yield Decision(step.error, step.target, step.met, step.below) if isinstance(step, BudgetAnswer) else step


@validate.takes(plan=Plan)
def offer(
    people: People, plan: Plan, seed: int, repeats: int, purpose: str = PLACES
) -> Iterator[Task | Outlook | FirstIdea | Decision]:
    """The plan that follows from the ε of `plan`: the best grid for it; the d and b of `plan` do not count.

    Args:
        people: on any grid, or with what has been measured of them.
        plan: what is considered; its d is searched for.
        seed: of the first collection.
        repeats: how often each grid is measured; at least 2.
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.

    Yields:
        What was done on the way, a `FirstIdea` as soon as there is one, and last a `Decision`.

    Raises:
        ValueError: there is only one repeat.

    Example:
        >>> from functools import cache
        >>> from spatialldp.planning import Plan, offer
        >>> from spatialldp.population import Population
        >>> people_on = cache(lambda d: Population.of("new-haven", d))
        >>> *steps, decision = offer(people_on, Plan(), seed=1, repeats=2, purpose="counts")
        >>> decision.plan.d, decision.target
        (30, None)
    """
    for step in best_grid(people, plan, seed, repeats, purpose):
        yield Decision(step.error) if isinstance(step, GridAnswer) else step

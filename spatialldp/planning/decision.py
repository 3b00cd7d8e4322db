"""Both sides of the trade for one plan, and the answers to the two questions a decision starts from.

"I can accept an error of …" asks for ε (`decide`); "I can offer ε = …" asks for the error and the grid (`offer`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
    """`one` and `many`: what one report, and several of the same person, tell an attacker who knows the true map;
    `local`: the paper's local privacy, for an attacker who knows nothing beforehand and draws a guess."""

    error: MapError
    ends: Baselines
    one: RepeatedRisk
    many: RepeatedRisk
    local: LocalPrivacy


@dataclass(frozen=True)
class Decision:
    """`here` on the plan's own grid, `anywhere` on the best of several grids (None: on none of them); `users` with the
    plan's ε and grid; `risk` of one report under the recommended plan."""

    here: BudgetAnswer
    anywhere: BudgetAnswer | None
    users: UsersAnswer
    risk: RepeatedRisk

    @property
    def best(self) -> BudgetAnswer:
        """The one with the smaller ε; the present grid if it is as good."""
        if self.anywhere is None or (self.here.met and self.here.epsilon <= self.anywhere.epsilon):
            return self.here
        return self.anywhere


#: What a search yields on the way.
Step = MapError | BudgetAnswer | GridAnswer | UsersAnswer | None


def assess(population: Population, plan: Plan, seed: int, repeats: int, reports: int = 1) -> Assessment:
    """Error and risk of a plan; `reports` how many of one person the second attacker sees."""
    mechanism, counts = plan.make(), population.counts
    one = repeated_risk(mechanism, 1, counts)
    many = one if reports == 1 else repeated_risk(mechanism, reports, counts)
    ends = baselines(counts, seed, plan.users)
    return Assessment(measure(population, plan, seed, repeats), ends, one, many, local_privacy(mechanism))


def decide(
    population_on: PopulationOn, plan: Plan, target: float, seed: int, repeats: int
) -> Iterator[Step | Decision]:
    """Everything that follows from an accepted error, step by step; last the decision."""
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
    recommended = here if anywhere is None or (here.met and here.epsilon <= anywhere.epsilon) else anywhere
    chosen = recommended.error.plan
    yield Decision(here, anywhere, users, repeated_risk(chosen.make(), 1, population_on(chosen.d).counts))


def offer(population_on: PopulationOn, plan: Plan, seed: int, repeats: int) -> Iterator[MapError | GridAnswer]:
    """What follows from an offered ε beside the plan's own error; last the finest grid that is still useful."""
    yield from finest_useful_grid(population_on, plan, seed, repeats)

"""What searches find: an ε, a grid or a number of people, with the error that was measured there."""

from __future__ import annotations

from dataclasses import dataclass

from spatialldp.experiments.map_error import MapError
from spatialldp.experiments.plan import Plan


@dataclass(frozen=True)
class BudgetAnswer:
    """The smallest ε of `EPSILONS` whose upper 95% bound meets the target, or that there is none.

    Example:
        >>> from spatialldp.planning import Plan, budget_for
        >>> from spatialldp.population import Population
        >>> people = Population.of("new-haven", d=6)
        >>> *_, answer = budget_for(people, Plan(d=6), target=10, seed=1, repeats=2, purpose="counts")
        >>> answer.met, answer.epsilon  # the cells alone cost more than 10 people of a thousand
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
        >>> settings = {"seed": 1, "repeats": 2, "purpose": "counts"}
        >>> steps = budget_on_any_grid(people_on, Plan(), target=40, grids=(5, 8), **settings)
        >>> next(step.plan.d for step in steps if isinstance(step, FirstIdea))
        8
    """

    plan: Plan
    """About what the answer will be."""


@dataclass(frozen=True)
class Outlook:
    """About how much a search has left to do, as far as it knows by now.

    Example:
        >>> from spatialldp.planning import Plan, budget_for
        >>> from spatialldp.planning.searches import Outlook
        >>> from spatialldp.population import Population
        >>> people = Population.of("new-haven", d=6)
        >>> steps = budget_for(people, Plan(d=6), target=40, seed=1, repeats=2, purpose="counts")
        >>> [step.left for step in steps if isinstance(step, Outlook)][-1]
        72
    """

    left: int
    """In tasks, of those that are yielded after it."""


@dataclass(frozen=True)
class GridAnswer:
    """The best grid of `GRIDS` at the plan's ε, and its error: the coarsest that is within 5% of the smallest error.

    Example:
        >>> from spatialldp.planning import Plan, best_grid
        >>> from spatialldp.population import Population
        >>> people_on = lambda d: Population.of("new-haven", d)
        >>> *_, answer = best_grid(people_on, Plan(epsilon=2.0), seed=1, repeats=2, purpose="counts")
        >>> answer.d
        8
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
    """The fewest people of `USERS` whose upper 95% bound meets the target with the plan's ε and grid.

    Example:
        >>> from spatialldp.planning import Plan, users_for
        >>> from spatialldp.population import Population
        >>> *_, answer = users_for(Population.of("new-haven", d=6), Plan(d=6), target=100, seed=1, repeats=2)
        >>> answer  # whoever takes part, the cells alone cost more than 100 m
        UsersAnswer(target=100.0, met=False, error=None)
    """

    target: float
    """The accepted error, in the unit of `error`."""
    met: bool
    """Whether that many people are enough."""
    error: MapError | None
    """Error and plan with that many people; with the most where not even they are enough. None where the cells alone
    cost more than the target, whoever takes part."""

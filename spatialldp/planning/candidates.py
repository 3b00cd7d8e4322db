"""What searches try: budgets, grids and numbers of people, and of these what a plan's mechanism can do."""

from __future__ import annotations

from spatialldp.experiments.calibrated import USUAL, is_stored
from spatialldp.experiments.plan import Plan, is_calibrated

#: The budgets that are looked at: from 0.5 to 9 in steps of 0.05.
EPSILONS = tuple(step / 20 for step in range(10, 181))
#: The grids that are looked at; all but the first two divide the same fine grid of 120 × 120.
GRIDS = (5, 8, 12, 15, 20, 30, 40, 60)
#: Numbers of people, about 20% apart, from a hundred to ten million.
USERS = (
    *(round(lead * 10**power) for power in range(2, 7) for lead in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)),
    10**7,
)


def grids_for(plan: Plan) -> tuple[int, ...]:
    """The grids that a search tries for a plan.

    Args:
        plan: its mechanism and how that is made comparable count.

    Returns:
        Cells per side. For a Geo-I mechanism that is to protect as much as DAM, only those for which the equal ε′ are
        stored in small steps: a search for each would take minutes.

    Example:
        >>> from spatialldp.planning import Plan
        >>> from spatialldp.planning.candidates import grids_for
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
        >>> from spatialldp.planning.candidates import epsilons_for
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

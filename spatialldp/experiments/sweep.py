"""Curves: the error and the risk of several mechanisms as one setting changes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spatialldp import _validation as validate
from spatialldp.experiments.measures import Baselines, baselines
from spatialldp.experiments.plan import MapError, Plan, is_calibrated, measure
from spatialldp.experiments.run import has_radius
from spatialldp.mechanisms import MECHANISMS
from spatialldp.mechanisms.radius import optimal_radius
from spatialldp.population import PopulationOn
from spatialldp.privacy import RepeatedRisk, repeated_risk

#: What can change along a curve, and how an axis calls it.
AXES = {
    "epsilon": "privacy budget ε",
    "d": "cells per side d",
    "b": "radius b, cells",
    "users": "people who take part",
}
_EPSILONS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.5, 4.5, 6.0, 7.5, 9.0)
#: Grids for which calibrated ε are stored.
_GRIDS = (1, 2, 3, 4, 5, 8, 10, 12, 15, 20, 25, 30)
_SHARES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_FEWEST_USERS = 10
#: Draws for the risk of one point: two percent, which a curve does not show.
_PEOPLE_PER_POINT = 400


@dataclass(frozen=True)
class Point:
    """One point of a curve: what the plan costs in accuracy and in privacy, between the ends of the scale."""

    over: str
    value: float
    error: MapError
    ends: Baselines
    risk: RepeatedRisk

    @property
    def mechanism(self) -> str:
        """Which curve it is on."""
        return self.error.plan.mechanism


def axis_values(over: str, plan: Plan, everybody: int) -> list[float]:
    """Where a curve is worth a point, ascending; the plan's own value is always one of them."""
    validate.one_of("over", over, tuple(AXES))
    if over == "epsilon":
        return sorted({*_EPSILONS, plan.epsilon})
    if over == "d":
        return [float(d) for d in sorted({*_GRIDS, plan.d})]
    if over == "b":
        best = int(plan.d * optimal_radius(plan.epsilon))
        steps = {round(max(best, 1) * third / 3) for third in range(7)}
        return [float(b) for b in sorted({*steps, best, *([] if plan.b is None else [plan.b])})]
    chosen = everybody if plan.users is None else plan.users
    return [float(n) for n in sorted({*(max(round(everybody * share), _FEWEST_USERS) for share in _SHARES), chosen})]


def varied(plan: Plan, over: str, value: float) -> Plan:
    """The plan with one value replaced."""
    return plan.with_changes(**{over: value if over == "epsilon" else int(value)})


def curve_names(over: str, names: Sequence[str]) -> list[str]:
    """The mechanisms that have a curve: a radius can be chosen only where there is one."""
    return [name for name in names if over != "b" or has_radius(name)]


def on_curve(plan: Plan, name: str) -> Plan:
    """The plan for another mechanism: a radius chosen by hand belongs to the plan's own."""
    return plan if name == plan.mechanism else plan.with_changes(mechanism=name, b=None)


def point(
    population_on: PopulationOn, plan: Plan, over: str, value: float, seed: int, repeats: int, reports: int = 1
) -> Point:
    """One point: `plan` with `value` for `over`; `reports` how many of one person the attacker sees."""
    plan = varied(plan, over, value)
    population = population_on(plan.d)
    ends = baselines(population.counts, seed, plan.users)
    risk = repeated_risk(plan.make(), reports, population.counts, most_people=_PEOPLE_PER_POINT)
    return Point(over, value, measure(population, plan, seed, repeats), ends, risk)


def sweep(
    population_on: PopulationOn,
    plan: Plan,
    over: str,
    names: Sequence[str] = (),
    *,
    values: Iterable[float] | None = None,
    seed: int = 1,
    repeats: int = 5,
    reports: int = 1,
) -> Iterator[Point]:
    """The curves of the mechanisms in `names` (none: the plan's own), point by point as they are computed."""
    names = [validate.one_of("mechanism", name, tuple(MECHANISMS)) for name in names or [plan.mechanism]]
    chosen = axis_values(over, plan, population_on(plan.d).users) if values is None else list(values)
    for name in curve_names(over, names):
        for value in chosen:
            yield point(population_on, on_curve(plan, name), over, value, seed, repeats, reports)


def to_csv(points: Iterable[Point]) -> bytes:
    """One row per point, numbers in full precision; lengths in the unit of the last column. `equal_by` is the ruler by
    which a Geo-I mechanism was made equal to DAM, `protects_more_than_asked` 1 where a jump skips what was asked."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [
            "over",
            "mechanism",
            "epsilon",
            "epsilon_used",
            "d",
            "b",
            "users",
            "repeats",
            "w2_cells",
            "w2",
            "half_width_95",
            "cell_part",
            "total",
            "uniform_guess",
            "no_privacy",
            "reports_per_person",
            "attacker_hit_rate",
            "attacker_distance",
            "sampling_attacker_distance",
            "equal_by",
            "protects_more_than_asked",
            "unit",
        ]
    )
    for entry in points:
        error, risk, plan = entry.error, entry.risk, entry.error.plan
        half = error.half_width if error.w2_cells.size > 1 else ""
        writer.writerow(
            [
                entry.over,
                plan.mechanism,
                plan.epsilon,
                error.epsilon_used,
                plan.d,
                getattr(plan.make(), "b", ""),
                error.users,
                error.w2_cells.size,
                float(error.w2_cells.mean()),
                error.transport,
                half,
                error.cell,
                error.total,
                entry.ends.uniform_guess * error.side,
                entry.ends.no_privacy * error.side,
                risk.reports,
                risk.hit_rate,
                risk.guess_distance * error.side,
                risk.sampling_distance * error.side,
                plan.by if is_calibrated(plan) else "",
                int(error.jumped),
                error.unit,
            ]
        )
    return text.getvalue().encode()

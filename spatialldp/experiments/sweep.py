"""Curves: the error and the risk of several mechanisms as one setting changes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from spatialldp import _validation as validate
from spatialldp import engines
from spatialldp.experiments import defaults
from spatialldp.experiments.axes import AXES, axis_values, curve_names, curve_values, on_curve, varied
from spatialldp.experiments.measures import Baselines, baselines
from spatialldp.experiments.plan import MapError, Plan, is_calibrated, measure
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.population import Population, PopulationOn
from spatialldp.privacy import RepeatedRisk, repeated_risk

#: People drawn for the risk at one point: good to two percent, a difference that a curve does not show.
_PEOPLE_PER_POINT = 400


@dataclass(frozen=True)
class Point:
    """One point of a curve: what the plan costs in accuracy and in privacy.

    Attributes:
        over: what changes along the curve, one of `spatialldp.experiments.AXES`.
        value: where on that axis it lies.
        error: error of the map, with the plan that was measured.
        baselines: the two ends between which the error lies.
        risk: what the reports of one person tell an attacker.

    Example:
        >>> from spatialldp.experiments import Plan, sweep
        >>> from spatialldp.population import Population
        >>> people_on = lambda d: Population.of("new-haven", d)
        >>> [point] = sweep(people_on, Plan(d=6), "epsilon", values=[2.0], repeats=3)
        >>> point.mechanism, point.value, round(point.error.total), round(point.risk.hit_rate, 2)
        ('DAM', 2.0, 1680, 0.31)
    """

    over: str
    value: float
    error: MapError
    baselines: Baselines
    risk: RepeatedRisk

    @property
    def mechanism(self) -> str:
        """Which curve it is on."""
        return self.error.plan.mechanism


class Task(NamedTuple):
    """All that one point needs, wherever it is computed.

    Attributes:
        population: who reports.
        plan: what their devices do.
        over: what changes along the curve, one of `spatialldp.experiments.AXES`.
        value: where on that axis the point lies.
        seed: of the first repeat.
        repeats: how often the plan is run.
        reports: how many reports of one person the attacker sees.
    """

    population: Population
    plan: Plan
    over: str
    value: float
    seed: int
    repeats: int
    reports: int


def point(task: Task) -> Point:
    """One point of a curve."""
    plan, counts = task.plan, task.population.counts
    scale = baselines(counts, task.seed, plan.users)
    risk = repeated_risk(plan.make(), task.reports, counts, most_people=_PEOPLE_PER_POINT)
    return Point(task.over, task.value, measure(task.population, plan, task.seed, task.repeats), scale, risk)


def _point_elsewhere(task: Task, kinds: dict[str, type[Mechanism]]) -> Point:
    """The same in another process, which knows the mechanisms that ship and not what the program has added to them."""
    MECHANISMS.update(kinds)
    return point(task)


@validate.takes(population_on=validate.A_FUNCTION, plan=Plan, names=[str])
def sweep(
    population_on: PopulationOn,
    plan: Plan,
    over: str,
    names: Sequence[str] = (),
    *,
    values: Iterable[float] | None = None,
    seed: int = defaults.SEED,
    repeats: int = defaults.REPEATS,
    reports: int = defaults.REPORTS,
    workers: engines.Workers = None,
) -> Iterator[Point]:
    """The curves of several mechanisms as one setting changes, point by point as they are computed.

    Args:
        population_on: the people on d×d cells, for any d; called in this process only.
        plan: what all points have in common.
        over: what changes along the curves, one of `spatialldp.experiments.AXES`.
        names: of the mechanisms, keys of `spatialldp.MECHANISMS`; none for the plan's own.
        values: what to measure at; None for a dozen useful values.
        seed: of the first repeat; the others take the numbers after it.
        repeats: runs per point.
        reports: of one person, which the attacker sees.
        workers: who computes (see `engines.map`). The numbers are the same whoever does.

    Yields:
        The points, one curve after the other, in the order of the values.

    Raises:
        ValueError: a name, an axis or a value is not allowed; raised before anything is computed.

    Example:
        >>> from spatialldp.experiments import Plan, sweep
        >>> from spatialldp.population import Population
        >>> people_on = lambda d: Population.of("new-haven", d)
        >>> for point in sweep(people_on, Plan(d=6), "epsilon", ["DAM", "MDSW"], values=[1.0, 4.0], repeats=3):
        ...     print(point.mechanism, point.value, f"{point.error.total:.0f} m", f"{point.risk.hit_rate:.0%}")
        DAM 1.0 2115 m 29%
        DAM 4.0 1391 m 46%
        MDSW 1.0 2966 m 29%
        MDSW 4.0 2111 m 50%
    """
    validate.one_of("over", over, tuple(AXES))
    names = [validate.one_of("mechanism", name, tuple(MECHANISMS)) for name in names or [plan.mechanism]]
    if values is not None and not validate.goes_through(values):
        raise ValueError(f"values must be a sequence of numbers, got {validate.shown(values)}")
    chosen = axis_values(over, plan, population_on(plan.d).users) if values is None else list(values)
    seed, repeats = validate.seed(seed), validate.repeats(repeats)
    reports = validate.reports_per_person(reports)
    plans = [
        (value, varied(on_curve(plan, name), over, value).check_fits())
        for name in curve_names(over, names)
        for value in (curve_values(over, plan, name, chosen) if values is None else chosen)
    ]
    tasks = (Task(population_on(here.d), here, over, value, seed, repeats, reports) for value, here in plans)
    engine = engines.engine(workers)
    if isinstance(engine, engines.InProcess):
        yield from engine.map(point, tasks)
    else:
        kinds = {name: MECHANISMS[name] for name in names}
        yield from engine.map(partial(_point_elsewhere, kinds=kinds), tasks)


class Row(NamedTuple):
    """A point for programs, in full precision.

    Attributes:
        over: what changes along the curve, one of `spatialldp.experiments.AXES`.
        mechanism: its name, a key of `spatialldp.MECHANISMS`.
        epsilon: privacy budget of the plan.
        epsilon_used: that of the mechanism, per cell for Geo-I.
        d: cells per side.
        b: radius in cells; None where the mechanism has none.
        users: how many people took part.
        repeats: how often the plan was run.
        w2_cells: mean W2, in cells.
        w2: mean W2, in `unit`s.
        half_width_95: half the 95 % interval of the mean W2, in `unit`s; None for a single repeat.
        cell_part: what a cell hides, in `unit`s.
        total: `w2` and `cell_part` together.
        uniform_guess: W2 of a map that knows nothing but the square, in `unit`s.
        no_privacy: W2 of as many people asked for their true cell, in `unit`s.
        reports_per_person: how many the attacker sees.
        attacker_hit_rate: how often the attacker's likeliest cell is the right one, 0 to 1.
        attacker_distance: mean distance of the attacker's best guess, in `unit`s.
        sampling_attacker_distance: mean distance of a guess drawn from what is plausible, in `unit`s.
        equal_by: the ruler by which a Geo-I mechanism was made equal to DAM; None where it was not.
        protects_more_than_asked: 1 where a jump skips the target, otherwise 0.
        unit: of all lengths, "m" or "map units".

    Example:
        >>> from spatialldp.experiments.sweep import Row
        >>> Row._fields[:5]
        ('over', 'mechanism', 'epsilon', 'epsilon_used', 'd')
    """

    over: str
    mechanism: str
    epsilon: float
    epsilon_used: float
    d: int
    b: int | None
    users: int
    repeats: int
    w2_cells: float
    w2: float
    half_width_95: float | None
    cell_part: float
    total: float
    uniform_guess: float
    no_privacy: float
    reports_per_person: int
    attacker_hit_rate: float
    attacker_distance: float
    sampling_attacker_distance: float
    equal_by: str | None
    protects_more_than_asked: int
    unit: str


@validate.takes(entry=Point)
def row(entry: Point) -> Row:
    """A point as a row of a table.

    Args:
        entry: the point.

    Returns:
        Its numbers in full precision, lengths in the unit of the map.

    Example:
        >>> from spatialldp.experiments import Plan, sweep
        >>> from spatialldp.experiments.sweep import row
        >>> from spatialldp.population import Population
        >>> [point] = sweep(lambda d: Population.of("new-haven", d), Plan(d=6), "d", values=[6], repeats=3)
        >>> found = row(point)
        >>> found.mechanism, found.d, found.users, round(found.total), found.unit
        ('DAM', 6, 3293, 1401, 'm')
    """
    error, risk, plan = entry.error, entry.risk, entry.error.plan
    return Row(
        over=entry.over,
        mechanism=plan.mechanism,
        epsilon=plan.epsilon,
        epsilon_used=error.epsilon_used,
        d=plan.d,
        b=plan.make().radius,
        users=error.users,
        repeats=error.w2_cells.size,
        w2_cells=float(error.w2_cells.mean()),
        w2=error.transport,
        half_width_95=error.half_width if error.w2_cells.size > 1 else None,
        cell_part=error.cell,
        total=error.total,
        uniform_guess=entry.baselines.uniform_guess * error.side,
        no_privacy=entry.baselines.no_privacy * error.side,
        reports_per_person=risk.reports,
        attacker_hit_rate=risk.hit_rate,
        attacker_distance=risk.guess_distance * error.side,
        sampling_attacker_distance=risk.sampling_distance * error.side,
        equal_by=plan.by if is_calibrated(plan) else None,
        protects_more_than_asked=int(error.jumped),
        unit=error.unit,
    )


@validate.takes(points=[Point])
def to_csv(points: Iterable[Point]) -> bytes:
    """Points as a table in CSV.

    Args:
        points: of any curves.

    Returns:
        A line of names and one `Row` per point, empty where there is no value; UTF-8.

    Example:
        >>> from spatialldp.experiments import Plan, sweep
        >>> from spatialldp.experiments.sweep import to_csv
        >>> from spatialldp.population import Population
        >>> points = sweep(lambda d: Population.of("new-haven", d), Plan(d=6), "d", values=[4, 6], repeats=2)
        >>> [line.split(",")[1:5] for line in to_csv(points).decode().splitlines()]
        [['mechanism', 'epsilon', 'epsilon_used', 'd'], ['DAM', '3.5', '3.5', '4'], ['DAM', '3.5', '3.5', '6']]
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Row._fields)
    writer.writerows(row(entry) for entry in points)
    return text.getvalue().encode()

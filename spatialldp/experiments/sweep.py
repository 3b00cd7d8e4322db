"""Curves: the error and the risk of several mechanisms as one setting changes."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spatialldp import _validation as validate
from spatialldp import engines
from spatialldp.experiments import defaults
from spatialldp.experiments.axes import AXES, axis_values, curve_names, curve_values, on_curve, varied
from spatialldp.experiments.map_error import PLACES, PURPOSES, MapBaselines, MapError
from spatialldp.experiments.measurements import Measurements, Risk, Task
from spatialldp.experiments.plan import Plan, is_calibrated
from spatialldp.mechanisms import MECHANISMS
from spatialldp.population import PopulationOn
from spatialldp.privacy import RepeatedRisk

#: People drawn for the risk at one point of a curve: good to two percent, a difference that it does not show.
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
        >>> point.mechanism, point.value, round(point.error.mean), round(point.risk.hit_rate, 2)
        ('DAM', 2.0, 634, 0.31)
    """

    over: str
    value: float
    error: MapError
    baselines: MapBaselines
    risk: RepeatedRisk

    @property
    def mechanism(self) -> str:
        """Which curve it is on."""
        return self.error.plan.mechanism


@dataclass(frozen=True)
class Curve:
    """What to measure along a curve, and how.

    Attributes:
        over: what changes along it, one of `spatialldp.experiments.AXES`.
        plans: where it has points: the value on the axis, and the plan there.
        seed: of the first repeat.
        repeats: how often each plan is run.
        reports: how many reports of one person the attacker sees.
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.
        assessed: plans that are looked at on their own as well: their risk is that of as many people here.
    """

    over: str
    plans: tuple[tuple[float, Plan], ...]
    seed: int
    repeats: int
    reports: int
    purpose: str = PLACES
    assessed: frozenset[Plan] = frozenset()

    def tasks(self, measurements: Measurements, plan: Plan, settled: bool = False) -> list[Task]:
        """What the point of a plan needs; nothing for its error where that is `settled`."""
        return [
            *([] if settled else measurements.tasks(plan, self.seed, self.repeats, self.purpose)),
            *measurements.ends(plan.d, plan.users, self.seed, self.purpose),
            self._risk(plan),
        ]

    def points(
        self, measurements: Measurements, settled: Mapping[Plan, MapError] | None = None
    ) -> Iterator[Task | Point]:
        """The points in order, each as soon as it is known, and between them what was done on the way.

        `settled` are errors that are known better than by these repeats.
        """
        better = settled or {}
        left = [(value, plan, self.tasks(measurements, plan, plan in better)) for value, plan in self.plans]

        def known() -> Iterator[Point]:
            while left and all(measurements.known(task) is not None for task in left[0][2]):
                value, plan, _ = left.pop(0)
                yield self._point(measurements, value, plan, better.get(plan))

        yield from known()
        for task in measurements.measuring([task for *_, tasks in left for task in tasks]):
            yield task
            yield from known()
        # Another thread may have done what was left.
        yield from known()

    def _point(self, measurements: Measurements, value: float, plan: Plan, settled: MapError | None) -> Point:
        error = settled or measurements.error(plan, self.seed, self.repeats, self.purpose)
        ends = measurements.baselines(plan.d, plan.users, self.seed, self.purpose)
        return Point(self.over, value, error, ends, measurements.result(self._risk(plan)))

    def _risk(self, plan: Plan) -> Risk:
        return Risk(plan, self.reports, None if plan in self.assessed else _PEOPLE_PER_POINT)


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
    purpose: str = PLACES,
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
        purpose: what the map is for, one of `spatialldp.experiments.PURPOSES`.
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
        ...     print(point.mechanism, point.value, f"{point.error.mean:.0f} m", f"{point.risk.hit_rate:.0%}")
        DAM 1.0 1006 m 29%
        DAM 4.0 497 m 46%
        MDSW 1.0 2046 m 29%
        MDSW 4.0 1093 m 50%
    """
    validate.one_of("over", over, tuple(AXES))
    names = [validate.one_of("mechanism", name, tuple(MECHANISMS)) for name in names or [plan.mechanism]]
    if values is not None and not validate.goes_through(values):
        raise ValueError(f"values must be a sequence of numbers, got {validate.shown(values)}")
    chosen = axis_values(over, plan, population_on(plan.d).users) if values is None else list(values)
    curve = Curve(
        over,
        tuple(
            (value, varied(on_curve(plan, name), over, value).check_fits())
            for name in curve_names(over, names)
            for value in (curve_values(over, plan, name, chosen) if values is None else chosen)
        ),
        validate.seed(seed),
        validate.repeats(repeats),
        validate.reports_per_person(reports),
        validate.one_of("purpose", purpose, PURPOSES),
    )
    for found in curve.points(Measurements(population_on, workers)):
        if isinstance(found, Point):
            yield found


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
        map_error: mean error of the map, its cells included, in `error_unit`s.
        half_width_95: half the 95% interval of that mean; None for a single repeat.
        cell_part: the part of it from cell size: the error of the true map on these cells.
        overstated: how much of it comes from counting people on a fine grid; None where that is not known.
        uniform_guess: error of a map that knows nothing but the square.
        no_privacy: error of the map of as many people drawn anew, each with their true cell.
        error_unit: of all these: "m", "map units" or "per 1,000".
        w2_cells: mean W2 between the true and the recovered grid, the paper's measure, in cells; None if not measured.
        w2: the same, in `unit`s.
        reports_per_person: how many the attacker sees.
        attacker_hit_rate: how often the attacker's likeliest cell is the right one, 0 to 1.
        attacker_distance: mean distance of the attacker's best guess, in `unit`s.
        sampling_attacker_distance: mean distance of a guess drawn from what is plausible, in `unit`s.
        equal_by: the ruler by which a Geo-I mechanism was made equal to DAM; None where it was not.
        protects_more_than_asked: 1 where a jump skips the target, otherwise 0.
        unit: of all other lengths, "m" or "map units".

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
    map_error: float
    half_width_95: float | None
    cell_part: float
    overstated: float | None
    uniform_guess: float
    no_privacy: float
    error_unit: str
    w2_cells: float | None
    w2: float | None
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
        >>> found.mechanism, found.d, found.users, round(found.map_error), found.unit
        ('DAM', 6, 3293, 542, 'm')
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
        repeats=error.values.size,
        map_error=error.mean,
        half_width_95=error.half_width if error.values.size > 1 else None,
        cell_part=error.cell,
        overstated=_known(error.overstated),
        uniform_guess=entry.baselines.uniform_guess,
        no_privacy=entry.baselines.no_privacy,
        error_unit=error.unit,
        w2_cells=_known(error.w2 / error.side),
        w2=_known(error.w2),
        reports_per_person=risk.reports,
        attacker_hit_rate=risk.hit_rate,
        attacker_distance=risk.guess_distance * error.side,
        sampling_attacker_distance=risk.sampling_distance * error.side,
        equal_by=plan.by if is_calibrated(plan) else None,
        protects_more_than_asked=int(error.jumped),
        unit=error.length_unit,
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


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

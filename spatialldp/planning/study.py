"""A question answered. The work is listed once, as parts in the order in which they are worth having: `answering` does
them in turn, for the Trade-off page in a job; `Findings` and `assemble` put together what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

import numpy as np

from spatialldp import _validation as validate
from spatialldp import engines
from spatialldp.datasets import Dataset, Points, dataset
from spatialldp.experiments import defaults
from spatialldp.experiments.axes import axis_values, curve_names, curve_values, on_curve, varied
from spatialldp.experiments.measurements import Measurements
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.repeats import participants
from spatialldp.experiments.run import Run, simulate
from spatialldp.experiments.sweep import Curve, Point
from spatialldp.grid import Bounds
from spatialldp.planning.decision import Assessment, Decision, assessing, decide, offer
from spatialldp.planning.question import CROWDS, PRESENT, Question
from spatialldp.planning.searches import FirstIdea, Outlook, UsersAnswer, fits, grids_for, measurements_of, users_for
from spatialldp.population import Population, PopulationOn

#: Names of parts; that of a curve or a saved scenario begins with the last two.
SETTING, ANSWER, PEOPLE = "setting", "answer", "people"
_CURVE, _SCENARIO = "curve:", "scenario:"
#: Seed of the first collection of every measurement: the same for all visitors, so that a question has one answer.
MEASURED_FROM = defaults.SEED
#: Numbers of people whose curves stand side by side, in shares of those there are.
CROWD_SHARES = (0.1, 1.0, 10.0)
#: How much is done until a budget is found, and until a number of people is, in collections: a guess for a bar.
_SEARCH_STEPS, _USERS_STEPS = 220, 120

#: Computes something, yielding what is done on the way and results as they are found.
Work = Callable[[], Iterator[Any]]
Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Part:
    """A piece of the work on a question that can be done on its own.

    Example:
        >>> from spatialldp.planning import Plan, Question, parts
        >>> from spatialldp.population import Population
        >>> question = Question("new-haven", Plan(d=4), repeats=2, over="d", decided_for="present")
        >>> for part in parts(question, lambda d: Population.of("new-haven", d)).values():
        ...     print(part.title)
        best grid
        your setting
        curve of DAM
    """

    name: str
    """By which its results are found among those of its question."""
    title: str
    """What it finds out, in words."""
    work: Work
    """Does it, yielding what is done on the way and results as they are found."""
    steps: int
    """About how much that yields: how much work it is, compared with other parts."""

    @property
    def is_curve(self) -> bool:
        """Whether its results are points of a curve."""
        return self.name.startswith(_CURVE)

    def progress(self, steps: int, left: int | None = None) -> str:
        """A line about its progress, when it has yielded so much and has so much left; None for what was expected.

        Raises:
            ValueError: `steps` or `left` is not a whole number ≥ 0.
        """
        steps = validate.whole_number("steps", steps, 0)
        total = self.steps if left is None else steps + validate.whole_number("left", left, 0)
        return f"{self.title}: {min(0.99, steps / max(total, 1)):.0%}"


@dataclass(frozen=True)
class Study:
    """A question answered.

    Example:
        >>> from spatialldp.planning import Plan, Question
        >>> from spatialldp.report import study
        >>> *_, found = study(Question("new-haven", Plan(d=3), repeats=2, purpose="counts"))
        >>> found.decision.plan.d, found.decided is found.recommended
        (30, True)
    """

    question: Question
    """What was asked."""
    entry: Dataset
    """The data set; its title, source and licence."""
    population: Population
    """The people of the area, on the grid of the plan that is decided for."""
    run: Run
    """One run of that plan, for its maps."""
    decision: Decision
    """What is recommended."""
    recommended: Assessment
    """Error and risk of the recommended plan."""
    setting: Assessment
    """Error and risk of the present setting; the same object where that is the recommended plan."""
    points: list[Point] = field(repr=False)
    """Points of all curves, one curve after the other."""
    scenarios: tuple[tuple[str, Assessment], ...] = ()
    """Name, error and risk of each saved scenario."""
    users: UsersAnswer | None = None
    """How many people the accepted error takes with the present setting; None where ε was offered."""

    @property
    def decided(self) -> Assessment:
        """Error and risk of the plan that is decided for."""
        return self.setting if self.question.decided_for == PRESENT else self.recommended


@dataclass(frozen=True)
class Findings:
    """What is known of an answer so far.

    Example:
        >>> from spatialldp.planning import Findings
        >>> found = Findings({"setting": [], "answer": []})
        >>> found.setting is None, found.decision is None, found.points
        (True, True, [])
    """

    results: Mapping[str, Sequence[Any]]
    """What each part has yielded up to now, by its name; a part that has not begun may be missing."""

    @property
    def decision(self) -> Decision | None:
        """What is recommended; None while it is searched for."""
        return self._last(ANSWER, Decision)

    @property
    def idea(self) -> Plan | None:
        """About what will be recommended; None before there is an idea."""
        first = self._last(ANSWER, FirstIdea)
        return None if first is None else first.plan

    @property
    def recommended(self) -> Assessment | None:
        """Error and risk of the recommended plan."""
        return self._last(ANSWER, Assessment)

    @property
    def setting(self) -> Assessment | None:
        """Error and risk of the present setting; those of the recommended plan where it is the same."""
        return self._last(SETTING, Assessment) if SETTING in self.results else self.recommended

    @property
    def scenarios(self) -> tuple[tuple[str, Assessment], ...]:
        """Name, error and risk of each saved scenario that is known."""
        names = [name for name in self.results if name.startswith(_SCENARIO)]
        found = ((name.removeprefix(_SCENARIO), self._last(name, Assessment)) for name in names)
        return tuple((name, assessment) for name, assessment in found if assessment is not None)

    @property
    def users(self) -> UsersAnswer | None:
        """How many people it takes."""
        return self._last(PEOPLE, UsersAnswer)

    @property
    def points(self) -> list[Point]:
        """Points of all curves, one curve after the other."""
        curves = [results for name, results in self.results.items() if name.startswith(_CURVE)]
        return [point for results in curves for point in list(results) if isinstance(point, Point)]

    def _last(self, name: str, kind: type[Kind]) -> Kind | None:
        results = self.results.get(name)
        return next((one for one in reversed(results) if isinstance(one, kind)), None) if results else None


@validate.takes(question=Question)
def parts(question: Question, people: PopulationOn | Measurements, decision: Decision | None = None) -> dict[str, Part]:
    """The work on a question, by name and in the order in which it is worth having.

    Args:
        question: what is asked.
        people: whom it is about, on any grid (`population_on_any_grid` makes such a function), or with what has been
            measured of them.
        decision: what is recommended, as soon as it is known. Curves of the recommended plan are listed only then.

    Returns:
        The parts by name.

    Example:
        >>> from spatialldp.planning import Findings, Plan, Question, parts
        >>> from spatialldp.population import Population
        >>> question = Question("new-haven", Plan(d=4), repeats=2, purpose="counts")
        >>> work = parts(question, lambda d: Population.of("new-haven", d))
        >>> found = Findings({name: list(part.work()) for name, part in work.items()})
        >>> found.decision.plan.d, found.points
        (30, [])
    """
    if decision is not None:
        validate.instance("decision", decision, Decision)
    measurements, plan, target = measurements_of(people), question.plan, question.target
    repeats, reports, purpose = question.repeats, question.reports, question.purpose

    def assessment(name: str, title: str, one: Plan) -> Part:
        # One plan has one error, wherever it stands.
        known = decision.error if decision is not None and decision.plan == one else None

        def work() -> Iterator[Any]:
            return assessing(measurements, one, MEASURED_FROM, repeats, reports, purpose, known)

        return Part(name, title, work, repeats + 6)

    def recommending() -> Iterator[Any]:
        steps = (
            offer(measurements, plan, MEASURED_FROM, repeats, purpose)
            if target is None
            else decide(measurements, plan, target, MEASURED_FROM, repeats, purpose)
        )
        for step in steps:
            yield step
            if isinstance(step, Decision):
                known = step.error
                yield from assessing(measurements, step.plan, MEASURED_FROM, repeats, reports, purpose, known)

    title = "best grid" if target is None else "smallest ε for the accepted error"
    steps = (len(grids_for(plan)) + 1) * repeats + 6 if target is None else _SEARCH_STEPS
    found = [Part(ANSWER, title, recommending, steps)]
    if decision is None or decision.plan != plan:
        found.append(assessment(SETTING, "your setting", plan))
    for name, other in question.scenarios:
        found.append(assessment(_SCENARIO + name, f"scenario {name}", other))
    curved = plan if question.decided_for == PRESENT else decision.plan if decision is not None else None
    if curved is not None:
        found += _curves(question, measurements, curved, decision)
    if target is not None:

        def counting() -> Iterator[Any]:
            return users_for(measurements, plan, target, MEASURED_FROM, repeats, purpose)

        found.append(Part(PEOPLE, "how many people it takes", counting, _USERS_STEPS))
    return {part.name: part for part in found}


def _curves(question: Question, measurements: Measurements, plan: Plan, decision: Decision | None) -> Iterator[Part]:
    """The curves of the plan that is decided for, one part each."""
    everybody = measurements.population(plan.d).users
    settled = {} if decision is None else {decision.plan: decision.error}
    # One plan has one risk, too, wherever it stands.
    assessed = frozenset({question.plan, *settled, *(scenario.plan for scenario in question.scenarios)})
    lines: list[tuple[str, tuple[tuple[float, Plan], ...]]] = []
    if question.over == CROWDS:
        over, values = "epsilon", axis_values("epsilon", plan, everybody)
        for users in sorted({max(round(everybody * share), 10) for share in CROWD_SHARES}):
            # Everybody is no number: their curve shares its points with those of other charts.
            own = plan.with_changes(users=None if users == everybody else users, b=None)
            if not fits(own):
                continue
            lines.append((f"{users:,} people", tuple((value, varied(own, over, value)) for value in values)))
    else:
        over, values = question.over, axis_values(question.over, plan, everybody)
        for name in curve_names(over, question.names):
            # The values are those of the plan, so that all curves have their points at the same places.
            own, its = on_curve(plan, name), curve_values(over, plan, name, values)
            lines.append((name, tuple((value, varied(own, over, value)) for value in its)))
    for title, plans in lines:
        curve = Curve(over, plans, MEASURED_FROM, question.repeats, question.reports, question.purpose, assessed)

        def work(curve: Curve = curve) -> Iterator[Any]:
            return curve.points(measurements, settled)

        yield Part(_CURVE + title, f"curve of {title}", work, len(plans) * (question.repeats + 2))


def left_of(part: Part, results: Sequence[Any]) -> int:
    """About how much a part has left to yield after these results."""
    since = next((number for number, one in enumerate(reversed(results)) if isinstance(one, Outlook)), None)
    if since is None:
        return max(part.steps - len(results), 0)
    return max(results[len(results) - 1 - since].left - since, 0)


def answering(question: Question, measurements: Measurements) -> Iterator[tuple[Part, Any]]:
    """Do all parts in turn: each thing that is done or found, with the part that it belongs to.

    What these people have been measured for before is not measured again.
    """
    done: set[str] = set()
    decision: Decision | None = None
    while todo := [part for part in parts(question, measurements, decision).values() if part.name not in done]:
        part = todo[0]
        done.add(part.name)
        for found in part.work():
            decision = found if isinstance(found, Decision) else decision
            yield part, found


@validate.takes(question=Question, entry=Dataset, results=Mapping)
def assemble(
    question: Question,
    entry: Dataset,
    people: PopulationOn | Measurements,
    results: Mapping[str, Sequence[Any]],
) -> Study:
    """The study out of the results of all parts.

    Args:
        question: what was asked.
        entry: the data set.
        people: its people on any grid, or with what has been measured of them.
        results: what each part has yielded, by its name, in the order of `parts`.

    Returns:
        The question answered.

    Raises:
        ValueError: `results` lacks the decision, or the setting.

    Example:
        >>> from functools import cache
        >>> from spatialldp.datasets import dataset
        >>> from spatialldp.planning import Plan, Question, assemble, parts
        >>> from spatialldp.population import Population
        >>> question = Question("new-haven", Plan(d=3), repeats=2, purpose="counts", decided_for="present")
        >>> people_on = cache(lambda d: Population.of("new-haven", d))
        >>> results = {name: list(part.work()) for name, part in parts(question, people_on).items()}
        >>> assemble(question, dataset("new-haven"), people_on, results).decided.error.unit
        'per 1,000'
    """
    found = Findings(results)
    if found.decision is None or found.recommended is None or found.setting is None:
        raise ValueError(f"results must hold those of {ANSWER!r} and {SETTING!r}, got only {sorted(results)}")
    decided = question.plan if question.decided_for == PRESENT else found.decision.plan
    population = measurements_of(people).population(decided.d)
    return Study(
        question,
        entry,
        population,
        first_run(population, decided, question.seed),
        found.decision,
        found.recommended,
        found.setting,
        found.points,
        found.scenarios,
        found.users,
    )


def first_run(population: Population, plan: Plan, seed: int) -> Run:
    """One run of a plan, for its maps; its reports are those of the people who take part."""
    taking_part = participants(population.counts, plan.users, np.random.default_rng([seed, 2]))
    return simulate(taking_part, plan.make(), seed)


@validate.takes(entry=Dataset, points=Points)
def population_on_any_grid(entry: Dataset, points: Points, bounds: Bounds | None) -> PopulationOn:
    """The people of a data set, or of a box in it, on any grid, each counted once.

    Args:
        entry: the data set.
        points: its points.
        bounds: the box (west, south, east, north); None for the data set's default view.

    Returns:
        A function from d to the people on d×d cells; it remembers what it has counted.

    Example:
        >>> from spatialldp.datasets import dataset
        >>> from spatialldp.planning import population_on_any_grid
        >>> entry = dataset("new-haven")
        >>> people_on = population_on_any_grid(entry, entry.load(), None)
        >>> people_on(5).users, people_on(5) is people_on(5)
        (3293, True)
    """
    return cache(lambda d: Population.of(entry, d, bounds, points))


@validate.takes(question=Question)
def study(question: Question, workers: engines.Workers = None) -> Iterator[str | Study]:
    """Answer a question, one part after the other.

    Args:
        question: what is asked.
        workers: who computes (see `spatialldp.engines.map`). The numbers are the same whoever does.

    Yields:
        A line about each step as it is done, and last the `Study`.

    Raises:
        DataError: the data set, or anybody in its box, is missing.

    Example:
        >>> from spatialldp.planning import Plan, Question
        >>> from spatialldp.report import study
        >>> *lines, found = study(Question("new-haven", Plan(d=3), repeats=2, purpose="counts"))
        >>> len(found.points)
        8
    """
    entry = dataset(question.data)
    measurements = Measurements(population_on_any_grid(entry, entry.load(), question.bounds), workers)
    results: dict[str, list[Any]] = {}
    for part, found in answering(question, measurements):
        results.setdefault(part.name, []).append(found)
        done = results[part.name]
        yield part.progress(len(done), left_of(part, done))
    yield assemble(question, entry, measurements, results)

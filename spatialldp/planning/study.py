"""A question answered. The work is listed once, as parts that do not depend on each other: `study` does them in turn,
the Trade-off page starts each as a job, and both put the findings together with `Findings` and `assemble`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from spatialldp import _validation as validate
from spatialldp.datasets import Dataset, Points, dataset
from spatialldp.experiments.axes import axis_values, curve_names, curve_values, on_curve
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.repeats import participants
from spatialldp.experiments.run import Run, simulate
from spatialldp.experiments.sweep import Point, sweep
from spatialldp.formatting import counted
from spatialldp.grid import Bounds
from spatialldp.planning.decision import Assessment, Decision, assess, decide, offer
from spatialldp.planning.question import Question
from spatialldp.planning.searches import GridAnswer
from spatialldp.population import Population, PopulationOn

#: Names of parts; that of a curve is `_CURVE` and its mechanism.
ASSESSMENT, PINNED, ANSWER = "assessment", "pinned", "answer"
_CURVE = "curve:"

#: Computes something, yielding results as they are found.
Work = Callable[[], Iterator[Any]]


@dataclass(frozen=True)
class Part:
    """A piece of the work on a question that can be done on its own.

    Example:
        >>> from spatialldp.planning import Plan, Question, parts
        >>> from spatialldp.population import Population
        >>> question = Question("new-haven", Plan(d=4), repeats=2, over="d")
        >>> for part in parts(question, lambda d: Population.of("new-haven", d)).values():
        ...     print(part.title)
        error and risk of the plan
        finest useful grid
        curve of DAM
    """

    name: str
    """By which its results are found among those of its question."""
    title: str
    """What it finds out, in words."""
    key: Hashable
    """What its results depend on beside the people: parts of two questions about the same people that have equal keys
    have equal results."""
    work: Work
    """Does it, yielding results as they are found."""
    unit: str = ""
    """What it yields many of: "measurement" or "point"; nothing where it yields one result."""
    after: tuple[str, ...] = ()
    """Names of parts to wait for where parts run at the same time: together they would only delay each other."""

    @property
    def is_curve(self) -> bool:
        """Whether its results are points of a curve."""
        return self.name.startswith(_CURVE)

    def progress(self, results: int) -> str:
        """A line about its progress, with so many results."""
        return f"{self.title}: {counted(results, self.unit)}" if self.unit else self.title


@dataclass(frozen=True)
class Study:
    """A question answered. Either `decision` or `grid` is there, depending on the question.

    Example:
        >>> from spatialldp.planning import Plan, Question
        >>> from spatialldp.report import study
        >>> *_, found = study(Question("new-haven", Plan(d=3), repeats=2))
        >>> found.decision is None, found.grid is None
        (True, False)
    """

    question: Question
    """What was asked."""
    entry: Dataset
    """The data set; its title, source and licence."""
    population: Population
    """The people of the area, on the plan's grid."""
    run: Run
    """The run of the first seed, for its maps."""
    assessment: Assessment
    """Error and risk of the plan."""
    points: list[Point] = field(repr=False)
    """Points of all curves, one curve after the other."""
    decision: Decision | None = None
    """What follows from an accepted error."""
    grid: GridAnswer | None = None
    """What follows from an offered ε: the finest useful grid."""
    pinned: Assessment | None = None
    """Error and risk of the second plan, where there is one."""


@dataclass(frozen=True)
class Findings:
    """What is known of an answer so far.

    Example:
        >>> from spatialldp.planning import Findings
        >>> found = Findings({"assessment": [], "answer": []})
        >>> found.assessment is None, found.points
        (True, [])
    """

    results: Mapping[str, Sequence[Any]]
    """What each part has yielded up to now, by its name; a part that has not begun may be missing."""

    @property
    def assessment(self) -> Assessment | None:
        """Error and risk of the plan."""
        return self._last(ASSESSMENT)

    @property
    def pinned(self) -> Assessment | None:
        """Error and risk of the second plan."""
        return self._last(PINNED)

    @property
    def decision(self) -> Decision | None:
        """What follows from an accepted error; None while it is searched for, or when ε is offered."""
        last = self._last(ANSWER)
        return last if isinstance(last, Decision) else None

    @property
    def grid(self) -> GridAnswer | None:
        """What follows from an offered ε; None while it is searched for, or when an error is accepted."""
        last = self._last(ANSWER)
        return last if isinstance(last, GridAnswer) else None

    @property
    def points(self) -> list[Point]:
        """Points of all curves, one curve after the other."""
        curves = [results for name, results in self.results.items() if name.startswith(_CURVE)]
        return [point for results in curves for point in list(results)]

    def _last(self, name: str) -> Any:
        results = self.results.get(name)
        return results[-1] if results else None


@validate.takes(question=Question, population_on=validate.A_FUNCTION)
def parts(question: Question, population_on: PopulationOn) -> dict[str, Part]:
    """The work on a question, by name and in the order in which it is worth having.

    Args:
        question: what is asked.
        population_on: the people it is about, on d×d cells, for any d (`population_on_any_grid` makes one).

    Returns:
        The parts by name.

    Example:
        >>> from spatialldp.planning import Findings, Plan, Question, parts
        >>> from spatialldp.population import Population
        >>> work = parts(Question("new-haven", Plan(d=4), repeats=2), lambda d: Population.of("new-haven", d))
        >>> results = {name: list(part.work()) for name, part in work.items()}
        >>> Findings(results).grid.d
        17
    """
    plan, over = question.plan, question.over
    seed, repeats, reports = question.seed, question.repeats, question.reports

    def assessing(one: Plan) -> Work:
        def work() -> Iterator[Assessment]:
            yield assess(population_on(one.d), one, seed, repeats, reports)

        return work

    def answering() -> Iterator[Any]:
        if question.target is None:
            return offer(population_on, plan, seed, repeats)
        return decide(population_on, plan, question.target, seed, repeats)

    def curve(name: str) -> Work:
        def work() -> Iterator[Point]:
            # The values are those of the plan, so that all curves have their points at the same places.
            values = curve_values(over, plan, name, axis_values(over, plan, population_on(plan.d).users))
            own = on_curve(plan, name)
            return sweep(population_on, own, over, [name], values=values, seed=seed, repeats=repeats, reports=reports)

        return work

    def key(*what: Hashable) -> Hashable:
        return (*what, seed, repeats)

    found = [Part(ASSESSMENT, "error and risk of the plan", key("assess", plan, reports), assessing(plan))]
    if question.pinned is not None:
        other = question.pinned
        title = "error and risk of the second scenario"
        found.append(Part(PINNED, title, key("assess", other, reports), assessing(other)))
    title = "finest useful grid" if question.target is None else "smallest ε for the accepted error"
    found.append(Part(ANSWER, title, key("answer", plan, question.target), answering, "measurement"))
    curves: tuple[str, ...] = ()
    for name in curve_names(over, question.names):
        # A radius chosen by hand is a value of every curve over b, but in the plan of its own mechanism only.
        marked = plan.b if over == "b" else None
        own = key("curve", on_curve(plan, name), over, marked, reports)
        found.append(Part(_CURVE + name, f"curve of {name}", own, curve(name), "point", curves))
        curves = (*curves, _CURVE + name)
    return {part.name: part for part in found}


@validate.takes(question=Question, entry=Dataset, population=Population, results=Mapping)
def assemble(question: Question, entry: Dataset, population: Population, results: Mapping[str, Sequence[Any]]) -> Study:
    """The study out of the results of all parts.

    Args:
        question: what was asked.
        entry: the data set.
        population: its people, on the plan's own grid.
        results: what each part has yielded, by its name, in the order of `parts`.

    Returns:
        The question answered.

    Raises:
        ValueError: `results` holds nothing about the plan.

    Example:
        >>> from spatialldp.datasets import dataset
        >>> from spatialldp.planning import Plan, Question, assemble, parts
        >>> from spatialldp.population import Population
        >>> question, people_on = Question("new-haven", Plan(d=3), repeats=2), lambda d: Population.of("new-haven", d)
        >>> results = {name: list(part.work()) for name, part in parts(question, people_on).items()}
        >>> assemble(question, dataset("new-haven"), people_on(3), results).assessment.error.unit
        'm'
    """
    found = Findings(results)
    if found.assessment is None:
        raise ValueError(f"results must hold those of {ASSESSMENT!r}, got only {sorted(results)}")
    return Study(
        question,
        entry,
        population,
        first_run(population, question.plan, question.seed),
        found.assessment,
        found.points,
        found.decision,
        found.grid,
        found.pinned,
    )


def first_run(population: Population, plan: Plan, seed: int) -> Run:
    """The run of the first seed, for its maps; its reports are those of the people who take part."""
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
def study(question: Question) -> Iterator[str | Study]:
    """Answer a question, one part after the other.

    Args:
        question: what is asked.

    Yields:
        A line about each step as it is done, and last the `Study`.

    Raises:
        DataError: the data set, or anybody in its box, is missing.

    Example:
        >>> from spatialldp.planning import Plan, Question
        >>> from spatialldp.report import study
        >>> *lines, found = study(Question("new-haven", Plan(d=3), repeats=2))
        >>> lines[0]
        'error and risk of the plan'
        >>> len(found.points)
        10
    """
    entry = dataset(question.data)
    population_on = population_on_any_grid(entry, entry.load(), question.bounds)
    results: dict[str, list[Any]] = {}
    for name, part in parts(question, population_on).items():
        results[name] = []
        for found in part.work():
            results[name].append(found)
            yield part.progress(len(results[name]))
    yield assemble(question, entry, population_on(question.plan.d), results)

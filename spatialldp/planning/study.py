"""What a report is about, and all the numbers in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from spatialldp.datasets import Dataset, Points, dataset
from spatialldp.experiments.plan import Plan, participants
from spatialldp.experiments.run import Run, make_mechanism, simulate
from spatialldp.experiments.sweep import Point, sweep
from spatialldp.grid import Bounds
from spatialldp.planning.decision import Assessment, Decision, assess, decide, offer
from spatialldp.planning.searches import GridAnswer
from spatialldp.population import Population, PopulationOn
from spatialldp.privacy.protection import LOCAL_PRIVACY

DEFAULT_REPEATS = 5


@dataclass(frozen=True)
class Question:
    """`target` an accepted error, None when ε is offered instead; `reports` of one person; `over` what the curves
    vary, `names` whose curves; `pinned` a second plan to compare with, or None."""

    data: str
    plan: Plan
    bounds: Bounds | None = None
    seed: int = 1
    repeats: int = DEFAULT_REPEATS
    reports: int = 1
    over: str = "epsilon"
    names: tuple[str, ...] = ("DAM",)
    target: float | None = None
    pinned: Plan | None = None


@dataclass(frozen=True)
class Study:
    """A question answered. Of `decision` and `grid` one is there: which, depends on the question."""

    question: Question
    entry: Dataset
    population: Population
    run: Run
    shown: Assessment
    points: list[Point] = field(repr=False)
    decision: Decision | None = None
    grid: GridAnswer | None = None
    pinned: Assessment | None = None


def first_run(population: Population, plan: Plan, seed: int) -> Run:
    """The run of the first seed, for its maps; its reports are those of the people who take part."""
    taking_part = participants(population.counts, plan.users, np.random.default_rng([seed, 2]))
    return simulate(taking_part, plan.make(), seed)


def population_on_any_grid(entry: Dataset, points: Points, bounds: Bounds | None) -> PopulationOn:
    """The people of a data set or box on any grid, each counted once."""
    return cache(lambda d: Population.of(entry, d, bounds, points))


def study(question: Question) -> Iterator[str | Study]:
    """Answer a question: a line about each step as it is done, and last the study."""
    entry, plan, seed, repeats = dataset(question.data), question.plan, question.seed, question.repeats
    population_on = population_on_any_grid(entry, entry.load(), question.bounds)
    shown = assess(population_on(plan.d), plan, seed, repeats, question.reports)
    yield "error and risk of the plan"
    decision: Decision | None = None
    grid: GridAnswer | None = None
    if question.target is not None:
        for number, step in enumerate(decide(population_on, plan, question.target, seed, repeats), 1):
            yield f"smallest ε for the accepted error: {number} measurements"
            decision = step if isinstance(step, Decision) else None
    else:
        for number, found in enumerate(offer(population_on, plan, seed, repeats), 1):
            yield f"finest useful grid: {number} measurements"
            grid = found if isinstance(found, GridAnswer) else None
    points = []
    for entry_point in sweep(
        population_on, plan, question.over, question.names, seed=seed, repeats=repeats, reports=question.reports
    ):
        points.append(entry_point)
        yield f"curves: {len(points)} points"
    pinned = None
    if question.pinned is not None:
        other = question.pinned
        pinned = assess(population_on(other.d), other, seed, repeats, question.reports)
        yield "second scenario"
    population = population_on(plan.d)
    yield Study(question, entry, population, first_run(population, plan, seed), shown, points, decision, grid, pinned)


def report_command(question: Question) -> str:
    """The command line that makes the same report."""
    plan = question.plan
    parts = [f"python -m spatialldp report --data {question.data} --mechanism {_quoted(plan.mechanism)}"]
    parts.append(f"--epsilon {plan.epsilon:g} --d {plan.d}")
    parts += [f"--b {plan.b}"] if plan.b is not None else []
    parts += [f"--users {plan.users}"] if plan.users is not None else []
    parts += [] if plan.calibrated else ["--same-epsilon"]
    parts += [f"--by {plan.by.replace(' ', '-')}"] if plan.calibrated and plan.by != LOCAL_PRIVACY else []
    parts += [f"--bounds {','.join(map(repr, question.bounds))}"] if question.bounds else []
    parts += [f"--target {question.target:g}"] if question.target is not None else []
    parts.append(f"--over {question.over} --mechanisms {_quoted(','.join(question.names))}")
    parts.append(f"--reports {question.reports} --repeats {question.repeats} --seed {question.seed}")
    if question.pinned is not None:
        parts.append(f"--pinned {_quoted(pinned_text(question.pinned))}")
    return " ".join([*parts, "--output report.html"])


def pinned_text(plan: Plan) -> str:
    """A second scenario in one word: mechanism, ε, d, b or nothing, people or nothing."""
    radius, users = ("" if value is None else str(value) for value in (plan.b, plan.users))
    return f"{plan.mechanism},{plan.epsilon:g},{plan.d},{radius},{users}"


def read_pinned(text: str, calibrated: bool = True, by: str = LOCAL_PRIVACY) -> Plan:
    """The plan of `pinned_text`. Raises ValueError for anything else."""
    mechanism, epsilon, d, radius, everybody = text.split(",")
    b, users = (int(part) if part else None for part in (radius, everybody))
    plan = Plan(mechanism, float(epsilon), int(d), b, users, calibrated, by)
    # Says what is wrong with it; not `plan.make`, which may search long for a calibrated ε.
    make_mechanism(plan.mechanism, plan.epsilon, plan.d, plan.b)
    return plan


def _quoted(text: str) -> str:
    return f'"{text}"' if " " in text or text.endswith(",") else text

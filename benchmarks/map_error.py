"""The error of a map: against the former sum, on finer grids, how sure answers are, and what measuring takes.

`python -m benchmarks.map_error` takes some two minutes on two idle cores. Times are those of one run: read them as
ratios.
"""

from __future__ import annotations

import argparse
import math
from bisect import bisect_left
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from benchmarks.timing import RATIO_HEADER, best_of, once, print_table, ratio_row
from spatialldp import DAM, engines
from spatialldp.experiments import MapError, defaults
from spatialldp.experiments.map_error import COUNTS, Ground, spread
from spatialldp.experiments.measurements import MORE_EXACT, Collection, Measurements
from spatialldp.experiments.plan import Plan, side_and_unit
from spatialldp.experiments.repeats import half_width_of_mean, recovered, repeated
from spatialldp.formatting import length
from spatialldp.planning import BudgetAnswer, Decision, Question, budget_on_any_grid, decide
from spatialldp.planning.searches import EPSILONS, GRIDS
from spatialldp.planning.study import study
from spatialldp.population import Population
from spatialldp.wasserstein import warm_up, wasserstein2

WORKERS = 2
SETS = ("san-francisco", "new-haven", "normal")
#: d and ε; each d divides the grids below, and people are usually counted on the middle one.
SETTINGS = ((12, 1.0), (15, 3.5), (30, 3.5), (60, 9.0))
#: Half as fine as usual, as usual, and twice as fine.
FINE = (60, 120, 240)
SIDES = [f"{fine}×{fine}" for fine in FINE]
#: Collections of which all are measured exactly, or only as many as usual.
MANY = 20
#: Who is asked for the smallest ε, within how many metres, and how often anew.
ASKED, TARGET, SEEDS = "new-haven", 800.0, range(1, 6_000, 1_000)
#: The same for counts, in people per thousand; and where no search draws from.
COUNTS_TARGET, FAR_AWAY = 40.0, 50_000_000
#: Collections that tell how much the shift varies.
COLLECTIONS = 8
#: What is accepted in San Francisco, in metres.
ACCEPTED = 500.0


def measurements_of(name: str) -> Measurements:
    return Measurements(lambda d: Population.of(name, d), WORKERS)


def last(found: Iterator[Any]) -> Any:
    *_, answer = found
    return answer


def smallest_and_largest(values: list[float], form: str) -> str:
    return f"{min(values):{form}} to {max(values):{form}}"


def former_sum(error: MapError) -> float:
    """W2 between the grids plus the rms distance of a person from the centre of their cell."""
    return error.w2 + error.side / math.sqrt(6)


def against_the_former_sum() -> None:
    table, shares = [], []
    for name, (d, epsilon) in product(SETS, SETTINGS):
        error = measurements_of(name).error(Plan(epsilon=epsilon, d=d), defaults.SEED, defaults.REPEATS)
        amounts = (former_sum(error), error.mean, error.half_width, error.cell, error.noise, error.overstated)
        shares.append(error.overstated / error.mean)
        lengths = [length(amount, error.unit) for amount in amounts]
        table.append([name, f"{d}", f"{epsilon:g}", *lengths, f"{former_sum(error) / error.mean:.2f}"])
    header = ["set", "d", "ε", "former sum", "error", "± 95%", "cell size", "noise", "overstated", "sum / error"]
    print_table(f"Error of DAM's map, mean of {defaults.REPEATS} collections", header, table)
    print(f"overstated: {smallest_and_largest(shares, '.1%')} of the error")


class Refined(NamedTuple):
    """One map against people on finer and finer grids."""

    unit: str
    errors: list[float]
    constants: list[float]
    """c by two neighbouring grids each: cells of side h add c·h² to the square of the error."""
    foreseen: float
    """The error on the finest grid by the other two."""
    places: float
    """Their forecast for exact places: what `MapError.overstated` leaves."""


def refined(case: tuple[str, int, float, int]) -> Refined:
    name, d, epsilon, seed = case
    population, plan = Population.of(name, d), Plan(epsilon=epsilon, d=d)
    side, shares = Ground.of(population).side, recovered(population.counts, plan.make(), seed)
    steps = [side / fine for fine in FINE]
    errors = [
        wasserstein2(population.finer(fine // d), spread(shares, fine // d)) * step
        for fine, step in zip(FINE, steps, strict=True)
    ]
    constants = [
        (errors[i] ** 2 - errors[i + 1] ** 2) / (steps[i] ** 2 - steps[i + 1] ** 2) for i in range(len(FINE) - 1)
    ]
    found = Measurements(lambda d: population).error(plan, seed, repeats=1)
    places = found.mean - found.overstated
    return Refined(found.unit, errors, constants, math.sqrt(places**2 + constants[0] * steps[-1] ** 2), places)


def on_finer_grids(seeds: int) -> None:
    cases = [(name, d, epsilon, seed) for name, (d, epsilon), seed in product(SETS, SETTINGS, range(1, seeds + 1))]
    table, constants, misses = [], list[float](), []
    for (name, d, epsilon, _), found in zip(cases, engines.map(refined, cases, workers=WORKERS), strict=True):
        constants += found.constants
        misses.append(found.foreseen / found.errors[-1] - 1)
        lengths = [length(amount, found.unit) for amount in (*found.errors, found.foreseen, found.places)]
        by_grids = [f"{constant:.2f}" for constant in found.constants]
        table.append([name, f"{d}", f"{epsilon:g}", *lengths, f"{misses[-1]:+.1%}", *by_grids])
    header = ["set", "d", "ε", *SIDES, f"{SIDES[-1]} foreseen", "at exact places", "off by"]
    header += [f"c of {FINE[0]}, {FINE[1]}", f"c of {FINE[1]}, {FINE[2]}"]
    title = "People counted on finer grids, one collection each; cells of side h add c·h² to the square of the error"
    print_table(title, header, table)
    print(f"c: {smallest_and_largest(constants, '.2f')}; foreseen off by {smallest_and_largest(misses, '+.1%')}")


def measured_roughly() -> None:
    """What it costs to measure most collections on the grid half as fine, and to shift them."""
    table = []
    for name in SETS:
        plan = Plan(epsilon=1.0, d=12)
        exact, shifted = (
            measurements_of(name).error(plan, defaults.SEED, MANY, exact=number) for number in (MANY, MORE_EXACT)
        )
        amounts = (exact.mean, shifted.mean, exact.half_width, shifted.half_width)
        table.append([name, *(length(amount, exact.unit) for amount in amounts)])
    header = ["set", "all exact", f"{MORE_EXACT} exact, others shifted", "± 95%", "± 95%"]
    print_table(f"Mean of {MANY} collections, d = 12, ε = 1", header, table)


def how_the_shift_varies() -> None:
    """Between the collections of a plan, as a share of how their errors vary: why a few exact ones are enough."""
    table, shares = [], []
    for name, (d, epsilon) in product(SETS, SETTINGS):
        plan, found = Plan(epsilon=epsilon, d=d), measurements_of(name)
        tasks = [Collection(plan, defaults.SEED + number) for number in range(COLLECTIONS)]
        for _ in found.measuring(tasks):
            pass
        draws = [found.result(task) for task in tasks]
        exact, rough = (np.array([getattr(draw, level) for draw in draws]) for level in ("exact", "rough"))
        shift = (rough**2 - exact**2) / (2 * exact.mean())
        shares.append(float(shift.std(ddof=1) / exact.std(ddof=1)))
        spreads = [f"{100 * values.std(ddof=1) / exact.mean():.2f}%" for values in (exact, shift)]
        table.append([name, f"{d}", f"{epsilon:g}", *spreads, f"{shares[-1]:.3f}"])
    header = ["set", "d", "ε", "error varies by", "shift varies by", "share"]
    print_table(f"{COLLECTIONS} collections on the fine grid and on the one half as fine", header, table)
    print(f"share: at most {max(shares):.3f}")


def searched(seed: int) -> BudgetAnswer:
    people = Measurements(partial(Population.of, ASKED))
    return last(budget_on_any_grid(people, Plan(), COUNTS_TARGET, seed, defaults.REPEATS, (5, 8), COUNTS))


def true_error(plan: Plan) -> float:
    """The mean of many more collections than any answer is measured with."""
    return Measurements(partial(Population.of, ASKED)).error(plan, FAR_AWAY, 3_000, COUNTS).mean


def do_intervals_hold(searches: int) -> None:
    """Whether what a search states of its answer is so, for counts, which take no transport."""
    answers = list(engines.map(searched, range(1, 1_000 * searches, 1_000), workers=WORKERS))
    plans = list(dict.fromkeys(answer.plan for answer in answers))
    truth = dict(zip(plans, engines.map(true_error, plans, workers=WORKERS), strict=True))
    held = sum(answer.error.low <= truth[answer.plan] <= answer.error.high for answer in answers)
    met = sum(truth[answer.plan] <= COUNTS_TARGET for answer in answers)
    print_table(
        f"{searches} searches for {COUNTS_TARGET:g} people per 1,000 in {ASKED}, with other seeds each",
        ["intervals that hold the true error", "answers that truly meet the target", "answers"],
        [[f"{held}", f"{met}", ", ".join(sorted({f"ε = {plan.epsilon:g}" for plan in plans}))]],
    )


def answer_row(decision: Decision) -> list[str]:
    error, plan = decision.error, decision.plan
    means = (error.mean, error.half_width)
    return [f"{plan.d}", f"{plan.epsilon:g}", *(length(mean, error.unit) for mean in means), f"{error.values.size}"]


ANSWER_HEADER = ("d", "ε", "error", "± 95%", "collections")


def the_same_question_again() -> None:
    """How far apart answers are when chance falls differently."""
    table = [
        [f"{seed}", *answer_row(last(decide(measurements_of(ASKED), Plan(), TARGET, seed, defaults.REPEATS)))]
        for seed in SEEDS
    ]
    title = f"The smallest ε within {length(TARGET, 'm')} in {ASKED}, asked anew with other seeds"
    print_table(title, ["seed", *ANSWER_HEADER], table)


def speeds() -> list[list[str]]:
    population, mechanism = Population.of("san-francisco", defaults.D), Plan().make()
    ground = Ground.of(population)
    shares = recovered(population.counts, mechanism, defaults.SEED)
    times = FINE[-1] // defaults.D
    finest, finest_map = population.finer(times), spread(shares, times)
    exact = best_of(lambda: ground.error(shares), 3)
    others = {
        "recovery of that map": best_of(lambda: recovered(population.counts, mechanism, defaults.SEED), 3),
        "its W2 between grids": best_of(lambda: wasserstein2(population.counts, shares), 3),
        "on the grid half as fine": best_of(lambda: ground.rough_error(shares), 3),
        f"on {SIDES[-1]} cells": once(lambda: wasserstein2(finest, finest_map)),
    }
    return [ratio_row("error of a map, d = 15", exact, name, seconds) for name, seconds in others.items()]


def by_the_former_sum(target: float) -> str:
    """The smallest ε whose former sum, its upper 95% bound, meets a target in San Francisco, and on which grid."""
    best = (math.inf, 0)
    for d in GRIDS:
        population = Population.of("san-francisco", d)
        side, _ = side_and_unit(population.grid)

        def met(epsilon: float, counts: Any = population.counts, d: int = d, side: float = side) -> bool:
            found = repeated(counts, DAM(epsilon, d), defaults.SEED, defaults.REPEATS).w2_cells
            return (found.mean() + half_width_of_mean(found) + 1 / math.sqrt(6)) * side <= target

        number = bisect_left(EPSILONS, True, key=met)
        best = min(best, (EPSILONS[number], d)) if number < len(EPSILONS) else best
    return f"ε = {best[0]:g} on {best[1]}×{best[1]} cells"


def whole_studies() -> list[list[str]]:
    """San Francisco: the ε of the defaults is offered, and some metres are accepted."""
    table, seconds = [], []
    for asked, target in (("an offered ε", None), (length(ACCEPTED, "m"), ACCEPTED)):
        found: list[Any] = []
        question = Question("san-francisco", Plan(), target=target)
        seconds.append(once(partial(lambda question, found: found.extend(study(question, WORKERS)), question, found)))
        table.append([asked, f"{seconds[-1]:.0f}", *answer_row(found[-1].decision)])
    print_table(f"A whole study of San Francisco, {WORKERS} workers", ["asked", "s", *ANSWER_HEADER], table)
    print(f"{length(ACCEPTED, 'm')} by the former sum: {by_the_former_sum(ACCEPTED)}")
    return [ratio_row("study of an offered ε", seconds[0], "study of an accepted error", seconds[1])]


def main(seeds: int = 1, searches: int = 0) -> None:
    """Print all tables."""
    warm_up()
    against_the_former_sum()
    on_finer_grids(seeds)
    measured_roughly()
    how_the_shift_varies()
    if searches:
        do_intervals_hold(searches)
    the_same_question_again()
    print_table("Ratios", RATIO_HEADER, [*speeds(), *whole_studies()])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1, help="collections of each setting on finer grids")
    parser.add_argument("--searches", type=int, default=0, help="whether intervals hold in so many (10 s each)")
    options = parser.parse_args()
    main(options.seeds, options.searches)

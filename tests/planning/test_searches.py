"""From an accepted error to ε, from ε to a grid, from a target to a number of people."""

import functools

import numpy as np
import pytest

from spatialldp import DAM, wasserstein2
from spatialldp.experiments import baselines, population
from spatialldp.experiments.plan import MapError, Plan, measure
from spatialldp.planning.searches import (
    EPSILONS,
    USERS,
    BudgetAnswer,
    GridAnswer,
    UsersAnswer,
    budget_for,
    budget_on_any_grid,
    finest_useful_grid,
    users_for,
)

people_at = functools.cache(lambda d: population("san-francisco", d))


def last(steps):
    *before, answer = steps
    assert all(isinstance(step, MapError) for step in before)
    return answer


def independent_error(epsilon: float, d: int, runs: int) -> tuple[float, float]:
    """(mean, standard error) of the total error in metres, from random numbers the search has never seen."""
    people, mechanism = people_at(d), DAM(epsilon, d)
    rng = np.random.default_rng(987_654)
    counts, side = people.binned.counts, people.grid.cell_size_m
    errors = [
        wasserstein2(counts, mechanism.estimate(mechanism.perturb(counts, rng)).distribution) * side
        for _ in range(runs)
    ]
    return float(np.mean(errors) + side / 6**0.5), float(np.std(errors, ddof=1) / runs**0.5)


def test_the_budget_found_holds_in_an_independent_simulation():
    target = 1_200.0
    answer = last(budget_for(people_at(8), Plan(d=8), target, seed=1, repeats=8))
    assert isinstance(answer, BudgetAnswer)
    assert answer.met
    assert answer.epsilon in EPSILONS
    assert answer.error.high <= target
    assert answer.perhaps_from <= answer.epsilon
    mean, error = independent_error(answer.epsilon, 8, 24)
    # What the search says and what the independent runs say agree within both uncertainties …
    assert abs(mean - answer.error.total) < answer.error.half_width + 3 * error
    assert mean - 3 * error <= target
    # … and below the range in which the repeats cannot tell, the target is missed.
    below = answer.perhaps_from - 0.4
    if below >= 0.5:
        mean, error = independent_error(below, 8, 24)
        assert mean + 3 * error > target


def test_no_smaller_budget_nearby_meets_the_target():
    answer = last(budget_for(people_at(8), Plan(d=8), 1_200.0, seed=1, repeats=4))
    index = EPSILONS.index(answer.epsilon)
    for epsilon in EPSILONS[index - 3 : index]:
        assert measure(people_at(8), Plan(d=8, epsilon=epsilon), 1, 4).high > 1_200.0


def test_a_target_smaller_than_the_cells_has_no_budget():
    answer = last(budget_for(people_at(5), Plan(d=5), 100.0, seed=1, repeats=2))
    assert not answer.met
    assert answer.epsilon == 9.0
    assert last(budget_on_any_grid(people_at, Plan(d=5), 10.0, 1, 2, grids=(5, 10))) is None
    users = last(users_for(people_at(5), Plan(d=5), 100.0, 1, 2))
    assert users == UsersAnswer(100.0, False, None)


def test_a_generous_target_needs_the_least_there_is():
    answer = last(budget_for(people_at(5), Plan(d=5), 50_000.0, seed=1, repeats=2))
    assert (answer.epsilon, answer.perhaps_from, answer.met) == (0.5, 0.5, True)
    users = last(users_for(people_at(5), Plan(d=5), 50_000.0, 1, 2))
    assert users.error.users == USERS[0]


def test_the_best_grid_is_the_best_of_all_and_useful():
    grids = (5, 8, 12)
    best = last(budget_on_any_grid(people_at, Plan(d=5), 1_100.0, 1, 3, grids))
    each = [last(budget_for(people_at(d), Plan(d=d), 1_100.0, 1, 3)) for d in grids]
    assert best.epsilon <= min(answer.epsilon for answer in each if answer.met) + 0.1
    assert best.error.transport + best.error.half_width <= best.error.side


def test_the_finest_useful_grid():
    plan = Plan(epsilon=1.0)
    small = functools.cache(lambda d: population("new-haven", d))
    answer = last(finest_useful_grid(small, plan, 1, 3))
    assert isinstance(answer, GridAnswer)

    def useful(d: int) -> bool:
        error = measure(small(d), plan.with_changes(d=d), 1, 3)
        highest = (error.transport + error.half_width) / error.side
        return highest <= 1 and highest <= baselines(small(d).binned.counts, 1).uniform_guess / 2

    assert useful(answer.d)
    assert not useful(answer.d + 1)


def test_users_for_finds_the_fewest_people_that_meet_the_target():
    plan = Plan(epsilon=3.0, d=8)
    answer = last(users_for(people_at(8), plan, 1_100.0, 1, 3))
    assert answer.met
    fewer = USERS[USERS.index(answer.error.users) - 1]
    assert measure(people_at(8), plan.with_changes(users=fewer), 1, 3).high > 1_100.0


@pytest.mark.parametrize(
    ("target", "repeats", "said"), [(0.0, 3, "target"), (float("nan"), 3, "target"), (100.0, 1, "repeats")]
)
def test_bad_requests_are_named(target, repeats, said):
    with pytest.raises(ValueError, match=said):
        list(budget_for(people_at(5), Plan(d=5), target, 1, repeats))


def test_so_many_people_are_enough_by_the_upper_bound_not_by_the_mean():
    people, plan = population("new-haven", 6), Plan(d=6)
    there = measure(people, plan.with_changes(users=1_000), seed=1, repeats=3)
    between = (there.total + there.high) / 2
    *_, answer = users_for(people, plan, between, seed=1, repeats=3)
    assert answer.met
    assert answer.error.high <= between
    assert answer.error.users > 1_000

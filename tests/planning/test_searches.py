"""From an accepted error to ε, from ε to a grid, from a target to a number of people."""

import functools
import itertools
from collections import Counter

import numpy as np
import pytest

from spatialldp.experiments import calibrated, map_error, measure, population
from spatialldp.experiments.calibrated import GEO_I
from spatialldp.experiments.map_error import COUNTS
from spatialldp.experiments.measurements import Collection, GivenMap, Level, Measurements
from spatialldp.experiments.plan import Plan
from spatialldp.planning import candidates
from spatialldp.planning.searches import (
    EPSILONS,
    GRIDS,
    USERS,
    BudgetAnswer,
    FirstIdea,
    GridAnswer,
    Outlook,
    UsersAnswer,
    best_grid,
    budget_for,
    budget_on_any_grid,
    epsilons_for,
    grids_for,
    measurements_of,
    users_for,
)

people_on = functools.cache(lambda d: population("new-haven", d))
#: Shared by all tests of this module: what one has measured, another need not.
NEW_HAVEN = Measurements(people_on)
#: The error of so many people varies little: a search that takes hundreds of collections with a few thousand of them
#: takes dozens.
MANY = Plan(d=4, users=100_000)
#: The grids of `GRIDS` on which a collection takes a hundredth of a second at most.
SOME_GRIDS = (5, 8, 12, 15, 20)


@pytest.fixture(autouse=True, scope="module")
def coarse():
    """What is searched for how is the same on grounds of 48 cells per side, where transport takes a tenth of the time.

    `test_recommended_plans` searches on those that ship.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(map_error, "quick_side", lambda: 48)
        yield


@pytest.fixture
def some_grids(monkeypatch):
    monkeypatch.setattr(candidates, "GRIDS", SOME_GRIDS)


@pytest.fixture(scope="module")
def searched(coarse):
    """All that one search for a budget does where nothing has been measured, and its answer."""
    return list(budget_for(Measurements(people_on), MANY, 800.0, seed=1, repeats=3))


def last(steps):
    """The answer, after what was done on the way."""
    *before, answer = steps
    assert all(isinstance(step, (Collection, GivenMap, FirstIdea, Outlook)) for step in before)
    return answer


# -- budgets -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [600.0, 700.0, 900.0, 1_100.0, 1_300.0])
def test_the_budget_found_meets_the_target_for_sure_and_the_next_smaller_one_does_not(target):
    answer = last(budget_for(NEW_HAVEN, Plan(d=6), target, seed=1, repeats=2))
    assert isinstance(answer, BudgetAnswer)
    assert (answer.target, answer.met) == (target, True)
    assert answer.epsilon == answer.plan.epsilon
    assert answer.plan == Plan(d=6, epsilon=answer.epsilon)
    # By the upper end of the interval, not by the mean.
    assert answer.error.high <= target
    assert answer.below.plan.epsilon == EPSILONS[EPSILONS.index(answer.epsilon) - 1]
    assert answer.below.high > target
    # With many more collections than asked for, so that it is sure to a few hundredths.
    assert 8 <= answer.error.values.size <= 64


def test_the_collections_that_led_to_an_answer_are_not_those_that_it_is_measured_with(searched):
    *steps, answer = searched
    collections = [one for one in steps if isinstance(one, Collection)]
    looked = {one.seed for one in collections if one.seed > 10_000}
    measured = {one.seed for one in collections if one.plan == answer.plan and one.seed <= 10_000}
    assert len(looked) >= 2
    assert measured == set(range(1, 1 + answer.error.values.size))
    assert answer.error.values.size >= 12
    # It was located, to one step, with draws of its own, as many as an answer is measured with at least.
    near = [answer.plan.with_changes(epsilon=round(answer.epsilon + step, 2)) for step in (-0.05, 0, 0.05)]
    located = Counter(one.plan for one in collections if one.seed > 10_000)
    assert max(located[plan] for plan in near) >= 12
    # Everybody else begins with the seed that is given.
    expected = measure(people_on(4), answer.plan, 1, answer.error.values.size)
    np.testing.assert_array_equal(answer.error.values, expected.values)
    assert answer.error.w2_cells.size == answer.error.values.size


def test_an_answer_is_the_same_whoever_asks_and_whatever_was_asked_before(searched):
    *_, one = searched
    used = Measurements(people_on)
    last(budget_for(used, MANY.with_changes(epsilon=9.0), 780.0, seed=1, repeats=4))
    other = last(budget_for(used, MANY.with_changes(epsilon=0.5), 800.0, seed=1, repeats=3))
    assert one.plan == other.plan
    assert one.error.values.tolist() == other.error.values.tolist()
    assert one.error.high == other.error.high


def test_a_target_smaller_than_the_cells_has_no_budget():
    answer = last(budget_for(NEW_HAVEN, Plan(d=5), 100.0, seed=1, repeats=2))
    assert (answer.met, answer.epsilon, answer.below) == (False, 9.0, None)
    assert answer.error.cell > 100
    anywhere = last(budget_on_any_grid(NEW_HAVEN, Plan(d=5), 100.0, 1, 2, grids=(5, 8)))
    # The finer one comes nearer.
    assert (anywhere.met, anywhere.epsilon, anywhere.plan.d) == (False, 9.0, 8)
    assert last(users_for(NEW_HAVEN, Plan(d=5), 100.0, 1, 2)) == UsersAnswer(100.0, False, None)


def test_a_generous_target_needs_the_least_there_is():
    answer = last(budget_for(NEW_HAVEN, Plan(d=5), 50_000.0, seed=1, repeats=2))
    assert (answer.epsilon, answer.met, answer.below) == (0.5, True, None)
    anywhere = last(budget_on_any_grid(NEW_HAVEN, Plan(d=12), 50_000.0, seed=1, repeats=2, grids=(12, 5, 8)))
    # All need the same, so that the coarsest says as much.
    assert (anywhere.epsilon, anywhere.plan.d) == (0.5, 5)
    users = last(users_for(NEW_HAVEN, Plan(d=5), 50_000.0, 1, 2))
    assert (users.met, users.error.users) == (True, USERS[0])


@pytest.mark.parametrize("target", [5e-324, 1e-300, 1e-150, 1e-3, 1e6, 1e300])
def test_a_target_may_be_any_amount(target):
    met = target > 1
    assert last(budget_for(NEW_HAVEN, Plan(d=5), target, 1, 2)).met == met
    assert last(budget_on_any_grid(NEW_HAVEN, Plan(d=5), target, 1, 2, grids=(5,))).met == met
    # On a grid of its own finest cells the part from cell size is 0, and no target is out of reach beforehand.
    assert last(users_for(NEW_HAVEN, Plan(d=25, epsilon=9.0), target, 1, 2)).met == met


@pytest.mark.parametrize(("target", "purpose"), [(800.0, "places"), (40.0, COUNTS)])
def test_the_grid_found_is_the_coarsest_of_those_that_need_the_least(target, purpose):
    grids = (5, 8, 12)
    found = last(budget_on_any_grid(NEW_HAVEN, Plan(), target, 1, 2, grids, purpose))
    each = {d: last(budget_for(NEW_HAVEN, Plan(d=d), target, 1, 2, purpose)) for d in grids}
    needed = {d: answer.epsilon for d, answer in each.items() if answer.met}
    least = min(needed.values())
    # A first look is sure to about 15%.
    assert needed[found.plan.d] <= 1.05 * 1.15 * least
    assert all(needed[d] > 1.05 * 0.85 * least for d in needed if d < found.plan.d)
    # It is nearly that of its grid alone: where a search comes from decides how many collections it takes.
    there = each[found.plan.d]
    assert abs(found.epsilon - there.epsilon) <= 0.1
    both = min(found.error.values.size, there.error.values.size)
    assert found.plan != there.plan or (found.error.values[:both] == there.error.values[:both]).all()


def test_a_first_idea_is_near_the_answer():
    *steps, answer = budget_on_any_grid(NEW_HAVEN, Plan(), 1_000.0, 1, 2, (5, 8))
    [idea] = [step for step in steps if isinstance(step, FirstIdea)]
    assert idea.plan.d == answer.plan.d
    assert 0.7 < idea.plan.epsilon / answer.epsilon < 1.4
    assert steps.index(idea) < len(steps) - 8


def test_a_budget_for_counts_is_found_in_people_per_thousand():
    answer = last(budget_for(NEW_HAVEN, Plan(d=6), 40.0, 1, 2, COUNTS))
    assert answer.met
    assert answer.error.high <= 40 < answer.below.high
    assert answer.error.purpose == COUNTS
    assert answer.error.values[:2].tolist() == measure(people_on(6), answer.plan, 1, 2, COUNTS).values.tolist()
    anywhere = last(budget_on_any_grid(NEW_HAVEN, Plan(), 40.0, 1, 2, (6, 8), COUNTS))
    assert anywhere.error.high <= 40


# -- grids ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "purpose"), [(1.0, "places"), (3.5, "places"), (1.0, COUNTS)])
def test_the_best_grid_is_the_coarsest_within_five_percent_of_the_smallest_error(some_grids, epsilon, purpose):
    plan = Plan(epsilon=epsilon, d=3, b=1)
    answer = last(best_grid(Measurements(people_on), plan, 1, 3, purpose))
    assert isinstance(answer, GridAnswer)
    assert answer.plan == Plan(epsilon=epsilon, d=answer.d)
    assert answer.error.values.tolist() == NEW_HAVEN.error(answer.plan, 1, 3, purpose).values.tolist()
    # By two dozen collections that the search has not seen; it is itself sure to about 5%.
    errors = {d: NEW_HAVEN.error(Plan(epsilon=epsilon, d=d), 500, 24, purpose).mean for d in SOME_GRIDS}
    assert errors[answer.d] <= 1.05 * 1.06 * min(errors.values())
    assert all(errors[d] > 1.05 * 0.94 * min(errors.values()) for d in SOME_GRIDS if d < answer.d)


def test_grids_that_are_hard_to_tell_apart_are_looked_at_more_often(some_grids):
    *steps, answer = best_grid(Measurements(people_on), Plan(epsilon=1.0), 1, 3, COUNTS)
    looks = Counter(one.plan.d for one in steps if isinstance(one, Collection) and one.seed > 10_000)
    # Nobody would choose a single draw of 3,293 people; what is clearly worse is left at two.
    assert looks[answer.d] >= 8
    assert set(looks) == set(SOME_GRIDS)
    assert set(looks.values()) <= {2, 4, 8, 16}


def test_the_grids_and_budgets_that_are_tried():
    assert grids_for(Plan()) == grids_for(Plan("MDSW", 9.0, 3)) == GRIDS
    assert epsilons_for(Plan()) == EPSILONS
    assert (EPSILONS[0], EPSILONS[-1], len(EPSILONS)) == (0.5, 9.0, 171)
    assert all(round(after - before, 9) == 0.05 for before, after in itertools.pairwise(EPSILONS))
    for name in GEO_I:
        plan = Plan(name)
        assert grids_for(plan) == (5, 8, 12, 15)
        assert epsilons_for(plan.with_changes(d=8)) == tuple(round(0.1 * step, 1) for step in range(5, 91))
        # At its own ε per cell nothing need be looked up.
        assert grids_for(plan.with_changes(calibrated=False))[-1] > 15
        assert epsilons_for(plan.with_changes(calibrated=False)) == EPSILONS
    # Where no ε′ is stored, all are searched for: not one that happens to be the plan's own.
    assert epsilons_for(Plan("Planar Laplace", 3.33, 6)) == EPSILONS


# -- Geo-I mechanisms that protect as much as DAM ------------------------------------------------------


@pytest.fixture
def no_calibration(monkeypatch):
    """A search for an equal ε′ takes seconds on large grids: none of those that the searches try may need one."""

    def searched(*arguments):
        raise AssertionError(f"{arguments} is not stored")

    monkeypatch.setattr(calibrated, "_searched", searched)


@pytest.mark.parametrize("by", ["local privacy", "hit rate"])
@pytest.mark.parametrize("name", GEO_I)
def test_every_plan_that_a_search_may_try_is_stored(no_calibration, name, by):
    for d in grids_for(Plan(name, by=by)):
        plan = Plan(name, d=d, by=by)
        for epsilon in epsilons_for(plan):
            assert calibrated.calibrated_epsilon(name, epsilon, d, by) > 0
    assert len(epsilons_for(Plan(name, d=15, by=by))) == 86


def test_the_searches_for_a_calibrated_plan_need_no_calibration(no_calibration):
    plan = Plan("SEM-Geo-I", 3.5, 15)
    answer = last(budget_on_any_grid(NEW_HAVEN, plan, 1_400.0, 1, 2))
    assert answer.met
    assert answer.plan.mechanism == "SEM-Geo-I"
    assert answer.epsilon in epsilons_for(answer.plan)
    assert answer.error.epsilon_used == calibrated.calibrated_epsilon("SEM-Geo-I", answer.epsilon, answer.plan.d)
    assert last(budget_for(NEW_HAVEN, plan.with_changes(d=8), 1_400.0, 1, 2)).met
    assert last(best_grid(NEW_HAVEN, plan, 1, 2)).d in (5, 8, 12, 15)


def test_grids_with_budgets_in_different_steps_are_compared_at_those_they_share():
    # ε′ are stored in tenths for 8 × 8 and in halves and the paper's values for 20 × 20.
    plan = Plan("SEM-Geo-I", users=20_000)
    found = [last(budget_on_any_grid(NEW_HAVEN, plan, 1_500.0, 1, 2, grids)) for grids in ((8, 20), (20, 8))]
    assert found[0].plan == found[1].plan
    assert found[0].epsilon in set(epsilons_for(plan.with_changes(d=20))) & set(epsilons_for(plan.with_changes(d=8)))
    assert found[0].error.high <= 1_500


# -- people --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", [600.0, 700.0])
def test_users_for_finds_the_fewest_people_that_meet_the_target_for_sure(target):
    plan = Plan(d=6, epsilon=3.0, users=17)
    answer = last(users_for(NEW_HAVEN, plan, target, 1, 3))
    assert answer.met
    assert answer.error.plan == plan.with_changes(users=answer.error.users)
    assert answer.error.users in USERS[1:]
    assert answer.error.high <= target
    fewer = plan.with_changes(users=USERS[USERS.index(answer.error.users) - 1])
    # As often as it was worth measuring.
    assert any(NEW_HAVEN.error(fewer, 1, number).high > target for number in range(12, 241, 3))


def test_so_many_people_are_enough_by_the_upper_bound_not_by_the_mean():
    plan = Plan(d=6)
    for users in (1_000, 2_000):
        there = NEW_HAVEN.error(plan.with_changes(users=users), 1, 8)
        between = (3 * there.mean + there.high) / 4
        answer = last(users_for(NEW_HAVEN, plan, between, seed=1, repeats=2))
        assert answer.met
        assert answer.error.high <= between


def test_numbers_of_people_are_a_fifth_apart():
    assert (USERS[0], USERS[-1]) == (100, 10**7)
    assert all(1.1 < after / before < 1.4 for before, after in itertools.pairwise(USERS))


def test_where_not_even_ten_million_are_enough_it_says_how_far_off_they_are():
    # DAM at ε = 0.5 adds something to the part from cell size even with ten million people.
    target = NEW_HAVEN.result(GivenMap(6, "places", "cell")) + 0.1
    answer = last(users_for(NEW_HAVEN, Plan(d=6, epsilon=0.5), target, 1, 2))
    assert not answer.met
    assert answer.error.users == 10**7
    assert answer.error.high > target


# -- all of them ---------------------------------------------------------------------------------------


SEARCHES = {
    "budget": lambda found: budget_for(found, MANY, 800.0, 1, 2),
    "any grid": lambda found: budget_on_any_grid(found, MANY, 750.0, 1, 2, (4, 5)),
    "grid": lambda found: best_grid(found, Plan("k-RR", 2.0), 1, 2),
    "people": lambda found: users_for(found, Plan(d=4), 1_200.0, 1, 2),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_that_was_stopped_goes_on_where_it_stood_and_ends_alike(name):
    said = (FirstIdea, Outlook)
    whole = [step for step in SEARCHES[name](Measurements(people_on)) if not isinstance(step, said)]
    *tasks, answer = whole
    assert len(tasks) == len(set(tasks))
    stopped = Measurements(people_on)
    work = SEARCHES[name](stopped)
    some = list(itertools.islice(work, len(tasks) // 2))
    work.close()
    *rest, again = (step for step in SEARCHES[name](stopped) if not isinstance(step, said))
    done = [step for step in some if not isinstance(step, said)]
    assert done + rest == tasks
    assert again.error.plan == answer.error.plan
    assert again.error.values.tolist() == answer.error.values.tolist()


def test_a_first_look_takes_no_exact_transport(searched):
    *steps, answer = searched
    exact = [one for one in steps if isinstance(one, Collection) and one.level == Level.EXACT]
    # The first four of an answer, and no draw of a look.
    assert {one.seed for one in exact} == {1, 2, 3, 4}
    assert {one.level for one in steps if isinstance(one, Collection) and one.seed > 10_000} == {Level.ROUGH}
    assert answer.plan in {one.plan for one in exact}


def test_people_on_one_grid_have_answers_for_that_grid():
    only = measurements_of(people_on(5))
    assert last(budget_for(people_on(5), Plan(d=5), 9_000.0, 1, 2)).plan.d == 5
    with pytest.raises(ValueError, match="the people are on 5×5 cells, and the plan is for 6×6"):
        only.ground(6)
    with pytest.raises(
        ValueError, match="people must be a population, a function of d that gives one, or measurements"
    ):
        measurements_of("new-haven")
    assert measurements_of(only) is only


@pytest.mark.parametrize(
    ("target", "repeats", "said"), [(0.0, 3, "target"), (float("nan"), 3, "target"), (100.0, 1, "repeats")]
)
def test_bad_requests_are_named(target, repeats, said):
    for search in (budget_for, budget_on_any_grid, users_for):
        with pytest.raises(ValueError, match=said):
            next(search(people_on, Plan(d=5), target, 1, repeats))
    with pytest.raises(ValueError, match="purpose must be one of"):
        next(best_grid(people_on, Plan(d=5), 1, 2, "fun"))
    with pytest.raises(ValueError, match="grids must name at least one grid"):
        next(budget_on_any_grid(people_on, Plan(d=5), 100.0, 1, 2, ()))
    with pytest.raises(ValueError, match="grids must be a sequence"):
        next(budget_on_any_grid(people_on, Plan(d=5), 100.0, 1, 2, 5))

"""A study is listed once, and is the same whoever does the work, in whatever order, from wherever somebody starts."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spatialldp.datasets import dataset
from spatialldp.experiments import map_error, measure, population, simulate
from spatialldp.experiments.axes import axis_values
from spatialldp.experiments.measurements import Measurements
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.sweep import Point, sweep
from spatialldp.planning import candidates
from spatialldp.planning.decision import Assessment, Decision, assess, decide, offer
from spatialldp.planning.question import Question, Scenario
from spatialldp.planning.searches import FirstIdea, Outlook, UsersAnswer, users_for
from spatialldp.planning.study import (
    ANSWER,
    PEOPLE,
    SETTING,
    Findings,
    Study,
    answering,
    assemble,
    first_run,
    left_of,
    parts,
    population_on_any_grid,
    study,
)

people_on = functools.cache(lambda d: population("new-haven", d))
#: Shared by most tests: what one has measured, another need not.
NEW_HAVEN = Measurements(people_on)
PLAN = Plan(d=4, epsilon=2.0)
TARGET = 1_500.0
QUESTION = Question(
    "new-haven",
    PLAN,
    seed=3,
    repeats=2,
    reports=3,
    names=("DAM", "MDSW"),
    target=TARGET,
    scenarios=(Scenario("few", Plan("k-RR", 1.0, 3, None, 900)), Scenario("my own", Plan(d=5))),
)


@pytest.fixture(autouse=True, scope="module")
def coarse():
    """On grounds of 48 cells per side, where transport takes a tenth of the time, and on maps of few cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(map_error, "quick_side", lambda: 48)
        patch.setattr(candidates, "GRIDS", (5, 8, 12, 15))
        yield


@pytest.fixture(scope="module")
def found(coarse) -> Study:
    *steps, last = study(QUESTION)
    assert all(isinstance(step, str) for step in steps)
    assert isinstance(last, Study)
    return last


def results_of(question: Question, measurements: Measurements = NEW_HAVEN) -> dict[str, list]:
    """What each part yields, as the page collects it."""
    results: dict[str, list] = {}
    for part, one in answering(question, measurements):
        results.setdefault(part.name, []).append(one)
    return results


def numbers(one: Assessment) -> tuple:
    """All that is shown of a plan."""
    return one.plan, one.error.values.tolist(), one.error.cell, one.baselines, one.one, one.many, one.local


def numbers_of_points(points: list[Point]) -> list[tuple]:
    return [(p.over, p.value, p.error.plan, p.error.values.tolist(), p.risk, p.baselines) for p in points]


# -- what is in it -------------------------------------------------------------------------------------


def test_it_holds_what_the_library_calls_give(found):
    *_, decision = decide(NEW_HAVEN, PLAN, TARGET, 1, 2)
    assert found.decision.plan == decision.plan
    assert found.decision.error.values.tolist() == decision.error.values.tolist()
    *_, users = users_for(NEW_HAVEN, PLAN, TARGET, 1, 2)
    assert found.users.error.users == users.error.users
    assert numbers(found.setting) == numbers(assess(NEW_HAVEN, PLAN, 1, 2, 3))
    # The recommended plan is known better than by two repeats, in all else it is assessed like any other.
    assert found.recommended.error is found.decision.error
    assert numbers(found.recommended)[3:] == numbers(assess(NEW_HAVEN, decision.plan, 1, 2, 3))[3:]
    assert [name for name, _ in found.scenarios] == ["few", "my own"]
    for (_, scenario), saved in zip(found.scenarios, QUESTION.scenarios, strict=True):
        assert numbers(scenario) == numbers(assess(NEW_HAVEN, saved.plan, 1, 2, 3))
    assert found.entry is dataset("new-haven")


def test_maps_and_curves_are_of_the_plan_that_is_decided_for(found):
    assert found.decided is found.recommended
    chosen = found.decision.plan
    assert found.population.grid.d == chosen.d
    # The seed of the question draws the maps that are shown; nothing is measured with it.
    assert found.run.w2_cells == simulate(people_on(chosen.d).counts, chosen.make(), 3).w2_cells
    expected = list(sweep(people_on, chosen, "epsilon", ("DAM", "MDSW"), repeats=2, reports=3))
    assert [point.value for point in found.points] == [point.value for point in expected]
    for point, other in zip(found.points, expected, strict=True):
        if point.error.plan == chosen:
            assert point.error is found.decision.error
        else:
            assert numbers_of_points([point]) == numbers_of_points([other])


def test_maps_and_curves_of_the_present_plan_where_that_is_decided_for():
    question = replace(QUESTION, decided_for="present", names=("DAM",), over="d")
    other = assemble(question, dataset("new-haven"), NEW_HAVEN, results_of(question))
    assert other.decided is other.setting
    assert other.population.grid.d == 4
    assert other.run.w2_cells == simulate(people_on(4).counts, PLAN.make(), 3).w2_cells
    assert {point.error.plan.epsilon for point in other.points} == {2.0}
    assert 4.0 in [point.value for point in other.points]
    with pytest.raises(ValueError, match="must hold those of 'answer' and 'setting'"):
        assemble(question, dataset("new-haven"), NEW_HAVEN, {SETTING: []})


def test_done_in_another_order_it_is_the_same(found):
    work = parts(QUESTION, Measurements(people_on), found.decision)
    results = {name: list(work[name].work()) for name in reversed(work)}
    # As the page has them: by name, in the order of the parts.
    other = assemble(QUESTION, found.entry, people_on, {name: results[name] for name in work})
    assert numbers_of_points(other.points) == numbers_of_points(found.points)
    assert numbers(other.recommended) == numbers(found.recommended)
    assert numbers(other.setting) == numbers(found.setting)
    assert [numbers(one) for _, one in other.scenarios] == [numbers(one) for _, one in found.scenarios]
    assert other.users.error.users == found.users.error.users
    np.testing.assert_array_equal(other.run.estimate.distribution, found.run.estimate.distribution)


def test_an_offered_budget_is_answered_by_a_grid():
    question = Question("new-haven", PLAN, repeats=2, names=("DAM",), over="d")
    results = results_of(question)
    *_, expected = offer(NEW_HAVEN, PLAN, 1, 2)
    findings = Findings(results)
    assert findings.decision.plan == expected.plan
    assert findings.decision.target is None
    assert findings.recommended.error is findings.decision.error
    assert PEOPLE not in results
    assert findings.users is None


# -- one answer ----------------------------------------------------------------------------------------


STARTS = st.builds(
    lambda epsilon, d, b, seed: (Plan(epsilon=epsilon, d=d, b=b), seed),
    st.sampled_from([0.5, 1.0, 3.5, 9.0]),
    st.sampled_from([1, 2, 5, 15]),
    st.sampled_from([None, 0, 1, 2]),
    st.integers(0, 10**6),
)
FEW = settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def answered(question: Question) -> Findings:
    """The answer alone, without curves and people."""
    return Findings({ANSWER: list(parts(question, NEW_HAVEN)[ANSWER].work())})


@pytest.mark.parametrize("target", [TARGET, 30.0])
@FEW
@given(start=STARTS)
def test_an_accepted_error_has_one_answer_from_wherever_somebody_starts(target, start):
    plan, seed = start
    here = answered(Question("new-haven", plan, seed=seed, repeats=2, target=target))
    there = answered(Question("new-haven", Plan(), repeats=2, target=target))
    assert here.decision.plan == there.decision.plan
    assert here.decision.met == there.decision.met == (target > 100)
    assert numbers(here.recommended) == numbers(there.recommended)
    assert here.idea == there.idea


@FEW
@given(start=STARTS)
def test_an_offered_budget_has_one_answer_from_wherever_somebody_starts(start):
    plan, seed = start
    here = answered(Question("new-haven", plan, seed=seed, repeats=2))
    there = answered(Question("new-haven", Plan(epsilon=plan.epsilon), repeats=2))
    assert here.decision.plan == there.decision.plan == Plan(epsilon=plan.epsilon, d=here.decision.plan.d)
    assert numbers(here.recommended) == numbers(there.recommended)


@pytest.mark.parametrize(
    ("start", "target"),
    [
        (PLAN, None),
        (PLAN, TARGET),
        (Plan(epsilon=1.0, d=2, b=1), TARGET),
        (Plan(epsilon=1.0, d=2, b=1), 30.0),
        (Plan("MDSW", 3.0, 3, users=1_000), None),
    ],
    ids=["offer", "target", "radius", "unmet", "MDSW"],
)
def test_using_what_is_recommended_changes_nothing_but_the_setting(start, target):
    before = Question("new-haven", start, repeats=2, reports=2, target=target)
    first = Findings(results_of(before))
    assert first.decision.plan != start
    assert first.setting.plan == start
    after = replace(before, plan=first.decision.plan)
    work = parts(after, NEW_HAVEN, first.decision)
    assert SETTING not in work
    # Nothing is left to do for the answer: it comes at once, with the same numbers.
    answer = list(work[ANSWER].work())
    assert {type(one) for one in answer} <= {Decision, Assessment, FirstIdea, Outlook}
    second = Findings(results_of(after))
    assert second.decision.plan == first.decision.plan
    assert second.decision.met == first.decision.met
    assert numbers(second.recommended) == numbers(first.recommended)
    assert second.setting is second.recommended
    # Curves of the recommended plan are those that they were, whichever of the two is decided for.
    assert numbers_of_points(second.points) == numbers_of_points(first.points)
    present = Findings(results_of(replace(after, decided_for="present")))
    assert numbers_of_points(present.points) == numbers_of_points(first.points)


def test_a_scenario_that_is_the_recommended_plan_has_the_same_numbers():
    *_, decision = decide(NEW_HAVEN, PLAN, TARGET, 1, 2)
    question = replace(QUESTION, scenarios=(Scenario("A", decision.plan), Scenario("B", PLAN)), over="d", names=())
    findings = Findings(results_of(question))
    (_, same), (_, own) = findings.scenarios
    assert numbers(same) == numbers(findings.recommended)
    assert numbers(own) == numbers(findings.setting)


# -- what is done --------------------------------------------------------------------------------------


def test_findings_grow_with_the_work():
    nothing = Findings({SETTING: [], ANSWER: []})
    assert (nothing.setting, nothing.recommended, nothing.decision, nothing.idea, nothing.users) == (None,) * 5
    assert (nothing.scenarios, nothing.points) == ((), [])
    seen: dict[str, list] = {}
    known = []
    for part, one in answering(QUESTION, NEW_HAVEN):
        seen.setdefault(part.name, []).append(one)
        if isinstance(one, (FirstIdea, Decision, Assessment, Point, UsersAnswer)):
            known.append(one)
            findings = Findings(seen)
            assert (findings.idea is not None, findings.decision is not None) == (
                any(isinstance(other, FirstIdea) for other in known),
                any(isinstance(other, Decision) for other in known),
            )
            assert len(findings.points) == sum(isinstance(other, Point) for other in known)
    # In the order in which it is worth having.
    assert [type(one) for one in known[:6]] == [FirstIdea, Decision, *[Assessment] * 4]
    assert isinstance(known[-1], UsersAnswer)


def test_the_parts_of_a_question(found):
    before = parts(QUESTION, people_on)
    assert list(before) == [ANSWER, SETTING, "scenario:few", "scenario:my own", PEOPLE]
    work = parts(QUESTION, people_on, found.decision)
    assert list(work) == [ANSWER, SETTING, "scenario:few", "scenario:my own", "curve:DAM", "curve:MDSW", PEOPLE]
    assert [part.title for part in work.values()] == [
        "smallest ε for the accepted error",
        "your setting",
        "scenario few",
        "scenario my own",
        "curve of DAM",
        "curve of MDSW",
        "how many people it takes",
    ]
    assert [part.name for part in work.values() if part.is_curve] == ["curve:DAM", "curve:MDSW"]
    plain = Question("new-haven", Plan("k-RR"), over="b", names=("k-RR",), decided_for="present")
    assert list(parts(plain, people_on)) == [ANSWER, SETTING]


def test_progress_in_words(found):
    work = parts(QUESTION, people_on, found.decision)
    assert work[SETTING].progress(4) == "your setting: 50%"
    assert work["curve:MDSW"].progress(10**6) == "curve of MDSW: 99%"
    search = parts(Question("new-haven", PLAN), people_on)[ANSWER]
    assert search.progress(0) == "best grid: 0%"
    # What is known of what is left counts, and not what was expected.
    assert search.progress(30, 10) == "best grid: 75%"
    assert [left_of(search, done) for done in ((), ["task"] * 3)] == [search.steps, search.steps - 3]
    assert left_of(search, ["task"] * 10**6) == 0
    assert [left_of(search, ["task", Outlook(5), *["task"] * done]) for done in (0, 2, 9)] == [5, 3, 0]


def test_a_plan_has_one_risk_on_its_curve_and_beside_it():
    question = Question("new-haven", PLAN, repeats=2, reports=3, decided_for="present")
    work = parts(question, NEW_HAVEN)
    [own] = (one for one in work[SETTING].work() if isinstance(one, Assessment))
    on_curve = {one.error.plan: one for one in work["curve:DAM"].work() if isinstance(one, Point)}
    assert PLAN in on_curve
    assert on_curve[PLAN].risk is own.many
    assert on_curve[PLAN].risk.hit_rate_error > 0


def test_work_that_was_stopped_is_not_done_again():
    whole, stopped = Measurements(people_on), Measurements(people_on)
    question = Question("new-haven", PLAN, repeats=2, over="d", names=("DAM",))
    everything = len(list(answering(question, whole)))
    work = answering(question, stopped)
    for _ in range(everything // 2):
        next(work)
    work.close()
    done = len(stopped._results)
    assert 0 < done < len(whole._results)
    rest = list(answering(question, stopped))
    # Results are found again, what was measured is not measured again.
    measured = [one for _, one in rest if not isinstance(one, (Decision, Assessment, FirstIdea, Outlook, Point))]
    assert len(measured) == len(whole._results) - done
    assert set(whole._results) == set(stopped._results)
    assert list(answering(question, stopped)) != []
    assert set(whole._results) == set(stopped._results)


def test_crowds_have_a_curve_each_over_the_budget(found):
    question = replace(QUESTION, over="crowds", repeats=2)
    curves = [part for part in parts(question, NEW_HAVEN, found.decision).values() if part.is_curve]
    assert [part.title for part in curves] == ["curve of 329 people", "curve of 3,293 people", "curve of 32,930 people"]
    points = [[one for one in part.work() if isinstance(one, Point)] for part in curves]
    for line, users in zip(points, (329, 3_293, 32_930), strict=True):
        assert {point.error.users for point in line} == {users}
        assert [point.value for point in line] == axis_values("epsilon", found.decision.plan, 3_293)
        assert {point.over for point in line} == {"epsilon"}
    means = np.array([[point.error.mean for point in line] for line in points])
    assert (means[0] > means[2]).all()


def test_a_radius_chosen_by_hand_is_a_value_of_every_curve_over_it():
    question = Question(
        "new-haven", PLAN.with_changes(b=5), repeats=2, over="b", names=("HUEM",), decided_for="present"
    )
    points = [one for one in parts(question, NEW_HAVEN)["curve:HUEM"].work() if isinstance(one, Point)]
    assert [point.value for point in points] == axis_values("b", question.plan, 3293)
    assert 5.0 in [point.value for point in points]
    assert points[-1].error.values.tolist() == measure(people_on(4), points[-1].error.plan, 1, 2).values.tolist()


def test_worker_processes_give_the_same_study():
    question = Question("new-haven", PLAN, repeats=2, over="d", names=("DAM",))
    one, other = (list(study(question, workers))[-1] for workers in (None, 2))
    assert numbers(other.recommended)[:4] == numbers(one.recommended)[:4]
    assert len(one.points) > 10
    for here, there in zip(one.points, other.points, strict=True):
        assert numbers_of_points([here])[0][:4] == numbers_of_points([there])[0][:4]
        assert here.baselines == there.baselines
        # Sums of thousands of products, by one thread or two, may differ in the last digits.
        assert here.risk.guess_distance == pytest.approx(there.risk.guess_distance, rel=1e-12)
        assert here.risk.hit_rate == pytest.approx(there.risk.hit_rate, rel=1e-12)


def test_the_first_run_is_of_those_who_take_part():
    people, plan = people_on(4), PLAN.with_changes(users=500)
    run = first_run(people, plan, 7)
    assert run.counts.sum() == 500
    assert (run.counts <= people.counts).all()


def test_people_are_counted_once_per_grid():
    entry = dataset("new-haven")
    on_any_grid = population_on_any_grid(entry, entry.load(), None)
    assert on_any_grid(5) is on_any_grid(5)
    np.testing.assert_array_equal(on_any_grid(5).counts, people_on(5).counts)

"""A study is listed once, and is the same whoever does the work and in whatever order."""

import functools

import numpy as np
import pytest

from spatialldp.datasets import dataset
from spatialldp.experiments import population, simulate
from spatialldp.experiments.axes import axis_values
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.sweep import sweep
from spatialldp.planning.decision import assess, decide, offer
from spatialldp.planning.question import Question
from spatialldp.planning.study import (
    ANSWER,
    ASSESSMENT,
    PINNED,
    Findings,
    Study,
    assemble,
    first_run,
    parts,
    population_on_any_grid,
    study,
)

people_on = functools.cache(lambda d: population("new-haven", d))
PLAN = Plan(d=4, epsilon=2.0)
QUESTION = Question(
    "new-haven",
    PLAN,
    seed=3,
    repeats=2,
    reports=3,
    names=("DAM", "MDSW"),
    target=2_000.0,
    pinned=Plan("k-RR", 1.0, 3, None, 900),
)


@pytest.fixture(scope="module")
def found() -> Study:
    *steps, last = study(QUESTION)
    assert all(isinstance(step, str) for step in steps)
    assert isinstance(last, Study)
    return last


def same_points(some, others) -> bool:
    return [(point.mechanism, point.value, point.error.total, point.risk.hit_rate) for point in some] == [
        (point.mechanism, point.value, point.error.total, point.risk.hit_rate) for point in others
    ]


def test_it_holds_what_the_library_calls_give(found):
    plan, people = PLAN, people_on(4)
    *_, decision = decide(people_on, plan, 2_000.0, 3, 2)
    assert found.decision.best.epsilon == decision.best.epsilon
    assert found.decision.users.error.users == decision.users.error.users
    assert found.grid is None
    expected = assess(people, plan, 3, 2, 3)
    assert (found.assessment.error.total, found.assessment.many) == (expected.error.total, expected.many)
    assert found.pinned.error.total == assess(people_on(3), QUESTION.pinned, 3, 2, 3).error.total
    assert same_points(found.points, sweep(people_on, plan, "epsilon", ("DAM", "MDSW"), seed=3, repeats=2, reports=3))
    assert found.run.w2_cells == simulate(people.counts, plan.make(), 3).w2_cells
    assert found.entry is dataset("new-haven")


def test_done_in_another_order_it_is_the_same(found):
    work = parts(QUESTION, people_on)
    results = {name: list(work[name].work()) for name in reversed(work)}
    # As the page has them: by name, in the order of the parts.
    other = assemble(QUESTION, found.entry, people_on(4), {name: results[name] for name in work})
    assert same_points(other.points, found.points)
    assert other.decision.best.epsilon == found.decision.best.epsilon
    assert other.assessment.error.total == found.assessment.error.total
    assert other.pinned.error.total == found.pinned.error.total
    np.testing.assert_array_equal(other.run.estimate.distribution, found.run.estimate.distribution)


def test_an_offered_budget_is_answered_by_a_grid():
    question = Question("new-haven", PLAN, repeats=2, names=("DAM",), over="d")
    answers = list(parts(question, people_on)[ANSWER].work())
    *_, expected = offer(people_on, PLAN, 1, 2)
    findings = Findings({ANSWER: answers})
    assert (findings.grid.d, findings.grid.error.total) == (expected.d, expected.error.total)
    assert findings.decision is None


def test_findings_grow_with_the_work():
    nothing = Findings({ASSESSMENT: [], ANSWER: []})
    assert (nothing.assessment, nothing.pinned, nothing.decision, nothing.grid) == (None,) * 4
    assert nothing.points == []
    work = parts(QUESTION, people_on)
    answering = work[ANSWER].work()
    some = [next(answering), next(answering)]
    assert Findings({ANSWER: some}).decision is None
    curve = next(part for part in work.values() if part.is_curve)
    points = curve.work()
    assert [point.value for point in Findings({curve.name: [next(points), next(points)]}).points] == [0.5, 1.0]
    with pytest.raises(ValueError, match="assessment"):
        assemble(QUESTION, dataset("new-haven"), people_on(4), {ANSWER: some})


def test_the_parts_of_a_question():
    work = parts(QUESTION, people_on)
    assert list(work)[:3] == [ASSESSMENT, PINNED, ANSWER]
    curves = [part for part in work.values() if part.is_curve]
    assert [part.title for part in curves] == ["curve of DAM", "curve of MDSW"]
    # One curve waits for the other; nothing else waits.
    assert [part.after for part in work.values()] == [(), (), (), (), (curves[0].name,)]
    plain = parts(Question("new-haven", Plan("MDSW"), over="b", names=("MDSW",)), people_on)
    assert list(plain) == [ASSESSMENT, ANSWER]


def test_progress_in_words():
    work = parts(QUESTION, people_on)
    assert work[ASSESSMENT].progress(1) == "error and risk of the plan"
    assert work[ANSWER].progress(1) == "smallest ε for the accepted error: 1 measurement"
    assert list(work.values())[-1].progress(12) == "curve of MDSW: 12 points"
    offered = parts(Question("new-haven", PLAN), people_on)
    assert offered[ANSWER].progress(3) == "finest useful grid: 3 measurements"


def keys(**changes):
    values = {"data": "new-haven", "plan": PLAN, "names": ("DAM", "HUEM"), "pinned": Plan(d=3)} | changes
    return {name: part.key for name, part in parts(Question(**values), people_on).items()}


@pytest.mark.parametrize(
    ("changes", "changed"),
    [
        ({}, set()),
        ({"target": 500.0}, {ANSWER}),
        ({"pinned": Plan(d=2)}, {PINNED}),
        ({"reports": 2}, {ASSESSMENT, PINNED, "curve:DAM", "curve:HUEM"}),
        ({"over": "d"}, {"curve:DAM", "curve:HUEM"}),
        ({"seed": 2}, {ASSESSMENT, PINNED, ANSWER, "curve:DAM", "curve:HUEM"}),
        ({"repeats": 6}, {ASSESSMENT, PINNED, ANSWER, "curve:DAM", "curve:HUEM"}),
        ({"plan": PLAN.with_changes(epsilon=3.0)}, {ASSESSMENT, ANSWER, "curve:DAM", "curve:HUEM"}),
        # A radius chosen by hand belongs to the plan's own mechanism; the other one takes its best.
        ({"plan": PLAN.with_changes(b=1)}, {ASSESSMENT, ANSWER, "curve:DAM"}),
    ],
    ids=["nothing", "target", "pinned", "reports", "over", "seed", "repeats", "epsilon", "radius"],
)
def test_only_what_depends_on_a_change_is_done_again(changes, changed):
    before, after = keys(), keys(**changes)
    assert {name for name in before if before[name] != after[name]} == changed


def test_a_radius_chosen_by_hand_is_a_value_of_every_curve_over_it():
    one, other = (keys(over="b", plan=PLAN.with_changes(b=b)) for b in (5, 6))
    assert one["curve:HUEM"] != other["curve:HUEM"]
    question = Question("new-haven", PLAN.with_changes(b=5), repeats=2, over="b", names=("HUEM",))
    points = list(parts(question, people_on)["curve:HUEM"].work())
    assert [point.value for point in points] == axis_values("b", question.plan, 3293)
    assert 5.0 in [point.value for point in points]


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

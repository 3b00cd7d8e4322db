"""Both sides of the trade for one plan, and what follows from an accepted error or an offered ε."""

import functools

import numpy as np
import pytest

from spatialldp.experiments import map_error, measure, population
from spatialldp.experiments.map_error import COUNTS, PLACES
from spatialldp.experiments.measurements import Collection, GivenMap, Local, Measurements, Risk
from spatialldp.experiments.plan import Plan
from spatialldp.planning import candidates
from spatialldp.planning.decision import Assessment, Decision, assess, assessing, decide, offer
from spatialldp.planning.searches import FirstIdea, Outlook, best_grid, budget_on_any_grid, grids_for
from spatialldp.privacy import local_privacy, repeated_risk, risk

people_on = functools.cache(lambda d: population("new-haven", d))
#: Shared by some tests: what one has measured, another need not.
NEW_HAVEN = Measurements(people_on)


@pytest.fixture(autouse=True, scope="module")
def coarse():
    """On grounds of 48 cells per side, where transport takes a tenth of the time, and on maps of few cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(map_error, "quick_side", lambda: 48)
        patch.setattr(candidates, "GRIDS", (5, 8, 12, 15))
        yield


@pytest.mark.parametrize("purpose", [PLACES, COUNTS])
def test_an_assessment_holds_the_librarys_numbers(purpose):
    people, plan = people_on(5), Plan(epsilon=2.0, d=5, users=900)
    found = assess(people, plan, 3, 2, reports=4, purpose=purpose)
    assert found.plan == plan
    assert found.error.values.tolist() == measure(people, plan, 3, 2, purpose).values.tolist()
    assert found.error.unit == measure(people, plan, 3, 2, purpose).unit
    assert found.baselines == Measurements(people_on).baselines(5, 900, 3, purpose)
    assert found.one.hit_rate == pytest.approx(risk(plan.make(), people.counts).hit_rate)
    assert found.one.reports == 1
    assert found.many == repeated_risk(plan.make(), 4, people.counts)
    assert found.local == local_privacy(plan.make())


def test_one_report_is_assessed_once():
    *steps, found = assessing(Measurements(people_on), Plan(d=4), 1, 2)
    assert isinstance(found, Assessment)
    assert found.many is found.one
    assert sum(isinstance(step, Risk) for step in steps) == 1
    # Two collections, three given maps, a risk and the local privacy.
    assert sorted(type(step).__name__ for step in steps) == sorted(
        [*["Collection"] * 2, *["GivenMap"] * 3, "Risk", "Local"]
    )


def test_an_error_that_is_known_better_is_not_measured_again():
    measurements, plan = Measurements(people_on), Plan(d=4)
    known = measurements.error(plan, 1, 6)
    *steps, found = assessing(measurements, plan, 50, 2, settled=known)
    assert found.error is known
    assert not any(isinstance(step, Collection) for step in steps)
    assert {type(step) for step in steps} == {GivenMap, Risk, Local}


def test_an_accepted_error_is_answered_by_the_budget_on_any_grid():
    *steps, decision = decide(NEW_HAVEN, Plan(d=3, epsilon=9.0, b=1), 1_100.0, 1, 2)
    assert isinstance(decision, Decision)
    assert {type(step) for step in steps} <= {Collection, GivenMap, FirstIdea, Outlook}
    *_, answer = budget_on_any_grid(NEW_HAVEN, Plan(), 1_100.0, 1, 2)
    assert (decision.target, decision.met) == (1_100.0, True)
    assert decision.plan == answer.plan
    assert decision.error.values.tolist() == answer.error.values.tolist()
    assert decision.error.high <= 1_100 < decision.below.high
    assert decision.below.plan == answer.below.plan
    # Its b is the best one, and its mechanism and people are those of the plan.
    assert decision.plan == Plan(epsilon=decision.plan.epsilon, d=decision.plan.d)
    assert decision.plan.d in grids_for(Plan())


def test_where_nothing_meets_the_target_the_nearest_plan_is_named():
    *_, decision = decide(Measurements(people_on), Plan(), 1.0, 1, 2)
    assert not decision.met
    assert decision.plan.epsilon == 9.0
    assert decision.below is None
    assert decision.error.mean > 1


@pytest.mark.parametrize("purpose", [PLACES, COUNTS])
def test_an_offered_budget_is_answered_by_the_best_grid(purpose):
    measurements = Measurements(people_on)
    *steps, decision = offer(measurements, Plan(epsilon=2.0, d=3, b=1), 1, 2, purpose)
    *_, answer = best_grid(measurements, Plan(epsilon=2.0), 1, 2, purpose)
    assert {type(step) for step in steps} == {Collection, GivenMap, FirstIdea}
    [idea] = [step.plan for step in steps if isinstance(step, FirstIdea)]
    assert idea == Plan(epsilon=2.0, d=idea.d)
    assert idea.d in grids_for(Plan())
    assert (decision.target, decision.met, decision.below) == (None, True, None)
    assert decision.plan == answer.plan == Plan(epsilon=2.0, d=answer.d)
    assert decision.error.values.tolist() == answer.error.values.tolist()
    assert decision.error.purpose == purpose


def test_fewer_people_need_more():
    everybody, few = (list(decide(NEW_HAVEN, Plan(users=users), 1_100.0, 1, 2))[-1] for users in (None, 1_000))
    assert everybody.met
    assert few.met
    assert (everybody.plan.users, few.plan.users) == (None, 1_000)
    assert (everybody.error.users, few.error.users) == (3293, 1_000)
    assert few.plan.epsilon > 1.3 * everybody.plan.epsilon


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reports": 0}, "reports must be"),
        ({"repeats": 0}, "repeats must be"),
        ({"seed": -1}, "seed must be"),
        ({"purpose": "fun"}, "purpose must be one of"),
        ({"plan": "DAM"}, "plan must be an object of Plan"),
        ({"people": "new-haven"}, "people must be a population"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_what_cannot_be_assessed_is_refused(changes, message):
    settings = {"people": people_on(4), "plan": Plan(d=4), "seed": 1, "repeats": 2} | changes
    with pytest.raises(ValueError, match=message):
        assess(**settings)


def test_a_decision_needs_a_target_and_two_repeats():
    with pytest.raises(ValueError, match="target must be"):
        next(decide(people_on, Plan(), 0.0, 1, 2))
    with pytest.raises(ValueError, match="repeats must be"):
        next(decide(people_on, Plan(), 500.0, 1, 1))
    with pytest.raises(ValueError, match="repeats must be"):
        next(offer(people_on, Plan(), 1, 1))
    assert np.isinf(assess(people_on(4), Plan(d=4), 1, 1).error.half_width)

"""Both sides of the trade for one plan, and what follows from an accepted error or an offered ε."""

import functools

import numpy as np
import pytest

from spatialldp import wasserstein2
from spatialldp.experiments import baselines, population
from spatialldp.experiments.plan import MapError, Plan, measure
from spatialldp.planning import sentences
from spatialldp.planning.decision import Decision, assess, decide, offer
from spatialldp.planning.searches import BudgetAnswer, GridAnswer, UsersAnswer
from spatialldp.privacy import local_privacy, repeated_risk, risk

people_on = functools.cache(lambda d: population("normal", d))


def test_an_assessment_holds_the_librarys_numbers():
    people, plan = population("new-haven", 5), Plan(epsilon=2.0, d=5, users=900)
    found = assess(people, plan, 3, 2, reports=4)
    np.testing.assert_array_equal(found.error.w2_cells, measure(people, plan, 3, 2).w2_cells)
    assert found.baselines == baselines(people.counts, 3, 900)
    assert found.baselines.uniform_guess == pytest.approx(wasserstein2(people.counts, np.ones((5, 5))))
    assert found.one.hit_rate == pytest.approx(risk(plan.make(), people.counts).hit_rate)
    assert found.many == repeated_risk(plan.make(), 4, people.counts)
    assert found.local == local_privacy(plan.make())


def test_one_report_is_assessed_once():
    found = assess(people_on(4), Plan(d=4), 1, 2)
    assert found.many is found.one


def test_a_decision_holds_everything_a_sentence_needs():
    *steps, decision = decide(people_on, Plan(d=5), 1.2, 1, 2)
    assert isinstance(decision, Decision)
    assert not any(isinstance(step, (Decision, GridAnswer)) for step in steps)
    assert decision.best.met
    sentence = sentences.recommendation(assess(people_on(5), Plan(d=5), 1, 2), decision)
    assert sentence.startswith(f"To stay within 1.2 map units, choose ε = {decision.best.epsilon:g}")
    chosen = decision.best.error.plan
    assert decision.risk == repeated_risk(chosen.make(), 1, people_on(chosen.d).counts)


def answer(epsilon: float, met: bool = True) -> BudgetAnswer:
    error = MapError(Plan(epsilon=epsilon), 10, epsilon, np.array([1.0, 1.1]), 300.0, "m")
    return BudgetAnswer(400.0, met, error, None, False)


@pytest.mark.parametrize(
    ("here", "anywhere", "best"),
    [
        (answer(2.0), answer(3.0), 2.0),
        (answer(3.0), answer(2.0), 2.0),
        (answer(2.0), None, 2.0),
        (answer(9.0, met=False), answer(9.0), "anywhere"),
        (answer(2.0), answer(2.0), "here"),
    ],
)
def test_the_best_grid_needs_the_smaller_budget(here, anywhere, best):
    decision = Decision(here, anywhere, UsersAnswer(400.0, False, None), None)
    if isinstance(best, float):
        assert decision.best.epsilon == best
    else:
        assert decision.best is getattr(decision, best)


def test_one_grid_is_not_given_two_answers():
    def said(d: int) -> str:
        error = MapError(Plan(epsilon=2.0, d=d), 10, 2.0, np.array([1.0, 1.1]), 300.0, "m")
        other = BudgetAnswer(400.0, True, error, None, False)
        return sentences.decision_sentence(Decision(answer(3.0), other, UsersAnswer(400.0, False, None), None))

    assert "current grid" not in said(15)
    assert said(20).endswith(" On the current grid of 15 × 15 cells it would take ε = 3.")


def test_an_offer_ends_with_a_grid():
    *steps, grid = offer(people_on, Plan(d=5, epsilon=9.0), 1, 2)
    assert isinstance(grid, GridAnswer)
    assert all(isinstance(step, MapError) for step in steps)
    assert "still useful has" in sentences.offer_sentence(grid)

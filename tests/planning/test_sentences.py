"""Sentences to read aloud."""

import numpy as np
import pytest

from spatialldp.experiments import population
from spatialldp.experiments.plan import MapError, Plan, measure
from spatialldp.planning import sentences
from spatialldp.planning.decision import assess
from spatialldp.planning.searches import GridAnswer, UsersAnswer


@pytest.mark.parametrize(
    ("share", "before", "said"),
    [
        (0.0744, 0.0240, ("in 74 of 1,000 cases", "in 24")),
        (0.5, 0.25, ("in 50 of 100 cases", "in 25")),
        (0.0004, 0.0001, ("in 40 of 100,000 cases", "in 10")),
    ],
)
def test_probabilities_as_people_say_them(share, before, said):
    assert sentences.in_cases(share, before) == said


def test_the_budget_of_a_geo_i_plan_says_by_which_ruler_it_is_equal():
    people = population("new-haven", 5)

    def said(plan: Plan) -> str:
        return sentences.budget_words(plan, measure(people, plan, 1, 2))

    equal = Plan("SEM-Geo-I", 5.0, 5, by="hit rate")
    assert said(equal).endswith("per cell (protects as much as DAM at ε = 5, by hit rate)")
    jumped = Plan("SEM-Geo-I", 2.2, 5)
    assert said(jumped) == (
        "ε′ = 1.2 per cell (protects more than DAM at ε = 2.2, by local privacy; it cannot be set to protect exactly "
        "as much)"
    )
    assert said(jumped.with_changes(calibrated=False)) == "ε = 2.2 per cell"
    assert said(jumped.with_changes(mechanism="DAM")) == "ε = 2.2"


def error(users: int, *w2_cells: float) -> MapError:
    return MapError(Plan(), users, 3.5, np.array(w2_cells), 300.0, "m")


def test_the_error_in_words():
    said = sentences.error_sentence(error(1000, 1.0, 1.0))
    assert said == (
        "If 1,000 people each send one report, randomised on their own device by DAM with ε = 3.5, a map of 15 × 15 "
        "cells will be off by about 422 m, give or take 0.0 m: 300 m from the randomisation and 122 m from the size of "
        "the cells."
    )
    assert "give or take" not in sentences.error_sentence(error(1000, 1.0))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (UsersAnswer(500.0, True, error(8000, 1.0, 1.0)), "500 m needs about 8,000 people."),
        (UsersAnswer(500.0, True, error(100, 1.0, 1.0)), "500 m needs at most 100 people."),
        (UsersAnswer(300.0, False, error(10**7, 1.0, 1.0)), "would leave an error of 422 m, more than 300 m."),
        (UsersAnswer(100.0, False, None), "no number of people is enough for 100 m: the cells alone hide more."),
    ],
)
def test_how_many_people_in_words(answer, said):
    assert said in sentences.users_sentence(answer, Plan(), "m")


def test_a_single_cell_is_not_praised_as_a_useful_grid():
    def said(d: int) -> str:
        return sentences.offer_sentence(
            GridAnswer(MapError(Plan(d=d), 600, 3.5, np.array([0.0, 0.0]), 300.0, "m"), False)
        )

    assert said(1).startswith("At this ε no map of more than one cell is useful; that one is 300 m wide. Useful means:")
    assert said(2).startswith(
        "At this ε the finest grid that is still useful has 2 × 2 cells of 300 m: there the error"
    )


def test_two_plans_side_by_side():
    people = population("new-haven", 4)
    one, other = (assess(people, Plan(epsilon=epsilon, d=4), 1, 2, reports=2) for epsilon in (1.0, 4.0))
    rows = {name: values for name, *values in sentences.scenario_rows(one, other)}
    assert rows["Privacy budget"] == ["ε = 1", "ε = 4", "changed"]
    assert rows["Mechanism"] == ["DAM", "DAM", ""]
    assert rows["Error: size of the cells"][-1] == "+0.0 m"
    assert rows["Error: randomisation (W2)"][-1].startswith("−")
    before, after, difference = rows["Attacker names the right cell, 2 reports"]
    assert float(after.rstrip("%")) - float(before.rstrip("%")) == pytest.approx(
        float(difference.removesuffix(" points")), abs=0.11
    )
    back = {name: values for name, *values in sentences.scenario_rows(other, one)}
    assert back["Attacker names the right cell, 2 reports"][-1] == difference.replace("+", "−")

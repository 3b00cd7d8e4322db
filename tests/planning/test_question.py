"""What is asked, as a command line and as one word."""

import shlex
from dataclasses import replace

import pytest

from spatialldp.experiments import population
from spatialldp.experiments.plan import Plan
from spatialldp.planning.question import Question, default_target, pinned_text, read_pinned, report_command


def test_a_scenario_in_one_word():
    for plan in (Plan(), Plan("HUEM", 0.75, 9, 3, 1200), Plan("Planar Laplace", 9.0, 2)):
        assert read_pinned(pinned_text(plan)) == plan
    for text in ("", "DAM,1,2", "nothing,1,2,,", "DAM,x,2,,", "DAM,1,0,,", "DAM,-1,3,,"):
        with pytest.raises(ValueError):  # noqa: PT011
            read_pinned(text)


def test_the_ruler_is_in_the_command_and_in_the_scenario():
    plan = Plan("SEM-Geo-I", 2.0, 4, by="worst case")
    command = report_command(Question("new-haven", plan))
    assert " --by worst-case " in command
    assert "--by" not in report_command(Question("new-haven", plan.with_changes(by="local privacy")))
    assert "--by" not in report_command(Question("new-haven", plan.with_changes(calibrated=False)))
    assert read_pinned(pinned_text(plan), by="worst case") == plan


def test_names_with_a_space_are_one_word_of_the_command():
    question = Question("new-haven", Plan("Planar Laplace"), names=("DAM", "Planar Laplace"), pinned=Plan("HUEM"))
    words = shlex.split(report_command(question))
    for option, value in (
        ("--mechanism", "Planar Laplace"),
        ("--mechanisms", "DAM,Planar Laplace"),
        ("--pinned", "HUEM,3.5,15,,"),
    ):
        assert words[words.index(option) + 1] == value


@pytest.mark.parametrize(
    ("plan", "over", "value"),
    [
        (Plan(epsilon=2.5), "epsilon", 2.5),
        (Plan(d=7), "d", 7.0),
        (Plan(b=4), "b", 4.0),
        (Plan(epsilon=3.5, d=15), "b", 3.0),
        (Plan("MDSW"), "b", 0.0),
        (Plan(users=12), "users", 900.0),
    ],
)
def test_where_the_plan_lies_on_the_axis(plan, over, value):
    assert Question("new-haven", plan, over=over).marked_value(900) == value


def test_a_first_target_is_a_round_number():
    assert default_target(population("san-francisco", 15).grid) == 500
    assert default_target(population("normal", 5).grid) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": 3}, "data must be a text"),
        ({"plan": None}, "plan must be an object of Plan"),
        ({"pinned": "DAM"}, "pinned must be an object of Plan"),
        ({"seed": -1}, "seed must be"),
        ({"over": "time"}, "over must be one of"),
        ({"names": ("nothing",)}, "names must be one of"),
        ({"target": 0.0}, "target must be"),
        ({"bounds": (1, 1, 0, 0)}, "bounds must have west < east"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(changes, message):
    question = Question("new-haven", Plan(d=3))
    with pytest.raises(ValueError, match=message):
        replace(question, **changes)

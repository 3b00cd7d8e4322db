"""What is asked, as a command line and as one word."""

import shlex
from dataclasses import replace

import pytest

from spatialldp import MECHANISMS
from spatialldp.experiments import population
from spatialldp.experiments.map_error import COUNTS
from spatialldp.experiments.plan import Plan
from spatialldp.planning.question import (
    Question,
    Scenario,
    default_target,
    marked_value,
    pinned_text,
    read_pinned,
    read_scenario,
    report_command,
    scenario_text,
)
from spatialldp.planning.searches import EPSILONS

# -- plans and scenarios in one word -------------------------------------------------------------------


def test_a_plan_in_one_word():
    for plan in (Plan(), Plan("HUEM", 0.75, 9, 3, 1200), Plan("Planar Laplace", 9.0, 2)):
        assert read_pinned(pinned_text(plan)) == plan
    for name in MECHANISMS:
        for epsilon in EPSILONS:
            plan = Plan(name, epsilon, 5)
            assert read_pinned(pinned_text(plan)) == plan
    wrong = ("", "DAM,1,2", "nothing,1,2,,", "DAM,x,2,,", "DAM,1,0,,", "DAM,-1,3,,", "DAM,nan,3,,", "DAM,1,2,,,")
    for text in (*wrong, "DAM,1,2,,,same", "SEM-Geo-I,1,2,,,", "SEM-Geo-I,1,2,,,ruler", "SEM-Geo-I,1,2,,,same,"):
        with pytest.raises(ValueError):  # noqa: PT011
            read_pinned(text)


def test_a_plan_in_one_word_says_how_it_is_made_comparable_and_keeps_all_digits():
    for plan in (
        Plan("SEM-Geo-I", 2.0, 5, calibrated=False),
        Plan("Planar Laplace", 0.123456789012, 5, by="worst case"),
    ):
        # Whatever the rest of a page or a command says.
        assert read_pinned(pinned_text(plan)) == read_pinned(pinned_text(plan), False, "hit rate") == plan
    # Words that were written before follow it.
    assert read_pinned("SEM-Geo-I,2,5,,", False) == Plan("SEM-Geo-I", 2.0, 5, calibrated=False)
    assert read_pinned("SEM-Geo-I,2,5,,", True, "hit rate") == Plan("SEM-Geo-I", 2.0, 5, by="hit rate")


@pytest.mark.parametrize(
    "name", ["A", "cautious", "Entwurf Zürich 2", "50% of them", "a-b_c.d+e", "x" * 24, "案", "DAM", "3.5"]
)
def test_a_scenario_in_one_word(name):
    for plan in (Plan(), Plan("HUEM", 0.75, 9, 3, 1200)):
        scenario = Scenario(name, plan)
        assert read_scenario(scenario_text(scenario)) == scenario
        assert Question("new-haven", Plan(), scenarios=(scenario,)).scenarios == (scenario,)


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "x" * 25, "a=b", "a,b", "a;b", "a&b=c", "a\nb", "a\0b", "a\tb", "a\u2028b", "a\u202eb", "a\u200bb"),
        *('"quoted"', "'; rm -rf ~", "$(reboot)", "`id`", "a|b", "a\\b", "<b>bold</b>", "*bold*", "[a](b)", ":icon:"),
        *("#", "../../etc/passwd", "a/b", "=1+1", "@sum", "{x}", "a!", "~"),
    ],
)
def test_a_name_that_means_something_in_a_link_a_shell_or_a_table_is_refused(name):
    with pytest.raises(ValueError, match="the name of a scenario must be 1 to 24 letters, digits"):
        Question("new-haven", Plan(), scenarios=(Scenario(name, Plan()),))
    if name:  # a plan without a name has one
        with pytest.raises(ValueError, match="the name of a scenario must be"):
            read_scenario(f"{name}=DAM,3.5,15,,")


def test_a_plan_without_a_name_is_called_a_and_spaces_around_a_name_are_none_of_it():
    assert read_scenario("DAM,3.5,15,,") == read_scenario("=DAM,3.5,15,,") == Scenario("A", Plan())
    assert read_scenario("  my plan =DAM,3.5,15,,").name == "my plan"
    question = Question("new-haven", Plan(), scenarios=[Scenario(" my plan ", Plan())])
    assert question.scenarios == (Scenario("my plan", Plan()),)
    for text in ("", "=", "A=", "A=DAM", "A=DAM,0,15,,", "A=DAM,1,1025,,"):
        with pytest.raises(ValueError):  # noqa: PT011
            read_scenario(text)


# -- the command ---------------------------------------------------------------------------------------


def options(question: Question) -> dict[str, list[str]]:
    """The options of the command, as a shell takes it apart."""
    words = shlex.split(report_command(question))
    assert words[:4] == ["python", "-m", "spatialldp", "report"]
    found: dict[str, list[str]] = {}
    for word in words[4:]:
        if word.startswith("--"):
            found.setdefault(word, [])
            last = found[word]
        else:
            last.append(word)
    return found


def test_the_ruler_is_in_the_command_and_in_the_scenario():
    plan = Plan("SEM-Geo-I", 2.0, 4, by="worst case")
    assert options(Question("new-haven", plan))["--by"] == ["worst-case"]
    assert "--by" not in options(Question("new-haven", plan.with_changes(by="local privacy")))
    same = options(Question("new-haven", plan.with_changes(calibrated=False)))
    assert "--by" not in same
    assert same["--same-epsilon"] == []
    assert read_pinned(pinned_text(plan), by="worst case") == plan
    assert read_scenario("A=" + pinned_text(plan), by="worst case").plan == plan


def test_everything_that_is_asked_is_in_the_command():
    question = Question(
        "new-haven",
        Plan("Planar Laplace", 2.05, 8, users=900),
        (-72.95, 41.28, -72.9, 41.33),
        seed=4,
        repeats=7,
        reports=30,
        over="crowds",
        names=("DAM", "Planar Laplace"),
        target=12.5,
        scenarios=(Scenario("my plan", Plan("HUEM", b=2)), Scenario("B", Plan("Planar Laplace"))),
        purpose=COUNTS,
        decided_for="present",
    )
    assert options(question) == {
        "--data": ["new-haven"],
        "--mechanism": ["Planar Laplace"],
        "--epsilon": ["2.05"],
        "--d": ["8"],
        "--users": ["900"],
        "--bounds": ["-72.95,41.28,-72.9,41.33"],
        "--target": ["12.5"],
        "--over": ["crowds"],
        "--mechanisms": ["DAM,Planar Laplace"],
        "--reports": ["30"],
        "--repeats": ["7"],
        "--seed": ["4"],
        "--scenario": ["my plan=HUEM,3.5,15,2,", "B=Planar Laplace,3.5,15,,,local-privacy"],
        "--purpose": ["counts"],
        "--for": ["present"],
        "--output": ["printable-report.html"],
    }
    plain = options(Question("new-haven", Plan(b=3)))
    assert plain["--b"] == ["3"]
    assert not {"--users", "--bounds", "--target", "--scenario", "--purpose", "--same-epsilon", "--by"} & set(plain)


# -- what else a question says -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "over", "value"),
    [
        (Plan(epsilon=2.5), "epsilon", 2.5),
        (Plan(epsilon=2.5), "crowds", 2.5),
        (Plan(d=7), "d", 7.0),
        (Plan(b=4), "b", 4.0),
        (Plan(epsilon=3.5, d=15), "b", 3.0),
        (Plan("k-RR"), "b", 0.0),
        (Plan(users=12), "users", 900.0),
    ],
)
def test_where_a_plan_lies_on_the_axis(plan, over, value):
    assert marked_value(over, plan, 900) == value


def test_a_plan_lies_on_no_other_axis():
    with pytest.raises(ValueError, match="over must be one of"):
        marked_value("time", Plan(), 900)


def test_a_first_target_is_a_round_number():
    assert default_target(population("san-francisco", 15).grid) == 500
    # A twenty-fifth of 10.55 km is 422 m; 9.45/25 = 0.378.
    assert default_target(population("new-haven", 5).grid) == 500
    assert default_target(population("normal", 5).grid) == pytest.approx(0.5)
    assert default_target(population("normal", 5).grid, COUNTS) == 20
    # Whatever the grid: the same square has the same target.
    assert default_target(population("san-francisco", 60).grid) == 500


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": 3}, "data must be a text"),
        ({"plan": None}, "plan must be an object of Plan"),
        ({"scenarios": "DAM"}, "scenarios must be"),
        ({"scenarios": (Plan(),)}, "scenarios must be"),
        ({"scenarios": (Scenario("A", "DAM"),)}, "scenarios must be an object of Plan"),
        ({"scenarios": tuple(Scenario(name, Plan()) for name in "ABCDE")}, "scenarios must be at most 4, got 5"),
        ({"scenarios": (Scenario("A", Plan()), Scenario("A ", Plan(d=3)))}, "scenarios must have different names"),
        ({"seed": -1}, "seed must be"),
        ({"repeats": 0}, "repeats must be"),
        ({"reports": 0}, "reports must be"),
        ({"over": "time"}, "over must be one of"),
        ({"names": ("nothing",)}, "names must be one of"),
        ({"names": "DAM"}, "names must be"),
        ({"target": 0.0}, "target must be"),
        ({"target": "500"}, "target must be"),
        ({"target": float("nan")}, "target must be"),
        ({"bounds": (1, 1, 0, 0)}, "bounds must have west < east"),
        ({"purpose": "fun"}, "purpose must be one of"),
        ({"decided_for": "both"}, "decided_for must be one of"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_a_question_that_cannot_be_asked_is_refused(changes, message):
    question = Question("new-haven", Plan(d=3))
    with pytest.raises(ValueError, match=message):
        replace(question, **changes)

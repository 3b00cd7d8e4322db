"""`report` on the command line: the printable report with the numbers of the library."""

import shlex

import pytest

from spatialldp import engines
from spatialldp.__main__ import main
from spatialldp.cli import report_command as command
from spatialldp.experiments.plan import Plan
from spatialldp.planning import Scenario
from spatialldp.report import Question, report_command, study
from spatialldp.report.html import printable_report

BOX = (-72.945, 41.295, -72.905, 41.325)
QUICK = ["report", "--data", "new-haven", "--d", "3", "--repeats", "2", "--mechanisms", "DAM"]


class AskedError(Exception):
    """Ends a command where the work would begin."""


@pytest.fixture
def asked(monkeypatch):
    """What a command line asks, and of how many processes; nothing is computed."""

    def study_(question, workers=None):
        raise AskedError(question, workers)

    monkeypatch.setattr(command, "study", study_)

    def run(*words: str) -> tuple[Question, int | None]:
        with pytest.raises(AskedError) as caught:
            main(list(words))
        return caught.value.args

    return run


QUESTIONS = {
    "accepted error": Question(
        "new-haven",
        Plan(d=4, epsilon=2.0),
        seed=3,
        repeats=2,
        reports=3,
        names=("DAM", "MDSW"),
        target=2_000.0,
        scenarios=(Scenario("A", Plan("k-RR", 1.0, 3, None, 900)), Scenario("a bit + 10%", Plan("HUEM", 2.5, 5, 1))),
    ),
    "own setting for an accepted error": Question("new-haven", Plan(d=3), target=1_500.0, decided_for="present"),
    "offered budget in a box": Question(
        "new-haven",
        Plan("Planar Laplace", 2.0, 3, users=500, calibrated=False),
        bounds=BOX,
        repeats=2,
        over="d",
        names=("Planar Laplace",),
        decided_for="present",
    ),
    "best grid for an offered budget": Question("new-haven", Plan(d=3), decided_for="recommended"),
    "radius by hand": Question("normal", Plan("HUEM", 2.0, 3, b=1, by="hit rate"), over="b", names=("HUEM",)),
    "counts of several crowds": Question("normal", Plan(d=3), over="crowds", purpose="counts", target=12.5),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_command_of_a_question_asks_it(name, asked):
    question = QUESTIONS[name]
    words = shlex.split(report_command(question))
    assert words[:4] == ["python", "-m", "spatialldp", "report"]
    assert words[-2:] == ["--output", "printable-report.html"]
    assert asked(*words[3:-2])[0] == question


def test_the_command_of_a_question_makes_its_printable_report(tmp_path, capsys):
    question = Question(
        "new-haven",
        Plan(d=3, epsilon=2.0),
        repeats=2,
        over="crowds",
        names=("DAM",),
        target=40.0,
        purpose="counts",
        scenarios=(Scenario("cautious", Plan("k-RR", 1.0, 4, None, 900)),),
        decided_for="present",
    )
    file = tmp_path / "printable-report.html"
    assert main([*shlex.split(report_command(question))[3:-1], str(file)]) == 0
    capsys.readouterr()
    *_, found = study(question)
    assert file.read_text("utf-8").split() == printable_report(found).split()


def test_a_target_is_followed_by_the_recommended_plan_and_a_budget_by_the_present_one(asked):
    assert asked(*QUICK)[0].decided_for == "present"
    assert asked(*QUICK, "--target", "900")[0].decided_for == "recommended"
    for which in ("recommended", "present"):
        for more in ([], ["--target", "900"]):
            assert asked(*QUICK, *more, "--for", which)[0].decided_for == which


def test_scenarios_in_the_order_in_which_they_are_given(asked):
    first, second = "six districts=MDSW,2,6,,", "x=HUEM,1.5,4,2,500"
    question, _ = asked(*QUICK, "--scenario", first, "--scenario", second, "--by", "hit-rate")
    assert question.scenarios == (
        Scenario("six districts", Plan("MDSW", 2.0, 6, by="hit rate")),
        Scenario("x", Plan("HUEM", 1.5, 4, 2, 500, by="hit rate")),
    )
    assert asked(*QUICK)[0].scenarios == ()


def test_a_pinned_plan_is_the_scenario_called_a(asked):
    plan = Plan("HUEM", 1.5, 4, 2, 500, calibrated=False)
    question, _ = asked(*QUICK, "--same-epsilon", "--scenario", "b=DAM,2,3,,", "--pinned", "HUEM,1.5,4,2,500")
    assert question.scenarios == (Scenario("A", plan), Scenario("b", Plan(epsilon=2.0, d=3, calibrated=False)))


def test_every_core_works_unless_told_otherwise(asked, monkeypatch):
    monkeypatch.setattr(engines, "available_cores", lambda: 7)
    assert asked(*QUICK)[1] == 7
    assert asked(*QUICK, "--workers", "3")[1] == 3


def test_progress_is_on_the_error_stream(capsys):
    words = ["report", "--data", "normal", "--d", "2", "--repeats", "2", "--mechanisms", "DAM", "--purpose", "counts"]
    assert main([*words, "--scenario", "small=DAM,2,2,,99", "--workers", "1"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("<!doctype html>")
    for text in ("best grid: 1", "your setting: ", "scenario small: ", "curve of DAM: "):
        assert text in captured.err, text
    assert captured.err.endswith("\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--target", "-1", "--d", "3"], "target"),
        (["--users", "0", "--d", "3"], "users"),
        (["--pinned", "DAM", "--d", "3"], "pinned"),
        (["--scenario", "DAM", "--d", "3"], "--scenario must be name=mechanism,ε,d,b,people"),
        (["--scenario", "a=DAM,1,3,,", "--scenario", "a=DAM,2,3,,"], "a different name, got 'a' twice"),
        (["--scenario", "A=DAM,1,3,,", "--pinned", "DAM,2,3,,"], "a different name, got 'A' twice"),
        (["--workers", "0", "--d", "3"], "--workers must be a whole number ≥ 1, got 0"),
        (["--json", "--d", "3"], "HTML"),
        (["--bounds", "-123.5,37,-123.4,37.1"], "nobody"),
        (["--epsilon", "0"], "epsilon"),
    ],
)
def test_a_usage_error_is_one_line(arguments, said, capsys):
    assert main(["report", *arguments]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_at_most_four_scenarios(capsys, asked):
    four = [word for name in "abcd" for word in ("--scenario", f"{name}=DAM,1,3,,")]
    assert [scenario.name for scenario in asked(*QUICK, *four)[0].scenarios] == ["a", "b", "c", "d"]
    assert main([*QUICK, *four, "--pinned", "DAM,1,3,,"]) == 1
    said = capsys.readouterr().err
    assert said == "spatialldp: --scenario can be given at most 4 times, --pinned included, got 5\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "--over", "people"], "--over: invalid choice: 'people'"),
        (["report", "--purpose", "maps"], "--purpose: invalid choice: 'maps'"),
        (["report", "--for", "me"], "--for: invalid choice: 'me'"),
        # Curves for several numbers of people have no axis of their own, which a table needs.
        (["sweep", "--over", "crowds"], "--over: invalid choice: 'crowds'"),
    ],
)
def test_a_word_that_is_no_choice_is_refused(arguments, said, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert said in capsys.readouterr().err

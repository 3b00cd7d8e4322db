"""`report` on the command line: the printable report with the numbers of the library."""

import shlex

import pytest

from spatialldp.__main__ import main
from spatialldp.experiments.plan import Plan
from spatialldp.report import Question, report_command, study
from spatialldp.report.html import printable_report

BOX = (-72.945, 41.295, -72.905, 41.325)


@pytest.mark.parametrize(
    "question",
    [
        Question(
            "new-haven",
            Plan(d=4, epsilon=2.0),
            seed=3,
            repeats=2,
            reports=3,
            names=("DAM", "MDSW"),
            target=2_000.0,
            pinned=Plan("k-RR", 1.0, 3, None, 900),
        ),
        Question(
            "new-haven",
            Plan("Planar Laplace", 2.0, 3, users=500, calibrated=False),
            bounds=BOX,
            repeats=2,
            over="d",
            names=("Planar Laplace",),
        ),
        Question("normal", Plan("HUEM", 2.0, 3, b=1, by="hit rate"), repeats=2, over="b", names=("HUEM",)),
    ],
    ids=["accepted error", "offered budget in a box", "radius by hand"],
)
def test_the_command_of_a_question_makes_its_printable_report(question, tmp_path, capsys):
    words = shlex.split(report_command(question))
    assert words[:4] == ["python", "-m", "spatialldp", "report"]
    assert words[-2:] == ["--output", "printable-report.html"]
    file = tmp_path / "printable-report.html"
    assert main([*words[3:-1], str(file)]) == 0
    capsys.readouterr()
    *_, found = study(question)
    assert file.read_text("utf-8").split() == printable_report(found).split()


def test_progress_is_on_the_error_stream(capsys):
    assert main(["report", "--data", "normal", "--d", "2", "--repeats", "2", "--mechanisms", "DAM"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("<!doctype html>")
    for text in ("error and risk of the plan", "finest useful grid: 1 measurement", "curve of DAM: 2 points"):
        assert text in captured.err, text
    assert captured.err.endswith("\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--target", "-1", "--d", "3"], "target"),
        (["--users", "0", "--d", "3"], "users"),
        (["--pinned", "DAM", "--d", "3"], "pinned"),
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

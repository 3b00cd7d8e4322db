"""The report: one file that needs nothing else, with the numbers of the library."""

import re
from dataclasses import replace

import pytest

from spatialldp.__main__ import main
from spatialldp.experiments.plan import Plan
from spatialldp.planning import sentences
from spatialldp.planning.study import pinned_text, read_pinned
from spatialldp.report import Question, Study, report_command, study
from spatialldp.report.html import report_html

QUESTION = Question(
    "new-haven",
    Plan(d=4, epsilon=2.0),
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


def test_it_holds_the_numbers_the_settings_and_the_corrections(found):
    page = report_html(found)
    error = found.shown.error
    for text in (
        sentences.length(error.transport, "m"),
        sentences.length(error.cell, "m"),
        sentences.length(error.total, "m"),
        f"{found.shown.one.hit_rate:.1%}",
        "New Haven police cases",
        "3.585",
        "side/√6",
        "@page",
        "A4",
        "simulated",
        "Two scenarios",
        "k-RR",
        "spatialldp 0.1.0",
        "uniform guess",
        "Limits",
    ):
        assert text in page, text
    assert page.count('src="data:image/') == 7
    assert "http:" not in re.sub(r'src="data:[^"]*"', "", page)


def test_foreign_text_is_escaped(found):
    evil = replace(found, entry=replace(found.entry, title="<script>alert(1)</script>", source='"><img src=x>'))
    page = report_html(evil)
    assert "<script>" not in page
    assert "<img src=x>" not in page
    assert "&lt;script&gt;" in page


def test_the_command_makes_the_same_numbers(found, tmp_path, capsys):
    words = report_command(QUESTION).split()
    assert words[:4] == ["python", "-m", "spatialldp", "report"]
    file = tmp_path / "report.html"
    assert main([*words[3:-1], str(file)]) == 0
    capsys.readouterr()
    assert file.read_text("utf-8").split() == report_html(found).split()


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "--target", "-1", "--d", "3"], "target"),
        (["report", "--users", "0", "--d", "3"], "users"),
        (["report", "--pinned", "DAM", "--d", "3"], "pinned"),
        (["report", "--json", "--d", "3"], "HTML"),
        (["report", "--bounds", "-123.5,37,-123.4,37.1"], "nobody"),
        (["report", "--epsilon", "0"], "epsilon"),
    ],
)
def test_a_mistake_is_one_line(arguments, said, capsys):
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1

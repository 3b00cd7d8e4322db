"""The printable report: one file that needs nothing else, with the numbers of the library."""

import datetime
import re
from dataclasses import replace

import pytest

from spatialldp.experiments.plan import Plan
from spatialldp.formatting import length
from spatialldp.report import Question, Study, report_command, study
from spatialldp.report.html import printable_report, report_html

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
    page = printable_report(found)
    error = found.assessment.error
    for text in (
        length(error.transport, "m"),
        length(error.cell, "m"),
        length(error.total, "m"),
        f"{found.assessment.one.hit_rate:.1%}",
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
    page = printable_report(evil)
    assert "<script>" not in page
    assert "<img src=x>" not in page
    assert "&lt;script&gt;" in page


def test_it_is_dated_and_says_how_to_make_it_again(found):
    page = printable_report(found, datetime.date(2024, 2, 29))
    assert "2024-02-29" in page
    assert report_command(QUESTION).replace('"', "&quot;") in page


def test_the_earlier_name_still_makes_it(found):
    assert report_html(found) == printable_report(found)

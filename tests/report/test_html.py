"""The printable report: one file that needs nothing else, with the numbers of the library."""

import datetime
import html
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from spatialldp import wasserstein2
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.repeats import half_width_of_mean
from spatialldp.formatting import length, percent
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


def rows_of(page: str) -> dict[str, list[str]]:
    """The rows of all tables: first column → the others, as a reader sees them."""
    rows = {}
    for line in re.findall(r"<tr>(.*?)</tr>", page):
        first, *rest = (html.unescape(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", line))
        rows.setdefault(first, rest)
    return rows


def test_its_tables_hold_the_numbers_of_the_assessment(found):
    rows, error, baselines = rows_of(printable_report(found)), found.assessment.error, found.assessment.baselines
    assert rows["From the randomisation (W2)"] == [
        length(error.transport, "m"),
        f"± {length(half_width_of_mean(error.w2_cells) * error.side, 'm')}",
    ]
    assert rows["Hidden by the size of the cells (side/√6)"][0] == length(error.side / math.sqrt(6), "m")
    assert rows["Both together"] == [
        length(error.transport + error.cell, "m"),
        f"{length(error.low, 'm')} to {length(error.high, 'm')}",
    ]
    evenly = wasserstein2(found.population.counts, np.ones((4, 4))) * error.side
    assert rows["For comparison, W2 of a uniform guess (no report at all)"][0] == length(evenly, "m")
    chance = rows["For comparison, W2 without privacy (chance alone)"][0]
    assert chance == length(baselines.no_privacy * error.side, "m")
    assert baselines.no_privacy * error.side < 0.2 * evenly


def test_its_risks_are_those_of_no_one_and_three_reports(found):
    rows, one, many = rows_of(printable_report(found)), found.assessment.one, found.assessment.many
    assert rows["An attacker who knows where people usually are and sees"] == ["no report", "one report", "3 reports"]
    assert rows["Budget spent"] == ["0", "ε = 2", "ε = 6"]
    counts = found.population.counts
    assert rows["Best-guess attacker: names the right cell"] == [
        f"{counts.max() / counts.sum():.1%}",
        percent(one.hit_rate, digits=1),
        percent(many.hit_rate, many.hit_rate_error, digits=1),
    ]
    assert many.hit_rate > one.hit_rate


def test_lengths_of_the_risks_are_metres_and_every_point_of_a_curve_has_its_row(found):
    page, side, many = printable_report(found), found.assessment.error.side, found.assessment.many
    off_by = rows_of(page)["Best-guess attacker: off by, on average"]
    assert off_by[2] == length(many.guess_distance * side, "m", many.guess_distance_error * side)
    table = page[page.index('<table class="long">') :]
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)]
    rows = [row for row in cells if row[:1] in (["DAM"], ["MDSW"])][: len(found.points)]
    assert [(row[0], row[5], row[6]) for row in rows] == [
        (at.mechanism, f"{at.risk.hit_rate:.1%}", length(at.risk.guess_distance * at.error.side, "m"))
        for at in found.points
    ]


def test_it_says_how_many_of_the_people_take_part(found):
    some = replace(found.assessment, error=replace(found.assessment.error, users=900))
    rows = rows_of(printable_report(replace(found, assessment=some)))
    assert rows["People who take part"] == ["900 of 3,293 in the area"]

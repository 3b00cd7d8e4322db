"""The printable report: one file that needs nothing else, with the numbers of the library."""

import datetime
import html
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

from spatialldp import wasserstein2
from spatialldp.experiments import map_error
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.ranges import range_error
from spatialldp.formatting import length, percent
from spatialldp.planning import Scenario, UsersAnswer, sentences
from spatialldp.planning.study import first_run
from spatialldp.population import Population
from spatialldp.report import Question, Study, report_command, study
from spatialldp.report.html import printable_report, report_html

QUESTION = Question(
    "new-haven",
    Plan(d=4, epsilon=2.0),
    seed=3,
    repeats=2,
    reports=3,
    names=("DAM", "MDSW"),
    target=1_500.0,
    scenarios=(Scenario("cautious", Plan("k-RR", 1.0, 3, None, 900)),),
)
#: Cells per side of the finest grid that people are counted on here.
FINEST = 60


@pytest.fixture(autouse=True, scope="module")
def coarse():
    """Transport takes a fraction of the time, and the printable report shows whatever comes of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(map_error, "quick_side", lambda: FINEST)
        yield


@pytest.fixture(scope="module")
def found(coarse) -> Study:
    *steps, last = study(QUESTION)
    assert all(isinstance(step, str) for step in steps)
    assert isinstance(last, Study)
    return last


@pytest.fixture(scope="module")
def present(found) -> Study:
    """The same, decided for the present setting."""
    people = Population.of("new-haven", 4)
    question = replace(QUESTION, decided_for="present")
    return replace(found, question=question, population=people, run=first_run(people, question.plan, 3))


@pytest.fixture(scope="module")
def counted(coarse) -> Study:
    """An offered ε for a map of how many people there are in an area."""
    *_, last = study(Question("new-haven", Plan(d=4), repeats=2, over="crowds", purpose="counts"))
    assert isinstance(last, Study)
    return last


def rows_of(page: str) -> dict[str, list[str]]:
    """The rows of all tables: first column → the others, as a reader sees them."""
    rows = {}
    for line in re.findall(r"<tr>(.*?)</tr>", page):
        first, *rest = (html.unescape(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", line))
        rows.setdefault(first, rest)
    return rows


def read(page: str) -> str:
    """The words of a page, as somebody reads them."""
    return html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)))


def whole(metres: str) -> int:
    """A number of metres as it is printed."""
    return int(metres.removesuffix(" m").replace(",", ""))


def error_of(people_on: int, shares: np.ndarray) -> float:
    """W2 between the people of New Haven on so many cells per side and a map spread evenly over its cells, metres."""
    people, times = Population.of("new-haven", people_on), people_on // len(shares)
    assert times * len(shares) == people_on
    return wasserstein2(people.counts, np.kron(shares, np.ones((times, times)))) * people.grid.cell_size_m


def test_it_holds_the_settings_and_the_corrections(found):
    page = printable_report(found)
    for text in ("New Haven police cases", "3.585", "@page", "A4", "simulated", "k-RR", "spatialldp 0.1.0", "Limits"):
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


# -- the decision -------------------------------------------------------------------------------------


def test_the_advice_comes_first_then_how_sure_it_is_then_what_the_rest_is_about(found):
    page = printable_report(found)
    words = read(page)
    advice = sentences.recommendation(found.decision, found.recommended)
    said = [advice, "How sure this is", *sentences.decision_details(found.decision)]
    said += [sentences.users_sentence(found.users, QUESTION.plan, "m"), "This printable report is about", "The map\n"]
    places = [words.index(text) for text in said]
    assert places == sorted(places)
    advised = re.search(r'<p class="advice" id="recommendation">(.*?)</p>', page)
    assert read(advised[1]) == advice
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert headings[:6] == [
        "How sure this is",
        "The map",
        "How good the map is",
        "What one person risks",
        "Both sides of the trade-off",
        "The plans side by side",
    ]


def test_a_length_is_not_broken_between_number_and_unit(found):
    advice = re.search(r'id="recommendation">(.*?)</p>', printable_report(found))[1]
    assert '<span class="u">1,500 m</span>' in advice


def test_that_a_blind_guess_is_good_enough_is_said_where_it_is(found):
    generous = replace(found, decision=replace(found.decision, target=9_999.0))
    words = "No report is needed to stay within 9,999 m: a blind guess is off by "
    assert words in read(printable_report(generous))
    assert "No report is needed" not in read(printable_report(found))


def test_how_many_people_it_takes_is_said_where_it_is_known(found):
    words = "no number of people is enough for 1,500 m"
    assert words not in read(printable_report(found))
    assert words in read(printable_report(replace(found, users=UsersAnswer(1_500.0, False, None))))
    assert "takes about" not in read(printable_report(replace(found, users=None)))


def about(page: str) -> str:
    return read(re.search(r'<p id="about">(.*?)</p>', page)[1])


def test_it_says_which_plan_it_is_about(found, present):
    plan = found.decision.plan
    assert plan != QUESTION.plan
    assert about(printable_report(found)) == (
        "This printable report is about the recommended plan: "
        f"DAM with ε = {plan.epsilon:g} on {plan.d} × {plan.d} cells, 3,293 people."
    )
    assert about(printable_report(present)) == (
        "This printable report is about your own setting, not the recommended plan: "
        "DAM with ε = 2 on 4 × 4 cells, 3,293 people."
    )
    missed = replace(found, decision=replace(found.decision, met=False))
    assert about(printable_report(missed)).startswith("This printable report is about the plan that comes nearest: ")
    same = replace(found, question=replace(QUESTION, decided_for="present"), setting=found.recommended)
    assert about(printable_report(same)).startswith(
        "This printable report is about your own setting, which is the recommended plan: "
    )


# -- the map and its error ----------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["found", "present"])
def test_the_error_of_the_map_is_of_the_decided_plan_and_adds_up(which, request):
    study_ = request.getfixturevalue(which)
    error = study_.decided.error
    d = error.plan.d
    rows = rows_of(printable_report(study_))
    value, interval = rows[f"Mean of {error.values.size} simulated collections"]
    mean = sum(error.values) / error.values.size
    assert value == f"{mean:,.0f} m"
    if error.shift_error == 0:
        low, high = scipy.stats.t.interval(0.95, error.values.size - 1, mean, scipy.stats.sem(error.values))
        assert interval == f"{low:,.0f}–{high:,.0f} m"
    people = Population.of("new-haven", d)
    cell = error_of(d * (FINEST // d), people.shares)
    assert rows["… from cell size (the true map on these cells has it too)"][0] == f"{cell:,.0f} m"
    names = (
        f"Mean of {error.values.size} simulated collections",
        "… from cell size (the true map on these cells has it too)",
    )
    total, part, rest = (whole(rows[name][0]) for name in (*names, "… from the randomisation"))
    assert total == part + rest
    guess = error_of(d * (FINEST // d), np.ones((d, d)))
    assert rows["For comparison: a uniform guess (no report at all)"][0] == f"{guess:,.0f} m"
    chance = rows["For comparison: no privacy (as many people drawn at random, each giving their true cell)"][0]
    assert part <= whole(chance) < guess / 2
    between = "W2 between grids, mean (as on Explore and Compare: from cell centre to cell centre)"
    assert rows[between][0] == length(np.mean(error.w2_cells) * people.grid.cell_size_m, "m")


def test_how_the_error_was_measured_is_said_once(found, present):
    own = sentences.error_details(present.setting.error)[0]
    assert read(printable_report(present)).count(own) == 1
    assert own not in read(printable_report(found))
    assert read(printable_report(found)).count(sentences.error_details(found.decision.error)[0]) == 1


def test_the_recovered_map_has_the_error_of_this_very_map(present):
    shown = read(printable_report(present))
    distribution = present.run.estimate.distribution
    between = wasserstein2(Population.of("new-haven", 4).counts, distribution) * present.decided.error.side
    assert (
        f"error of this map: {error_of(FINEST, distribution):,.0f} m (W2 between grids, this draw: {between:,.0f} m)"
    ) in shown


def test_a_map_of_a_sample_is_held_against_everybody(present):
    sampled = replace(present, run=first_run(present.population, QUESTION.plan.with_changes(users=60), 3))
    between = wasserstein2(present.population.counts, sampled.run.estimate.distribution) * present.decided.error.side
    assert abs(between - sampled.run.w2_cells * present.decided.error.side) > 10
    assert f"this draw: {between:,.0f} m)" in read(printable_report(sampled))


def test_errors_of_counts_are_per_thousand_and_lengths_stay_lengths(counted):
    page = printable_report(counted)
    rows, error = rows_of(page), counted.decided.error
    assert rows["Mean of 2 simulated collections"][0] == f"{np.mean(error.values):.3g} per 1,000"
    assert not [name for name in rows if name.startswith("W2 between grids, mean (")]
    assert rows["Error of counts"] == ["value", "95% interval of the mean"]
    shown = read(page)
    distribution = counted.run.estimate.distribution
    d = len(distribution)
    times = FINEST // d
    off_by_people = range_error(
        Population.of("new-haven", times * d).counts, np.kron(distribution, np.ones((times, times)) / times**2)
    )
    between = wasserstein2(Population.of("new-haven", d).counts, distribution) * error.side
    assert (
        f"error of counts of this map: {1_000 * off_by_people:.3g} per 1,000 (W2 between grids, this draw: "
        f"{between:,.0f} m)"
    ) in shown
    off_by = rows["Best-guess attacker: off by, on average"]
    assert off_by[0] == length(counted.decided.one.prior_distance * error.side, "m")
    assert rows["What the map is for"] == ["how many people are in an area (counts)"]
    assert "half as fine" not in shown
    assert "in a square 0.3 times as wide as the map" in shown


# -- risks, curves, plans -----------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["found", "present"])
def test_its_risks_are_those_of_no_one_and_three_reports(which, request):
    study_ = request.getfixturevalue(which)
    rows, one, many = rows_of(printable_report(study_)), study_.decided.one, study_.decided.many
    assert rows["An attacker who knows where people usually are and sees"] == ["no report", "one report", "3 reports"]
    plan = study_.decision.plan if which == "found" else QUESTION.plan
    assert rows["Budget spent"] == ["0", f"ε = {plan.epsilon:g}", f"ε = {3 * plan.epsilon:.3g}"]
    counts = Population.of("new-haven", plan.d).counts
    assert rows["Best-guess attacker: names the right cell"] == [
        f"{counts.max() / counts.sum():.1%}",
        percent(one.hit_rate, digits=1),
        percent(many.hit_rate, many.hit_rate_error, digits=1),
    ]
    # What three reports add is simulated: much at ε = 2, and no more than chance at the small ε that is recommended.
    chance = 3 * many.hit_rate_error
    assert many.hit_rate - one.hit_rate > (chance if which == "present" else -chance)


def curve_rows(page: str) -> list[list[str]]:
    table = page[page.index('<table class="long curves">') :]
    rows = re.findall(r"<tr>(.*?)</tr>", table[: table.index("</table>")])
    return [[html.unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows][1:]


def test_lengths_of_the_risks_are_metres_and_every_point_of_a_curve_has_its_row(found):
    page, side, many = printable_report(found), found.decided.error.side, found.decided.many
    off_by = rows_of(page)["Best-guess attacker: off by, on average"]
    assert off_by[2] == length(many.guess_distance * side, "m", many.guess_distance_error * side)
    assert {at.mechanism for at in found.points} == {"DAM", "MDSW"}
    assert curve_rows(page) == [
        [
            at.mechanism,
            f"{at.value:g}",
            f"{np.mean(at.error.values):,.0f} m",
            f"{length(at.error.low, 'm').removesuffix(' m')}–{at.error.high:,.0f} m",
            f"{at.error.cell:,.0f} m",
            f"{at.risk.hit_rate:.1%}",
            # A guess that hardly ever misses the cell is not 0 m off.
            f"under {length(at.error.side / 2, 'm')}"
            if at.risk.guess_distance < 0.1
            else length(at.risk.guess_distance * at.error.side, "m"),
        ]
        for at in found.points
    ]


def test_curves_show_the_accepted_error_and_mark_the_plan(found, counted):
    described = re.findall(r'alt="(Curves of [^"]*)"', printable_report(found))
    assert [words.endswith("; accepted: 1,500 m") for words in described] == [True, False, False]
    others = re.findall(r'alt="(Curves of [^"]*)"', printable_report(counted))
    assert not any("accepted" in words for words in others)
    assert "Curves of error of counts, people per 1,000 against privacy budget ε: 329 people from" in others[0]


def test_curves_for_several_crowds_are_named_after_them(counted):
    assert [row[0] for row in curve_rows(printable_report(counted))] == [
        name for name in ("329 people", "3,293 people", "32,930 people") for _ in range(len(counted.points) // 3)
    ]
    assert rows_of(printable_report(counted))["Curves against"] == ["privacy budget ε, for several numbers of people"]


def test_plans_stand_side_by_side(found):
    rows = rows_of(printable_report(found))
    assert rows[""] == ["Recommended", "Your setting", "cautious"]
    assert rows["Cells"] == [f"{found.decision.plan.d} × {found.decision.plan.d}", "4 × 4", "3 × 3"]
    assert rows["People"] == ["3,293", "3,293", "900"]
    assert rows["Error of the map, mean"] == [
        f"{np.mean(plan.error.values):,.0f} m" for plan in (found.recommended, found.setting, found.scenarios[0][1])
    ]
    one = replace(found, setting=found.recommended)
    assert rows_of(printable_report(one))[""] == ["Recommended", "cautious"]
    assert "The plans side by side" not in printable_report(replace(one, scenarios=()))
    missed = replace(found, decision=replace(found.decision, met=False))
    assert rows_of(printable_report(missed))[""][0] == "Nearest"


def test_it_says_how_many_of_the_people_take_part(found):
    some = replace(found.recommended, error=replace(found.recommended.error, users=900))
    rows = rows_of(printable_report(replace(found, recommended=some)))
    assert rows["People who take part"] == ["900 of 3,293 in the area"]


def test_the_method_explains_the_measure(found):
    shown = read(printable_report(found))
    for text in ("128 × 128", "half as fine", "“W2 between grids”", "2 simulated collections", "from cell size"):
        assert text in shown, text
    assert "side/√6" not in shown

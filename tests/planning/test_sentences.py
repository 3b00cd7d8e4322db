"""Sentences to read aloud."""

import math
import re

import numpy as np
import pytest

from spatialldp import MECHANISMS
from spatialldp.experiments import MapBaselines, population
from spatialldp.experiments.map_error import COUNTS, PER_THOUSAND, PLACES, MapError
from spatialldp.experiments.measurements import measure
from spatialldp.experiments.plan import Plan
from spatialldp.planning import sentences
from spatialldp.planning.decision import Assessment, Decision, assess
from spatialldp.planning.searches import UsersAnswer
from spatialldp.privacy import LocalPrivacy, RepeatedRisk


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


# -- made up by hand ---------------------------------------------------------------------------------


def error(*values: float, plan: Plan | None = None, users: int = 1_000, **changes) -> MapError:
    settings = {"cell": 122.0, "side": 300.0, "w2_cells": np.array([1.0])} | changes
    return MapError(plan or Plan(), users, 3.5, np.array(values or (422.0, 422.0)), **settings)


def risk(reports: int = 1, hit_rate: float = 0.1234, before: float = 0.0123) -> RepeatedRisk:
    return RepeatedRisk(reports, 3.5 * reports, 2.0, hit_rate, 2.5, 0.1, 0.0, 0.0, 0.0, 0.0, 5.0, before)


def assessment(of: MapError, many: RepeatedRisk | None = None) -> Assessment:
    one = risk()
    return Assessment(of, MapBaselines(3_000.0, 155.0), one, many or one, LocalPrivacy(2.0, 0.0))


def words(text: str) -> int:
    return len(text.split())


# -- what is recommended -----------------------------------------------------------------------------


@pytest.mark.parametrize("reports", [1, 30])
@pytest.mark.parametrize("target", [None, 12.3], ids=["offer", "target"])
@pytest.mark.parametrize("purpose", [PLACES, COUNTS])
@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_read_aloud_has_at_most_forty_words(name, purpose, target, reports):
    for unit in ("m", "map units"):
        for calibrated in (True, False):
            plan = Plan(name, 3.45, 15, calibrated=calibrated)
            of = error(11.1, 11.3, plan=plan, purpose=purpose, length_unit=unit)
            # Chances from one in two to one in a hundred thousand, which take most words.
            for chances in ((0.5, 0.25), (0.12345, 0.0123), (0.0001, 0.00001)):
                found = assessment(of, risk(reports, *chances))
                said = sentences.recommendation(Decision(of, target), found)
                assert words(said) <= 40, said
                assert sentences.setting_words(plan) in said
                assert "15 × 15 cells" in said
                # However short, it names the error and the risk.
                about = "11" if of.unit == "m" else "11.2"
                assert f"off by about {about} {of.unit}" in said.replace("people per", "per")
                assert said.count("One report " if reports == 1 else "30 reports ") == 1
                # What was known before any report is never left out.
                in_cases, before = sentences.in_cases(*chances)
                as_shares = {0.5: "50% (before: 25%)", 0.12345: "12% (before: 1.2%)", 0.0001: "0.01% (before: 0.001%)"}
                assert (
                    f"{in_cases} (before: {before.removeprefix('in ')})." in said
                    or f": {as_shares[chances[0]]}." in said
                )
                assert words(sentences.recommendation(Decision(of, target), None)) <= 40


@pytest.mark.parametrize("purpose", [PLACES, COUNTS])
def test_where_nothing_meets_the_target_it_says_so_in_forty_words(purpose):
    plan = Plan("Planar Laplace", 9.0, 60)
    of = error(512.0, 514.0, plan=plan, purpose=purpose, length_unit="map units")
    for found in (None, assessment(of)):
        said = sentences.recommendation(Decision(of, 300.0, met=False), found)
        assert said.startswith("No ε up to 9 keeps the error within 300 ")
        assert "60 × 60 cells still leave 513 " in said
        assert words(said) <= 40


def test_the_recommendation_word_for_word():
    plan = Plan(epsilon=1.0, d=12)
    of = error(482.0, 483.0, plan=plan)
    found = assessment(of, risk(1, 0.0744, 0.0240))
    assert sentences.recommendation(Decision(of, 500.0), found) == (
        "To stay within 500 m, choose ε = 1 on 12 × 12 cells: the map will be off by about 482 m. One report gives "
        "away the right cell in 74 of 1,000 cases (before: 24)."
    )
    assert sentences.recommendation(Decision(of), found) == (
        "With ε = 1, choose 12 × 12 cells: the map will be off by about 482 m. One report gives away the right cell in "
        "74 of 1,000 cases (before: 24)."
    )
    many = assessment(of, risk(30, 0.5, 0.0240))
    assert "30 reports of one person give away the right cell in 500 of 1,000 cases" in sentences.recommendation(
        Decision(of), many
    )


def test_the_recommendation_names_the_error_in_the_unit_of_its_purpose():
    of = error(18.2, 18.4, plan=Plan("MDSW", 2.0, 8), purpose=COUNTS)
    said = sentences.recommendation(Decision(of, 20.0), None)
    assert f"To stay within 20 {PER_THOUSAND}" in said
    assert f"counts in areas will be off by about 18.3 people {PER_THOUSAND}" in said
    assert "MDSW with ε = 2 on 8 × 8 cells" in said
    assert "m" not in re.findall(r"\d (\w+)", said)


# -- where the error comes from ------------------------------------------------------------------------


def printed(text: str) -> list[float]:
    """The numbers of a sentence, as a reader takes them."""
    found = re.findall(r"(−?)(\d[\d,]*(?:\.\d+)?)", text.replace(PER_THOUSAND, ""))
    return [float(number.replace(",", "")) * (-1 if sign else 1) for sign, number in found]


@pytest.mark.parametrize("unit", ["m", "map units", PER_THOUSAND])
def test_the_parts_add_up_as_printed(unit):
    rng = np.random.default_rng(3)
    purpose = COUNTS if unit == PER_THOUSAND else PLACES
    for _ in range(300):
        mean = 10.0 ** rng.uniform(-3, 5)
        cell = mean * rng.choice([rng.uniform(0, 1), rng.uniform(0.99, 1.02)])
        of = error(mean, mean, cell=cell, purpose=purpose, length_unit="m" if purpose == COUNTS else unit)
        said = sentences.parts_sentence(of)
        total, part, rest = printed(said)
        assert total == pytest.approx(part + rest, abs=1e-9), said
        # … and they are those of the error, to the last digit that is printed or 0.6%.
        for number, meant in ((total, mean), (part, cell), (rest, of.noise)):
            assert number == pytest.approx(meant, abs=max(0.006 * mean, 1.01 if mean >= 10 else 0.11)), said
        assert said.endswith(" from the randomisation.")
        assert said.count(f" {unit} ") == 3


def test_the_details_of_an_error_say_how_it_was_measured():
    of = error(482.0, 484.0, 490.0, plan=Plan(epsilon=1.0, d=12), users=261_552, overstated=4.1)
    first, second, third = sentences.error_details(of)
    assert first == (
        "Error of the map with DAM at ε = 1 on 12 × 12 cells, 261,552 people: 485 m = 122 m from cell size + 363 m "
        "from the randomisation."
    )
    # Student's t of two degrees of freedom: 4.303·4.163/√3 = 10.3, and 4.303·4.163·√(4/3) = 20.7.
    assert second == (
        "It is the mean of 3 simulated collections, ± 10 m with 95% confidence; a single one may by chance be off by "
        "up to 506 m."
    )
    assert third == (
        "People are counted on a fine grid of 120 × 120, which makes the error about 4.1 m larger than exact locations "
        "would."
    )


@pytest.mark.parametrize(
    ("overstated", "said"), [(0.0, None), (2.0, None), (2.2, "2.2 m larger"), (-30.0, "30 m smaller"), (math.nan, None)]
)
def test_what_a_fine_grid_adds_is_said_from_half_a_percent_on(overstated, said):
    details = sentences.error_details(error(422.0, 422.0, overstated=overstated))
    if said is None:
        assert not any("fine grid" in sentence for sentence in details)
    else:
        assert sum(f"a fine grid of 120 × 120, which makes the error about {said} than" in one for one in details) == 1


def test_on_a_grid_of_its_own_finest_cells_the_part_from_cell_size_is_not_measured():
    of = error(480.0, 490.0, plan=Plan(d=70), cell=0.0, side=150.0, overstated=math.nan)
    first, *_, last = sentences.error_details(of)
    assert first.endswith("1,000 people: 485 m; the part from cell size is not measured on cells this small.")
    assert "the part from cell size is not measured; it is less than the 150 m of a cell" in last
    assert not any("not measured" in one for one in sentences.error_details(error(480.0, 490.0, plan=Plan(d=64))))


def test_a_single_collection_has_no_interval_and_counts_have_no_fine_grid():
    assert len(sentences.error_details(error(422.0, overstated=0.0))) == 1
    *_, last = sentences.error_details(error(20.0, 21.0, purpose=COUNTS, plan=Plan(d=70), overstated=9.0))
    assert (
        last
        == "It is the mean error of the number of people in a square 0.3 times as wide as the map, wherever it lies."
    )


def test_the_details_of_a_decision_say_how_it_was_found():
    plan = Plan(epsilon=1.05, d=12)
    of, below = error(480.0, 490.0, plan=plan), error(497.0, 507.0, plan=plan.with_changes(epsilon=1.0))
    *_, found, grids = sentences.decision_details(Decision(of, 500.0, below=below))
    # Student's t of one degree of freedom: 12.706·5.
    assert found == (
        "ε = 1.05 is the smallest that keeps the mean within 500 m with 95% confidence: at ε = 1 it is 502 m ± 64 m, "
        "too close to the limit to be sure."
    )
    clear = error(510.0, 511.0, plan=plan.with_changes(epsilon=1.0))
    *_, found, _ = sentences.decision_details(Decision(of, 500.0, below=clear))
    assert found.endswith(": at ε = 1 it is 510 m ± 6.4 m, which is too much.")
    assert grids == (
        "Grids tried: 5, 8, 12, 15, 20, 30, 40 and 60 cells per side. Among grids within 5% of the best, the coarsest "
        "is chosen."
    )
    # A mean below the target is not enough where its interval reaches above it.
    near = error(489.0, 507.0, plan=plan.with_changes(epsilon=1.0))
    *_, found, _ = sentences.decision_details(Decision(of, 500.0, below=near))
    assert found.endswith(": at ε = 1 it is 498 m ± 114 m, too close to the limit to be sure.")
    *_, found, _ = sentences.decision_details(Decision(error(plan=Plan(epsilon=0.5)), 500.0))
    assert found == "ε = 0.5 is the smallest that is tried."
    *_, best = sentences.decision_details(Decision(error(plan=Plan("SEM-Geo-I"))))
    assert best.startswith("It is the best of the grids tried at this ε (5, 8, 12 and 15 cells per side).")
    unmet = Decision(of, 300.0, met=False)
    assert sentences.decision_details(unmet) == sentences.error_details(of)


@pytest.mark.parametrize(
    ("target", "guess", "said"), [(500.0, 501.0, False), (500.0, 500.0, True), (500.0, 80.0, True), (None, 1.0, False)]
)
@pytest.mark.parametrize("purpose", [PLACES, COUNTS])
def test_where_a_blind_guess_is_good_enough_it_is_said_first(purpose, target, guess, said):
    of = error(plan=Plan("SEM-Geo-I", 3.45), purpose=purpose, length_unit="map units")
    found = Assessment(of, MapBaselines(guess, 10.0), risk(), risk(), LocalPrivacy(2.0, 0.0))
    sentence = sentences.recommendation(Decision(of, target), found)
    begins = f"No report is needed to stay within 500 {of.unit}: a blind guess is off by {guess:.0f} {of.unit}. With "
    assert sentence.startswith(begins) == said
    assert words(sentence) <= 40
    assert "15 × 15 cells" in sentence
    assert f"about 422 {of.unit}." in sentence.replace("people per", "per")


@pytest.mark.parametrize(("cell", "people"), [(122.0, True), (300.0, False), (400.0, False)])
def test_more_people_are_advised_only_where_they_would_help(cell, people):
    said = sentences.recommendation(Decision(error(cell=cell), 300.0, met=False), None)
    assert ("ask more people" in said) == people


# -- people, risk, side by side ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            UsersAnswer(500.0, True, error(users=8_000)),
            "15 × 15 cells, staying within 500 m takes about 8,000 people.",
        ),
        (
            UsersAnswer(500.0, True, error(users=100)),
            "15 × 15 cells, staying within 500 m takes at most 100 people.",
        ),
        (
            UsersAnswer(300.0, False, error(users=10**7)),
            "and 15 × 15 cells, not even 10,000,000 people would keep the error within 300 m with 95% confidence: its "
            "mean would be 422 m.",
        ),
        (UsersAnswer(100.0, False, None), "no number of people is enough for 100 m: the cells alone cost more"),
    ],
    ids=["enough", "the fewest", "not enough", "never"],
)
def test_how_many_people_in_words(answer, said):
    assert said in sentences.users_sentence(answer, Plan(), "m")


def test_the_risk_in_words():
    said = sentences.risk_sentence(risk(3, 0.0744, 0.0240), 300.0, "m")
    assert "sees 3 reports of one person about one place will name the right cell in 74 of 1,000 cases" in said
    assert "(without a report: in 24), and their best guess will be off by 600 m on average" in said
    assert "(without a report: 1,500 m)" in said


def test_plans_side_by_side():
    people = population("new-haven", 4)
    plans = [assess(people, Plan(epsilon=epsilon, d=4), 1, 2, reports=2) for epsilon in (1.0, 2.0, 4.0)]
    rows = {name: values for name, *values in sentences.comparison_rows(plans)}
    assert rows["Mechanism"] == ["DAM"] * 3
    assert rows["Privacy budget"] == ["ε = 1", "ε = 2", "ε = 4"]
    assert rows["Cells"] == ["4 × 4"] * 3
    assert rows["People"] == ["3,293"] * 3
    for number, found in enumerate(plans):
        total, cell, noise = (
            printed(rows[name][number])[0]
            for name in ("Error of the map, mean", "… from cell size", "… from the randomisation")
        )
        assert total == cell + noise
        assert total == round(found.error.values.mean())
        low, high = printed(rows["… its 95% interval"][number])
        assert low <= total <= high
        assert printed(rows["W2 between grids, mean"][number]) == [
            round(found.error.w2_cells.mean() * found.error.side)
        ]
        side = round(people.grid.cell_size_m)
        assert printed(rows["Side of a cell"][number]) == [side]
        assert rows["Right cell named without a report"][number] == f"{found.one.prior_hit_rate:.1%}"
        assert printed(rows["Attacker’s average error without a report"][number]) == [
            round(found.one.prior_distance * people.grid.cell_size_m)
        ]
        assert rows["Right cell named after one report"][number] == f"{found.one.hit_rate:.1%}"
        assert rows["Right cell named after 2 reports"][number] == f"{found.many.hit_rate:.1%}"
        assert printed(rows["Attacker’s average error, one report"][number]) == [
            round(found.one.guess_distance * people.grid.cell_size_m)
        ]
    single = assess(people, Plan(d=4), 1, 1)
    rows = {name: values for name, *values in sentences.comparison_rows([single])}
    assert rows["… its 95% interval"] == ["–"]
    assert not any(name.startswith("Right cell named after 2") for name in rows)


def test_a_guess_that_never_misses_the_cell_is_not_said_to_be_nowhere_off():
    said = [sentences.guess_off_by(cells, 300.0, "m") for cells in (0.0, 0.09, 0.1, 2.0)]
    assert said == ["under 150 m", "under 150 m", "30 m", "600 m"]
    assert sentences.guess_off_by(2.0, 300.0, "m", 0.1) == "600 m ± 59 m"


def test_what_was_not_measured_is_a_dash():
    of = error(20.0, 21.0, purpose=COUNTS, w2_cells=None, cell=4.0)
    rows = {name: values for name, *values in sentences.comparison_rows([assessment(of)])}
    assert rows["W2 between grids, mean"] == ["–"]
    assert rows["Error of counts, mean"] == [f"20.5 {PER_THOUSAND}"]
    assert rows["Attacker’s average error, one report"] == ["600 m"]

"""Comparisons where no ε′ is equal: both sides run, and a winner wins on both."""

import re

import numpy as np
import pytest

from spatialldp import DAM, SEMGeoI
from spatialldp.experiments import compare, population, simulate
from spatialldp.experiments.comparison import (
    Score,
    alike,
    best,
    both_sides,
    contenders,
    equal_footing,
    score,
    score_of,
)
from spatialldp.experiments.comparison_sentences import (
    figures,
    jump_sentence,
    loss,
    reading,
    side_name,
    told_apart,
    winner_sentence,
)
from spatialldp.privacy import Measured, Protection, local_privacy, risk, worst_case_loss

COUNTS = np.arange(25).reshape(5, 5) * 40
#: At d = 5 the number of cells drops from 2 to 1 at ε′ = ln(25 − 1)/mean distance and takes local privacy from 2.20 to
#: 1.90; DAM at ε = 2.2 has a value between them.
JUMPED, SMOOTH = 2.2, 5.0
HIDDEN = Protection(Measured(5.158, 0), Measured(3.589, 0.01), Measured(0.0411, 0), Measured(176.5, 0), 3.5)


def entry(name: str, error: float, beyond: float | None = None, spread: float = 0.0) -> Score:
    errors = np.array([error - spread, error + spread])
    other = None if beyond is None else Score(name, 0.7, np.array([beyond] * 2), np.ones((1, 1)), 0.0, HIDDEN)
    return Score(name, 0.7, errors, np.ones((1, 1)), 0.0, HIDDEN, other, None if other is None else Measured(5.0, 0))


def test_both_sides_of_a_jump_are_run():
    (found,) = compare(COUNTS, ["SEM-Geo-I"], JUMPED, seed=4, repeats=2)
    below, above = found.sides
    assert above is found.beyond
    assert above.beyond is None
    for side, k in ((below, 2), (above, 1)):
        mechanism = SEMGeoI(side.epsilon, 5)
        assert mechanism.k == k
        assert side.w2_cells[0] == simulate(COUNTS, mechanism, 4).w2_cells
        assert side.w2_cells[1] == simulate(COUNTS, mechanism, 5).w2_cells
        assert side.protection.local_privacy.value == pytest.approx(local_privacy(mechanism).value)
        assert side.protection.hit_rate.value == pytest.approx(risk(mechanism).hit_rate)
        assert side.protection.worst_case == worst_case_loss(mechanism)
    assert found.asked.value == pytest.approx(local_privacy(DAM(JUMPED, 5)).value)
    assert above.protection.local_privacy.value < found.asked.value < below.protection.local_privacy.value
    # Where one number is needed it is the better protected side.
    assert equal_footing("SEM-Geo-I", JUMPED, 5, True).epsilon == below.epsilon


def test_without_a_jump_there_is_one_side():
    for name, calibrated in (("SEM-Geo-I", True), ("SEM-Geo-I", False), ("DAM", True)):
        found = score(COUNTS, name, SMOOTH, 1, 1, calibrated)
        assert found.sides == (found,)
        assert found.asked is None
    assert both_sides("SEM-Geo-I", SMOOTH, 5, False)[0].epsilon == SMOOTH


def test_another_ruler_is_another_epsilon():
    found = score(COUNTS, "SEM-Geo-I", SMOOTH, 1, 1, True, "hit rate")
    assert found.protection.hit_rate.value == pytest.approx(risk(DAM(SMOOTH, 5)).hit_rate, rel=1e-5)
    worst = score(COUNTS, "Planar Laplace", SMOOTH, 1, 1, True, "worst case")
    assert worst.protection.worst_case == pytest.approx(SMOOTH, rel=1e-5)


@pytest.mark.parametrize(
    ("scores", "winner", "possible"),
    [
        ([entry("a", 0.4), entry("b", 0.8, 0.9)], "a", ["a"]),
        ([entry("a", 0.85), entry("b", 0.8, 0.9)], None, ["a", "b"]),
        ([entry("a", 0.85), entry("b", 0.9, 0.8)], None, ["a", "b"]),
        ([entry("a", 1.0), entry("b", 0.8, 0.9)], "b", ["b"]),
        ([entry("a", 1.0), entry("b", 0.8, 1.2), entry("c", 1.1)], None, ["a", "b"]),
        ([entry("a", 0.5)], "a", ["a"]),
        ([], None, []),
    ],
)
def test_a_winner_wins_on_both_sides(scores, winner, possible):
    assert best(scores) == winner
    assert contenders(scores) == possible


def test_the_sentences_name_a_winner_only_if_it_holds_on_both_sides():
    sure = winner_sentence([entry("DAM", 0.4), entry("SEM-Geo-I", 1.1, 0.8)], 1000.0)
    assert sure == (
        "Least error on both sides of the jump: DAM, 0.400 cells (400 m); next is SEM-Geo-I with 1.100 cells (1,100 m) "
        "below and 0.800 cells (800 m) above the jump."
    )
    unsure = winner_sentence([entry("DAM", 0.9), entry("SEM-Geo-I", 1.1, 0.8)], None)
    assert unsure.startswith("No winner: it depends on the side of the jump (DAM has 0.900 cells; SEM-Geo-I has 1.100 ")
    assert "overlap" in winner_sentence([entry("DAM", 0.9, spread=0.1), entry("HUEM", 0.95)], None)
    # The overlap with the other side of the jump counts too.
    assert "overlap" in winner_sentence([entry("DAM", 0.7, spread=0.01), entry("SEM-Geo-I", 1.1, 0.75)], None)
    assert "both sides" not in winner_sentence([entry("DAM", 0.9), entry("HUEM", 0.95)], None)
    # Who is next may depend on the side, too.
    three = winner_sentence([entry("DAM", 0.4), entry("MDSW", 0.9), entry("SEM-Geo-I", 1.1, 0.8)], None)
    assert three.endswith(
        "; next are MDSW with 0.900 cells and SEM-Geo-I with 1.100 cells below and 0.800 cells above the jump."
    )
    same = [entry("DAM", 0.2), entry("HUEM", 0.2)]
    assert winner_sentence(same, None) == (
        "Least error: DAM and HUEM, 0.200 cells: here they are one and the same mechanism."
    )
    assert winner_sentence([*same, entry("MDSW", 0.9)], None).startswith("Least error: DAM and HUEM, 0.200 cells; next")
    assert alike(same) == ["DAM", "HUEM"]
    assert alike([entry("a", 0.85), entry("b", 0.8, 0.9)]) == []
    assert alike([entry("a", 1.0), entry("b", 0.8, 0.9)]) == ["b"]
    assert winner_sentence([entry("DAM", 0.9)], None) == ""


def test_the_sentence_about_a_jump():
    (found,) = compare(COUNTS, ["SEM-Geo-I"], JUMPED, seed=4, repeats=1)
    said = jump_sentence(found, "local privacy")
    lengths = [float(number) for number in re.findall(r"([\d.]+) cells", said)]
    assert lengths == pytest.approx(
        [local_privacy(m).value for m in (DAM(JUMPED, 5), SEMGeoI(found.epsilon, 5), SEMGeoI(found.beyond.epsilon, 5))],
        abs=0.006,
    )
    assert "cannot match DAM here" in said
    assert jump_sentence(found.beyond, "local privacy") == ""
    assert [side_name(side, found) for side in found.sides] == ["just below the jump", "just above the jump"]
    assert side_name(found.beyond, found.beyond) == ""


def test_readings_have_as_many_digits_as_tell_them_apart():
    values = [Measured(0.4012, 0), Measured(0.4038, 0), Measured(0.2, 0)]
    assert told_apart(values, "local privacy") == ["0.401 cells", "0.404 cells", "0.200 cells"]
    assert told_apart([Measured(0.0141, 0), Measured(0.01406, 0)], "hit rate") == ["1.410%", "1.406%"]
    assert told_apart([Measured(3.5, 0), Measured(13.2, 0)], "worst case") == ["3.5 (33 times)", "13.2 (540,000 times)"]


def test_what_is_as_good_as_equal_is_no_jump():
    # At d = 4 and ε = 0.9 the jump skips DAM's local privacy by three parts in 100,000.
    assert both_sides("SEM-Geo-I", 0.9, 4, True)[0].epsilon > 0
    assert len(both_sides("SEM-Geo-I", 0.9, 4, True)) == 1
    assert len(both_sides("SEM-Geo-I", JUMPED, 5, True)) == 2


def test_figures_have_units():
    assert figures(HIDDEN) == {
        "Local privacy": "5.16 cells",
        "Best guess off by": "3.59 ± 0.02 cells",
        "Right cell named": "4.1%",
        "95 % region": "176 cells",
        "Worst case": "3.5 (33 times)",
    }
    assert loss(13.2) == "13.2 (540,000 times)"
    assert loss(94.0) == "94 (10^41 times)"
    assert loss(0.5) == "0.5 (1.6 times)"
    assert loss(np.inf) == "unlimited"
    assert reading(Measured(0.0031, 0.0002), "hit rate") == "0.31% ± 0.04%"
    assert reading(Measured(3.5, 0), "worst case") == "3.5 (33 times)"


def test_the_example_that_fools_local_privacy_has_less_error_than_dam_in_san_francisco():
    counts = population("san-francisco", 15).binned.counts
    honest = score_of(counts, "DAM", DAM(3.5, 15), 1, 5)
    fooling = score_of(counts, "SEM-Geo-I", SEMGeoI(3.0, 15, 3), 1, 5)
    assert honest.mean == pytest.approx(0.40, abs=0.03)
    assert fooling.mean == pytest.approx(0.28, abs=0.03)
    assert fooling.protection.local_privacy.value > honest.protection.local_privacy.value
    assert fooling.protection.hit_rate.value > 6 * honest.protection.hit_rate.value


def test_san_francisco_at_the_default_is_decided_on_both_sides():
    counts = population("san-francisco", 15).binned.counts
    dam, sem = compare(counts, ["DAM", "SEM-Geo-I"], 3.5, 1, 5)
    below, above = sem.sides
    assert below.mean == pytest.approx(1.09, abs=0.1)
    assert above.mean == pytest.approx(0.79, abs=0.1)
    assert best([dam, sem]) == "DAM"

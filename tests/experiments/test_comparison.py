"""Comparisons: repeats of each mechanism, and both sides where no ε′ is equal; a winner wins on both."""

import numpy as np
import pytest

from spatialldp import DAM, SEMGeoI
from spatialldp.experiments import compare, population, simulate
from spatialldp.experiments.comparison import best, both_sides, contenders, equal_footing, score, score_of
from spatialldp.privacy import local_privacy, risk, worst_case_loss
from tests.experiments.scores import entry

COUNTS = np.arange(25).reshape(5, 5) * 40
#: At d = 5 the number of cells drops from 2 to 1 at ε′ = ln(25 − 1)/mean distance and takes local privacy from 2.20 to
#: 1.90; DAM at ε = 2.2 has a value between them.
JUMPED, SMOOTH = 2.2, 5.0


def test_a_comparison_begins_with_the_run_of_the_same_seed():
    first, second = compare(COUNTS, ["DAM", "SEM-Geo-I"], 3.5, seed=4, repeats=3)
    assert first.w2_cells[0] == simulate(COUNTS, DAM(3.5, 5), 4).w2_cells
    assert first.w2_cells.size == 3
    assert first.mean == pytest.approx(first.w2_cells.mean())
    # Student's t of two degrees of freedom.
    assert first.half_width == pytest.approx(4.302653 * first.w2_cells.std(ddof=1) / 3**0.5)
    assert second.epsilon == pytest.approx(1.52813, abs=1e-5)
    assert best([first, second]) in ("DAM", "SEM-Geo-I")
    (same,) = compare(COUNTS, ["SEM-Geo-I"], 3.5, seed=4, repeats=1, calibrated=False)
    assert same.epsilon == 3.5
    assert same.half_width is None


def test_names_may_come_one_by_one():
    counts = np.arange(9).reshape(3, 3) * 40
    assert [score.name for score in compare(counts, iter(["DAM", "MDSW"]), 3.5, seed=1, repeats=2)] == ["DAM", "MDSW"]


def test_a_mechanism_that_cannot_do_it_is_named_before_another_takes_its_time():
    scores = compare(np.ones((512, 512), np.int64), ["MDSW", "DAM"], 0.5, seed=1, repeats=2)
    with pytest.raises(ValueError, match=r"d \+ 2·b must be at most 1,536"):
        next(scores)


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


@pytest.mark.parametrize("calibrated", [True, False])
def test_a_mechanism_or_ruler_that_there_is_not_is_said(calibrated):
    with pytest.raises(ValueError, match=r"mechanism must be one of 'DAM', .* got 'Magic'"):
        score(COUNTS, "Magic", SMOOTH, 1, 1, calibrated)
    with pytest.raises(ValueError, match=r"by must be one of 'local privacy', .* got 'luck'"):
        score(COUNTS, "DAM", SMOOTH, 1, 1, calibrated, "luck")


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


def test_what_is_as_good_as_equal_is_no_jump():
    # At d = 4 and ε = 0.9 the jump skips DAM's local privacy by three parts in 100,000.
    assert both_sides("SEM-Geo-I", 0.9, 4, True)[0].epsilon > 0
    assert len(both_sides("SEM-Geo-I", 0.9, 4, True)) == 1
    assert len(both_sides("SEM-Geo-I", JUMPED, 5, True)) == 2


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

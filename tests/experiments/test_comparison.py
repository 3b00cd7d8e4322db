"""Comparisons: repeats of each mechanism, and both sides where no ε′ is equal; a winner wins on both."""

import numpy as np
import pytest

from spatialldp import DAM, SEMGeoI
from spatialldp.experiments import compare, population, range_error, simulate, surviving_hotspots
from spatialldp.experiments.comparison import alike, best, both_sides, contenders, equal_footing, score, score_of
from spatialldp.privacy import local_privacy, risk, worst_case_loss
from tests.experiments.scores import entry, scored

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
        # Two repeats: half an interval is 12.706·spread, so 0.2 ± 0.127 and 0.5 ± 0.127 are apart, 0.4 ± 0.127 is not.
        ([entry("a", 0.5, spread=0.01), entry("b", 0.2, spread=0.01)], "b", ["b"]),
        ([entry("a", 0.4, spread=0.01), entry("b", 0.2, spread=0.01)], None, ["b", "a"]),
        ([entry("a", 0.2), entry("b", 0.21), entry("c", 0.3, spread=0.02)], None, ["a", "c"]),
        # The interval of one side of a jump reaches the other's.
        ([entry("a", 0.2, spread=0.01), entry("b", 0.9, 0.3)], None, ["a", "b"]),
        ([entry("a", 0.2, spread=0.01), entry("b", 0.9, 0.4)], "a", ["a"]),
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


def test_each_repeat_is_measured_by_all_three():
    counts = population("new-haven", 6).binned.counts
    (found,) = compare(counts, ["DAM"], 2.0, seed=3, repeats=4)
    maps = [simulate(counts, DAM(2.0, 6), seed).estimate.distribution for seed in (3, 4, 5, 6)]
    assert found.usefulness.range_error == pytest.approx([range_error(counts, one) for one in maps])
    assert found.usefulness.hot_spots == pytest.approx([surviving_hotspots(counts, one)[0] for one in maps])
    assert found.usefulness.hottest == 5
    for measure, values in (("range error", found.usefulness.range_error), ("W2", found.w2_cells)):
        assert found.mean_of(measure) == pytest.approx(values.mean())
        # Student's t of three degrees of freedom.
        assert found.half_width_of(measure) == pytest.approx(3.182446 * values.std(ddof=1) / 2)


def test_each_measure_has_its_own_winner():
    one = scored("one", [0.2, 0.21], [0.05, 0.05], [4.0, 4.0])
    two = scored("two", [0.9, 0.91], [0.01, 0.01], [3.9, 4.1])
    assert best([one, two]) == "one"
    assert best([one, two], "range error") == "two"
    assert best([one, two], "hot spots") is None
    assert contenders([one, two], "hot spots") == ["one", "two"]
    many = scored("many", [1.0, 1.0, 1.0], [0.1, 0.1, 0.1], [5.0, 5.0, 5.0])
    few = scored("few", [1.0, 1.0, 1.0], [0.1, 0.1, 0.1], [1.0, 1.0, 1.0])
    assert best([few, many], "hot spots") == "many"  # more is better
    with pytest.raises(ValueError, match="measure must be one of 'W2', 'range error', 'hot spots', got 'luck'"):
        best([one, two], "luck")


def test_the_same_number_of_hot_spots_in_a_few_draws_is_not_certainty():
    # Half a cell: 12.706·√(1/12)/√2 with two repeats, 2.776·√(1/12)/√5 with five.
    assert scored("a", [1.0] * 2, [0.1] * 2, [5.0] * 2).half_width_of("hot spots") == pytest.approx(2.594, abs=1e-3)
    assert scored("a", [1.0] * 5, [0.1] * 5, [5.0] * 5).half_width_of("hot spots") == pytest.approx(0.358, abs=1e-3)
    twice = [scored(name, [1.0] * 2, [0.1] * 2, [kept] * 2) for name, kept in (("a", 5.0), ("b", 4.0))]
    assert best(twice, "hot spots") is None


def test_after_one_draw_nobody_is_best():
    scores = list(compare(COUNTS, ["DAM", "HUEM", "MDSW"], 3.5, seed=4, repeats=1))
    for measure in ("W2", "range error", "hot spots"):
        assert best(scores, measure) is None
        assert alike(scores, measure) == []
        assert set(contenders(scores, measure)) == {"DAM", "HUEM", "MDSW"}


def test_a_mask_is_used_by_those_that_can():
    mask = np.ones((5, 5), dtype=bool)
    mask[0] = False
    with_mask = {entry.name: entry for entry in compare(COUNTS, ["DAM", "OUE"], 2.0, 1, 2, mask=mask)}
    without = {entry.name: entry for entry in compare(COUNTS, ["DAM", "OUE"], 2.0, 1, 2)}
    assert not with_mask["DAM"].distribution[0].any()
    assert without["DAM"].distribution[0].any()
    assert np.array_equal(with_mask["OUE"].w2_cells, without["OUE"].w2_cells)
    for name in ("DAM", "OUE"):
        with pytest.raises(ValueError, match=r"mask must be a boolean array of shape \(5, 5\)"):
            score(COUNTS, name, 2.0, 1, 2, mask=mask[:2])

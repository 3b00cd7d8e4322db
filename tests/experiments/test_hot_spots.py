"""Hot spots: the fullest cells of both maps, and what becomes of equal ones."""

import itertools

import numpy as np
import pytest

from spatialldp.experiments import hot_spots, surviving_hotspots
from spatialldp.experiments.hot_spots import Rank

#: Worked out by hand from the definition (recall: Σ over cells of the chances of being among the k fullest of either
#: map, over k): true map, recovered map, k, recall.
WORKED_OUT = [
    ([[50, 40], [30, 20]], [[0.2, 0.4], [0.1, 0.3]], 1, 0.0),
    ([[50, 40], [30, 20]], [[0.2, 0.4], [0.1, 0.3]], 2, 1 / 2),
    ([[50, 40], [30, 20]], [[0.2, 0.4], [0.1, 0.3]], 3, 2 / 3),
    ([[9, 7, 5], [3, 2, 1], [0, 0, 0]], [[0.3, 0.1, 0.25], [0.05, 0.2, 0.1], [0, 0, 0]], 3, 2 / 3),
    ([[9, 7, 5], [3, 2, 1], [0, 0, 0]], [[0.3, 0.1, 0.25], [0.05, 0.2, 0.1], [0, 0, 0]], 5, 4 / 5),
    # Two cells share ranks 2 and 3.
    ([[50, 40], [30, 20]], [[0.4, 0.3], [0.3, 0.0]], 2, 3 / 4),
    # All share all ranks.
    ([[9, 7, 5], [3, 2, 1], [0, 0, 0]], np.full((3, 3), 1 / 9), 3, 1 / 3),
]


@pytest.mark.parametrize(("true", "recovered", "k", "recall"), WORKED_OUT)
def test_the_cells_that_survive_are_those_expected_over_ties(true, recovered, k, recall):
    survived, of = surviving_hotspots(np.array(true, float), np.array(recovered), k)
    assert of == k
    assert survived / of == pytest.approx(recall, abs=1e-12)


def test_no_more_cells_are_looked_at_than_are_inhabited():
    true = np.array([[5.0, 4.0], [3.0, 0.0]])
    assert surviving_hotspots(true, true) == (3, 3)
    assert surviving_hotspots(true, np.array([[0.0, 4.0], [3.0, 5.0]])) == (2, 3)
    assert surviving_hotspots(np.eye(1), np.eye(1)) == (1, 1)
    assert surviving_hotspots(np.zeros((2, 2)), true) == (0, 0)


def _ways_to_choose_the_fullest(values, k):
    flat = values.ravel().tolist()
    border = sorted(flat, reverse=True)[k - 1]
    sure = {cell for cell, value in enumerate(flat) if value > border}
    tied = [cell for cell, value in enumerate(flat) if value == border]
    return [sure | {*some} for some in itertools.combinations(tied, k - len(sure))]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
def test_the_expectation_is_the_mean_over_all_ways_to_break_the_ties_of_either_map(k):
    true = np.array([[3.0, 2.0, 2.0], [2.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    recovered = np.array([[2.0, 2.0, 1.0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    ways = itertools.product(_ways_to_choose_the_fullest(true, k), _ways_to_choose_the_fullest(recovered, k))
    found = [len(mine & theirs) for mine, theirs in ways]
    assert surviving_hotspots(true, recovered, k) == (pytest.approx(np.mean(found), abs=1e-12), k)


def test_a_map_that_is_equal_over_blocks_does_not_score_by_cell_number():
    true = np.zeros((8, 8))
    true[0, :5] = [9, 8, 7, 6, 5]  # the fullest cells have the lowest numbers
    blocks = np.kron(np.array([[4.0, 3.0], [2.0, 1.0]]), np.ones((4, 4)))
    here, of = surviving_hotspots(true, blocks)
    turned, _ = surviving_hotspots(true[::-1, ::-1], blocks[::-1, ::-1])
    assert of == 5
    # Four of the five fullest are in the block of 16 that shares ranks 1 to 16.
    assert here == turned == pytest.approx(4 * 5 / 16)


def test_values_that_differ_by_rounding_alone_are_equal():
    recovered = np.array([[0.3, 0.1 + 0.2], [0.1, 0.1]])
    assert surviving_hotspots(np.array([[2.0, 1.0], [0.5, 0.5]]), recovered, 1) == (0.5, 1)


def test_the_table_has_the_fullest_cells_and_those_taken_for_such():
    true = np.array([[50, 40, 0], [30, 20, 20], [10, 0, 0]])
    recovered = np.array([[0.2, 0.1, 0.0], [0.1, 0.1, 0.3], [0.05, 0.1, 0.05]])
    found = hot_spots(true, recovered, 2)
    assert [(spot.ix, spot.iy) for spot in found] == [(0, 0), (0, 1), (1, 2)]
    assert [spot.true_rank for spot in found] == [(1, 1), (2, 2), (4, 5)]
    assert [spot.recovered_rank for spot in found] == [(2, 2), (3, 6), (1, 1)]
    assert [spot.people for spot in found] == [50, 40, 20]
    assert [spot.recovered for spot in found] == pytest.approx([34, 17, 51])  # of 170 people


def test_a_flat_map_takes_no_cell_for_a_hot_spot():
    true = np.arange(25.0).reshape(5, 5)
    found = hot_spots(true, np.ones((5, 5)), 4)
    assert [spot.people for spot in found] == [24, 23, 22, 21]
    assert {spot.recovered_rank for spot in found} == {Rank(1, 25)}


def test_a_table_is_never_longer_than_twice_what_was_asked_for():
    found = hot_spots(np.ones((6, 6)), np.eye(6), 5)
    # All cells share ranks 1 to 36: those that the recovered map ranks highest come first.
    assert [(spot.ix, spot.iy) for spot in found[:5]] == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]
    assert len(found) <= 10
    assert {str(spot.true_rank) for spot in found} == {"1–36"}


def test_what_cannot_be_ranked_is_named():
    with pytest.raises(ValueError, match=r"recovered must have the shape of true, \(2, 2\)"):
        surviving_hotspots(np.ones((2, 2)), np.ones((3, 3)))
    with pytest.raises(ValueError, match=r"true must be a map of a square grid"):
        hot_spots(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match="recovered must not be all zero"):
        hot_spots(np.ones((2, 2)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="number must be a whole number ≥ 0"):
        hot_spots(np.ones((2, 2)), np.ones((2, 2)), -1)

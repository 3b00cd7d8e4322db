"""People in an area: random squares, rectangles, districts."""

import numpy as np
import pytest
import shapely

from spatialldp import Grid
from spatialldp.experiments import counted_in, district_weights, range_error
from spatialldp.experiments.ranges import answers, random_squares, square_in_words

GRID = Grid.from_bounds((0, 0, 2, 2), d=2, crs=None)


def test_boxes_are_summed_up():
    # Shares (4·ix + iy)/120, and four boxes worked out by hand.
    values = np.arange(16).reshape(4, 4) / 120
    boxes = np.array([[0, 2, 0, 2], [2, 4, 2, 4], [1, 2, 0, 4], [0, 4, 0, 4]])
    true = answers(values, boxes)
    assert true == pytest.approx([1 / 12, 5 / 12, 22 / 120, 1])
    assert np.abs(answers(np.full((4, 4), 1 / 16), boxes) - true).mean() == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("d", "share", "side"),
    [
        (10, 0.05, 1),
        (10, 0.1, 1),
        (10, 0.3, 3),
        (10, 0.5, 5),
        (15, 0.1, 2),
        (15, 0.3, 5),
        (15, 0.5, 8),
        (32, 0.3, 10),
        (64, 0.3, 19),
        (1, 0.3, 1),
        (7, 1, 7),
    ],
)
def test_squares_have_the_side_asked_for_and_lie_in_the_map(d, share, side):
    boxes = random_squares(d, share)
    assert boxes.shape == (1000, 4)
    assert (boxes[:, 1] - boxes[:, 0] == side).all()
    assert (boxes[:, 3] - boxes[:, 2] == side).all()
    assert boxes.min() == 0
    assert boxes.max() == d  # the corner reaches both ends
    # Every corner is as likely: their mean is the middle of 0 … d − side.
    assert boxes[:, [0, 2]].mean() == pytest.approx((d - side) / 2, abs=0.03 * (d - side) + 1e-9)


@pytest.mark.parametrize(
    ("d", "share", "words"),
    [
        (1, 0.3, "one cell, 100.0% of the area"),
        (2, 0.3, "one cell, 25.0% of the area"),
        # ω·d = 1.2 and 1.5: the second is rounded up.
        (4, 0.3, "one cell, 6.2% of the area"),
        (5, 0.3, "2×2 cells, 16.0% of the area"),
        (20, 0.3, "6×6 cells, 9.0% of the area"),
        (20, 0.5, "10×10 cells, 25.0% of the area"),
    ],
)
def test_the_size_of_a_square_is_said_in_cells_and_of_the_area(d, share, words):
    assert square_in_words(d, share) == words


def test_the_squares_are_those_of_a_fixed_seed():
    # The first draws of NumPy's generator with seed 7.
    assert random_squares(32)[:3].tolist() == [[21, 31, 14, 24], [15, 25, 20, 30], [13, 23, 17, 27]]


def test_the_range_error_is_the_mean_difference_in_those_squares():
    rng = np.random.default_rng(1)
    true, recovered = rng.integers(0, 50, (9, 9)), rng.random((9, 9))
    x, y = true / true.sum(), recovered / recovered.sum()
    differences = [abs(x[a:b, c:e].sum() - y[a:b, c:e].sum()) for a, b, c, e in random_squares(9, 0.5)]
    assert range_error(true, recovered, 0.5) == pytest.approx(np.mean(differences))
    assert range_error(true, 17 * true) == pytest.approx(0, abs=1e-12)
    assert range_error(true, recovered, 1) == pytest.approx(0, abs=1e-12)


def test_a_rectangle_counts_cells_by_the_part_that_is_inside():
    values = np.array([[8.0, 1.0], [4.0, 2.0]])
    assert counted_in(values, GRID, (0, 0, 2, 2)) == 15
    assert counted_in(values, GRID, (-9, -9, 9, 9)) == 15
    assert counted_in(values, GRID, (0.25, 0.5, 1, 1.5)) == pytest.approx(0.75 * (4 + 0.5))
    assert counted_in(values, GRID, (1.25, 0.25, 1.75, 0.5)) == pytest.approx(4 * 0.5 * 0.25)
    assert counted_in(values, GRID, (5, 5, 6, 6)) == 0


def test_a_district_counts_cells_by_the_part_that_it_covers():
    triangle = district_weights(GRID, shapely.Polygon([(0, 0), (2, 0), (0, 2)]))
    assert triangle.weights.tolist() == [[1.0, 0.5], [0.5, 0.0]]
    assert triangle.counted(np.array([[0.1, 0.2], [0.3, 0.4]])) == pytest.approx(0.35)
    assert triangle.inside == 1
    half_outside = district_weights(GRID, shapely.box(1, 0, 3, 2))
    assert half_outside.weights.tolist() == [[0.0, 0.0], [1.0, 1.0]]
    assert half_outside.inside == pytest.approx(0.5)
    elsewhere = district_weights(GRID, shapely.box(5, 5, 6, 6))
    assert not elsewhere.weights.any()
    assert elsewhere.inside == 0


def test_a_polygon_that_crosses_itself_is_repaired():
    bow_tie = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    found = district_weights(GRID, bow_tie)
    assert found.weights == pytest.approx(np.full((2, 2), 0.5))
    assert found.inside == pytest.approx(1)


def test_districts_on_a_map_of_the_earth_are_shares_of_cells_too():
    grid = Grid.from_bounds((8, 47, 8.4, 47.2), d=4)
    west, south, east, north = grid.bounds
    half = shapely.box(west, south, west + (east - west) * 3 / 8, north)
    assert district_weights(grid, half).weights == pytest.approx(np.repeat([[1.0], [0.5], [0], [0]], 4, axis=1))


def test_what_is_no_area_is_named():
    with pytest.raises(ValueError, match="polygon must be a shapely polygon with an area"):
        district_weights(GRID, shapely.Point(0, 0))
    with pytest.raises(ValueError, match="polygon must be near the domain"):
        district_weights(GRID, shapely.box(0, 0, 1e200, 1))
    with pytest.raises(ValueError, match=r"values must have the shape of the grid, \(2, 2\)"):
        counted_in(np.ones((3, 3)), GRID, (0, 0, 1, 1))
    with pytest.raises(ValueError, match="bounds must have west < east"):
        counted_in(np.ones((2, 2)), GRID, (1, 0, 0, 1))
    with pytest.raises(ValueError, match=r"share must be a number ≤ 1 and > 0"):
        range_error(np.ones((2, 2)), np.ones((2, 2)), 0)
    with pytest.raises(ValueError, match="boxes must go from one cell border to a later one, all from 0 to 2"):
        answers(np.ones((2, 2)), np.array([[0, 3, 0, 1]]))

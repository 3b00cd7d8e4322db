"""A drawn box becomes a square domain with the people inside, or a sentence."""

import dataclasses
import math

import numpy as np
import pytest

from spatialldp.datasets import DataError, Points, dataset
from spatialldp.grid import LONGITUDE_LATITUDE
from spatialldp.population import Population, _box_crs, population

#: 21 × 21 points a hundredth of a degree apart, around 10° E, 50° N.
LATTICE = Points(*(axis.ravel() for axis in np.meshgrid(np.linspace(9.9, 10.1, 21), np.linspace(49.9, 50.1, 21))))


def test_a_box_grows_to_the_square_in_metres_and_says_so():
    drawn = Population.of_points(LATTICE, bounds=(9.905, 49.985, 10.105, 50.015), d=6)
    # 0.2° of longitude at 50° N are 14.3 km; 0.03° of latitude are 3.3 km.
    assert drawn.note == "Your area was widened to a 14.3 km square; 260 of 441 people are inside."
    # 20 columns of points (9.91 … 10.10) and, as the square is 0.2°·cos 50° = 0.1286° high, 13 rows of them.
    assert drawn.binned.inside == 20 * 13
    assert drawn.grid.requested_bounds == (9.905, 49.985, 10.105, 50.015)
    assert drawn.binned.counts.shape == (6, 6)


def test_plain_degrees_keep_the_papers_square():
    drawn = Population.of_points(LATTICE, bounds=(9.895, 49.895, 10.105, 50.105), d=3, crs=None)
    assert drawn.grid.bounds == (9.895, 49.895, 10.105, 50.105)
    assert drawn.binned.counts.tolist() == [[49] * 3] * 3
    assert drawn.note == "Your area is a square with sides of 0.21; all 441 people are inside."


def test_what_no_eye_could_see_is_not_called_widened():
    # 0.1° of longitude at 50° N are 7.1474 km, 0.0643° of latitude 7.1498 km: both are 7.1 km.
    drawn = Population.of_points(LATTICE, bounds=(9.95, 49.96785, 10.05, 50.03215), d=3)
    assert drawn.note.startswith("Your area is a 7.1 km square; ")
    assert drawn.grid.bounds != drawn.grid.requested_bounds


def test_people_are_counted_by_their_weights():
    crowd = Points(np.array([10.0]), np.array([50.0]), np.array([12]))
    drawn = Population.of_points(crowd, d=1, bounds=(9.95, 49.95, 10.05, 50.05))
    assert drawn.binned.inside == 12


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((10.0, 50.0, 10.0005, 50.0005), r"the area is only 56 m wide; at least 100 m is needed: draw a larger one"),
        ((10.0, 50.0, 10.0, 50.1), r"west < east and south < north"),
        ((11.0, 51.0, 11.1, 51.1), r"nobody is in this area; at least 10 people are needed: choose one with people"),
        ((9.995, 49.995, 10.015, 50.015), r"only \d of 441 people are in this area; at least 10 people are needed"),
        ((math.nan, 50.0, 10.1, 50.1), r"bounds must be finite"),
        ((10.0, 50.0, 10.1), r"bounds must be four numbers"),
        ((9.0, 89.0, 10.0, 91.0), r"latitude −90…90"),
        ((-180.0, -80.0, 180.0, 80.0), r"leaves the map of the Earth: choose a smaller box"),
    ],
)
def test_an_empty_tiny_or_impossible_box_is_refused_with_a_sentence(bounds, message):
    with pytest.raises(DataError, match=message) as caught:
        Population.of_points(LATTICE, bounds=bounds, d=5)
    assert "\n" not in str(caught.value)


def test_a_box_that_cannot_be_divided_is_refused_in_plain_units():
    with pytest.raises(DataError, match=r"too small to be divided into cells"):
        Population.of_points(
            LATTICE, d=5, bounds=(1.0, 1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 2.0)), crs=None
        )


def test_a_box_is_a_square_in_metres_but_the_papers_squares_stay_as_printed():
    drawn = Population.of("san-francisco", 5, (-122.43, 37.75, -122.39, 37.8))
    assert drawn.grid.crs == LONGITUDE_LATITUDE
    assert Population.of("normal", 5, (-1, -1, 1, 1)).grid.crs is None
    chicago = dataset("chicago-crimes-2022")
    part = tuple(round(value, 6) for value in dataset("chicago-crimes-2022-a").default_view)
    assert _box_crs(chicago, part) is None
    assert _box_crs(chicago, (-87.7, 41.8, -87.6, 41.9)) == LONGITUDE_LATITUDE
    with pytest.raises(DataError, match="nobody"):
        Population.of("san-francisco", 5, (-122.7, 37.75, -122.6, 37.8))


def test_the_former_name_makes_the_same_population():
    old, new = population("new-haven", 4), Population.of("new-haven", 4)
    assert old.counts.tolist() == new.counts.tolist()
    assert old.grid.bounds == new.grid.bounds


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"data": None}, "data must be the id of a data set, or its entry, got None"),
        ({"data": ["new-haven"]}, "data must be the id of a data set"),
        ({"bounds": ("a", "b", "c", "d")}, "bounds must be four numbers"),
        ({"bounds": 3}, "bounds must be four numbers"),
        ({"bounds": (1, 2, 3)}, "bounds must be four numbers"),
        ({"bounds": (-1e308, -1e308, 1e308, 1e308)}, "bounds must lie between"),
        ({"d": 10**6}, "d must be at most 1,024, got 1000000"),
        ({"d": 2.5}, "d must be a whole number"),
        ({"points": [1, 2]}, "points must be"),
    ],
    ids=str,
)
def test_an_argument_that_makes_no_sense_is_a_data_error_with_a_reason(settings, message):
    with pytest.raises(DataError, match=f"^{message}"):
        Population.of(**{"data": "new-haven", "d": 5, **settings})


def test_a_huge_box_is_not_called_too_small():
    points = Points(np.linspace(0.0, 1.0, 20), np.linspace(0.0, 1.0, 20))
    with pytest.raises(DataError, match="use other units"):
        Population.of_points(points, 5, (-1e200, -1e200, 1e200, 1e200), crs=None)
    with pytest.raises(DataError, match="weights must add up to at most"):
        Population.of_points(points._replace(weights=np.full(20, 2**62)), 5, (0, 0, 1, 1), crs=None)


def test_people_at_no_place_at_all_are_left_out_too():
    x = np.append(np.linspace(0.0, 1.0, 20), [np.nan, 7.0])
    found = Population.of_points(Points(x, np.append(np.linspace(0.0, 1.0, 20), [0.5, 0.5])), 2, (0, 0, 1, 1), None)
    assert (found.users, found.left_out) == (20, 2)
    assert "20 of 22 people" in found.note


@pytest.mark.parametrize(("data", "d", "times"), [("new-haven", 5, 25), ("normal", 12, 5), ("san-francisco", 15, 2)])
def test_the_same_people_are_counted_more_finely(data, d, times):
    people = Population.of(data, d)
    fine = people.finer(times)
    assert fine.shape == (d * times, d * times)
    assert fine.dtype == people.counts.dtype
    # The parts of a cell hold the people of that cell, and not all in one place.
    parts = fine.reshape(d, times, d, times)
    np.testing.assert_array_equal(parts.sum(axis=(1, 3)), people.counts)
    assert (fine > 0).sum() > (people.counts > 0).sum()
    # [ix, iy]: x from west to east comes first.
    x, y, *_ = people.points
    west, south, east, north = people.grid.bounds
    theirs = np.histogram2d(x, y, d * times, [(west, east), (south, north)], weights=people.points.weights)[0]
    assert np.abs(fine - theirs).sum() <= 1e-3 * people.users
    assert people.finer(1) is people.counts


def test_a_finer_count_weighs_people_and_leaves_out_those_who_are_left_out():
    crowd = Points(np.array([0.1, 0.9, 7.0]), np.array([0.1, 0.4, 0.5]), np.array([12, 30, 5]))
    drawn = Population.of_points(crowd, 1, (0, 0, 1, 1), crs=None)
    assert drawn.finer(2).tolist() == [[12, 0], [30, 0]]
    masked = dataclasses.replace(
        drawn, grid=dataclasses.replace(drawn.grid, d=2, mask=np.array([[True] * 2, [False] * 2]))
    )
    assert masked.finer(2).sum() == 12


@pytest.mark.parametrize("times", [0, -1, 1.5, "2", None, 205])
def test_a_finer_count_needs_a_whole_factor_that_a_grid_can_have(times):
    # 5 × 205 cells are more than 1,024.
    with pytest.raises(ValueError, match=r"^times must be"):
        Population.of("new-haven", 5).finer(times)
    assert Population.of("new-haven", 5).finer(204).shape == (1020, 1020)


def test_people_who_are_known_by_their_cells_alone_cannot_be_counted_more_finely():
    people = Population.of("new-haven", 5)
    bare = dataclasses.replace(people, points=None)
    assert bare.finer(1) is people.counts
    with pytest.raises(
        ValueError, match=r"known by its cells alone: make it with Population\.of or Population\.of_points"
    ):
        bare.finer(2)
    # Where they are is no part of what is compared or shown.
    assert "points" not in repr(people)

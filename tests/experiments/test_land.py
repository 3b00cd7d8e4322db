"""What outlines say about grids: land, and districts."""

import numpy as np
import pytest
import shapely

from spatialldp import Grid
from spatialldp.datasets import DATASETS, DataError, load_outline
from spatialldp.experiments import district_names, districts, land_mask, mask_gain
from spatialldp.population import Population


@pytest.mark.parametrize("data", ["san-francisco", "new-haven", "chicago-crimes-2022", "nyc-green-taxi-2016-b"])
def test_land_is_where_the_outline_shares_an_area_with_the_cell(data):
    grid = DATASETS[data].grid(20)
    land = load_outline(DATASETS[data].outline).polygon
    mask = land_mask(data, grid)
    west, south = grid.bounds[:2]
    width, height = grid.cell_size
    for ix, iy in ((0, 0), (0, 19), (19, 19), (10, 10), (3, 12), (15, 6)):
        cell = shapely.box(west + ix * width, south + iy * height, west + (ix + 1) * width, south + (iy + 1) * height)
        assert mask[ix, iy] == (cell.intersection(land).area > 0)


def test_everybody_of_san_francisco_and_nearly_everybody_of_new_haven_lives_on_land():
    for data, off in (("san-francisco", 0), ("new-haven", 0.01)):
        people = Population.of(data, 50)
        mask = land_mask(DATASETS[data], people.grid)
        assert people.counts[~mask].sum() <= off * people.users
        assert 0.2 < mask.mean() < 0.9


def test_without_an_outline_there_is_no_mask():
    assert land_mask("szipf", DATASETS["szipf"].grid(5)) is None
    # In the middle of the Pacific.
    assert land_mask("san-francisco", Grid.from_bounds((-150, 30, -149, 31), 5)) is None
    with pytest.raises(DataError, match="there is no data set 'atlantis'"):
        land_mask("atlantis", DATASETS["szipf"].grid(5))


def test_districts_are_the_areas_where_there_are_several():
    assert len(districts("chicago-crimes-2022")) == 77
    assert len(districts("san-francisco")) == 26
    assert districts("new-haven") == districts("normal") == {}
    assert load_outline("new-haven").districts == {}


def test_a_cell_is_in_the_district_that_covers_most_of_it():
    grid = DATASETS["nyc-green-taxi-2016"].grid(12)
    names, areas = district_names("nyc-green-taxi-2016", grid), districts("nyc-green-taxi-2016")
    cells = shapely.polygons(grid.cell_polygons())
    for ix in range(12):
        for iy in range(12):
            parts = {name: areas[name].intersection(cells[ix, iy]).area for name in areas}
            name = max(parts, key=parts.get)
            assert names[ix, iy] == (name if parts[name] > 0 else None)
    assert {*names.ravel()} > {None, "Manhattan"}


def test_known_places_are_in_their_districts():
    grid = DATASETS["chicago-crimes-2022"].grid(60)
    names = district_names("chicago-crimes-2022", grid)
    # Willis Tower, Wrigley Field, and a buoy on Lake Michigan.
    (ix, iy, _) = grid.cells_of([-87.6359, -87.6553, -87.53], [41.8789, 41.9484, 41.95])
    assert names[ix, iy].tolist() == ["Loop", "Lake View", None]


def test_where_there_are_no_districts_no_cell_has_one():
    for data in ("new-haven", "szipf"):
        assert np.equal(district_names(data, DATASETS[data].grid(4)), None).all()


@pytest.mark.parametrize(
    ("found", "without", "words"),
    [
        (3.40, 3.59, "would be 359 m: knowing it lowers the error by 5%."),
        (3.66, 3.59, "would be 359 m: knowing it raises the error by 2%."),
        (3.59, 3.59, "would be 359 m: knowing it makes no difference."),
        # Two numbers that are written alike are never said to differ, nor two others to be the same.
        (3.591, 3.594, "would be 359 m: knowing it makes no difference."),
        (0.0112, 0.0108, "would be 1.1 m: knowing it makes no difference."),
        (3.58, 3.59, "would be 359 m: knowing it lowers the error by less than 1%."),
        (3.60, 3.59, "would be 359 m: knowing it raises the error by less than 1%."),
        (3.994, 2.0, "would be 200 m: knowing it raises the error by 100%."),
        (10.0, 2.0, "would be 200 m: knowing it raises the error by 400%."),
        (0.01, 10.0, "would be 1,000 m: knowing it lowers the error by more than 99%."),
        (0.0, 10.0, "would be 1,000 m: knowing it lowers the error by 100%."),
        (0.0, 0.0, "would be 0.0 m: knowing it makes no difference."),
        (0.5, 0.0, "would be 0.0 m: knowing it raises the error by 50 m."),
    ],
)
def test_what_a_mask_gains_agrees_with_the_two_errors_as_they_are_written(found, without, words):
    assert mask_gain(found, without, side_m=100.0) == f"Without the outline the error {words}"


def test_what_a_mask_gains_is_in_cells_without_metres_and_names_who_is_outside():
    start = "Without the outline the error would be 0.512 cells: knowing it lowers the error by 50%."
    assert mask_gain(0.256, 0.5123, None) == start
    outside = "where the outline says nobody can live."
    assert mask_gain(0.256, 0.5123, None, 1) == f"{start} 1 person is {outside}"
    assert mask_gain(0.256, 0.5123, None, 1234) == f"{start} 1,234 people are {outside}"
    # NumPy's numbers are numbers.
    assert mask_gain(np.float64(0.256), np.float64(0.5123), None, np.int64(0)) == start


def test_what_a_mask_gains_refuses_what_is_no_error():
    for arguments in ((-0.1, 1.0, None), (1.0, float("nan"), None), (1.0, 1.0, 0.0), (1.0, 1.0, None, -1)):
        with pytest.raises(ValueError, match="must be"):
            mask_gain(*arguments)

"""How much of each cell a polygon covers."""

import numpy as np
import pytest
import shapely

from spatialldp import Grid
from spatialldp.experiments.coverage import covered, in_cells


def covered_by(grid, polygon):
    return covered(in_cells(grid, polygon), grid.d)


def test_the_share_of_a_cell_that_a_polygon_covers():
    grid = Grid.from_bounds((10, 20, 14, 24), d=4, crs=None)
    shares = covered_by(grid, shapely.Polygon([(10, 20), (14, 20), (10, 24)]))
    # Half of each cell on the diagonal, all of those below it.
    expected = [[1.0 if ix + iy < 3 else 0.5 if ix + iy == 3 else 0.0 for iy in range(4)] for ix in range(4)]
    assert shares == pytest.approx(np.array(expected))
    with_a_hole = shapely.box(10, 20, 14, 24).difference(shapely.box(10.5, 20, 11, 21))
    assert covered_by(grid, with_a_hole)[0, 0] == pytest.approx(0.5)
    assert covered_by(grid, with_a_hole).sum() == pytest.approx(15.5)
    assert not covered_by(grid, shapely.box(100, 100, 101, 101)).any()
    # One that touches the square from outside.
    assert not covered_by(grid, shapely.box(14, 20, 15, 24)).any()


def test_areas_are_measured_in_cells_however_small_or_large_the_units():
    for side in (1e-150, 1e90):
        grid = Grid.from_bounds((0, 0, side, side), d=2, crs=None)
        assert covered_by(grid, shapely.box(0, 0, side * 0.75, side)) == pytest.approx(np.array([[1, 1], [0.5, 0.5]]))
        assert shapely.area(in_cells(grid, shapely.box(0, 0, side, side))) == pytest.approx(4)

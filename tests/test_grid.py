"""Bounds → square → cells → counts."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from spatialldp import Grid
from spatialldp.grid import PointsLeftOutWarning

SAN_FRANCISCO = (-122.514, 37.708, -122.365, 37.832)


def metres_between(lon1: float, lat1: float, lon2: float, lat2: float) -> float:
    """Great-circle distance by the haversine formula: independent of the flat map under test."""
    phi1, phi2 = math.radians(lat1), math.radians(lat2)
    a = math.sin((phi2 - phi1) / 2) ** 2
    a += math.cos(phi1) * math.cos(phi2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 2 * 6_371_008.8 * math.asin(math.sqrt(a))


def test_a_city_becomes_a_square_in_metres_around_the_same_centre():
    grid = Grid.from_bounds(SAN_FRANCISCO, d=15)
    west, south, east, north = grid.bounds
    centre = (south + north) / 2
    width = metres_between(west, centre, east, centre)
    height = metres_between(west, south, west, north)
    assert width == pytest.approx(height, rel=1e-6)
    assert grid.cell_size_m == pytest.approx(height / 15, rel=1e-9)
    assert (west + east) / 2 == pytest.approx(-122.4395)
    assert centre == pytest.approx(37.77)
    # 0.124° of latitude are longer than 0.149° of longitude there, so the box grew to the east and west.
    assert (south, north) == (37.708, 37.832)
    assert west < -122.514
    assert east > -122.365
    assert grid.requested_bounds == SAN_FRANCISCO


def test_a_wide_box_grows_to_the_north_and_south():
    grid = Grid.from_bounds((8.0, 47.0, 9.0, 47.1), d=4)
    assert (grid.bounds[0], grid.bounds[2]) == (8.0, 9.0)
    assert grid.bounds[3] - grid.bounds[1] == pytest.approx(math.cos(math.radians(47.05)), rel=1e-12)


def test_plain_units_keep_a_square_to_the_last_digit_and_have_no_metres():
    bounds = (-4.44, -4.87, -4.44 + 9.45, -4.87 + 9.45)
    grid = Grid.from_bounds(bounds, d=5, crs=None)
    assert grid.bounds == bounds
    assert grid.cell_size == pytest.approx((1.89, 1.89))
    assert grid.cell_size_m is None


@settings(max_examples=200, deadline=None)
@given(
    d=st.integers(1, 60),
    crs=st.sampled_from(["EPSG:4326", None]),
    west=st.floats(-100, 100),
    south=st.floats(-60, 60),
    width=st.floats(1e-3, 5),
    height=st.floats(1e-3, 5),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_point_is_in_the_cell_whose_borders_hold_it_or_counted_as_outside(
    d, crs, west, south, width, height, seed
):
    grid = Grid.from_bounds((west, south, west + width, south + height), d, crs)
    rng = np.random.default_rng(seed)
    x0, y0, x1, y1 = grid.bounds
    x = rng.uniform(x0 - (x1 - x0) / 4, x1 + (x1 - x0) / 4, 300)
    y = rng.uniform(y0 - (y1 - y0) / 4, y1 + (y1 - y0) / 4, 300)
    binned = grid.bin(x, y)
    outside = int(((x < x0) | (x > x1) | (y < y0) | (y > y1)).sum())
    assert binned.outside == outside
    assert binned.inside == 300 - outside
    assert (binned.masked, binned.invalid) == (0, 0)
    ix, iy, inside = grid.cells_of(x, y)
    tolerance = 1e-9 * (x1 - x0)
    assert (x[inside] >= grid.x_edges[ix[inside]] - tolerance).all()
    assert (x[inside] <= grid.x_edges[ix[inside] + 1] + tolerance).all()
    assert (y[inside] >= grid.y_edges[iy[inside]] - tolerance).all()
    assert (y[inside] <= grid.y_edges[iy[inside] + 1] + tolerance).all()


def test_borders_belong_to_the_cell_east_and_north_but_the_last_to_the_last():
    grid = Grid.from_bounds((0, 0, 4, 4), d=4, crs=None)
    counts = grid.histogram([0, 1, 4, 4, 0], [0, 2, 4, 0, 4])
    assert counts[0, 0] == counts[1, 2] == counts[3, 3] == counts[3, 0] == counts[0, 3] == 1
    assert counts.sum() == 5
    assert counts.shape == (4, 4)
    assert np.issubdtype(counts.dtype, np.integer)


def test_points_left_out_are_reported_never_moved_inside():
    grid = Grid.from_bounds((0, 0, 1, 1), d=2, crs=None)
    x = [0.1, 1.5, np.nan, np.inf, 0.9, -1e-12]
    y = [0.1, 0.5, 0.5, 0.5, 0.9, 0.5]
    binned = grid.bin(x, y)
    assert (binned.inside, binned.outside, binned.invalid, binned.left_out) == (2, 2, 2, 4)
    with pytest.warns(PointsLeftOutWarning, match=r"4 of 6 points .*2 outside, 0 masked, 2 not finite"):
        counts = grid.histogram(x, y)
    assert counts.tolist() == [[1, 0], [0, 1]]


def test_x_is_the_first_index_and_y_the_second():
    grid = Grid.from_bounds((0, 0, 1, 1), d=10, crs=None)
    assert np.argwhere(grid.histogram([0.95], [0.05])).tolist() == [[9, 0]]


def test_cell_geometry_for_maps():
    grid = Grid.from_bounds((0, 10, 2, 12), d=2, crs=None)
    assert grid.cell_centres()[1, 0].tolist() == [1.5, 10.5]
    assert grid.cell_polygons()[1, 0].tolist() == [[1, 10], [2, 10], [2, 11], [1, 11], [1, 10]]
    assert grid.cell_polygons().shape == (2, 2, 5, 2)
    assert all(shapely.Polygon(ring).area == 1 for ring in grid.cell_polygons().reshape(-1, 5, 2))
    assert grid.x_edges.tolist() == [0, 1, 2]
    assert grid.y_edges.tolist() == [10, 11, 12]


def test_extended_grid_holds_the_output_domain_with_the_same_cells():
    grid = Grid.from_bounds(SAN_FRANCISCO, d=15)
    wide = grid.extended(3)
    assert wide.d == 21
    np.testing.assert_allclose(wide.cell_size, grid.cell_size, rtol=1e-12)
    np.testing.assert_allclose(wide.x_edges[3:-3], grid.x_edges, rtol=0, atol=1e-12)
    np.testing.assert_allclose(wide.y_edges[3:-3], grid.y_edges, rtol=0, atol=1e-12)
    assert wide.cell_size_m == pytest.approx(grid.cell_size_m)


def test_mask_keeps_the_cells_that_share_an_area_with_the_polygon():
    # A triangle under the diagonal of 4×4 cells, and a rectangle that ends exactly on a border.
    triangle = shapely.Polygon([(0, 0), (4, 0), (4, 4)])
    grid = Grid.from_bounds((0, 0, 4, 4), d=4, crs=None, polygon=triangle)
    np.testing.assert_array_equal(grid.mask, np.tri(4, dtype=bool))
    half = Grid.from_bounds((0, 0, 4, 4), d=4, crs=None).with_polygon(shapely.box(0, 0, 2, 4))
    assert half.mask.tolist() == [[True] * 4] * 2 + [[False] * 4] * 2


def test_points_in_masked_cells_are_counted_apart():
    grid = Grid.from_bounds((0, 0, 4, 4), d=4, crs=None, polygon=shapely.box(0, 0, 2, 4))
    binned = grid.bin([0.5, 3.5, 9], [0.5, 3.5, 9])
    assert (binned.inside, binned.masked, binned.outside) == (1, 1, 1)
    assert binned.counts[3, 3] == 0


def test_mask_with_a_hole_and_several_parts():
    ring = shapely.box(0, 0, 5, 5).difference(shapely.box(1, 1, 4, 4))
    grid = Grid.from_bounds(
        (0, 0, 5, 5), d=5, crs=None, polygon=shapely.union_all([ring, shapely.box(2.2, 2.2, 2.8, 2.8)])
    )
    assert not grid.mask[1, 1]
    assert grid.mask[2, 2]
    assert grid.mask.sum() == 25 - 9 + 1


@pytest.mark.parametrize(
    ("bounds", "options", "message"),
    [
        ((1, 2, 3), {}, r"bounds must be four numbers \(west, south, east, north\), got \(1, 2, 3\)"),
        ("here", {}, r"bounds must be four numbers"),
        ((0, 0, math.nan, 1), {}, r"bounds must be finite"),
        ((1, 0, 1, 1), {}, r"west < east and south < north, got \(1.0, 0.0, 1.0, 1.0\)"),
        ((0, 1, 1, 0), {}, r"west < east and south < north"),
        ((37.7, -122.5, 37.8, -122.3), {}, r"latitude −90…90.*the order is west, south, east, north"),
        ((-180, -80, 180, 80), {}, r"leaves the map of the Earth: choose a smaller box"),
        ((0, 89.9, 179, 90), {}, r"leaves the map of the Earth"),
        ((0, 0, 1, 1), {"crs": "EPSG:3857"}, r"crs must be 'EPSG:4326'.*to_crs"),
        ((0, 0, 1, 1), {"d": 0}, r"d must be a whole number ≥ 1, got 0"),
        ((0, 0, 1, 1), {"d": 3.0}, r"d must be a whole number ≥ 1, got 3.0"),
        ((0, 0, 1, 1), {"polygon": shapely.Point(0, 0)}, r"polygon must be a shapely polygon with an area"),
        ((0, 0, 1, 1), {"polygon": shapely.box(5, 5, 6, 6)}, r"polygon must overlap the domain .*latitude\) order"),
    ],
)
def test_bad_bounds_are_named(bounds, options, message):
    with pytest.raises(ValueError, match=message):
        Grid.from_bounds(bounds, **{"d": 3, **options})


def test_bad_coordinates_are_named():
    grid = Grid.from_bounds((0, 0, 1, 1), d=3, crs=None)
    with pytest.raises(ValueError, match=r"x and y must be flat arrays of one length, got shapes \(2,\) and \(1,\)"):
        grid.bin([1, 2], [1])
    with pytest.raises(ValueError, match=r"x and y must be numbers"):
        grid.bin(["west"], [1])


def test_weights_count_people_instead_of_points():
    grid = Grid.from_bounds((0, 0, 4, 4), d=4, crs=None, polygon=shapely.box(0, 0, 2, 4))
    x, y = [0.5, 0.5, 3.5, 9, np.nan], [0.5, 0.5, 3.5, 9, 1]
    binned = grid.bin(x, y, np.array([10, 1, 100, 1000, 10_000]))
    assert binned.counts[0, 0] == binned.inside == 11
    assert (binned.masked, binned.outside, binned.invalid) == (100, 1000, 10_000)


def test_weights_stay_exact_beyond_what_a_float_can_count():
    grid = Grid.from_bounds((0, 0, 1, 1), d=1, crs=None)
    assert grid.bin([0.5, 0.5], [0.5, 0.5], np.array([2**60, 1])).inside == 2**60 + 1


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2], r"weights must hold whole numbers ≥ 0 \(people are counted\), got -2"),
        ([1.5, 1], r"weights must hold whole numbers ≥ 0 .*, got float64"),
        ([1], r"weights must have one number per point, shape \(2,\), got shape \(1,\)"),
    ],
)
def test_bad_weights_are_named(weights, message):
    with pytest.raises(ValueError, match=message):
        Grid.from_bounds((0, 0, 1, 1), d=3, crs=None).bin([0, 1], [0, 1], weights)


@pytest.mark.parametrize("d", [1_025, 10**6, 10**30])
def test_a_grid_too_fine_for_any_map_is_named_before_it_is_made(d):
    with pytest.raises(ValueError, match=rf"^d must be at most 1,024, got {d}: choose a coarser grid$"):
        Grid.from_bounds((0, 0, 1, 1), d=d, crs=None)
    assert Grid.from_bounds((0, 0, 1, 1), d=1_024, crs=None).d == 1_024


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        (("a", "b", "c", "d"), "must be four numbers"),
        ("abcd", "must be four numbers"),
        (None, "must be four numbers"),
        (3, "must be four numbers"),
        ((0, 0, 1), "must be four numbers"),
        ((0, 0, 10**400, 1), "must be four numbers"),
        ((0, 0, float("inf"), 1), "must be finite"),
        ((float("nan"), 0, 1, 1), "must be finite"),
        ((-1e308, -1e308, 1e308, 1e308), r"must lie between −1e\+100 and 1e\+100"),
        ((0, 0, 1e101, 1), r"must lie between −1e\+100 and 1e\+100"),
        ((1, 1, 1 + 1e-15, 1 + 1e-15), "too small to be divided into cells"),
        ((0, 0, 1e-310, 1e-310), "too small to be divided into cells"),
    ],
    ids=str,
)
def test_a_box_that_is_none_is_refused_with_its_reason(bounds, message):
    with pytest.raises(ValueError, match=rf"^bounds .*{message}"):
        Grid.from_bounds(bounds, d=20, crs=None)


def test_a_margin_is_as_limited_as_a_radius():
    grid = Grid.from_bounds((0, 0, 1, 1), d=60, crs=None)
    assert grid.extended(120).d == 300
    with pytest.raises(ValueError, match=r"^margin must be at most 120, got 121"):
        grid.extended(121)


def test_people_at_points_that_no_int64_can_count_are_refused():
    grid = Grid.from_bounds((0, 0, 2, 2), d=2, crs=None)
    assert grid.bin([0.5, 0.5], [0.5, 0.5], [2**62, 2**62 - 1]).counts[0, 0] == 2**63 - 1
    for weights in ([2**62, 2**62], np.array([2**63, 0], dtype=np.uint64)):
        with pytest.raises(
            ValueError, match=r"^weights must add up to at most 9,223,372,036,854,775,807, got 9.223e\+18"
        ):
            grid.bin([0.5, 0.5], [0.5, 0.5], weights)

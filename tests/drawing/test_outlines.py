"""Outlines of cities, whole and cut to an area."""

import re

import numpy as np
import pytest

from spatialldp.drawing.outlines import NO_OUTLINE, outline_lines, outline_of, outline_path, outline_within
from spatialldp.population import Population

CITY = "san-francisco"


def drawn(path: str) -> list[np.ndarray]:
    """The lines of an SVG path, (points, 2) each."""
    return [np.array([pair.split(",") for pair in line.split("L")], float) for line in path.split("M")[1:]]


def test_lines_within_an_area_are_those_of_the_city_cut_at_its_edges():
    west, south, east, north = bounds = (-122.45, 37.74, -122.40, 37.79)
    places = np.concatenate([np.array(line) for line in outline_within(CITY, bounds)])
    assert places.min() >= 0
    assert places.max() <= 1
    # Some of them end at the edge, which they cross.
    assert ((places == 0) | (places == 1)).any()
    whole = np.concatenate([np.array(line) for line in outline_lines(CITY)])
    inside = whole[(whole > (west, south)).all(axis=1) & (whole < (east, north)).all(axis=1)]
    assert len(inside) > 20
    back = (west, south) + places * (east - west, north - south)
    assert all(np.abs(back - place).max(axis=1).min() < 1e-5 for place in inside)


def test_the_path_of_an_svg_has_the_same_lines_with_north_up():
    bounds = Population.of(CITY, d=5).grid.bounds
    size, path = outline_path(CITY, bounds)
    lines = outline_within(CITY, bounds)
    assert re.fullmatch(r"(M\d+,\d+(L\d+,\d+)*)+", path)
    for line, expected in zip(drawn(path), lines, strict=True):
        x, y = np.array(expected).T
        assert line == pytest.approx(np.stack([x, 1 - y], axis=1) * size, abs=0.51)


def test_an_area_elsewhere_and_plain_units_have_none():
    assert outline_within(CITY, (0.0, 0.0, 1.0, 1.0)) == ()
    assert outline_path(None, (0.0, 0.0, 1.0, 1.0)).path == NO_OUTLINE.path == ""
    assert outline_lines(None) == outline_within(None, (0.0, 0.0, 1.0, 1.0)) == ()
    assert outline_of(None) is None


@pytest.mark.parametrize("kept", [outline_lines(CITY), outline_within(CITY, (-122.5, 37.7, -122.4, 37.8))])
def test_what_is_kept_for_all_cannot_be_changed(kept):
    assert len({kept}) == 1  # only what cannot change, all the way down, has a hash

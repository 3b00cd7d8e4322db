"""What the outline of a city says about a grid: where people can live, what that is worth, and which district a cell is
in."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.datasets import Dataset, Outline, dataset, load_outline
from spatialldp.experiments.coverage import covered, in_cells
from spatialldp.formatting import counted, length
from spatialldp.grid import Bounds, Grid


@validate.takes(data=(str, Dataset), grid=Grid)
def land_mask(data: str | Dataset, grid: Grid) -> NDArray[np.bool_] | None:
    """The cells of a grid that share an area with the city: what an analyst who has a map of it knows beforehand.

    Points lie off the outline now and then, on a pier or by an error of measurement: there may be people where the mask
    says that there are none. They stay in the population; the mask is only what the analyst believes.

    Args:
        data: the id of a data set, or its entry in `spatialldp.datasets.DATASETS`.
        grid: in the coordinates of the data set.

    Returns:
        bool (d, d), True where somebody may be; None where the data set has no outline, or it lies elsewhere.

    Raises:
        DataError: there is no such data set.

    Example:
        >>> from spatialldp.experiments import land_mask
        >>> from spatialldp.population import Population
        >>> city = Population.of("san-francisco", d=15)
        >>> mask = land_mask("san-francisco", city.grid)
        >>> int(mask.sum()), int(city.counts[~mask].sum())  # of 225 cells; nobody lives in the others
        (175, 0)
        >>> land_mask("szipf", city.grid) is None
        True
    """
    city = _entry(data).outline
    return None if city is None else _mask(city, grid.bounds, grid.d)


def mask_gain(with_cells: float, without_cells: float, side_m: float | None, ruled_out: int = 0) -> str:
    """What it is worth to know where nobody can live, in words.

    Args:
        with_cells: the error W2 of the map recovered with the mask, in cells.
        without_cells: that of the map recovered from the same reports without it, in cells.
        side_m: of a cell, in metres; None where the map has none, and the error is stated in cells.
        ruled_out: people who are outside the mask.

    Returns:
        One plain sentence, and a second one if there are such people. Two errors that are written alike make no
        difference, and a difference is never one of 0%.

    Raises:
        ValueError: an error or `ruled_out` is below 0, or `side_m` is not above 0.

    Example:
        >>> from spatialldp.experiments import mask_gain
        >>> mask_gain(0.495, 0.500, side_m=718.0)
        'Without the outline the error would be 359 m: knowing it lowers the error by 1%.'
        >>> print(mask_gain(1.5, 1.2, side_m=None, ruled_out=12))
        Without the outline the error would be 1.2 cells: knowing it raises the error by 25%. 12 people are where \
the outline says nobody can live.
    """
    cells = [_error("with_cells", with_cells), _error("without_cells", without_cells)]
    if side_m is None:
        shown = [length(error, "cells") for error in cells]
    else:
        side_m = validate.real_number("side_m", side_m, above=0.0)
        shown = [length(error * side_m, "m") for error in cells]
    ruled_out = validate.whole_number("ruled_out", ruled_out, 0)
    found, without = shown
    if found == without:
        change = "makes no difference"
    else:
        change = f"{'lowers' if cells[0] < cells[1] else 'raises'} the error by {_part(*cells) or found}"
    people = f"{counted(ruled_out, 'person').replace('persons', 'people')} {'is' if ruled_out == 1 else 'are'}"
    exception = f" {people} where the outline says nobody can live." if ruled_out else ""
    return f"Without the outline the error would be {without}: knowing it {change}.{exception}"


def _error(name: str, value: float) -> float:
    return 0.0 if validate.is_zero(value) else validate.real_number(name, value, above=0.0)


def _part(found: float, without: float) -> str:
    """By how much the two differ, in percent of the second; empty where that is 0."""
    if without == 0:
        return ""
    part = abs(found / without - 1)
    if part < 0.005:
        return "less than 1%"
    # All of it is saved only where no error is left.
    return "more than 99%" if 0 < found < without and part >= 0.995 else f"{100 * part:,.0f}%"


@validate.takes(data=(str, Dataset))
def districts(data: str | Dataset) -> dict[str, shapely.Geometry]:
    """The districts of a data set's city.

    Args:
        data: the id of a data set, or its entry in `spatialldp.datasets.DATASETS`.

    Returns:
        Polygons by name, in longitude and latitude; none where no outline of the city has several areas.

    Raises:
        DataError: there is no such data set.

    Example:
        >>> from spatialldp.experiments import districts
        >>> list(districts("nyc-green-taxi-2016"))
        ['Bronx', 'Brooklyn', 'Manhattan', 'Queens', 'Staten Island']
        >>> districts("new-haven")  # its one area is the city
        {}
    """
    city = _entry(data).outline
    return {} if city is None else dict(_outline(city).districts)


@validate.takes(data=(str, Dataset), grid=Grid)
def district_names(data: str | Dataset, grid: Grid) -> NDArray[np.object_]:
    """The district of each cell: the one that covers most of it.

    Args:
        data: the id of a data set, or its entry in `spatialldp.datasets.DATASETS`.
        grid: in the coordinates of the data set.

    Returns:
        Names (d, d), [ix, iy]; None for a cell that no district covers any of, so everywhere where there are none.

    Raises:
        DataError: there is no such data set.

    Example:
        >>> from spatialldp.experiments import district_names
        >>> from spatialldp.population import Population
        >>> names = district_names("san-francisco", Population.of("san-francisco", d=15).grid)
        >>> names[11, 10], names[0, 0]
        ('94111', None)
    """
    city = _entry(data).outline
    return np.full((grid.d, grid.d), None) if city is None else _names(city, grid.bounds, grid.d)


def _entry(data: str | Dataset) -> Dataset:
    return dataset(data) if isinstance(data, str) else data


@lru_cache(maxsize=8)
def _outline(city: str) -> Outline:
    return load_outline(city)


@lru_cache(maxsize=32)
def _mask(city: str, bounds: Bounds, d: int) -> NDArray[np.bool_] | None:
    grid, land = Grid(bounds, d), _outline(city).polygon
    square = shapely.box(*bounds)
    if not shapely.intersects(land, square) or shapely.touches(land, square):
        return None
    mask = grid.with_polygon(land).mask
    assert mask is not None
    mask.flags.writeable = False
    return mask


@lru_cache(maxsize=32)
def _names(city: str, bounds: Bounds, d: int) -> NDArray[np.object_]:
    grid = Grid(bounds, d)
    names, most = np.full((d, d), None), np.zeros((d, d))
    # One after the other: all at once would be a gigabyte on the finest grid.
    for name, polygon in _outline(city).districts.items():
        shares = covered(in_cells(grid, polygon), d)
        more = shares > most
        names[more], most[more] = name, shares[more]
    names.flags.writeable = False
    return names

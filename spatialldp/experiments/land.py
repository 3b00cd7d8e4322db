"""What the outline of a city says about a grid: where people can live, and which district a cell is in."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.datasets import Dataset, Outline, dataset, load_outline
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
        covered = grid.covered_by(polygon)
        more = covered > most
        names[more], most[more] = name, covered[more]
    names.flags.writeable = False
    return names

"""Where people are counted on Explore: a rectangle or a district, its border on the maps, and what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import shapely
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.explore.state import ExploreState
from spatialldp.dashboard.shared import maps
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.experiments import DistrictWeights, counted_in, district_weights, districts
from spatialldp.grid import Bounds, Grid

Array = NDArray[np.float64]

#: A border is drawn with corners this share of its extent apart.
_FINEST = 1 / 350


@dataclass(frozen=True)
class Counted:
    """People in a part of the map."""

    name: str
    """What part, for the middle of a sentence."""
    inside: float
    """The share of that part that lies in the square of the map."""
    true: int
    """The people of the true map in it, cells on its border by the share of their area, rounded."""
    recovered: int | None
    """The same of the recovered map; None while it is being computed."""
    points: int | None
    """How many people really are in it, where that is known apart from cells."""


def named(district: str) -> str:
    """A district, for the middle of a sentence."""
    return f"postcode {district}" if is_postcode(district) else district


def is_postcode(district: str) -> bool:
    """Whether a district is known by its postcode, as those of San Francisco are: "94130 (hull of its addresses)"."""
    return district.split(" ")[0].isdigit()


def middle_quarter(grid: Grid) -> Bounds:
    """The square in the middle that has a quarter of the area."""
    west, south, east, north = grid.bounds
    across, up = (east - west) / 4, (north - south) / 4
    return west + across, south + up, east - across, north - up


def border(state: ExploreState) -> Sequence[Sequence[maps.Point]]:
    """Lines around what is counted, for the maps."""
    place = state.choices.counted
    if place is None:
        return ()
    if isinstance(place, str):
        return _rings(state.choices.data, place)
    # Cut off a little outside the map: what lies at the other end of the Earth cannot be drawn.
    west, south, east, north = state.population.grid.bounds
    margin_x, margin_y = (east - west) / 2, (north - south) / 2
    shown = _common(place, (west - margin_x, south - margin_y, east + margin_x, north + margin_y))
    return () if shown is None else [maps.ring(shown)]


def counted(state: ExploreState) -> Counted | None:
    """The people in the chosen part of the map; None where none is chosen."""
    place, grid = state.choices.counted, state.population.grid
    if place is None:
        return None
    counts = state.population.counts.astype(float)
    shown = None if state.run is None else state.run.estimate.distribution * state.population.users
    if isinstance(place, str):
        weights = _weights(state.choices.data, place, grid.bounds, grid.d)
        return Counted(
            named(place),
            weights.inside,
            round(weights.counted(counts)),
            None if shown is None else round(weights.counted(shown)),
            people_in(state.loaded, place, grid.bounds),
        )
    common = _common(place, grid.bounds)
    return Counted(
        "the rectangle",
        0.0 if common is None else _area(common) / _area(place),
        round(counted_in(counts, grid, place)),
        None if shown is None else round(counted_in(shown, grid, place)),
        None,
    )


@lru_cache(maxsize=64)
def _weights(data: str, district: str, bounds: Bounds, d: int) -> DistrictWeights:
    return district_weights(Grid(bounds, d), districts(data)[district])


@lru_cache(maxsize=64)
def _rings(data: str, district: str) -> list[list[maps.Point]]:
    polygon = districts(data)[district]
    west, south, east, north = polygon.bounds
    lines = shapely.get_parts(shapely.simplify(polygon, max(east - west, north - south) * _FINEST).boundary)
    return [np.round(shapely.get_coordinates(line), 5).tolist() for line in shapely.get_parts(lines)]


def people_in(loaded: LoadedData, district: str, bounds: Bounds) -> int:
    """The people whose points lie in a district, and in the square of the map."""
    # The number of people tells a set that was fetched anew from the former one.
    return _people_in(loaded.entry.id, loaded.points.people, district, bounds, loaded)


@st.cache_data(max_entries=256, show_spinner=False)
def _people_in(data: str, people: int, district: str, bounds: Bounds, _loaded: LoadedData) -> int:
    x, y, weights = _loaded.points
    polygon = shapely.intersection(districts(data)[district], shapely.box(*bounds))
    if polygon.is_empty:
        return 0
    west, south, east, north = polygon.bounds
    near = np.flatnonzero((x >= west) & (x <= east) & (y >= south) & (y <= north))
    shapely.prepare(polygon)
    found = near[shapely.intersects_xy(polygon, x[near], y[near])]
    return int(found.size if weights is None else weights[found].sum())


def _common(box: Bounds, other: Bounds) -> Bounds | None:
    """What two boxes have in common; None where that has no area."""
    west, south, east, north = (
        max(box[0], other[0]),
        max(box[1], other[1]),
        min(box[2], other[2]),
        min(box[3], other[3]),
    )
    return (west, south, east, north) if west < east and south < north else None


def _area(box: Bounds) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])

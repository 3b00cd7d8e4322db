"""Outlines of cities, as fine as a picture can show."""

from __future__ import annotations

import base64
import json
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import shapely

from spatialldp.datasets import load_outline
from spatialldp.grid import Bounds

Point = tuple[float, float]
Lines = tuple[tuple[Point, ...], ...]

#: An SVG is drawn on a square of this side; a browser scales it, so that it is sharp at any size.
_SIZE = 2_000


class OutlinePath(NamedTuple):
    """An outline above a square picture, for an SVG.

    Attributes:
        size: the side of the square that the path is drawn on; y goes down.
        path: what `d` of a path element is.
    """

    size: int
    path: str


NO_OUTLINE = OutlinePath(1, "")


@lru_cache(maxsize=8)
def outline_lines(city: str | None) -> Lines:
    """The outline of a city as lines, as fine as a map of this size can show."""
    if city is None:
        return ()
    shapes = [shapely.geometry.shape(feature["geometry"]) for feature in load_outline(city).geojson["features"]]
    west, south, east, north = shapely.total_bounds(shapes)
    finest = max(east - west, north - south) / 350
    # A border between two districts is drawn once; a line shorter than a few pixels only darkens the picture.
    lines = shapely.line_merge(shapely.union_all([s if "Line" in s.geom_type else s.boundary for s in shapes]))
    parts = shapely.simplify(shapely.get_parts(lines), finest)
    return tuple(_points(shapely.get_coordinates(line), 5) for line in parts if line.length > 3 * finest)


@lru_cache(maxsize=8)
def outline_of(city: str | None) -> str | None:
    """The same for deck.gl: an address that holds its own data, so that a redraw finds them unchanged."""
    if city is None:
        return None
    rows = [{"s": start, "e": end} for line in outline_lines(city) for start, end in pairwise(line)]
    text = json.dumps(rows, separators=(",", ":"))
    return "data:application/json;base64," + base64.b64encode(text.encode()).decode()


@lru_cache(maxsize=16)
def outline_within(city: str | None, bounds: Bounds) -> Lines:
    """The part of a city's outline inside `bounds`, in shares of their width and height from the south-west corner."""
    west, south, east, north = bounds
    lines = [shapely.linestrings(line) for line in outline_lines(city)]
    parts = shapely.get_parts(shapely.clip_by_rect(np.array(lines, dtype=object), *bounds))
    size = (east - west, north - south)
    return tuple(_points((shapely.get_coordinates(line) - (west, south)) / size, 4) for line in parts)


@lru_cache(maxsize=16)
def outline_path(city: str | None, bounds: Bounds) -> OutlinePath:
    """The same for an SVG that shows `bounds`, north up."""
    lines = outline_within(city, bounds)
    parts = ["M" + "L".join(f"{round(x * _SIZE)},{round((1 - y) * _SIZE)}" for x, y in line) for line in lines]
    return OutlinePath(_SIZE, "".join(parts))


def _points(places: np.ndarray, digits: int) -> tuple[Point, ...]:
    return tuple((x, y) for x, y in np.round(places, digits).tolist())

"""Outlines of cities, as fine as a picture can show."""

from __future__ import annotations

import base64
import json
from functools import lru_cache
from itertools import pairwise

import numpy as np
import shapely

from spatialldp.datasets import load_outline


@lru_cache(maxsize=8)
def outline_lines(city: str | None) -> list[list[list[float]]]:
    """The outline of a city as lines, as fine as a map of this size can show."""
    if city is None:
        return []
    shapes = [shapely.geometry.shape(feature["geometry"]) for feature in load_outline(city).geojson["features"]]
    west, south, east, north = shapely.total_bounds(shapes)
    finest = max(east - west, north - south) / 350
    # A border between two districts is drawn once; a line shorter than a few pixels only darkens the picture.
    lines = shapely.line_merge(shapely.union_all([s if "Line" in s.geom_type else s.boundary for s in shapes]))
    parts = shapely.simplify(shapely.get_parts(lines), finest)
    return [np.round(shapely.get_coordinates(line), 5).tolist() for line in parts if line.length > 3 * finest]


@lru_cache(maxsize=8)
def outline_of(city: str | None) -> str | None:
    """The same for deck.gl: an address that holds its own data, so that a redraw finds them unchanged."""
    if city is None:
        return None
    rows = [{"s": start, "e": end} for line in outline_lines(city) for start, end in pairwise(line)]
    text = json.dumps(rows, separators=(",", ":"))
    return "data:application/json;base64," + base64.b64encode(text.encode()).decode()

"""Outlines of cities, as fine as a picture can show."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import shapely

from spatialldp.datasets import load_outline


@lru_cache(maxsize=8)
def outline_of(city: str | None) -> dict[str, Any] | None:
    """The outline of a city as GeoJSON, as fine as a map of this size can show."""
    if city is None:
        return None
    features = load_outline(city).geojson["features"]
    shapes = [shapely.geometry.shape(feature["geometry"]) for feature in features]
    west, south, east, north = shapely.total_bounds(shapes)
    finest = max(east - west, north - south) / 1000
    kept = [shape.simplify(finest) for shape in shapes]
    # Streets shorter than a few pixels only darken the picture.
    kept = [shape for shape in kept if not shape.is_empty and shape.length > 6 * finest]
    collection = shapely.geometry.GeometryCollection(kept)
    return {
        "type": "FeatureCollection",
        "features": [
            {"type": "Feature", "properties": {}, "geometry": _rounded(shapely.geometry.mapping(shape))}
            for shape in collection.geoms
        ],
    }


def _rounded(geometry: dict[str, Any]) -> dict[str, Any]:
    def walk(value: Any) -> Any:
        return round(value, 5) if isinstance(value, float) else [walk(part) for part in value]

    return {"type": geometry["type"], "coordinates": walk(geometry["coordinates"])}


@lru_cache(maxsize=8)
def outline_lines(city: str | None) -> list[list[list[float]]]:
    """The same as plain lines."""
    collection = outline_of(city)
    lines: list[list[list[float]]] = []

    def walk(value: Any) -> None:
        if isinstance(value[0][0], float):
            lines.append([list(point) for point in value])
        else:
            for part in value:
                walk(part)

    for feature in (collection or {"features": []})["features"]:
        walk(feature["geometry"]["coordinates"])
    return lines

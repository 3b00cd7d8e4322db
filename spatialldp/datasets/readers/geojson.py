"""GeoJSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import (
    PREVIEW_COLUMNS,
    PREVIEW_ROWS,
    Limits,
    Table,
    as_utf8,
    check_crs,
    checked_columns,
    quoted,
    short,
)


class GeoJsonTable(Table):
    kind = "GeoJSON"

    def __init__(self, content: bytes, name: str, limits: Limits) -> None:
        if len(content) > limits.json_bytes:
            raise DataError(
                f"{quoted(name)} is JSON of more than {limits.json_bytes / 2**20:,.0f} MB: save it as CSV or Parquet"
            )
        document = json.loads(as_utf8(content, name))
        features = _features(document)
        if features is None:
            raise DataError(f"{quoted(name)} is JSON but not GeoJSON: a FeatureCollection of points is needed")
        if not features:
            raise DataError(f"{quoted(name)} is GeoJSON without features")
        crs = document.get("crs")
        if crs is not None:
            check_crs(str(crs.get("properties", {}).get("name")), name)
        self._features = features
        properties: dict[str, None] = {}
        for feature in features[:1000]:
            properties.update(dict.fromkeys(_properties(feature)))
        # A property called "geometry" would hide the geometry itself.
        properties.pop("geometry", None)
        self.columns = checked_columns(["geometry", *map(str, properties)], name, limits)
        self.geometry = ["geometry"]
        self.first_rows = [
            {
                "geometry": short(_member(feature, "geometry")),
                **{column: short(_properties(feature).get(column)) for column in self.columns[1:PREVIEW_COLUMNS]},
            }
            for feature in features[:PREVIEW_ROWS]
        ]

    def read(self, names: Sequence[str]) -> list[pa.Array]:
        columns = []
        for name in names:
            if name == "geometry":
                # Not an Arrow type: geometry of any shape, judged row by row where points are made.
                struct = pa.struct([("x", pa.float64()), ("y", pa.float64())])
                places = [_place(_member(feature, "geometry")) for feature in self._features]
                columns.append(pa.array(places, struct))
            else:
                values = [_properties(feature).get(name) for feature in self._features]
                columns.append(pa.array([None if value is None else str(value)[:400] for value in values], pa.string()))
        return columns


def _features(document: Any) -> list[Any] | None:
    kind = _member(document, "type")
    if kind == "FeatureCollection":
        features = document.get("features")
        return features if isinstance(features, list) else None
    if kind == "Feature":
        return [document]
    if kind in ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"):
        return [{"geometry": document}]
    return None


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _properties(feature: Any) -> dict[str, Any]:
    properties = _member(feature, "properties")
    return properties if isinstance(properties, dict) else {}


def _place(geometry: Any) -> dict[str, float | None] | None:
    """x and y of a Point; None where there is no point."""
    if _member(geometry, "type") != "Point":
        return None
    coordinates = geometry.get("coordinates")
    if not isinstance(coordinates, list) or len(coordinates) < 2:
        return None
    x, y = (
        value if isinstance(value, (int, float)) and not isinstance(value, bool) else None for value in coordinates[:2]
    )
    try:
        return {"x": None if x is None else float(x), "y": None if y is None else float(y)}
    except OverflowError:
        return {"x": float("inf"), "y": float("inf")}

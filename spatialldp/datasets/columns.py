"""Which columns of a table are the coordinates, judged by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

#: From the surest to the least sure name; plain x and y may just as well be metres on a local map.
_AXES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("longitude", "lon", "lng", "long"), ("latitude", "lat")),
    (("x",), ("y",)),
)
_GEOMETRY_NAMES = ("wkt", "geometry", "geom", "the_geom", "wkt_geom", "geo", "point", "shape")
_WEIGHT_NAMES = ("weight", "weights", "w", "count", "counts", "n", "people", "persons", "population")


@dataclass(frozen=True)
class Columns:
    """A choice of columns, by name: either `longitude` and `latitude`, or `geometry`; and perhaps a `weight`.

    Attributes:
        longitude: column of longitudes, in degrees; None with a geometry column.
        latitude: column of latitudes, in degrees; None with a geometry column.
        geometry: column of points (WKT, WKB or GeoArrow), in degrees; None with two coordinate columns.
        weight: column that says how many people a row stands for; None for one per row.

    Example:
        >>> from spatialldp.datasets import Columns
        >>> print(Columns("lon", "lat", weight="people"))
        lon, lat, weight people
    """

    longitude: str | None = None
    latitude: str | None = None
    geometry: str | None = None
    weight: str | None = None

    def __str__(self) -> str:
        place = self.geometry if self.geometry is not None else f"{self.longitude}, {self.latitude}"
        return place if self.weight is None else f"{place}, weight {self.weight}"

    def named(self) -> list[str]:
        """The columns in use, each once."""
        names = (self.longitude, self.latitude, self.geometry, self.weight)
        return list(dict.fromkeys(name for name in names if name is not None))


def normalised(name: str) -> str:
    """A column name in lower case, with one underscore for whatever separates its words."""
    return re.sub(r"[^0-9a-z]+", "_", name.casefold()).strip("_")


def place_candidates(columns: Sequence[str], geometry: Sequence[str] = ()) -> list[Columns]:
    """Every plausible pair of coordinate columns or geometry column, the best first.

    A pair shares the rest of its name: Pickup_longitude goes with Pickup_latitude, not with Dropoff_latitude.
    `geometry` columns known to be geometry whatever their name (a GeoParquet file says so): these come first.
    """
    found: list[tuple[int, Columns]] = [(0, Columns(geometry=name)) for name in geometry]
    for sureness, (x_names, y_names) in enumerate(_AXES):
        latitudes: dict[str, str] = {}
        for name in columns:
            rest = _rest_of(name, y_names)
            if rest is not None:
                latitudes.setdefault(rest, name)
        for name in columns:
            rest = _rest_of(name, x_names)
            if rest in latitudes:
                # "longitude" alone is surer than "pickup_longitude", which is surer than "x".
                rank = 1 + 3 * sureness + bool(rest)
                found.append((rank, Columns(longitude=name, latitude=latitudes[rest])))
    found += [
        (3, Columns(geometry=name)) for name in columns if normalised(name) in _GEOMETRY_NAMES and name not in geometry
    ]
    return [candidate for _, candidate in sorted(found, key=lambda entry: entry[0])]


def is_ambiguous(candidates: Sequence[Columns]) -> bool:
    """Whether somebody should be asked: a second pair that is as sure as the first, such as pick-up and drop-off."""
    if len(candidates) < 2 or candidates[0].geometry is not None or candidates[1].geometry is not None:
        return False
    return _words(candidates[0]) == _words(candidates[1])


def weight_candidates(columns: Sequence[str]) -> list[str]:
    """Columns that may say how many people a row stands for, the likeliest first."""
    named = [name for name in columns if normalised(name) in _WEIGHT_NAMES]
    return sorted(named, key=lambda name: _WEIGHT_NAMES.index(normalised(name)))


def _rest_of(name: str, axis_names: Sequence[str]) -> str | None:
    """What remains of a name without its word for the axis ("" for none), or None if it has no such word."""
    words = normalised(name).split("_")
    for position, word in enumerate(words):
        if word in axis_names:
            return "_".join(words[:position] + words[position + 1 :])
    return None


def _words(candidate: Columns) -> int:
    return len(normalised(candidate.longitude or "").split("_"))

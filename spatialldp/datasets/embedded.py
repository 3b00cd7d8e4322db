"""The files of the folder data/: real points and outlines that need no network."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import shapely

from spatialldp._top_level import TOP_LEVEL
from spatialldp.datasets.points import DataError, Points

#: At the top level of a checkout; an installed package carries a copy.
DATA_FOLDER = TOP_LEVEL / "data"

#: Cities with an outline.
OUTLINES = ("chicago", "new-haven", "new-york", "san-francisco")


@dataclass(frozen=True)
class Outline:
    """Borders of a city for a map without tiles, in longitude and latitude.

    Attributes:
        city: its id, one of `OUTLINES`.
        geojson: a FeatureCollection, in degrees, whose features have the properties `kind` ("area" or "line") and
            `name`.
        source: where the borders come from.
        licence: under which they may be used.
        note: what the borders are, where they are not the official ones.

    Example:
        >>> from spatialldp.datasets import load_outline
        >>> outline = load_outline("new-haven")
        >>> outline.note
        'Streets, and the concave hull of them: not the official city limits.'
        >>> outline.polygon.geom_type
        'Polygon'
    """

    city: str
    geojson: dict[str, Any]
    source: str
    licence: str
    note: str

    @property
    def polygon(self) -> shapely.Geometry:
        """All areas as one, ready for `Grid.with_polygon`."""
        areas = [
            shapely.geometry.shape(feature["geometry"])
            for feature in self.geojson["features"]
            if feature["properties"]["kind"] == "area"
        ]
        return shapely.union_all(areas)


def load_points(name: str) -> Points:
    """The points of data/points/NAME.parquet."""
    # Not read_table: it first imports the machinery for folders of files.
    table = pq.ParquetFile(_existing(f"points/{name}.parquet")).read()
    units_per_degree = int(table.schema.metadata[b"units_per_degree"])
    # Not to_numpy: it imports pandas, which takes longer than everything else together.
    whole = (np.from_dlpack(table[column].combine_chunks()) for column in ("longitude", "latitude"))
    # Dividing whole numbers gives the double nearest to the decimal; multiplying by 1e-6 would not.
    x, y = (column.astype(np.float64) / units_per_degree for column in whole)
    return Points(x, y)


def load_outline(city: str) -> Outline:
    """The outline of a city.

    Args:
        city: its id, one of `OUTLINES`.

    Returns:
        The borders, and where they come from.

    Raises:
        DataError: there is no outline of this city, or its file is missing.

    Example:
        >>> from spatialldp.datasets import dataset, load_outline
        >>> grid = dataset("new-haven").grid(10).with_polygon(load_outline("new-haven").polygon)
        >>> bool(grid.mask.all())  # some cells are outside the city
        False
    """
    if not isinstance(city, str) or city not in OUTLINES:
        raise DataError(f"there is no outline of {city!r}: choose one of {', '.join(OUTLINES)}")
    geojson = json.loads(_existing(f"outlines/{city}.geojson").read_text("utf-8"))
    return Outline(city, geojson, geojson.pop("source"), geojson.pop("licence"), geojson.pop("note"))


def _existing(relative: str) -> Path:
    path = DATA_FOLDER / relative
    if not path.is_file():
        raise DataError(
            f"data/{relative} is missing from {DATA_FOLDER}: install the package again, or in a checkout restore the "
            "file with 'git checkout data' or data/build.py"
        )
    return path

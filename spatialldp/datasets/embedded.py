"""The files of the folder data/: real points and outlines that need no network."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

from spatialldp._top_level import TOP_LEVEL
from spatialldp.datasets.points import DataError, Points
from spatialldp.datasets.storage import sha256

#: At the top level of a checkout; an installed package carries a copy.
DATA_FOLDER = TOP_LEVEL / "data"

#: SHA-256 of every file that is read, as data/build.py made it.
CHECKSUMS = {
    "points/san-francisco.parquet": "34115a3ffa50e828b5d2105c86a33690ee6e8d67ebdf58630e99bc67681c5e7e",
    "points/new-haven.parquet": "197cf87e0056249c4fedf7fafada1a58e1eae8a767b94622d1c93bd8ab80beac",
    "outlines/chicago.geojson": "75414f7ba1e9c060e54c392c53d951d62b896e2b2bfa1eaa691134a2734ecc51",
    "outlines/new-york.geojson": "2fbf88996eaf07182b54144b40605ffd566050ad6b385a035a347bb5abd0dcbe",
    "outlines/san-francisco.geojson": "9220b5e9c7ff62b069ae7e7f488a82ec803334abf7f683db53dbadb6b4fe994f",
    "outlines/new-haven.geojson": "92fc502828a66c5903f61bc82a1e7794ca8f14c47f8e9a0bc63c2315268f020f",
}
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
        return shapely.union_all(list(self.areas.values()))

    @cached_property
    def areas(self) -> dict[str, shapely.Geometry]:
        """The areas by name, in longitude and latitude."""
        return {
            feature["properties"]["name"]: shapely.geometry.shape(feature["geometry"])
            for feature in self.geojson["features"]
            if feature["properties"]["kind"] == "area"
        }

    @property
    def districts(self) -> dict[str, shapely.Geometry]:
        """The areas by name, where there are several; one alone is the city, not a district of it."""
        return self.areas if len(self.areas) > 1 else {}


def load_points(name: str) -> Points:
    """The points of data/points/NAME.parquet."""
    # Not read_table: it first imports the machinery for folders of files.
    table = pq.ParquetFile(pa.BufferReader(_verified(f"points/{name}.parquet"))).read(use_threads=False)
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
        DataError: there is no outline of this city, or its file is missing or damaged.

    Example:
        >>> from spatialldp.datasets import dataset, load_outline
        >>> grid = dataset("new-haven").grid(10).with_polygon(load_outline("new-haven").polygon)
        >>> bool(grid.mask.all())  # some cells are outside the city
        False
    """
    if not isinstance(city, str) or city not in OUTLINES:
        raise DataError(f"there is no outline of {city!r}: choose one of {', '.join(OUTLINES)}")
    geojson = json.loads(_verified(f"outlines/{city}.geojson"))
    return Outline(city, geojson, geojson.pop("source"), geojson.pop("licence"), geojson.pop("note"))


def _verified(relative: str) -> bytes:
    """A file of the folder, if it is there and as it was made, bit by bit."""
    advice = "install the package again, or in a checkout restore the file with 'git checkout data' or data/build.py"
    try:
        content = (DATA_FOLDER / relative).read_bytes()
    except FileNotFoundError:
        raise DataError(f"data/{relative} is missing from {DATA_FOLDER}: {advice}") from None
    except OSError as error:
        raise DataError(f"data/{relative} in {DATA_FOLDER} cannot be read ({error.strerror}): {advice}") from None
    if sha256(content) != CHECKSUMS[relative]:
        raise DataError(f"data/{relative} in {DATA_FOLDER} is damaged (its SHA-256 is not what it should be): {advice}")
    return content

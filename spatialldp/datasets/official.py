"""The paper's two real sets, from the cities' own open-data portals, kept in the user's cache folder.

A set is present when its Parquet file is: that file appears only when it is whole and verified. Beside it is its
checksum, which is verified whenever the set is loaded.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import platformdirs
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from spatialldp.datasets.columns import normalised
from spatialldp.datasets.points import DataError, Points
from spatialldp.datasets.storage import is_as_listed
from spatialldp.grid import Bounds

#: Environment variable that replaces the user's cache folder.
CACHE_VARIABLE = "SPATIALLDP_CACHE"
_AXES = ("longitude", "latitude")


@dataclass(frozen=True)
class OfficialSource:
    """Where a set is published, and how to tell that what arrived is the set.

    Attributes:
        id: of the data set.
        title: what the portal calls it.
        portal: address of the portal; the set itself is at PORTAL/resource/RESOURCE.csv.
        resource: what stands for RESOURCE there.
        page: address of the page that describes it.
        longitude: column of longitudes.
        latitude: column of latitudes.
        where: a filter in the portal's query language; empty for none.
        signature: columns (normalised) that only this set's full CSV has.
        date_column: column of dates, in which nearly all rows must have `year`.
        year: the year of the set.
        region: a generous box (west, south, east, north), in degrees, that must hold nearly all coordinates.
    """

    id: str
    title: str
    portal: str
    resource: str
    page: str
    longitude: str
    latitude: str
    where: str
    signature: tuple[str, ...]
    date_column: str
    year: int
    region: Bounds

    @property
    def path(self) -> Path:
        """The verified Parquet file, whether or not it is there yet."""
        return cache_folder() / f"{self.id}.parquet"

    @property
    def is_present(self) -> bool:
        """Whether the set can be used without a network."""
        return self.path.is_file()

    @property
    def manual_steps(self) -> str:
        """What to do when the portal cannot be reached from here, in one line."""
        return (
            f"open {self.page} in a browser, choose Export → CSV, and either put the file into {cache_folder()} and "
            f"run 'python -m spatialldp data fetch {self.id}' again, or run it with --file FILE.csv"
        )


SOURCES: dict[str, OfficialSource] = {
    source.id: source
    for source in (
        OfficialSource(
            id="chicago-crimes-2022",
            title="Crimes - 2022",
            portal="https://data.cityofchicago.org",
            resource="9hwr-2zxp",
            page="https://data.cityofchicago.org/Public-Safety/Crimes-2022/9hwr-2zxp",
            longitude="longitude",
            latitude="latitude",
            where="",
            signature=("case_number", "primary_type", "iucr", "latitude", "longitude"),
            date_column="date",
            year=2022,
            region=(-88.1, 41.5, -87.4, 42.2),
        ),
        OfficialSource(
            id="nyc-green-taxi-2016",
            title="2016 Green Taxi Trip Data",
            portal="https://data.cityofnewyork.us",
            resource="hvrh-b6nb",
            page="https://data.cityofnewyork.us/Transportation/2016-Green-Taxi-Trip-Data/hvrh-b6nb",
            longitude="pickup_longitude",
            latitude="pickup_latitude",
            # Only the first half of 2016 has coordinates; the rest would double the download for nothing.
            where="pickup_longitude IS NOT NULL",
            signature=("lpep_pickup_datetime", "pickup_longitude", "pickup_latitude"),
            date_column="lpep_pickup_datetime",
            year=2016,
            region=(-75.0, 40.0, -73.0, 41.5),
        ),
    )
}


def cache_folder() -> Path:
    """Where downloads are kept: the user's cache folder, or $SPATIALLDP_CACHE."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    return Path(platformdirs.user_cache_dir("spatialldp", appauthor=False))


def source_of(name: str) -> OfficialSource:
    """The source of an official set; its parts -a, -b and -c come from the same one."""
    source = SOURCES.get(name) or SOURCES.get(name.removesuffix("-a").removesuffix("-b").removesuffix("-c"))
    if source is None:
        raise DataError(f"{name!r} is not a data set to download: choose one of {', '.join(SOURCES)}")
    return source


def recognise(columns: Sequence[str]) -> str | None:
    """The id of the official set whose full CSV has these columns, or None."""
    names = {normalised(column) for column in columns}
    return next((source.id for source in SOURCES.values() if names.issuperset(source.signature)), None)


def load(source: OfficialSource, square: Bounds | None = None) -> Points:
    """The points that have coordinates, or only those in a square (borders included).

    When they are not here, raises DataError with the way to get them.
    """
    if not source.is_present:
        raise DataError(
            f"{source.id} is not on this computer yet: run 'python -m spatialldp data fetch {source.id}', "
            f"or {source.manual_steps}"
        )
    try:
        file = pq.ParquetFile(pa.BufferReader(_intact(source)))
        batches = file.iter_batches(2**20, columns=list(_AXES), use_threads=False)
        axes = [[batch[axis].cast(pa.float64()).to_numpy(zero_copy_only=False) for axis in _AXES] for batch in batches]
        x, y = (np.concatenate([np.empty(0), *column]) for column in zip(*axes, strict=True))
    except (pa.ArrowException, OSError, KeyError, ValueError) as problem:
        raise problem if isinstance(problem, DataError) else _damaged(source) from None
    west, south, east, north = square or (-math.inf, -math.inf, math.inf, math.inf)
    with np.errstate(invalid="ignore"):
        wanted = (x >= west) & (x <= east) & (y >= south) & (y <= north) & np.isfinite(x) & np.isfinite(y)
    return Points(x[wanted], y[wanted])


def rows(source: OfficialSource, square: Bounds | None = None) -> int | None:
    """Rows on this computer, or points in a square of it; None before the download, and where the file is damaged."""
    try:
        about = source.path.stat()
    except OSError:
        return None
    return _rows(source, square, source.path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=64)
def _rows(source: OfficialSource, square: Bounds | None, path: Path, changed: int, size: int) -> int | None:
    """The same; keyed by path, time of change and size, so that a changed file is counted again."""
    try:
        if square is not None:
            return load(source, square).x.size
        return int(pq.read_metadata(pa.BufferReader(_intact(source))).num_rows)
    except (DataError, pa.ArrowException, OSError):
        return None


def is_intact(source: OfficialSource) -> bool:
    """Whether the set is on this computer and as it was stored, bit by bit."""
    try:
        return pq.read_metadata(pa.BufferReader(_intact(source))).num_rows > 0
    except (DataError, pa.ArrowException, OSError):
        return False


def _intact(source: OfficialSource) -> bytes:
    """The file, verified by its checksum."""
    content = source.path.read_bytes()
    # Between the two reads the file may have been fetched again.
    if not is_as_listed(source.path, content) and not is_as_listed(source.path, content := source.path.read_bytes()):
        raise _damaged(source)
    return content


def _damaged(source: OfficialSource) -> DataError:
    return DataError(f"{source.path} is damaged: run 'python -m spatialldp data fetch {source.id}' to get it again")


class RegionCheck:
    """Counts, batch by batch, how many coordinates are where the city is."""

    def __init__(self, source: OfficialSource) -> None:
        self.source, self.known, self.near = source, 0, 0

    def add(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        """Count one batch."""
        west, south, east, north = self.source.region
        with np.errstate(invalid="ignore"):
            near = (x >= west) & (x <= east) & (y >= south) & (y <= north)
        self.known += int(np.count_nonzero(np.isfinite(x) & np.isfinite(y)))
        self.near += int(np.count_nonzero(near))

    def verify(self) -> None:
        """Refuse what is not this city: nine in ten of the known coordinates must be in its region.

        Not all of them: the official files hold some zeros and some places far away.
        """
        if self.near < max(0.9 * self.known, 1):
            raise DataError(
                f"only {self.near:,} of {self.known:,} coordinates are near the city, so this is not "
                f"{self.source.title!r}: try again later, or {self.source.manual_steps}"
            )

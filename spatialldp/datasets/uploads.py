"""Somebody's own file: looked at first, then read with every unusable row counted.

Nothing is kept here or written anywhere: the caller holds the only copy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.datasets import official
from spatialldp.datasets.columns import Columns, is_ambiguous, place_candidates, weight_candidates
from spatialldp.datasets.points import DataError, Points
from spatialldp.datasets.readers import DEFAULT_LIMITS, Clock, Limits, Meter, OnReading, Table, open_table, quoted
from spatialldp.datasets.values import MOST_PEOPLE, Reason, numbers_in, people_in, points_in
from spatialldp.grid import Bounds

File = str | Path | bytes | IO[bytes]

#: Hardly anybody lives farther north or south than this, but longitudes often are larger.
_INHABITED_LATITUDES = (-57.0, 72.0)


@dataclass(frozen=True)
class Preview:
    r"""What a file seems to hold, before it is used.

    Attributes:
        name: of the file.
        kind: "CSV", "Parquet", "GeoJSON" or "GeoParquet".
        columns: names of all columns.
        candidates: choices of coordinate columns, the best first.
        ambiguous: whether the first candidate is not clearly the best.
        weights: columns that may be weights, the likeliest first; never used unless chosen.
        first_rows: up to five rows, as shortened texts by column.
        official: the id of the official data set that this file is a download of; None where it is not one.

    Example:
        >>> from spatialldp.datasets import inspect_points
        >>> preview = inspect_points(b"pickup_lon,pickup_lat,dropoff_lon,dropoff_lat\n0.5,0.5,3,4\n")
        >>> [str(choice) for choice in preview.candidates], preview.ambiguous
        (['pickup_lon, pickup_lat', 'dropoff_lon, dropoff_lat'], True)
    """

    name: str
    kind: str
    columns: list[str]
    candidates: list[Columns]
    ambiguous: bool
    weights: list[str]
    first_rows: list[dict[str, str]]
    official: str | None


@dataclass(frozen=True)
class Upload:
    r"""Points read from a file.

    Attributes:
        preview: what the file seemed to hold.
        columns: the columns that were read.
        points: the usable rows, in degrees.
        rows: how many rows the file has.
        dropped: how many rows could not be used, by reason.
        swapped: whether longitude and latitude were exchanged.
        looks_swapped: whether the latitudes look like longitudes, so that `swap=True` is worth offering.

    Example:
        >>> from spatialldp.datasets import read_points
        >>> upload = read_points(b"longitude,latitude\n0.5,0.5\n1.5,?\n")
        >>> upload.rows, upload.points.people
        (2, 1)
        >>> upload.summary
        '1 of 2 rows can be used; left out: 1 because a coordinate is missing.'
    """

    preview: Preview
    columns: Columns
    points: Points
    rows: int
    dropped: dict[Reason, int]
    swapped: bool
    looks_swapped: bool

    @property
    def summary(self) -> str:
        """One sentence on what is used and what is not."""
        people = self.points.people
        text = f"{self.points.x.size:,} of {self.rows:,} rows can be used"
        if self.points.weights is not None:
            text += f", {people:,} people in all"
        return text + (f"; left out: {_account(self.dropped)}." if self.dropped else ".")

    @property
    def bounds(self) -> Bounds:
        """A box to start with: the points without the outermost 0.1% on each side, where stray ones are."""
        x, y = self.points.x, self.points.y
        west, east = np.quantile(x, [0.001, 0.999], method="nearest")
        south, north = np.quantile(y, [0.001, 0.999], method="nearest")
        margin = 0.001  # about 100 m, so that one single place still has a box
        return (
            max(float(west) - margin, -180.0),
            max(float(south) - margin, -90.0),
            min(float(east) + margin, 180.0),
            min(float(north) + margin, 90.0),
        )


@validate.takes(name=str, limits=Limits)
def inspect_points(file: File, name: str = "", limits: Limits = DEFAULT_LIMITS) -> Preview:
    r"""Look at a file: its columns, and which of them may be the coordinates.

    Args:
        file: path, content or binary stream of a CSV, TSV, Parquet, GeoJSON or GeoParquet file, packed with gzip or
            not.
        name: what messages call it; empty for its own name.
        limits: what the file may cost in bytes, columns, rows and seconds.

    Returns:
        What the file seems to hold; see `Preview`.

    Raises:
        DataError: it cannot be opened, is too large, or is not such a file. The message is one line.

    Example:
        >>> from spatialldp.datasets import inspect_points
        >>> preview = inspect_points(b"longitude,latitude,people\n0.5,0.5,3\n")
        >>> preview.kind, preview.columns, preview.weights
        ('CSV', ['longitude', 'latitude', 'people'], ['people'])
    """
    name = _name(file, name)
    return _preview(open_table(file, Meter(name, limits)), name)


@validate.takes(
    name=str,
    columns=(Columns, type(None)),
    swap=bool,
    limits=Limits,
    on_reading=(validate.A_FUNCTION, type(None)),
    on_preview=(validate.A_FUNCTION, type(None)),
    clock=validate.A_FUNCTION,
)
def read_points(
    file: File,
    name: str = "",
    columns: Columns | None = None,
    swap: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    on_reading: OnReading | None = None,
    on_preview: Callable[[Preview], None] | None = None,
    clock: Clock = time.thread_time,
) -> Upload:
    r"""Read the points of a file. Rows that cannot be used are counted by reason.

    Args:
        file: path, content or binary stream of a CSV, TSV, Parquet, GeoJSON or GeoParquet file, packed with gzip or
            not.
        name: what messages call it; empty for its own name.
        columns: the choice of columns; None for the best candidate.
        swap: whether to exchange longitude and latitude.
        limits: what the file may cost in bytes, columns, rows and seconds.
        on_reading: told now and then how much is read, from 0 to 1, and the number of rows so far; an exception that
            it raises ends the reading.
        on_preview: told what the file seems to hold, before its rows are read.
        clock: gives seconds, for the limit; by default what the thread takes of the processor, so that a file costs the
            same on a busy machine.

    Returns:
        The points, and what was left out; see `Upload`.

    Raises:
        DataError: it cannot be opened, is too large, is not such a file, has no such columns, or has no row that can be
            used. The message is one line.

    Example:
        >>> from spatialldp.datasets import Columns, read_points
        >>> content = b"longitude,latitude,people\n0.5,0.5,3\n1.5,?,1\n"
        >>> read_points(content, columns=Columns("longitude", "latitude", weight="people")).points.people
        3
    """
    meter = Meter(_name(file, name), limits, on_reading, clock)
    name = meter.name
    table = open_table(file, meter)
    preview = _preview(table, name)
    if on_preview is not None:
        on_preview(preview)
    if columns is None:
        columns = _best(preview)
    _check_choice(columns, preview)
    rows = _Rows(min(table.most_rows, limits.rows), columns, swap, table.decimal_comma)
    for arrays in table.batches(columns.named()):
        meter.add_rows(len(arrays[0]))
        try:
            rows.add(dict(zip(columns.named(), arrays, strict=True)))
        except DataError as error:
            raise DataError(f"{quoted(name)}: {error}") from None
        except Exception:
            raise DataError(
                f"{quoted(name)} has columns that cannot be read as numbers: choose other columns"
            ) from None
    looks_swapped = rows.looks_swapped
    numbers = rows.reasons.tolist()
    numbers[Reason.BAD_ROW] = table.bad_rows
    dropped: dict[Reason, int] = {why: numbers[why] for why in list(Reason)[1:] if numbers[why]}
    if not rows.usable:
        raise _nothing_usable(dropped, looks_swapped, name)
    points = rows.points()
    if points.people > MOST_PEOPLE or points.people == 0:
        raise DataError(
            f"{quoted(name)} has weights that add up to {points.people:,} people; from 1 to {MOST_PEOPLE:,} are "
            "allowed: choose another weight column, or none"
        )
    return Upload(preview, columns, points, meter.rows + table.bad_rows, dropped, swap, looks_swapped and not swap)


class _Rows:
    """The usable rows of a file, added batch by batch, and the account of all.

    Attributes:
        usable: how many there are so far.
        reasons: how many rows there are for each `Reason`, int64 (len(Reason),).
    """

    def __init__(self, most_rows: int, columns: Columns, swap: bool, decimal_comma: bool) -> None:
        self._columns, self._swap, self._decimal_comma = columns, swap, decimal_comma
        # Room for all there can be; the system gives memory only to what is written.
        self._x, self._y = np.empty(most_rows), np.empty(most_rows)
        self._weights = None if columns.weight is None else np.empty(most_rows, np.int64)
        self.usable, self.reasons = 0, np.zeros(len(Reason), np.int64)
        self._numeric = self._strange = self._strange_swapped = 0

    def add(self, arrays: dict[str, pa.Array]) -> None:
        """Judge a batch of rows and keep those that can be used."""
        columns = self._columns
        if columns.geometry is not None:
            x, y, reason = points_in(arrays[columns.geometry])
        else:
            x, x_reason = numbers_in(arrays[columns.longitude or ""], self._decimal_comma)
            y, y_reason = numbers_in(arrays[columns.latitude or ""], self._decimal_comma)
            reason = np.where(x_reason != Reason.USABLE, x_reason, y_reason)
        numeric = reason == Reason.USABLE
        self._look(x[numeric], y[numeric])
        if self._swap:
            x, y = y, x
        with np.errstate(invalid="ignore"):
            off_the_map = ~((np.abs(x) <= 180) & (np.abs(y) <= 90))
        reason[numeric & off_the_map] = Reason.OUT_OF_RANGE
        people: NDArray[np.int64] | None = None
        if columns.weight is not None:
            people, bad_weight = people_in(numbers_in(arrays[columns.weight], self._decimal_comma)[0])
            reason[bad_weight & (reason == Reason.USABLE)] = Reason.BAD_WEIGHT
        usable = reason == Reason.USABLE
        here = slice(self.usable, self.usable + int(np.count_nonzero(usable)))
        self._x[here], self._y[here] = x[usable], y[usable]
        if self._weights is not None and people is not None:
            self._weights[here] = people[usable]
        self.usable = here.stop
        self.reasons += np.bincount(reason, minlength=len(Reason))

    def points(self) -> Points:
        """All usable rows; nothing can be added any more."""
        for kept in (self._x, self._y, self._weights):
            if kept is not None:
                # Given back, not copied.
                kept.resize(self.usable, refcheck=False)
        return Points(self._x, self._y, self._weights)

    def _look(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        south, north = _INHABITED_LATITUDES
        self._numeric += y.size
        self._strange += int(np.count_nonzero((y < south) | (y > north)))
        self._strange_swapped += int(np.count_nonzero((x < south) | (x > north) | (np.abs(y) > 180)))

    @property
    def looks_swapped(self) -> bool:
        """Whether latitudes are where nobody lives, while exchanged they would be fine.

        A heuristic for an offer: it cannot see a swap where both orders are inhabited, as in Paris (2° E, 49° N).
        """
        return self._strange > 0.5 * self._numeric and self._strange_swapped < 0.1 * self._numeric


def _name(file: File, name: str) -> str:
    if name:
        return name
    return Path(file).name if isinstance(file, (str, Path)) else str(getattr(file, "name", "the file"))


def _preview(table: Table, name: str) -> Preview:
    candidates = place_candidates(table.columns, table.geometry)
    return Preview(
        name,
        table.kind,
        table.columns,
        candidates,
        is_ambiguous(candidates),
        weight_candidates(table.columns),
        table.first_rows,
        official.recognise(table.columns),
    )


def _best(preview: Preview) -> Columns:
    if not preview.candidates:
        names = ", ".join(quoted(column) for column in preview.columns[:6])
        more = ", …" if len(preview.columns) > 6 else ""
        raise DataError(
            f"{quoted(preview.name)} has no columns named like longitude and latitude (it has {names}{more}): "
            "choose the columns, or rename them"
        )
    return preview.candidates[0]


def _check_choice(columns: Columns, preview: Preview) -> None:
    if (columns.geometry is None) == (columns.longitude is None or columns.latitude is None):
        raise DataError("choose either a longitude and a latitude column, or one geometry column")
    for column in columns.named():
        if column not in preview.columns:
            raise DataError(f"{quoted(preview.name)} has no column {quoted(column)}: choose one that is there")
    if columns.longitude is not None and columns.longitude == columns.latitude:
        raise DataError(f"longitude and latitude are both {quoted(columns.longitude)}: choose two columns")


def _nothing_usable(dropped: dict[Reason, int], looks_swapped: bool, name: str) -> DataError:
    advice = "check the columns"
    if set(dropped) == {Reason.OUT_OF_RANGE}:
        advice = "convert projected coordinates (metres, feet) to longitude and latitude (EPSG:4326)"
        if looks_swapped:
            advice = "longitude and latitude look swapped; swap them"
    return DataError(f"{quoted(name)} has no row that can be used ({_account(dropped) or 'it has no rows'}): {advice}")


def _account(dropped: dict[Reason, int]) -> str:
    return ", ".join(f"{count:,} because {reason.words}" for reason, count in dropped.items())

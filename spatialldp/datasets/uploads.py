"""Somebody's own file: looked at first, then read with every unusable row counted.

Nothing is kept here or written anywhere: the caller holds the only copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely
from numpy.typing import NDArray

from spatialldp.datasets import official
from spatialldp.datasets.columns import Columns, is_ambiguous, place_candidates, weight_candidates
from spatialldp.datasets.points import DataError, Points
from spatialldp.datasets.readers import DEFAULT_LIMITS, Limits, Table, open_table, quoted
from spatialldp.grid import Bounds

File = str | Path | bytes | IO[bytes]

#: More people than this in one file are a mistake in the weight column.
MOST_PEOPLE = 1_000_000_000
#: Hardly anybody lives farther north or south than this, but longitudes often are larger.
_INHABITED_LATITUDES = (-57.0, 72.0)


class Reason(IntEnum):
    """Why a row is not used, in the order in which rows are judged; 0 where it is."""

    USABLE = 0
    MISSING = 1
    NOT_A_POINT = 2
    NOT_A_NUMBER = 3
    NOT_FINITE = 4
    OUT_OF_RANGE = 5
    BAD_WEIGHT = 6
    BAD_ROW = 7

    @property
    def words(self) -> str:
        """How the reason reads after "because"."""
        return _WORDS[self]


_WORDS = {
    Reason.USABLE: "nothing is wrong",
    Reason.MISSING: "a coordinate is missing",
    Reason.NOT_A_POINT: "the geometry is not a point",
    Reason.NOT_A_NUMBER: "a coordinate is not a number",
    Reason.NOT_FINITE: "a coordinate is infinite",
    Reason.OUT_OF_RANGE: "longitude or latitude is out of range",
    Reason.BAD_WEIGHT: "the weight is not a whole number ≥ 0",
    Reason.BAD_ROW: "the row has too many or too few columns",
}
Reasons = NDArray[np.uint8]

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?$"
_INFINITE = r"(?i)^[+-]?inf(inity)?$"
_ABSENT = ("", "na", "n/a", "nan", "null", "none", "nil", "-", "?")


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
            text += f", {people:,} people by the weights"
        return text + (f"; left out: {_account(self.dropped)}." if self.dropped else ".")

    @property
    def bounds(self) -> Bounds:
        """A box to start with: the points without the outermost 0.1 % on each side, where stray ones are."""
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


def inspect_points(file: File, name: str = "", limits: Limits = DEFAULT_LIMITS) -> Preview:
    r"""Look at a file: its columns, and which of them may be the coordinates.

    Args:
        file: path, content or binary stream of a CSV, TSV, Parquet, GeoJSON or GeoParquet file, packed with gzip or
            not.
        name: what messages call it; empty for its own name.
        limits: what the file may cost in bytes, columns and rows.

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
    return _preview(open_table(file, name, limits), name)


def read_points(
    file: File, name: str = "", columns: Columns | None = None, swap: bool = False, limits: Limits = DEFAULT_LIMITS
) -> Upload:
    r"""Read the points of a file. Rows that cannot be used are counted by reason.

    Args:
        file: path, content or binary stream of a CSV, TSV, Parquet, GeoJSON or GeoParquet file, packed with gzip or
            not.
        name: what messages call it; empty for its own name.
        columns: the choice of columns; None for the best candidate.
        swap: whether to exchange longitude and latitude.
        limits: what the file may cost in bytes, columns and rows.

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
    name = _name(file, name)
    table = open_table(file, name, limits)
    preview = _preview(table, name)
    if columns is None:
        columns = _best(preview)
    _check_choice(columns, preview)
    arrays = dict(zip(columns.named(), table.read(columns.named()), strict=True))
    try:
        if columns.geometry is not None:
            x, y, reason = _from_geometry(arrays[columns.geometry])
        else:
            x, x_reason = _numbers(arrays[columns.longitude or ""], table.decimal_comma)
            y, y_reason = _numbers(arrays[columns.latitude or ""], table.decimal_comma)
            reason = np.where(x_reason != Reason.USABLE, x_reason, y_reason)
        weights = None if columns.weight is None else _numbers(arrays[columns.weight], table.decimal_comma)[0]
    except DataError as error:
        raise DataError(f"{quoted(name)}: {error}") from None
    except Exception:
        raise DataError(f"{quoted(name)} has columns that cannot be read as numbers: choose other columns") from None
    numeric = reason == Reason.USABLE
    looks_swapped = _looks_swapped(x[numeric], y[numeric])
    if swap:
        x, y = y, x
    with np.errstate(invalid="ignore"):
        off_the_map = ~((np.abs(x) <= 180) & (np.abs(y) <= 90))
    reason[numeric & off_the_map] = Reason.OUT_OF_RANGE
    whole, bad_weight = _people(weights)
    if bad_weight is not None:
        reason[bad_weight & (reason == Reason.USABLE)] = Reason.BAD_WEIGHT
    usable = reason == Reason.USABLE
    numbers = np.bincount(reason, minlength=len(Reason)).tolist()
    numbers[Reason.BAD_ROW] = table.bad_rows
    dropped: dict[Reason, int] = {why: numbers[why] for why in list(Reason)[1:] if numbers[why]}
    _check_usable(usable, dropped, looks_swapped, name)
    points = Points(x[usable], y[usable], None if whole is None else whole[usable])
    if points.people > MOST_PEOPLE or points.people == 0:
        raise DataError(
            f"{quoted(name)} has weights that add up to {points.people:,} people; from 1 to {MOST_PEOPLE:,} are "
            "allowed: choose another weight column, or none"
        )
    rows = usable.size + table.bad_rows
    return Upload(preview, columns, points, rows, dropped, swap, looks_swapped and not swap)


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


def _check_usable(usable: NDArray[np.bool_], dropped: dict[Reason, int], looks_swapped: bool, name: str) -> None:
    if usable.any():
        return
    advice = "check the columns"
    if set(dropped) == {Reason.OUT_OF_RANGE}:
        advice = "convert projected coordinates (metres, feet) to longitude and latitude (EPSG:4326)"
        if looks_swapped:
            advice = "longitude and latitude look swapped; swap them"
    raise DataError(f"{quoted(name)} has no row that can be used ({_account(dropped) or 'it has no rows'}): {advice}")


def _account(dropped: dict[Reason, int]) -> str:
    return ", ".join(f"{count:,} because {reason.words}" for reason, count in dropped.items())


# -- values ------------------------------------------------------------------------------------


def _numbers(array: pa.Array, decimal_comma: bool) -> tuple[NDArray[np.float64], Reasons]:
    """The values as float64, NaN where there is none, and what is wrong with each."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    junk: NDArray[np.bool_] | bool = False
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        array, junk = _numbers_in_text(array.cast(pa.large_string()), decimal_comma)
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise DataError(f"a column holds {quoted(str(kind))} where numbers are needed: choose another column")
    values = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False).astype(np.float64)
    reason = np.zeros(values.size, np.uint8)
    reason[np.isinf(values)] = Reason.NOT_FINITE
    reason[np.isnan(values)] = Reason.MISSING
    reason[junk] = Reason.NOT_A_NUMBER
    return values, reason


def _numbers_in_text(text: pa.Array, decimal_comma: bool) -> tuple[pa.Array, NDArray[np.bool_]]:
    """The numbers in the texts, null where there is none, and where a text is neither a number nor a gap."""
    # Quotation marks are left over where they did not pair up.
    text = pc.utf8_trim_whitespace(pc.utf8_trim(text, characters='"'))
    if decimal_comma:
        text = pc.replace_substring(text, ",", ".", max_replacements=1)
    is_number = pc.fill_null(pc.match_substring_regex(text, _NUMBER), False)
    is_infinite = pc.fill_null(pc.match_substring_regex(text, _INFINITE), False)
    is_gap = pc.or_(pc.is_null(text), pc.is_in(pc.utf8_lower(text), value_set=pa.array(_ABSENT, text.type)))
    # Arrow reads decimals to the nearest double, as Python does, but knows no leading plus sign.
    digits = pc.replace_substring_regex(pc.if_else(is_number, text, None), r"^\+", "")
    numbers = pc.if_else(is_infinite, float("inf"), digits.cast(pa.float64()))
    known = pc.or_(pc.or_(is_number, is_infinite), is_gap)
    return numbers, ~known.to_numpy(zero_copy_only=False).astype(bool)


def _from_geometry(array: pa.Array) -> tuple[NDArray[np.float64], NDArray[np.float64], Reasons]:
    kind = array.type
    gap = array.is_null().to_numpy(zero_copy_only=False).astype(bool)
    if pa.types.is_struct(kind) and {"x", "y"} <= {field.name for field in kind}:
        # GeoArrow points, and what the GeoJSON reader gives: there a missing struct is a geometry of another kind.
        x, y = (array.field(axis).cast(pa.float64()).to_numpy(zero_copy_only=False) for axis in ("x", "y"))
        x, y = np.where(gap, np.nan, x), np.where(gap, np.nan, y)
        not_a_point = gap
    else:
        is_binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind)
        if not (is_binary or pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise DataError(f"the geometry column holds {quoted(str(kind))}: choose WKT, WKB or two number columns")
        parse: Any = shapely.from_wkb if is_binary else shapely.from_wkt
        shapes = parse(array.to_numpy(zero_copy_only=False), on_invalid="ignore")
        not_a_point = ~gap & (shapely.get_type_id(shapes) != shapely.GeometryType.POINT)
        # NaN where there is no point; an empty one has no coordinates to ask for either.
        shapes = np.where(shapely.is_empty(shapes), None, shapes)
        x, y = shapely.get_x(shapes), shapely.get_y(shapes)
    reason = np.zeros(x.size, np.uint8)
    reason[np.isinf(x) | np.isinf(y)] = Reason.NOT_FINITE
    reason[np.isnan(x) | np.isnan(y)] = Reason.MISSING
    reason[not_a_point] = Reason.NOT_A_POINT
    return x, y, reason


def _people(weights: NDArray[np.float64] | None) -> tuple[NDArray[np.int64] | None, NDArray[np.bool_] | None]:
    """The weights as whole numbers, and where they are not."""
    if weights is None:
        return None, None
    with np.errstate(invalid="ignore"):
        bad = ~((weights >= 0) & (weights <= MOST_PEOPLE) & (np.floor(weights) == weights))
    return np.where(bad, 0, weights).astype(np.int64), bad


def _looks_swapped(x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    """Whether latitudes are where nobody lives, while exchanged they would be fine.

    A heuristic for an offer: it cannot see a swap where both orders are inhabited, as in Paris (2° E, 49° N).
    """
    if not y.size:
        return False
    south, north = _INHABITED_LATITUDES
    strange_now = np.mean((y < south) | (y > north))
    strange_swapped = np.mean((x < south) | (x > north) | (np.abs(y) > 180))
    return bool(strange_now > 0.5 and strange_swapped < 0.1)

"""The values of a stranger's columns as numbers and places, with what is wrong with each."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import is_text, quoted

#: More people than this in one file are a mistake in the weight column.
MOST_PEOPLE = 1_000_000_000


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

_PLAIN_NUMBER = r"^-?([0-9]+\.?[0-9]*|\.[0-9]+)$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?$"
_INFINITE = r"(?i)^[+-]?inf(inity)?$"
_ABSENT = ("", "na", "n/a", "nan", "null", "none", "nil", "-", "?")
_AXIS = r"-?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?|nan|inf(?:inity)?)"
_WKT_POINT = rf"(?i)^\s*POINT\s*(?:ZM|Z|M)?\s*\(\s*\+?(?P<x>{_AXIS})\s+\+?(?P<y>{_AXIS})(?:\s+{_AXIS}){{0,2}}\s*\)\s*$"
_WKT_EMPTY = r"(?i)^\s*POINT\s*(?:ZM|Z|M)?\s*EMPTY\s*$"
#: Bytes of a point: order, kind, perhaps a reference system, and two to four numbers.
_WKB_SIZES = (21, 25, 29, 33, 37, 41)
#: Letters or bytes of the longest number or point worth reading.
_LONGEST = 400


def numbers_in(array: pa.Array, decimal_comma: bool) -> tuple[NDArray[np.float64], Reasons]:
    """The values as float64, NaN where there is none, and what is wrong with each."""
    array = _short(array, "not a number")
    kind = array.type
    junk: NDArray[np.bool_] | bool = False
    if pa.types.is_large_string(kind):
        array, junk = _numbers_in_text(array, decimal_comma)
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
    if not text.null_count and pc.all(pc.match_substring_regex(text, _PLAIN_NUMBER)).as_py():
        return text.cast(pa.float64()), np.zeros(len(text), bool)
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


def points_in(array: pa.Array) -> tuple[NDArray[np.float64], NDArray[np.float64], Reasons]:
    """The coordinates of points, NaN where there are none, and what is wrong with each."""
    array = _short(array, "")
    kind = array.type
    gap = array.is_null().to_numpy(zero_copy_only=False).astype(bool)
    if pa.types.is_struct(kind) and {"x", "y"} <= {field.name for field in kind}:
        # GeoArrow points, and what the GeoJSON reader gives: there a missing struct is a geometry of another kind.
        x, y = (array.field(axis).cast(pa.float64()).to_numpy(zero_copy_only=False) for axis in ("x", "y"))
        x, y = np.where(gap, np.nan, x), np.where(gap, np.nan, y)
        not_a_point = gap
    elif pa.types.is_large_string(kind):
        x, y, not_a_point = _points_in_text(array)
    elif pa.types.is_large_binary(kind):
        x, y, not_a_point = _points_in_bytes(array)
        not_a_point &= ~gap
    else:
        raise DataError(f"the geometry column holds {quoted(str(kind))}: choose WKT, WKB or two number columns")
    reason = np.zeros(x.size, np.uint8)
    reason[np.isinf(x) | np.isinf(y)] = Reason.NOT_FINITE
    reason[np.isnan(x) | np.isnan(y)] = Reason.MISSING
    reason[not_a_point] = Reason.NOT_A_POINT
    return x, y, reason


# Points are the simplest of geometries, so they are read here. A library for all of them takes its time to refuse each
# of a million that are none, and calls itself for each bracket of one that opens bracket after bracket, until the whole
# program ends.


def _points_in_text(text: pa.Array) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """The coordinates of WKT, NaN where there are none, and where a text is no point."""
    found = pc.extract_regex(text, _WKT_POINT)
    is_empty = pc.or_(pc.is_null(text), pc.fill_null(pc.match_substring_regex(text, _WKT_EMPTY), False))
    x, y = (pc.struct_field(found, axis).cast(pa.float64()).to_numpy(zero_copy_only=False) for axis in ("x", "y"))
    is_point = pc.or_(found.is_valid(), is_empty)
    return x, y, ~is_point.to_numpy(zero_copy_only=False).astype(bool)


def _points_in_bytes(array: pa.Array) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """The coordinates of WKB (ISO or extended), NaN where there are none, and where bytes are no point."""
    sizes = pc.fill_null(pc.binary_length(array), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    x, y, is_point = np.full(sizes.size, np.nan), np.full(sizes.size, np.nan), np.zeros(sizes.size, bool)
    for size in _WKB_SIZES:
        rows = np.flatnonzero(sizes == size)
        if not rows.size:
            continue
        letters = np.frombuffer(b"".join(array.take(pa.array(rows)).to_pylist()), np.uint8).reshape(-1, size)
        for order, byte in ((">", 0), ("<", 1)):
            mine = letters[:, 0] == byte
            blobs, here = np.ascontiguousarray(letters[mine]), rows[mine]
            kinds = blobs[:, 1:5].copy().view(f"{order}u4").ravel()
            for with_place, axes in ((0, 2), (0, 3), (0, 4), (4, 2), (4, 3), (4, 4)):
                start = 5 + with_place
                if start + 8 * axes != size:
                    continue
                fits = np.isin(kinds, _wkb_kinds(bool(with_place), axes))
                place = blobs[fits, start : start + 16].copy().view(f"{order}f8").reshape(-1, 2)
                x[here[fits]], y[here[fits]] = place[:, 0], place[:, 1]
                is_point[here[fits]] = True
    return x, y, ~is_point


def _wkb_kinds(with_place: bool, axes: int) -> list[int]:
    """The codes of a point with so many axes, and with or without a reference system in front of them."""
    flags = {2: [0], 3: [0x80000000, 0x40000000], 4: [0xC0000000]}[axes]
    if with_place:
        return [1 | flag | 0x20000000 for flag in flags]
    return [1 | flag for flag in flags] + {2: [], 3: [1001, 2001], 4: [3001]}[axes]


def _short(array: pa.Array, instead: str) -> pa.Array:
    """The array without its dictionary, if it has one, and with another text or bytes for those that are far too long.

    One long text in a dictionary may stand in a million rows.
    """
    values = array.dictionary if pa.types.is_dictionary(array.type) else array
    if is_text(values.type):
        values = values.cast(pa.large_binary() if _is_binary(values.type) else pa.large_string())
        is_long = pc.fill_null(pc.greater(pc.binary_length(values), _LONGEST), False)
        if pc.any(is_long).as_py():
            values = pc.if_else(
                is_long, pa.scalar(instead.encode() if _is_binary(values.type) else instead, values.type), values
            )
    if values is array or not pa.types.is_dictionary(array.type):
        return values
    return values.take(array.indices)


def _is_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind))


def people_in(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The weights as whole numbers, and where they are not."""
    with np.errstate(invalid="ignore"):
        bad = ~((weights >= 0) & (weights <= MOST_PEOPLE) & (np.floor(weights) == weights))
    return np.where(bad, 0, weights).astype(np.int64), bad

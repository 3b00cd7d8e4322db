"""GeoJSON, one feature after another: parsed as a whole, a file takes some twenty times its size in memory."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import (
    PREVIEW_COLUMNS,
    PREVIEW_ROWS,
    Table,
    check_crs,
    checked_columns,
    quoted,
    short,
)
from spatialldp.datasets.readers.content import Content, Told, silent

_GEOMETRIES = ("Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon")
#: Members of a document that are looked at.
_KEPT = ("type", "crs", "geometry", "properties", "coordinates")
_PREVIEW_FEATURES = 1000
_BATCH_FEATURES = 10_000
_BLANKS = re.compile(r"[ \t\r\n]*")
_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*").match
#: A mistake this close to the end of what has been read may only be its end.
_CUT_LETTERS = 64


class GeoJsonTable(Table):
    kind = "GeoJSON"

    def __init__(self, content: Content) -> None:
        self._content, limits, name = content, content.meter.limits, content.name
        if content.size > limits.json_bytes:
            raise DataError(
                f"{quoted(name)} is JSON of more than {limits.json_bytes / 2**20:,.0f} MB: save it as CSV or Parquet"
            )
        if content.brackets > limits.brackets:
            raise DataError(
                f"{quoted(name)} has more than {limits.brackets:,} lists and objects, far more than points need: keep "
                "only the points"
            )
        properties: dict[str, None] = {}
        rows: list[dict[str, str]] = []
        number = 0
        for feature in islice(self._features(), _PREVIEW_FEATURES):
            number += 1
            own = _properties(feature)
            properties.update(dict.fromkeys(map(str, own)))
            # A property called "geometry" would hide the geometry itself.
            properties.pop("geometry", None)
            if len(rows) < PREVIEW_ROWS:
                # Shortened at once: a feature may be large.
                texts = {key: short(own[key]) for key in islice(own, PREVIEW_COLUMNS)}
                rows.append({**texts, "geometry": short(_member(feature, "geometry"))})
            if len(properties) >= limits.columns:
                break
        if not number:
            raise DataError(f"{quoted(name)} is GeoJSON without features")
        self.columns = checked_columns(["geometry", *properties], name, limits)
        self.geometry = ["geometry"]
        self.first_rows = [{column: row.get(column, "") for column in self.columns[:PREVIEW_COLUMNS]} for row in rows]
        # The shortest feature is a single letter.
        self.most_rows = content.size // 2

    def batches(self, names: Sequence[str]) -> Iterator[list[pa.Array]]:
        features, limits = self._features(self._content.meter.read), self._content.meter.limits
        place, pointless = names.index("geometry") if "geometry" in names else None, 0
        while True:
            rows: list[list[Any]] = []
            # Not an Arrow type: geometry of any shape, judged row by row where points are made.
            point = pa.struct([("x", pa.float64()), ("y", pa.float64())])
            try:
                # Only what is wanted of a feature is kept.
                rows.extend([_value(feature, name) for name in names] for feature in islice(features, _BATCH_FEATURES))
                pointless += sum(row[place] is None for row in rows) if place is not None else 0
                arrays = [
                    pa.array([row[position] for row in rows], point if name == "geometry" else pa.string())
                    for position, name in enumerate(names)
                ]
            except DataError:
                raise
            except Exception:
                raise DataError(
                    f"{quoted(self._content.name)} cannot be read as GeoJSON, it is damaged: save it again"
                ) from None
            if not rows:
                return
            if pointless > limits.bad_rows:
                raise DataError(
                    f"{quoted(self._content.name)} has more than {limits.bad_rows:,} features that are no points: keep "
                    "only the points"
                )
            yield arrays

    def _features(self, told: Told = silent) -> Iterator[Any]:
        """Every feature, once; what is wrong with the document as a whole comes to light at its end."""
        name, limits = self._content.name, self._content.meter.limits
        not_geojson = DataError(f"{quoted(name)} is JSON but not GeoJSON: a FeatureCollection of points is needed")
        text = _JsonText(self._content, told)
        if text.next_letter() != "{":
            raise not_geojson
        document: dict[str, Any] = {}
        listed, kept = False, 0
        for _ in text.items("{", "}"):
            key = text.value()
            text.take(":")
            if key == "features" and text.next_letter() == "[" and not listed:
                listed = True
                yield from text.values()
                continue
            value = text.value()
            if key in _KEPT:
                kept += text.value_letters
                if kept > limits.feature_bytes:
                    raise too_large(name, limits.feature_bytes)
                document[key] = value
        if text.next_letter():
            raise ValueError("something follows the document")
        kind = document.get("type")
        if listed != (kind == "FeatureCollection"):
            raise not_geojson
        if document.get("crs") is not None:
            check_crs(str(document["crs"].get("properties", {}).get("name")), name)
        if kind == "Feature":
            yield document
        elif kind in _GEOMETRIES:
            yield {"geometry": document}
        elif not listed:
            raise not_geojson


class _JsonText:
    """Text of which no more is held than the value at hand.

    Attributes:
        value_letters: length of the value that was last read.
    """

    def __init__(self, content: Content, told: Told) -> None:
        self._name, self._most = content.name, content.meter.limits.feature_bytes
        self._pieces, self._decoder = content.text(told), codecs.getincrementaldecoder("utf-8")()
        self._text, self._position, self._has_ended = "", 0, False
        decoder: Any = json.JSONDecoder()
        self._scan = decoder.scan_once
        self.value_letters = 0

    def next_letter(self) -> str:
        """The next letter that is not blank, which stays there; empty at the end."""
        while True:
            blanks = _BLANKS.match(self._text, self._position)
            assert blanks is not None
            self._position = blanks.end()
            if self._position < len(self._text):
                return self._text[self._position]
            if self._has_ended:
                return ""
            self._read_more()

    def take(self, letter: str) -> None:
        """Go past this letter, which must be the next."""
        if self.next_letter() != letter:
            raise ValueError(f"{letter} is missing")
        self._position += 1

    def items(self, opening: str, closing: str) -> Iterator[None]:
        """Stops at each item of a list or an object, which the caller reads."""
        self.take(opening)
        if self.next_letter() == closing:
            self.take(closing)
            return
        while True:
            yield
            if self.next_letter() == closing:
                self.take(closing)
                return
            self.take(",")

    def values(self) -> Iterator[Any]:
        """Every value of a list. Hundreds of thousands come right behind each other, which must cost no call more."""
        for _ in self.items("[", "]"):
            yield self.value()
            try:
                while comma := _COMMA(self._text, self._position):
                    value, end = self._scan(self._text, comma.end())
                    if end == len(self._text):
                        break
                    self._position = end
                    yield value
            except (json.JSONDecodeError, StopIteration):
                # Cut off, perhaps: with more of the text, the long way finds out.
                if not self._has_ended:
                    self._read_more()

    def value(self) -> Any:
        """The value that comes next."""
        self.next_letter()
        while True:
            try:
                value, end = self._scan(self._text, self._position)
                # A number that ends with what has been read may go on.
                if end < len(self._text) or self._has_ended:
                    self.value_letters = end - self._position
                    self._position = end
                    return value
            except (json.JSONDecodeError, StopIteration) as error:
                if self._has_ended or not self._is_cut(error):
                    raise ValueError("no JSON") from None
            if len(self._text) - self._position > self._most:
                raise too_large(self._name, self._most)
            self._read_more()

    def _is_cut(self, error: json.JSONDecodeError | StopIteration) -> bool:
        """Whether a mistake may only be the end of what has been read so far."""
        if isinstance(error, StopIteration):
            position: int = error.value
            return position > len(self._text) - _CUT_LETTERS
        return error.pos > len(self._text) - _CUT_LETTERS or error.msg.startswith("Unterminated string")

    def _read_more(self) -> None:
        """At least twice the text of the value at hand, so that trying it again and again stays cheap."""
        parts = [self._text[self._position :]]
        wanted, added = len(parts[0]), 0
        while added <= wanted and not self._has_ended:
            piece = next(self._pieces, None)
            self._has_ended = piece is None
            parts.append(self._decoder.decode(piece or b"", final=self._has_ended))
            added += len(parts[-1])
        self._text, self._position = "".join(parts), 0


def too_large(name: str, most: int) -> DataError:
    return DataError(
        f"{quoted(name)} has a feature of more than {most / 2**20:,.0f} MB, which is no point: keep only the points"
    )


def _member(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _properties(feature: Any) -> dict[str, Any]:
    properties = _member(feature, "properties")
    return properties if isinstance(properties, dict) else {}


def _value(feature: Any, name: str) -> Any:
    if name == "geometry":
        return _place(_member(feature, "geometry"))
    value = _properties(feature).get(name)
    return None if value is None else str(value)[:400]


def _place(geometry: Any) -> dict[str, float | None] | None:
    """x and y of a Point; None where there is no point."""
    if _member(geometry, "type") != "Point":
        return None
    coordinates = geometry.get("coordinates")
    if not isinstance(coordinates, list) or len(coordinates) < 2:
        return None
    x, y = coordinates[:2]
    if type(x) is type(y) is float:
        return {"x": x, "y": y}
    return {"x": _number(x), "y": _number(y)}


def _number(value: Any) -> float | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return float("inf")

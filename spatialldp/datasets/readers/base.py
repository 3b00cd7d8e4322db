"""What every reader of strangers' files shares: limits, the shape of a table, and how to quote a stranger's text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from spatialldp.datasets.points import DataError


@dataclass(frozen=True)
class Limits:
    """What a file may cost.

    Attributes:
        file_bytes: as it comes.
        unpacked_bytes: after gzip.
        json_bytes: of a GeoJSON file.
        feature_bytes: of one feature of a GeoJSON file, which takes up to thirty times its size in memory.
        brackets: of a GeoJSON file, opening ones; the plainest points have one per 16 bytes.
        row_bytes: of one row of a text.
        page_bytes: of one page of a Parquet file, unpacked.
        dictionary_bytes: of one dictionary of a Parquet file, unpacked.
        footer_bytes: of the description at the end of a Parquet file.
        header_bytes: of the first line of a table.
        columns: of a table.
        rows: of a table; 16 bytes of memory each, 24 with weights.
        bad_rows: rows with too many or too few columns, or features without a point.
        seconds: of the processor's time, for all of it.
    """

    file_bytes: int = 50 * 2**20
    unpacked_bytes: int = 200 * 2**20
    json_bytes: int = 50 * 2**20
    feature_bytes: int = 2**20
    brackets: int = 4_000_000
    row_bytes: int = 4 * 2**20
    page_bytes: int = 64 * 2**20
    dictionary_bytes: int = 16 * 2**20
    footer_bytes: int = 4 * 2**20
    header_bytes: int = 64 * 2**10
    columns: int = 1_000
    rows: int = 8_000_000
    bad_rows: int = 1_000_000
    seconds: float = 6.0


DEFAULT_LIMITS = Limits()
PREVIEW_ROWS = 5
PREVIEW_COLUMNS = 30
_PREVIEW_TEXT = 80


class Table(ABC):
    """An opened file.

    Attributes:
        kind: "CSV", "Parquet", "GeoJSON" or "GeoParquet".
        columns: names of all columns.
        geometry: names of those known to hold geometry.
        first_rows: up to five rows, as shortened texts by column.
        bad_rows: rows with too many or too few columns; `batches` fills it.
        most_rows: no fewer than can be used, known before they are read.
        decimal_comma: whether a comma in a number may be a decimal one.
    """

    kind: str
    columns: list[str]
    geometry: list[str]
    first_rows: list[dict[str, str]]
    bad_rows: int = 0
    most_rows: int
    decimal_comma: bool = False

    @abstractmethod
    def batches(self, names: Sequence[str]) -> Iterator[list[pa.Array]]:
        """The named columns, some thousand rows at a time."""


def quoted(name: str) -> str:
    """A stranger's text for a message: one short, quoted line."""
    short = name if len(name) <= 60 else name[:57] + "…"
    return repr(short)


def check_number_of_columns(number: int, name: str, limits: Limits) -> None:
    if number > limits.columns:
        raise DataError(f"{quoted(name)} has {number:,} columns, more than {limits.columns:,}: keep only those needed")


def checked_columns(names: Sequence[str], name: str, limits: Limits) -> list[str]:
    check_number_of_columns(len(names), name, limits)
    return list(names)


def short(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _PREVIEW_TEXT else text[: _PREVIEW_TEXT - 1] + "…"


def check_crs(crs: str, name: str) -> None:
    if not any(known in crs for known in ("EPSG:4326", "CRS84", "EPSG::4326")):
        raise DataError(
            f"{quoted(name)} has coordinates in {quoted(crs)}: convert them to longitude and latitude (EPSG:4326), "
            "for example with geopandas .to_crs('EPSG:4326')"
        )


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds texts or bytes of any length."""
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_binary_view(kind)
    )

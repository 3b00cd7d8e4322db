"""What every reader of strangers' files shares: limits, the shape of a table, and how to quote a stranger's text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
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
        json_bytes: of a GeoJSON file, which takes some twenty times its size in memory.
        header_bytes: of the first line of a table.
        columns: of a table.
        rows: of a table.
    """

    file_bytes: int = 50 * 2**20
    unpacked_bytes: int = 200 * 2**20
    json_bytes: int = 50 * 2**20
    header_bytes: int = 64 * 2**10
    columns: int = 1_000
    rows: int = 20_000_000


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
        bad_rows: rows with too many or too few columns; `read` fills it.
        decimal_comma: whether a comma in a number may be a decimal one.
    """

    kind: str
    columns: list[str]
    geometry: list[str]
    first_rows: list[dict[str, str]]
    bad_rows: int = 0
    decimal_comma: bool = False

    @abstractmethod
    def read(self, names: Sequence[str]) -> list[pa.Array]:
        """The named columns, whole."""


def quoted(name: str) -> str:
    """A stranger's text for a message: one short, quoted line."""
    short = name if len(name) <= 60 else name[:57] + "…"
    return repr(short)


def checked_columns(names: Sequence[str], name: str, limits: Limits) -> list[str]:
    if len(names) > limits.columns:
        raise DataError(
            f"{quoted(name)} has {len(names):,} columns, more than {limits.columns:,}: keep only those needed"
        )
    return list(names)


def too_many_rows(name: str, limits: Limits) -> DataError:
    return DataError(f"{quoted(name)} has more than {limits.rows:,} rows: count it with spatialldp.datasets.bin_files")


def short(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= _PREVIEW_TEXT else text[: _PREVIEW_TEXT - 1] + "…"


def check_crs(crs: str, name: str) -> None:
    if not any(known in crs for known in ("EPSG:4326", "CRS84", "EPSG::4326")):
        raise DataError(
            f"{quoted(name)} has coordinates in {quoted(crs)}: convert them to longitude and latitude (EPSG:4326), "
            "for example with geopandas .to_crs('EPSG:4326')"
        )


def as_utf8(content: bytes, name: str) -> bytes:
    """The text as UTF-8 without a byte-order mark, whatever it was before."""
    try:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            return content.decode("utf-16").encode("utf-8")
        if content.startswith(b"\xef\xbb\xbf"):
            content = content[3:]
        # No text has NUL bytes, but UTF-16 without a mark has nothing else.
        if b"\x00" not in content[:100_000]:
            try:
                content.decode("utf-8")
                return content
            except UnicodeDecodeError:
                # What spreadsheets on Windows write; it can name every byte, so junk is told by its control codes.
                text = content.decode("cp1252")
                if not any(ord(character) < 9 for character in text[:10_000]):
                    return text.encode("utf-8")
        elif len(content) % 2 == 0 and content[1:200:2].count(0) > 80:
            return content.decode("utf-16-le").encode("utf-8")
    except UnicodeError:
        pass
    raise DataError(f"{quoted(name)} is not text: choose a CSV, TSV, Parquet, GeoJSON or GeoParquet file")

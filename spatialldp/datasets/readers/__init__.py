"""Strangers' files, opened with care: they are read piece by piece, and every piece is counted.

Each format becomes a `Table`: its column names, its first rows, and any chosen column as Arrow
arrays, batch by batch. What a file says about itself (name, extension, schema, sizes) is never taken on trust.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import DEFAULT_LIMITS, Limits, Table, quoted
from spatialldp.datasets.readers.content import Content
from spatialldp.datasets.readers.geojson import GeoJsonTable
from spatialldp.datasets.readers.meter import Clock, Meter, OnReading
from spatialldp.datasets.readers.parquet import ParquetTable
from spatialldp.datasets.readers.text import TextTable

__all__ = ["DEFAULT_LIMITS", "Clock", "Limits", "Meter", "OnReading", "Table", "open_table", "quoted"]

#: First bytes of things people upload by mistake.
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive or an Excel workbook: unpack it, or save the sheet as CSV",
    b"PK\x05\x06": "an empty zip archive",
    b"%PDF": "a PDF: export the table as CSV",
    b"SQLite format 3\x00": "a database (GeoPackage?): export the layer as CSV or GeoJSON",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save the sheet as CSV",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it, or use gzip",
    b"BZh": "compressed with bzip2: unpack it, or use gzip",
    b"\xfd7zXZ\x00": "compressed with xz: unpack it, or use gzip",
    b"\x89PNG": "a picture: choose a table of points",
    b"\xff\xd8\xff": "a picture: choose a table of points",
}


def open_table(file: str | Path | bytes | IO[bytes], meter: Meter) -> Table:
    """Find out what a file is by its content, and open it."""
    content, name = Content(file, meter), meter.name
    for magic, words in _OTHER_FORMATS.items():
        if content.start.startswith(magic):
            raise DataError(f"{quoted(name)} is {words}")
    opener: Any = TextTable
    if content.start.startswith(b"PAR1"):
        opener = ParquetTable
    elif content.start.lstrip(b" \t\r\n")[:1] in (b"{", b"["):
        opener = GeoJsonTable
    try:
        return opener(content)
    except DataError:
        raise
    except Exception:
        # Whatever a parser throws at a stranger's file: here and where columns are read it becomes one sentence.
        raise DataError(
            f"{quoted(name)} cannot be read as {opener.kind}, it is damaged or something else: save it again"
        ) from None

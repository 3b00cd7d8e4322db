"""Strangers' files, opened with care: sizes are capped before anything is parsed.

Each format becomes a `Table`: its column names, its first rows, and any chosen column as an Arrow
array. What a file says about itself (name, extension, schema, sizes) is never taken on trust.
"""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import IO, Any

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import DEFAULT_LIMITS, Limits, Table, quoted
from spatialldp.datasets.readers.geojson import GeoJsonTable
from spatialldp.datasets.readers.parquet import ParquetTable
from spatialldp.datasets.readers.text import TextTable

__all__ = ["DEFAULT_LIMITS", "Limits", "Table", "open_table", "quoted"]

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


def open_table(file: str | Path | bytes | IO[bytes], name: str, limits: Limits = DEFAULT_LIMITS) -> Table:
    """Find out what a file is by its content, and open it."""
    content = _unpacked(_content(file, name, limits), name, limits)
    if not content.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\x00"):
        raise DataError(f"{quoted(name)} is empty: choose a file with a header line and at least one row")
    for magic, words in _OTHER_FORMATS.items():
        if content.startswith(magic):
            raise DataError(f"{quoted(name)} is {words}")
    opener: Any = TextTable
    if content.startswith(b"PAR1"):
        opener = ParquetTable
    elif content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        opener = GeoJsonTable
    try:
        return opener(content, name, limits)
    except DataError:
        raise
    except Exception:
        # Whatever a parser throws at a stranger's file: here and where columns are read it becomes one sentence.
        raise DataError(
            f"{quoted(name)} cannot be read as {opener.kind}, it is damaged or something else: save it again"
        ) from None


def _content(file: str | Path | bytes | IO[bytes], name: str, limits: Limits) -> bytes:
    if isinstance(file, bytes):
        content = file
    elif isinstance(file, (str, Path)):
        path = Path(file)
        try:
            # A pipe or device never ends.
            if not path.is_file():
                raise DataError(f"{quoted(name)} is not a file: check the path")
            with path.open("rb") as handle:
                content = handle.read(limits.file_bytes + 1)
        except (OSError, ValueError):
            raise DataError(f"{quoted(name)} cannot be opened: check the path and its permissions") from None
    else:
        # A stream that was looked at before stands at its end.
        if file.seekable():
            file.seek(0)
        content = file.read(limits.file_bytes + 1)
    if len(content) > limits.file_bytes:
        raise DataError(
            f"{quoted(name)} is larger than {limits.file_bytes / 2**20:,.0f} MB: keep fewer rows or columns, or count "
            "it on disk with spatialldp.datasets.bin_files, which has no limit"
        )
    return content


def _unpacked(content: bytes, name: str, limits: Limits) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            unpacked = packed.read(limits.unpacked_bytes + 1)
    except (OSError, EOFError, zlib.error):
        raise DataError(f"{quoted(name)} is a damaged gzip file: download or pack it again") from None
    if len(unpacked) > limits.unpacked_bytes:
        raise DataError(
            f"{quoted(name)} unpacks to more than {limits.unpacked_bytes / 2**20:,.0f} MB: keep fewer rows or columns"
        )
    if unpacked.startswith(b"\x1f\x8b"):
        raise DataError(f"{quoted(name)} is packed twice: unpack it once")
    return unpacked

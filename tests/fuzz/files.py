"""Small files with points that have been damaged, cut, doubled or renamed, given to everything that reads files."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from spatialldp import Grid
from spatialldp.datasets import bin_files, inspect_points, read_points
from spatialldp.datasets.download import import_csv
from spatialldp.datasets.official import SOURCES
from tests.datasets.exports import chicago_export, rows_near
from tests.fuzz.arguments import FILES
from tests.fuzz.contract import Answer, answer_of
from tests.fuzz.values import Draw

_TOKENS = (
    *(
        b"\0",
        b"\n",
        b"\r",
        b",",
        b";",
        b"\t",
        b'"',
        b"'",
        b"{",
        b"}",
        b"[",
        b"]",
        b"[" * 2_000,
        b"\xff\xfe",
        b"\xef\xbb\xbf",
    ),
    *(
        b"nan",
        b"inf",
        b"-1",
        b"1e400",
        b"1e308",
        b"999999999999999999999",
        b"0x1",
        b"8,5",
        b"null",
        b'"type"',
        b"\xc3\x28",
    ),
    *(b"PAR1", b"\x1f\x8b\x08", b"PK\x03\x04", b"EPSG:2056", b"POINT(8 47)", b"a" * 70_000),
)


@cache
def seeds() -> dict[str, bytes]:
    """Files that are read without complaint, by name."""
    table = pa.table({"longitude": [8.1, 8.2] * 8, "latitude": [47.1, 47.2] * 8, "people": [1, 2] * 8})
    geometry = pa.table({"geometry": [b"\x01\x01\x00\x00\x00" + b"\x00" * 16] * 9})
    about = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB"}}}
    csv = FILES["points.csv"]
    return {
        **FILES,
        "semicolons.csv": b"x;y\n" + b"8,1;47,1\n" * 12,
        "wkt.csv": b"name,geometry\n" + b'a,"POINT (8.1 47.1)"\n' * 12,
        "points.csv.gz": gzip.compress(csv, mtime=0),
        "points.geojson.gz": gzip.compress(FILES["points.geojson"], mtime=0),
        "points.parquet": _parquet(table),
        "geo.parquet": _parquet(geometry.replace_schema_metadata({"geo": json.dumps(about)})),
        "points.zip": _zipped(csv),
        "chicago.csv": chicago_export(rows_near(SOURCES["chicago-crimes-2022"], 12)).encode(),
        "empty.csv": b"",
    }


def _parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def _zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("points.csv", content)
    return buffer.getvalue()


@dataclass
class File:
    """A file and what reads it."""

    reader: str
    name: str
    content: bytes

    def __repr__(self) -> str:
        return f"{self.reader}({self.content[:200]!r} … {len(self.content)} bytes, name={self.name!r})"


@st.composite
def damaged(draw: Draw, reader: str) -> File:
    """Files with up to three wounds."""
    name = draw(st.sampled_from(sorted(seeds())))
    content = seeds()[name]
    for _ in range(draw(st.integers(0, 3))):
        content = draw(st.sampled_from(_WOUNDS))(draw, content)
    if draw(st.integers(0, 4)) == 0:
        name = draw(st.sampled_from([*sorted(seeds()), "", "x", "points", ".csv", "ü.CSV", "a" * 200 + ".csv"]))
    return File(reader, name, content)


def _place(draw: Draw, content: bytes) -> int:
    return int(draw(st.integers(0, len(content))))


def _flip(draw: Draw, content: bytes) -> bytes:
    if not content:
        return content
    at = min(_place(draw, content), len(content) - 1)
    return content[:at] + bytes([content[at] ^ (1 << draw(st.integers(0, 7)))]) + content[at + 1 :]


def _cut(draw: Draw, content: bytes) -> bytes:
    first, last = sorted((_place(draw, content), _place(draw, content)))
    return content[:first] + content[last:]


def _end(draw: Draw, content: bytes) -> bytes:
    return content[: _place(draw, content)]


def _insert(draw: Draw, content: bytes) -> bytes:
    at = _place(draw, content)
    return content[:at] + draw(st.one_of(st.sampled_from(_TOKENS), st.binary(max_size=5))) + content[at:]


def _double(draw: Draw, content: bytes) -> bytes:
    first, last = sorted((_place(draw, content), _place(draw, content)))
    return content[:last] + content[first:last] * draw(st.integers(1, 20)) + content[last:]


def _join(draw: Draw, content: bytes) -> bytes:
    return content + draw(st.sampled_from(list(seeds().values())))


def _pack(draw: Draw, content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


_WOUNDS: tuple[Callable[[Draw, bytes], bytes], ...] = (_flip, _cut, _end, _insert, _insert, _double, _join, _pack)


def _on_disk(read: Callable[[Path], Any]) -> Callable[[File], Any]:
    def reading(file: File) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, Path(file.name).name or "points.csv")
            path.write_bytes(file.content)
            return read(path)

    return reading


#: Everything that reads a stranger's file.
READERS: dict[str, Callable[[File], Any]] = {
    "inspect_points": lambda file: inspect_points(file.content, file.name),
    "read_points": lambda file: read_points(file.content, file.name),
    "read_points from a stream": lambda file: read_points(io.BytesIO(file.content), file.name, swap=True),
    "read_points from disk": _on_disk(lambda path: read_points(path)),
    "bin_files": _on_disk(lambda path: bin_files(path, Grid.from_bounds((8.0, 47.0, 9.0, 48.0), 3))),
    "import_csv": _on_disk(lambda path: import_csv(SOURCES["chicago-crimes-2022"], path)),
}


def keep_to(file: File) -> Answer:
    """Read the file. Raises `BrokenContractError`."""
    return answer_of(lambda: READERS[file.reader](file))

"""What hostile and large files cost: seconds and memory of `read_points`, each in a process of its own.

    python -m benchmarks.uploads                 every file
    python -m benchmarks.uploads "nested zip"    only those whose names hold this text

Memory is what the process has at its peak beyond what it had with the packages and the file itself in memory. A hostile
file must end in one sentence within 10 s and 300 MB; the large ones below the line are honest and must be read.
"""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory import forget_peak, peak
from benchmarks.timing import print_table
from tests.datasets.hostile import lying_page

MOST_SECONDS, MOST_MEGABYTES = 10, 300
#: Just below what the app takes.
SIZE = 45 * 2**20
_CSV = b"lon,lat\n-122.41,37.77\n"


def _filled(start: bytes, filling: bytes, end: bytes = b"", size: int = SIZE) -> bytes:
    return start + filling * ((size - len(start) - len(end)) // len(filling)) + end


def _packed(start: bytes, filling: bytes, size: int) -> bytes:
    """Gzip of a long, repetitive file, made piece by piece."""
    sink = io.BytesIO()
    with gzip.GzipFile(fileobj=sink, mode="wb", mtime=0) as packed:
        packed.write(start)
        piece = filling * (2**20 // len(filling))
        for _ in range(size // len(piece)):
            packed.write(piece)
    return sink.getvalue()


def _zipped(content: bytes, name: str = "points.csv") -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return sink.getvalue()


def _features(feature: bytes, size: int = SIZE) -> bytes:
    return _filled(b'{"type":"FeatureCollection","features":[', feature + b",", feature + b"]}", size)


def _parquet(columns: dict[str, Any], **options: Any) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, **options)
    return sink.getvalue()


def _long_list() -> bytes:
    """One row whose list of a hundred million equal values takes a few kilobytes."""
    import pyarrow as pa

    values = pa.array(np.zeros(100_000_000, np.float32))
    one = pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)
    return _parquet({"lon": one, "lat": [1.0]}, compression="zstd")


def _long_texts() -> bytes:
    """A million rows that share one text of eight megabytes."""
    import pyarrow as pa

    text = pa.array(["1" * 8_000_000])
    shared = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, np.int32)), text)
    options = {"compression": "zstd", "dictionary_pagesize_limit": 2**26}
    return _parquet({"lon": shared, "lat": np.zeros(1_000_000)}, **options)


def _long_footer() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    table = pa.table({"lon": [1.0], "lat": [2.0]}).replace_schema_metadata({"geo": "[" + "[]," * 6_000_000 + "[]]"})
    pq.write_table(table, sink)
    return sink.getvalue()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "gzip of 199 MB of rows": lambda: _packed(_CSV, b"1.0,2.0\n", 199 * 2**20),
    "gzip of 199 MB of shortest rows": lambda: _packed(_CSV, b"1,1\n", 199 * 2**20),
    "gzip of 199 MB of words": lambda: _packed(_CSV, b"a,b\n", 199 * 2**20),
    "gzip of 199 MB of rows too long": lambda: _packed(_CSV, b"1,1,1\n", 199 * 2**20),
    "gzip of 199 MB of quotation marks": lambda: _packed(_CSV, b'""', 199 * 2**20),
    "gzip of 199 MB of quoted rows": lambda: _packed(_CSV, b'"1","\n1"\n', 199 * 2**20),
    "gzip of 199 MB of line ends": lambda: _packed(_CSV, b"\n", 199 * 2**20),
    "gzip of 199 MB of zeros": lambda: _packed(b"", b"\0", 199 * 2**20),
    "gzip of 3 GB of zeros": lambda: _packed(b"", b"\0", 3 * 2**30),
    "gzip of 3 GB of rows": lambda: _packed(_CSV, b"1.0,2.0\n", 3 * 2**30),
    "gzip of 49 MB of []": lambda: _packed(b"[", b"[],", 49 * 2**20),
    "gzip of gzip": lambda: gzip.compress(_packed(_CSV, b"1.0,2.0\n", 3 * 2**30)),
    "gzip of two million empty members": lambda: gzip.compress(b"", mtime=0) * (SIZE // 20),
    "zip bomb": lambda: _zipped(bytes(300 * 2**20)),
    "nested zip": lambda: _zipped(_zipped(_zipped(bytes(100 * 2**20), "c.zip"), "b.zip")),
    "[] after [] in a list": lambda: _filled(b"[", b"[],", b"[]]"),
    "[] after []": lambda: _filled(b"", b"[]"),
    "[] as features": lambda: _features(b"[]"),
    "{} as features": lambda: _features(b"{}"),
    "[] in one feature": lambda: _features(b'{"geometry":' + _filled(b"[", b"[],", b"[]]", SIZE - 2**20) + b"}"),
    "[] in features of 4 MB": lambda: _features(b'{"geometry":' + _filled(b"[", b"[],", b"[]]", 4 * 2**20 - 99) + b"}"),
    "[] in features of 1 MB": lambda: _features(b'{"geometry":' + _filled(b"[", b"[],", b"[]]", 2**20 - 99) + b"}"),
    "[] in members beside the features": lambda: (
        b"{"
        + b",".join(
            b'"%s":' % key + _filled(b"[", b"[],", b"[]]", 2**22 - 99) for key in (b"geometry", b"properties", b"crs")
        )
        + b"}"
    ),
    "brackets 20 million deep": lambda: b"[" * (SIZE // 2) + b"]" * (SIZE // 2),
    "brackets 100,000 deep in a feature": lambda: _features(b"[" * 100_000 + b"]" * 100_000),
    "one MultiPoint of 45 MB": lambda: _filled(b'{"type":"MultiPoint","coordinates":[', b"[1,2],", b"[1,2]]}"),
    "properties of other names in each feature": lambda: (
        b'{"type":"FeatureCollection","features":['
        + b",".join(
            b'{"properties":{' + b",".join(b'"%d":1' % (i * 900 + j) for j in range(900)) + b"}}" for i in range(4000)
        )
        + b"]}"
    ),
    "one string of 45 MB": lambda: _filled(b'{"type":"', b"x", b'"}'),
    "one line of 45 MB": lambda: b"1," * (SIZE // 2),
    "one row of 45 MB": lambda: _filled(_CSV, b"1,"),
    "one value of 45 MB": lambda: _filled(_CSV, b"1"),
    "one quoted value of 45 MB": lambda: _filled(_CSV + b'"', b"1\n", b'",1\n'),
    "a million columns": lambda: b",".join(b"c%d" % i for i in range(1_000_000)) + b"\n" + b"1," * 999_999 + b"1\n",
    "rows of a million columns": lambda: _filled(_CSV, b"1," * 999_999 + b"1\n"),
    "blanks": lambda: b" " * SIZE,
    "NUL bytes": lambda: bytes(SIZE),
    "UTF-16 of rows": lambda: _filled("lon,lat\n".encode("utf-16"), "1,1\n".encode("utf-16-le")),
    "words in both columns": lambda: _filled(_CSV, b"a,b\n"),
    "WKT of brackets, 200,000 deep": lambda: b"id,wkt\n1," + b"GEOMETRYCOLLECTION(" * 200_000 + b"\n2,POINT (1 2)\n",
    "WKT of words": lambda: _filled(b"id,wkt\n", b"1,POINT\n"),
    "Parquet of 100 million rows": lambda: _parquet({"lon": np.zeros(10**8, np.int8), "lat": np.zeros(10**8, np.int8)}),
    "Parquet of a list of 100 million": _long_list,
    "Parquet of a text of 8 MB in a million rows": _long_texts,
    "Parquet with a lying page": lambda: lying_page(2**31 - 1),
    "Parquet with a footer of 45 MB": _long_footer,
    "Parquet of 20,000 row groups": lambda: _parquet(
        {"lon": np.zeros(20_000), "lat": np.zeros(20_000)}, row_group_size=1
    ),
    "SQLite": lambda: _filled(b"SQLite format 3\0", b"\0"),
}


def _places(rows: int) -> Any:
    rng = np.random.default_rng(0)
    return rng.normal(-87.6, 0.1, rows), rng.normal(41.8, 0.1, rows)


def _large_csv(rows: int) -> bytes:
    lines = (f"{i},{x:.12f},{y:.12f},a place\n" for i, (x, y) in enumerate(zip(*_places(rows), strict=True)))
    return b"id,lon,lat,note\n" + "".join(lines).encode()


def _large_geojson(rows: int) -> bytes:
    points = zip(*_places(rows), strict=True)
    features = (
        {
            "type": "Feature",
            "properties": {"id": i},
            "geometry": {"type": "Point", "coordinates": [round(x, 7), round(y, 7)]},
        }
        for i, (x, y) in enumerate(points)
    )
    return json.dumps({"type": "FeatureCollection", "features": list(features)}).encode()


HONEST: dict[str, Callable[[], bytes]] = {
    "45 MB of CSV, 900,000 rows": lambda: _large_csv(900_000),
    "140 MB of CSV in gzip, 3 million rows": lambda: gzip.compress(_large_csv(3_000_000), 5),
    "45 MB of GeoJSON, 350,000 points": lambda: _large_geojson(350_000),
    "45 MB of Parquet, 3 million rows": lambda: _parquet(dict(zip(("lon", "lat"), _places(3_000_000), strict=True))),
    "Parquet of as many rows as are taken": lambda: _parquet({"lon": np.zeros(8_000_000), "lat": np.zeros(8_000_000)}),
}


def measure(path: Path) -> dict[str, Any]:
    """Seconds, megabytes and the sentence or summary, in this process."""
    from spatialldp.datasets import DataError, read_points

    read_points(_CSV)  # packages are loaded when they are first needed
    read_points(_parquet({"lon": [1.0], "lat": [2.0]}))
    content = path.read_bytes()
    forget_peak()
    before, started = peak(), time.perf_counter()
    refused = False
    try:
        words = read_points(content, "file").summary
    except DataError as error:
        words, refused = str(error), True
    return {"seconds": time.perf_counter() - started, "mb": peak() - before, "words": words, "refused": refused}


def measured_apart(content: bytes) -> dict[str, Any]:
    """The same in a process of its own; one that did not survive is said to have no end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(content)
        command = [sys.executable, "-m", "benchmarks.uploads", "--measure", str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return {"seconds": float("nan"), "mb": float("nan"), "words": f"status {done.returncode}", "refused": False}
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(Path(sys.argv[2]))))
        return
    text = " ".join(sys.argv[1:])
    for title, files in (("Hostile files", HOSTILE), ("Large files", HONEST)):
        rows = []
        for name, make in files.items():
            if text not in name:
                continue
            content = make()
            found = measured_apart(content)
            over = (
                found["seconds"] > MOST_SECONDS
                or found["mb"] > MOST_MEGABYTES
                or found["seconds"] != found["seconds"]
                or (files is HONEST and found["refused"])
            )
            size = f"{len(content) / 2**20:,.2f}"
            rows.append(
                [
                    name,
                    size,
                    f"{found['seconds']:.2f}",
                    f"{found['mb']:,.0f}",
                    "over" if over else "",
                    found["words"][:100],
                ]
            )
        if rows:
            print_table(title, ("file", "MB", "s", "MB more", "", "answer"), rows)


if __name__ == "__main__":
    main()

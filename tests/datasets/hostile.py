"""Fifty and more files that nobody should have to open, and what must become of each.

`HOSTILE` name → (content, expected). `expected` is a pattern of the one-line error, or the number of rows
used and the account of those left out.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import shapely

from spatialldp.datasets.uploads import Reason

Expected = str | tuple[int, dict[Reason, int]]

GOOD_CSV = b"lon,lat\n-122.41,37.77\n-122.42,37.76\n"


def parquet(columns: dict[str, Any], metadata: dict[str, str] | None = None, **options: Any) -> bytes:
    table = pa.table(columns).replace_schema_metadata(metadata)
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def geojson(*geometries: Any) -> bytes:
    features = [{"type": "Feature", "properties": {}, "geometry": geometry} for geometry in geometries]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def point(*coordinates: Any) -> dict[str, Any]:
    return {"type": "Point", "coordinates": list(coordinates)}


def geo(column: str, **about: Any) -> dict[str, str]:
    columns = {"geometry": {"encoding": "WKB", "geometry_types": ["Point"], **about}}
    return {"geo": json.dumps({"version": "1.1.0", "primary_column": column, "columns": columns})}


def zipped(content: bytes) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("points.csv", content)
    return sink.getvalue()


def lying_arrow_schema() -> bytes:
    """Doubles in the file, while the schema stored beside them promises lists of text."""
    promised = pa.schema([("lon", pa.list_(pa.string())), ("lat", pa.string())]).serialize().to_pybytes()
    metadata = {"ARROW:schema": base64.b64encode(promised).decode()}
    return parquet({"lon": [-122.41], "lat": [37.77]}, metadata, store_schema=False)


def lying_row_count() -> bytes:
    """Two row groups, one of which is missing from the file while the footer still counts on it."""
    content = parquet({"lon": [-122.41] * 2000, "lat": [37.77] * 2000}, row_group_size=1000, use_dictionary=False)
    middle = len(content) // 2
    return content[: middle - 900] + b"\x00" * 900 + content[middle:]


def lying_page(stated: int) -> bytes:
    """A page of the last column states that it unpacks to so many bytes."""
    columns = {"lon": [1.0] * 20_000, "lat": [float(row) for row in range(20_000)]}
    content = parquet(columns, compression="gzip", use_dictionary=False, write_statistics=False)
    chunk = pq.read_metadata(io.BytesIO(content)).row_group(0).column(1)
    start, size = chunk.data_page_offset, chunk.total_compressed_size
    # Its type, 0, and then its size, each behind the number of its field.
    assert content[start : start + 3] == b"\x15\x00\x15"
    end = start + 3
    while content[end] & 128:
        end += 1
    number = thrift(stated)
    pages = content[: start + 3] + number + content[end + 1 : start + size]
    footer = content[start + size :]
    assert footer.count(thrift(size)) == 1
    return pages + footer.replace(thrift(size), thrift(size + len(number) - (end - start - 2)))


def thrift(number: int) -> bytes:
    """A whole number as Thrift's compact protocol stores it: doubled, seven bits per byte."""
    doubled, parts = 2 * number, []
    while doubled > 127:
        parts.append(doubled & 127 | 128)
        doubled >>= 7
    return bytes([*parts, doubled])


def lying_footer_length() -> bytes:
    content = parquet({"lon": [1.0], "lat": [2.0]})
    return content[:-8] + (2**31 - 1).to_bytes(4, "little") + b"PAR1"


def wide_csv(columns: int) -> bytes:
    return ",".join(f"c{number}" for number in range(columns)).encode() + b"\n" + b"1," * (columns - 1) + b"1\n"


def deep_json() -> bytes:
    return b'{"type":"FeatureCollection","features":' + b"[" * 200_000 + b"]" * 200_000 + b"}"


BINARY_JUNK = random.Random(4).randbytes(5000)
UTF16 = "lon,lat,name\n-122.41,37.77,Café\n"

HOSTILE: dict[str, tuple[bytes | Callable[[], bytes], Expected]] = {
    # nothing in it
    "empty.csv": (b"", r"is empty: choose a file"),
    "blank lines.csv": (b"\n\r\n   \n\t\n", r"is empty"),
    "zeros.csv": (b"\x00" * 1000, r"is empty"),
    "only a mark.csv": (b"\xef\xbb\xbf", r"is empty"),
    "header only.csv": (b"lon,lat\n", r"has column names but no rows"),
    "header and blanks.csv": (b"lon,lat\n\n\n,\n", r"has column names but no rows"),
    "empty.csv.gz": (gzip.compress(b""), r"is empty"),
    "no rows.parquet": (parquet({"lon": pa.array([], pa.float64()), "lat": pa.array([], pa.float64())}), r"no rows"),
    "no features.geojson": (geojson(), r"GeoJSON without features"),
    # not what it seems
    "junk.csv": (BINARY_JUNK, r"is not text"),
    "junk.parquet": (b"PAR1" + BINARY_JUNK, r"cannot be read as Parquet"),
    "junk with a tail.parquet": (b"PAR1" + BINARY_JUNK + b"PAR1", r"cannot be read as Parquet"),
    "junk.csv.gz": (b"\x1f\x8b" + BINARY_JUNK, r"damaged gzip file"),
    "cut.csv.gz": (gzip.compress(GOOD_CSV * 1000)[:-20], r"damaged gzip file"),
    "cut.parquet": (parquet({"lon": [1.0], "lat": [2.0]})[:-30], r"cannot be read as Parquet"),
    "cut.geojson": (geojson(point(1, 2))[:-5], r"cannot be read as GeoJSON"),
    "archive.zip": (zipped(GOOD_CSV), r"is a zip archive or an Excel workbook: unpack it"),
    "sheet.xlsx": (zipped(b"<xml/>"), r"is a zip archive or an Excel workbook"),
    "picture.csv": (b"\x89PNG\r\n\x1a\n" + BINARY_JUNK, r"is a picture"),
    "paper.csv": (b"%PDF-1.7\n" + BINARY_JUNK, r"is a PDF"),
    "page.csv": (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", r"has one column, '<!DOCTYPE html>'"),
    "layer.gpkg": (b"SQLite format 3\x00" + BINARY_JUNK, r"is a database"),
    "object.json": (b'{"lon": [1, 2], "lat": [3, 4]}', r"is JSON but not GeoJSON"),
    "list.json": (b"[1, 2, 3]", r"is JSON but not GeoJSON"),
    "not closed.json": (b'{"type": "FeatureCollection", "features": [', r"cannot be read as GeoJSON"),
    # too much
    "bomb.csv.gz": (
        lambda: gzip.compress(b"lon,lat\n" + b"1.0,2.0\n" * 27_000_000, 1),
        r"unpacks to more than 200 MB",
    ),
    "zeros.gz": (lambda: gzip.compress(bytes(210 * 2**20), 1), r"unpacks to more than 200 MB"),
    "twice.csv.gz": (gzip.compress(gzip.compress(GOOD_CSV)), r"is packed twice"),
    "zip bomb.zip": (lambda: zipped(bytes(50 * 2**20)), r"is a zip archive"),
    "huge.csv": (lambda: bytes(51 * 2**20), r"is larger than 50 MB: keep fewer rows or columns, or count it on disk"),
    "million columns.csv": (lambda: wide_csv(1_000_000), r"has a first line of more than 65,536 bytes"),
    "2000 columns.csv": (lambda: wide_csv(2000), r"has 2,000 columns, more than 1,000"),
    "2000 columns.parquet": (
        lambda: parquet({f"c{number}": [1] for number in range(2000)}),
        r"has 2,000 columns, more than 1,000",
    ),
    "long header.csv": (b"lon,lat," + b"x" * 100_000 + b"\n1,2,3\n", r"has a first line of more than 65,536 bytes"),
    "one long line.csv": (b"lon,lat\n" + b"1" * 5_000_000 + b",2\n", r"has a value that is far too long"),
    "deep.json": (deep_json, r"cannot be read as GeoJSON"),
    "empty members.gz": (gzip.compress(b"") * 30_000, r"has more than 20,000 gzip members: compress it again"),
    "brackets.json": (
        lambda: b"[" + b"[]," * 4_000_000 + b"[]]",
        r"has more than 4,000,000 lists and objects, far more than points need: keep only the points",
    ),
    "brackets in UTF-16.json": (
        lambda: ("[" + "[]," * 4_000_000 + "[]]").encode("utf-16-le"),
        r"has more than 4,000,000 lists and objects",
    ),
    "one large feature.geojson": (
        lambda: geojson({"type": "LineString", "coordinates": [[0, 0]] * 300_000}),
        r"has a feature of more than 1 MB, which is no point: keep only the points",
    ),
    "large beside the features.geojson": (
        lambda: json.dumps({key: "x" * 600_000 for key in ("geometry", "properties")}).encode(),
        r"has a feature of more than 1 MB",
    ),
    "many features that are none.geojson": (
        lambda: b'{"type":"FeatureCollection","features":[' + b"1," * 1_010_000 + b"1]}",
        r"has more than 1,000,000 features that are no points",
    ),
    "other properties everywhere.geojson": (
        lambda: json.dumps(
            {
                "type": "FeatureCollection",
                "features": [{"properties": {f"{i}.{j}": 1 for j in range(300)}} for i in range(50)],
            }
        ).encode(),
        r"has 1,201 columns, more than 1,000",
    ),
    "damaged at the end.geojson": (
        lambda: geojson(*[point(1, 2)] * 2000)[:-30] + b"?" * 30,
        r"cannot be read as GeoJSON, it is damaged",
    ),
    "long rows.csv": (lambda: b"lon,lat\n1,2\n" + b"1," * 3_500_000 + b"\n", r"has a row of more than 4 MB: check its"),
    "other delimiter below.csv": (
        lambda: b"lon,lat\n" + b"1;2\n" * 1_000_001,
        r"has more than 1,000,000 rows with too many or too few columns: check what separates the columns",
    ),
    "nested.wkt.csv": (
        b"id,wkt\n1," + b"GEOMETRYCOLLECTION(" * 5000 + b"\n2,POINT (1 2)\n",
        (1, {Reason.NOT_A_POINT: 1}),
    ),
    "nested wkt.parquet": (
        lambda: parquet({"wkt": ["GEOMETRYCOLLECTION(" * 200_000, "POINT (1 2)"], "id": [1, 2]}),
        (1, {Reason.NOT_A_POINT: 1}),
    ),
    "a long list.parquet": (
        lambda: parquet({"lon": [[0.0] * 3_000_000], "lat": [1.0]}),
        r"'lon' holds 'list<.*where numbers are needed",
    ),
    "one long text in many rows.parquet": (
        lambda: parquet({"lon": ["1" * 1_000_000] * 1000 + ["1"], "lat": ["1"] * 1001}),
        (1, {Reason.NOT_A_NUMBER: 1000}),
    ),
    "lying page.parquet": (
        lambda: lying_page(2**31 - 1),
        r"has a page of more than 64 MB in 'lat': write it again with smaller pages",
    ),
    "long footer.parquet": (
        lambda: parquet({"lon": [1.0], "lat": [2.0]}, {"geo": "[" * 3_000_000}),
        r"has a footer of more than 4 MB: write it again with fewer row groups",
    ),
    # strange text
    "utf16.csv": (UTF16.encode("utf-16"), (1, {})),
    "utf16 big.csv": (b"\xfe\xff" + UTF16.encode("utf-16-be"), (1, {})),
    "utf16 without a mark.csv": (
        ("lon,lat\n" + "-122.41,37.77\n" * 20).encode("utf-16-le"),
        (20, {}),
    ),
    "half a utf16.csv": (UTF16.encode("utf-16")[:-1], r"is not text"),
    "windows.csv": ("lon,lat,name\n-122.41,37.77,Café\n".encode("cp1252"), (1, {})),
    "macintosh.csv": (b"lon,lat\r-122.41,37.77\r-122.42,37.76\r", (2, {})),
    "nul inside.csv": (b"lon,lat\n1.0,2\x00.0\n", r"is not text"),
    "not closed.csv": (b'lon,lat,note\n1,2,a\n3,4,"b\n5,6,c\n7,8,"d, e"\n', (3, {Reason.BAD_ROW: 1})),
    "closed too late.csv": (b'lon,lat\n1,2\n"3,4\n5,6"\n7,8\n', (2, {Reason.BAD_ROW: 1})),
    # wrong tables
    "wrong delimiter.csv": (b"lon:lat\n1:2\n", r"has one column, 'lon:lat': separate the columns by comma, tab"),
    "spaces.csv": (b"lon lat\n1 2\n", r"has one column, 'lon lat'"),
    "no header.csv": (b"-122.41,37.77\n-122.42,37.76\n", r"starts with numbers, not with column names"),
    "other columns.csv": (
        b"name,age\nann,7\n",
        r"has no columns named like longitude and latitude \(it has 'name', 'age'\)",
    ),
    "ragged.csv": (b"lon,lat\n1,2\n3\n4,5,6\n7,8\n", (2, {Reason.BAD_ROW: 2})),
    "two names.csv": (b"lon,lat,lon,lat\n1,2,50,60\n", (1, {})),
    "two names.parquet": (
        lambda: parquet_with_repeated_names(),
        r"has two columns of one name: give each its own",
    ),
    # strange values
    "nan everywhere.csv": (
        b"lon,lat\n" + b"NaN,NaN\n" * 50,
        r"has no row that can be used \(50 because a coordinate is missing\)",
    ),
    "nan everywhere.parquet": (
        parquet({"lon": [float("nan")] * 9, "lat": [1.0] * 9}),
        r"9 because a coordinate is missing",
    ),
    "words.csv": (b"lon,lat\nwest,north\n1,2\n", (1, {Reason.NOT_A_NUMBER: 1})),
    "all words.csv": (b"lon,lat\nwest,north\n", r"no row that can be used \(1 because a coordinate is not a number\)"),
    "infinite.csv": (b"lon,lat\ninf,1\n1,-Infinity\n1e999,2\n3,4\n", (1, {Reason.NOT_FINITE: 3})),
    "gaps.csv": (b"lon,lat\n,1\nNA,2\nnull,3\n-,4\n5,6\n", (1, {Reason.MISSING: 4})),
    "off the map.csv": (b"lon,lat\n181,0\n0,91\n-181,0\n0,-91\n180,90\n", (1, {Reason.OUT_OF_RANGE: 4})),
    "metres.csv": (b"x,y\n551000,4180000\n552000,4181000\n", r"2 because longitude .*\): convert projected"),
    "code.csv": (b"lon,lat\n__import__('os'),1\n0x10,1\n1_0,1\n1;2,1\n1,1\n", (1, {Reason.NOT_A_NUMBER: 4})),
    "dates.parquet": (
        parquet({"lon": pa.array([1], pa.timestamp("ms")), "lat": [1.0]}),
        r"holds 'timestamp\[ms\]' where numbers",
    ),
    "lists.parquet": (parquet({"lon": [[1.0]], "lat": [[2.0]]}), r"holds 'list<.*where numbers are needed"),
    "truth.parquet": (parquet({"lon": [True], "lat": [False]}), r"holds 'bool' where numbers are needed"),
    "nothing but nulls.parquet": (
        parquet({"lon": pa.nulls(3), "lat": pa.nulls(3)}),
        r"holds 'null' where numbers are needed",
    ),
    # names that want to be something else
    "formula.csv": (b"=cmd|' /C calc'!A0,lat,lon\n1,37.77,-122.41\n", (1, {})),
    "html.csv": (b"<script>alert(1)</script>,lat,lon\nx,37.77,-122.41\n", (1, {})),
    "html names only.csv": (b"<img src=x onerror=alert(1)>,b\n1,2\n", r"it has '<img src=x onerror=alert\(1\)>', 'b'"),
    "../../../etc/passwd": (GOOD_CSV, (2, {})),
    "..\\..\\windows\\system.ini": (b"a,b\n1,2\n", r"no columns named like longitude"),
    "nul\x00name.csv": (b"a,b\n1,2\n", r"'nul\\x00name.csv' has no columns"),
    "line\nbreak.csv": (b"a,b\n1,2\n", r"'line\\nbreak.csv' has no columns"),
    "n" * 5000: (b"a,b\n1,2\n", r"^'n{57}…' has no columns"),
    # geometry
    "lines.geojson": (
        geojson({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}),
        r"1 because the geometry is not a point",
    ),
    "polygons and points.geojson": (
        geojson({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}, point(1, 2), None),
        (1, {Reason.NOT_A_POINT: 2}),
    ),
    "odd points.geojson": (
        geojson(
            point(1, 2, 3),
            point("1", 2),
            point(None, 1),
            point(1),
            point([1], 2),
            point(True, 2),
            point(10**400, 1),
        ),
        (1, {Reason.MISSING: 4, Reason.NOT_A_POINT: 1, Reason.NOT_FINITE: 1}),
    ),
    "not features.geojson": (
        b'{"type": "FeatureCollection", "features": [1, "a", null, [], {}]}',
        r"5 because the geometry is not a point",
    ),
    "features is text.geojson": (b'{"type": "FeatureCollection", "features": "abc"}', r"is JSON but not GeoJSON"),
    "nan.geojson": (geojson(point(float("nan"), 1), point(1, 2)), (1, {Reason.MISSING: 1})),
    "projected.geojson": (
        geojson(point(1, 2))[:-1] + b', "crs": {"properties": {"name": "urn:ogc:def:crs:EPSG::3857"}}}',
        r"has coordinates in 'urn:ogc:def:crs:EPSG::3857': convert them",
    ),
    "crs is text.geojson": (geojson(point(1, 2))[:-1] + b', "crs": "here"}', r"cannot be read as GeoJSON"),
    "wkt.csv": (
        b'id,wkt\n1,POINT (1 2)\n2,POINT EMPTY\n3,"LINESTRING (0 0, 1 1)"\n4,nonsense\n5,\n',
        (
            1,
            {Reason.MISSING: 2, Reason.NOT_A_POINT: 2},
        ),
    ),
    # Parquet that lies
    "lying schema.parquet": (lying_arrow_schema, (1, {})),
    "lying schema about a geometry.parquet": (
        parquet({"lon": [1.0], "geometry": ["POINT (1 2)"]}, geo("geometry")),
        (1, {}),
    ),
    "lying rows.parquet": (lying_row_count, r"cannot be read as Parquet"),
    "lying footer.parquet": (lying_footer_length, r"cannot be read as Parquet"),
    "geo without column.parquet": (
        parquet({"geometry": [shapely.to_wkb(shapely.Point(1, 2))]}, geo("shape")),
        r"cannot be read as Parquet",
    ),
    "geo is not json.parquet": (parquet({"geometry": [b"x"]}, {"geo": "{not json"}), r"cannot be read as Parquet"),
    "geo of numbers.parquet": (parquet({"geometry": [1.5]}, geo("geometry")), r"the geometry column holds 'double'"),
    "geo of junk.parquet": (
        parquet({"geometry": [b"junk", b""]}, geo("geometry")),
        r"2 because the geometry is not a point",
    ),
    "geo elsewhere.parquet": (
        parquet({"geometry": [b"x"]}, geo("geometry", crs={"id": {"authority": "EPSG", "code": 3857}})),
        r"has coordinates in 'EPSG:3857': convert them to longitude and latitude",
    ),
    "geo with an odd crs.parquet": (
        parquet({"geometry": [b"x"]}, geo("geometry", crs="EPSG:4326")),
        r"cannot be read as Parquet",
    ),
}


def parquet_with_repeated_names() -> bytes:
    table = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["lon", "lon"])
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()

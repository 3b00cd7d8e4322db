"""Files that are longer than what is read at once: the seams show nowhere."""

import csv
import gzip
import io
import json
import random
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from spatialldp.datasets import Columns, DataError, read_points
from spatialldp.datasets.readers import Limits, Meter
from spatialldp.datasets.readers.content import Content
from spatialldp.datasets.readers.parquet_pages import page_headers, row_groups
from spatialldp.datasets.uploads import Reason
from spatialldp.datasets.values import points_in
from tests.datasets.hostile import geo, geojson, lying_page, parquet, point


def places(number):
    rng = np.random.default_rng(number)
    return list(zip(rng.uniform(-180, 180, number).tolist(), rng.uniform(-90, 90, number).tolist(), strict=True))


def assert_read(content, expected, **options):
    upload = read_points(content, "file", **options)
    assert list(zip(upload.points.x.tolist(), upload.points.y.tolist(), strict=True)) == expected
    return upload


# -- text ------------------------------------------------------------------------------------------


def test_a_long_csv_with_line_ends_inside_quotation_marks_is_read_as_the_csv_module_reads_it():
    dice, sink = random.Random(1), io.StringIO()
    writer = csv.writer(sink)
    writer.writerow(["lon", "note", "lat"])
    expected = places(60_000)
    for x, y in expected:
        note = "".join(dice.choice(['"', "\n", ",", "a", "é", "line", " "]) for _ in range(dice.randrange(30)))
        writer.writerow([x, note, y])
    content = sink.getvalue().encode()
    assert len(content) > 3 * 2**20
    upload = assert_read(content, expected)
    assert upload.rows == 60_000
    assert_read(gzip.compress(content, 1), expected)
    assert_read(content.decode().encode("utf-16"), expected)


def test_two_lonely_quotation_marks_far_apart_swallow_nothing():
    rows = [f"{x!r},{y!r},5 m\n" for x, y in places(250_000)]
    rows[3] = rows[3].replace("5 m", '5" wide')
    rows[-3] = rows[-3].replace("5 m", '5" wide')
    content = "".join(["lon,lat,note\n", *rows]).encode()
    assert len(content) > 8 * 2**20
    assert_read(content, places(250_000))


def test_a_long_file_of_the_oldest_macintosh_and_one_of_windows_are_read_whole():
    expected = [(round(x, 3), round(y, 3)) for x, y in places(80_000)]
    text = "lon,lat,note\n" + "".join(f"{x},{y},café\n" for x, y in expected)
    assert len(text) > 1.5 * 2**20
    assert_read(text.replace("\n", "\r").encode(), expected)
    assert_read(text.replace("\n", "\r\n").encode("cp1252"), expected)


def test_gzip_of_several_members_and_with_zeros_behind_it_is_read_whole():
    expected = places(30_000)
    lines = [f"{x!r},{y!r}\n".encode() for x, y in expected]
    members = [b"lon,lat\n", b"".join(lines[:100]), b"", b"".join(lines[100:20_000]), b"".join(lines[20_000:])]
    packed = b"".join(gzip.compress(member, 1) for member in members)
    assert_read(packed, expected)
    assert_read(packed + bytes(50_000), expected)
    damaged = bytearray(packed)
    damaged[-6] ^= 1  # in the checksum of the last member
    for content in (bytes(damaged), packed + b"rest", packed[:-5]):
        with pytest.raises(DataError, match=r"is a damaged gzip file: download or pack it again"):
            read_points(content, "file.gz")


@pytest.mark.parametrize("size", [0, 1, 2**14 - 1, 2**14, 2**20, 3 * 2**20 + 1])
def test_what_is_unpacked_is_what_was_packed(size):
    content = b"{" + random.Random(size).randbytes(size // 2) + bytes(size - size // 2)
    packed = Content(gzip.compress(content, 1), Meter("file", Limits()))
    assert zlib.crc32(b"".join(packed.pieces(lambda share: None))) == zlib.crc32(content)
    assert packed.size == len(content)


# -- GeoJSON ---------------------------------------------------------------------------------------


def test_a_long_geojson_is_read_as_the_json_module_reads_it_wherever_it_is_cut():
    dice = random.Random(2)
    expected = places(40_000)
    features = [
        {
            "type": "Feature",
            "properties": {"name": "".join(dice.choice('é"\\]}[{,😀 a') for _ in range(dice.randrange(40))), "n": 2},
            "geometry": point(x, y),
        }
        for x, y in expected
    ]
    document = {"name": "[{", "features": features, "type": "FeatureCollection", "more": [{"a": []}]}
    for indent, ascii_only in ((None, False), (1, True)):
        content = json.dumps(document, indent=indent, ensure_ascii=ascii_only).encode()
        assert len(content) > 4 * 2**20
        columns = Columns(geometry="geometry", weight="n")
        upload = assert_read(content, expected, columns=columns)
        assert upload.points.people == 80_000


def test_half_a_letter_in_a_property_is_damage():
    feature = b'{"type":"Feature","geometry":null,"properties":{"lon":"\\ud800","lat":"1"}}'
    content = b'{"type":"FeatureCollection","features":[' + feature + b"]}"
    with pytest.raises(DataError, match="cannot be read as GeoJSON, it is damaged: save it again"):
        read_points(content, "half.geojson", Columns("lon", "lat"))


def test_numbers_and_words_that_end_with_a_piece_are_not_cut():
    # Each feature is one letter longer than the one before, so that some end at every place around a seam.
    filling = [12345] * 20
    for shift in range(40):
        start = b'{"type":"FeatureCollection","features":[' + b" " * (2**20 - 150 + shift)
        content = start + json.dumps([*filling, point(1, 2), {"geometry": point(1.5, -2.5)}, 67890]).encode()[1:] + b"}"
        upload = assert_read(content, [(1.5, -2.5)])
        assert upload.dropped == {Reason.NOT_A_POINT: 22}


def test_long_texts_that_are_cut_by_the_end_of_a_piece_are_read_whole():
    features = [{"geometry": point(1.5, n), "properties": {"note": "é" * 450_000}} for n in range(8)]
    # The first one begins in the middle of the first piece.
    document = {"type": "FeatureCollection", "name": "x" * 300_000, "features": features}
    content = json.dumps(document, ensure_ascii=False).encode()
    assert_read(content, [(1.5, n) for n in range(8)])


@pytest.mark.parametrize("end", [b"", b"]", b"]}x", b"]} {}", b",]}", b"],}", b"] }]", b"1]}"])
def test_a_document_that_does_not_end_as_it_should_is_damaged(end):
    content = geojson(*[point(1, 2)] * 3)[:-2]
    assert read_points(content + b"]}").points.x.size == 3
    with pytest.raises(DataError, match=r"cannot be read as GeoJSON"):
        read_points(content + end, "file.geojson")


# -- Parquet ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"use_dictionary": False}, {"data_page_version": "2.0"}, {"compression": "none"}]
)
def test_the_pages_of_a_file_are_found_where_arrow_says_they_are(options):
    table = {"lon": np.arange(9000.0), "name": [str(n % 50) for n in range(9000)], "at": [{"x": 1.0, "y": 2.0}] * 9000}
    content = parquet(table, row_group_size=4000, data_page_size=2000, **options)
    metadata = pq.read_metadata(io.BytesIO(content))
    found = row_groups(content[-8 - int.from_bytes(content[-8:-4], "little") : -8])
    assert len(found) == metadata.num_row_groups == 3
    for number, chunks in enumerate(found):
        assert [chunk.column for chunk in chunks] == ["lon", "name", "at", "at"]
        for position, chunk in enumerate(chunks):
            about = metadata.row_group(number).column(position)
            pages = list(page_headers(content, chunk.start, chunk.size))
            assert sum(page.is_dictionary for page in pages) == about.has_dictionary_page
            # What Arrow counts includes the headers.
            unpacked = sum(page.unpacked for page in pages)
            headers = chunk.size - sum(page.packed for page in pages)
            assert unpacked + headers == about.total_uncompressed_size
            if pages[0].is_dictionary:
                assert pages[0].values == [metadata.row_group(number).num_rows, 50, 1, 1][position]


def test_a_page_is_refused_by_the_size_it_states():
    with pytest.raises(DataError, match=r"has a page of more than 64 MB in 'lat'"):
        read_points(lying_page(64 * 2**20 + 1))
    # A smaller lie is found out when the page is unpacked.
    with pytest.raises(DataError, match=r"is a damaged Parquet file|cannot be read as Parquet"):
        read_points(lying_page(2**20))


# -- points as text and as bytes -------------------------------------------------------------------


def shapes():
    rng = np.random.default_rng(5)
    points = [shapely.Point(*rng.normal(0, 10.0 ** rng.integers(-3, 3), size)) for size in rng.integers(2, 4, 300)]
    return [*points, shapely.Point(), shapely.Point(np.inf, 1), shapely.LineString([(0, 0), (1, 1)]), None]


@pytest.mark.parametrize(
    "options", [{}, {"byte_order": 0}, {"flavor": "iso"}, {"flavor": "iso", "byte_order": 0}, {"include_srid": True}]
)
def test_points_in_bytes_are_those_that_shapely_wrote(options):
    array = pa.array([None if s is None else shapely.to_wkb(shapely.set_srid(s, 4326), **options) for s in shapes()])
    assert_same_points(points_in(array))
    junk = [b"", b"\x01", b"\x02" + shapely.to_wkb(shapely.Point(1, 2))[1:], shapely.to_wkb(shapely.Point(1, 2))[:-1]]
    assert points_in(pa.array(junk))[2].tolist() == [Reason.NOT_A_POINT] * 4


def test_points_in_text_are_read_to_the_last_digit():
    texts = [f"POINT ({shape.x!r} {shape.y!r})" for shape in shapes()[:300]]
    assert_same_points(points_in(pa.array([*texts, "POINT EMPTY", "POINT (inf 1)", "LINESTRING (0 0, 1 1)", None])))


def assert_same_points(found):
    x, y, reason = found
    points = shapes()[:300]
    assert list(zip(x[:300].tolist(), y[:300].tolist(), strict=True)) == [(p.x, p.y) for p in points]
    rest = [Reason.MISSING, Reason.NOT_FINITE, Reason.NOT_A_POINT, Reason.MISSING]
    assert reason.tolist() == [Reason.USABLE] * 300 + rest


TEXTS = {
    "point(1 2)": (1, 2),
    "  POINT ZM ( 1\t2 3 4 )\n": (1, 2),
    "POINTZ(1e1 -.5 3)": (10, -0.5),
    "POINT M (+1. 2 3)": (1, 2),
    "POINT (1 2 3 4 5)": None,
    "POINT (1, 2)": None,
    "POINT (1)": None,
    "POINT (a b)": None,
    "POINT (1 2) POINT (3 4)": None,
    "MULTIPOINT (1 2)": None,
    "SRID=4326;POINT (1 2)": None,
    "": None,
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_a_point_where_shapely_calls_it_one(text):
    shape = shapely.from_wkt(text, on_invalid="ignore")
    x, y, reason = points_in(pa.array([text]))
    expected = TEXTS[text]
    assert (expected is None) == (shape is None or shape.geom_type != "Point")
    if expected is None:
        assert reason.tolist() == [Reason.NOT_A_POINT]
    else:
        assert (x[0], y[0]) == expected == (shape.x, shape.y)


def test_geometry_as_views_and_large_types_is_read_like_any_other():
    wkb = [shapely.to_wkb(shapely.Point(1, 2))] * 3
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        assert points_in(pa.array(wkb, kind))[0].tolist() == [1.0] * 3
    assert read_points(parquet({"geometry": wkb}, geo("geometry"))).points.y.tolist() == [2.0] * 3


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_parquet_with_texts_of_which_no_dictionary_can_be_made(encoding):
    texts = [f"{7 + i / 100:.2f}" for i in range(50)]
    table = pa.table({"name": [f"place {i}" for i in range(50)], "lon": texts, "lat": np.linspace(50.0, 51.0, 50)})

    def written(*packed: str) -> bytes:
        file = io.BytesIO()
        encodings = {name: encoding if name in packed else "PLAIN" for name in table.column_names}
        pq.write_table(table, file, use_dictionary=False, column_encoding=encodings)
        return file.getvalue()

    assert read_points(written("name"), "a.parquet").points.x[-1] == 7.49
    if encoding == "DELTA_LENGTH_BYTE_ARRAY":
        assert read_points(written("name", "lon"), "a.parquet").points.x[-1] == 7.49
    else:  # A megabyte may be kept as the change of one letter, so its length is not in the file.
        with pytest.raises(DataError, match=r"DELTA_BYTE_ARRAY.*: write it again without that encoding"):
            read_points(written("name", "lon"), "a.parquet")

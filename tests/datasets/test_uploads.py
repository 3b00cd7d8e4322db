"""Somebody's own file: found columns, counted clean-up, one-line errors, never a traceback."""

import gzip
import io
import json
import random
import time
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import shapely

from spatialldp.datasets import Columns, DataError
from spatialldp.datasets.readers import Limits
from spatialldp.datasets.uploads import Reason, inspect_points, read_points
from tests.datasets.hostile import GOOD_CSV, HOSTILE, geo, geojson, parquet, point

POINTS = [(-122.41, 37.77), (-122.42, 37.76), (-122.43, 37.75)]
FRAME = pd.DataFrame(POINTS, columns=["lon", "lat"])
SHAPES = [shapely.Point(*place) for place in POINTS]


# -- hostile files ---------------------------------------------------------------------------------


def test_there_are_fifty_and_more_hostile_files():
    assert len(HOSTILE) >= 50


@pytest.mark.parametrize("name", HOSTILE, ids=[str(number) for number in range(len(HOSTILE))])
def test_a_hostile_file_gives_one_line_or_a_counted_clean_up(name):
    content, expected = HOSTILE[name]
    content = content() if callable(content) else content
    start = time.process_time()
    if isinstance(expected, str):
        with pytest.raises(DataError, match=expected) as caught:
            read_points(io.BytesIO(content), name)
        assert len(str(caught.value).splitlines()) == 1
        assert len(str(caught.value)) < 500
    else:
        used, dropped = expected
        upload = read_points(io.BytesIO(content), name)
        assert upload.points.x.size == used
        assert upload.dropped == dropped
        assert upload.rows == used + sum(dropped.values())
    # Of the processor, not of the day: what a file costs, however busy the machine is.
    assert time.process_time() - start < 10


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "geoparquet", "geojson"])
def test_damage_anywhere_in_a_good_file_gives_points_or_one_line(kind):
    wkb = [shapely.to_wkb(shape) for shape in SHAPES]
    good = {
        "csv": GOOD_CSV * 20,
        "csv.gz": gzip.compress(GOOD_CSV * 20),
        "parquet": parquet({"lon": FRAME["lon"], "lat": FRAME["lat"], "name": ["a", "b", "c"]}),
        "geoparquet": parquet({"geometry": wkb}, geo("geometry")),
        "geojson": geojson(*(point(*place) for place in POINTS)),
    }[kind]
    dice = random.Random(kind)
    uploads, messages = [], []
    for _ in range(300):
        damaged = bytearray(good)
        for _ in range(dice.choice([1, 1, 2, 8])):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        if dice.random() < 0.2:
            del damaged[dice.randrange(len(damaged)) :]
        try:
            uploads.append(read_points(bytes(damaged), f"damaged.{kind}"))
        except DataError as error:
            messages.append(str(error))
    assert messages
    assert all(len(message.splitlines()) == 1 for message in messages)
    for x, y, _ in (upload.points for upload in uploads):
        assert (np.abs(x) <= 180).all()
        assert (np.abs(y) <= 90).all()


def test_a_few_bytes_that_stand_for_very_many_rows_are_refused():
    many = parquet({"lon": pa.array(np.zeros(2_000_000)), "lat": pa.array(np.zeros(2_000_000))})
    assert len(many) < 20_000
    with pytest.raises(
        DataError, match=r"has more than 1,000,000 rows: use a part of them, or in Python count them with"
    ):
        read_points(many, "many.parquet", limits=Limits(rows=1_000_000))
    rows = b"lon,lat\n" + b"1,2\n" * 2000
    with pytest.raises(DataError, match=r"has more than 1,000 rows"):
        read_points(rows, "many.csv", limits=Limits(rows=1000))


def test_a_bomb_is_not_unpacked_beyond_the_limit():
    bomb = gzip.compress(bytes(100 * 2**20), 1)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"unpacks to more than"):
            read_points(bomb, "bomb.gz", limits=Limits(unpacked_bytes=2**20))
        assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    finally:
        tracemalloc.stop()


def test_a_large_json_is_refused_before_it_is_parsed():
    with pytest.raises(DataError, match=r"is JSON of more than 0 MB: save it as CSV or Parquet"):
        read_points(geojson(point(1, 2)), "a.geojson", limits=Limits(json_bytes=50))


@pytest.mark.parametrize("path", ["/dev/zero", "/dev", "/nowhere/at/all.csv", "nul\x00.csv"])
def test_a_path_that_is_not_a_file_is_refused(path):
    with pytest.raises(DataError, match=r"is not a file: check the path|cannot be opened"):
        read_points(path)


def test_nothing_is_written_and_the_name_is_never_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.csv").write_bytes(b"lon,lat\n1,1\n")
    upload = read_points(io.BytesIO(GOOD_CSV), "secret.csv")
    assert upload.points.x.size == 2
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


# -- good files ------------------------------------------------------------------------------------


def good_files():
    wkb = [shapely.to_wkb(shape) for shape in SHAPES]
    struct = pa.array([{"x": x, "y": y} for x, y in POINTS])
    csv = FRAME.to_csv(index=False).encode()
    return {
        "a.csv": csv,
        "a.csv.gz": gzip.compress(csv),
        "a.tsv": FRAME.to_csv(index=False, sep="\t").encode(),
        "a bars.txt": FRAME.to_csv(index=False, sep="|").encode(),
        "a european.csv": FRAME.to_csv(index=False, sep=";", decimal=",").encode(),
        "a windows.csv": b"\xef\xbb\xbf" + csv.replace(b"\n", b"\r\n"),
        "a quoted.csv": b'"note","lat","lon"\n"a, ""b""\nc",37.77,-122.41\n"x","+37.76","-1.2242e2"\n,37.75,-122.43\n',
        "a.parquet": parquet({"lon": FRAME["lon"], "lat": FRAME["lat"]}),
        "a text.parquet": parquet({"Longitude": FRAME["lon"].map(str), "Latitude": FRAME["lat"].map(str)}),
        "a decimal.parquet": parquet(
            {
                "lng": FRAME["lon"].map(lambda value: f"{value:.2f}").pipe(pa.array).cast(pa.decimal128(9, 2)),
                "lat": FRAME["lat"],
            }
        ),
        "a.parquet.gz": gzip.compress(parquet({"x": FRAME["lon"], "y": FRAME["lat"]})),
        "a geo.parquet": parquet({"name": ["a", "b", "c"], "geometry": wkb}, geo("geometry")),
        "a geo 4326.parquet": parquet(
            {"geometry": wkb}, geo("geometry", crs={"id": {"authority": "EPSG", "code": 4326}})
        ),
        "a geoarrow.parquet": parquet({"geometry": struct}, geo("geometry", encoding="point")),
        "a.geojson": geojson(*(point(*place) for place in POINTS)),
        "a.geojson.gz": gzip.compress(geojson(*(point(*place) for place in POINTS))),
        "a wkt.csv": ("id\tgeometry\n" + "".join(f"{n}\t{shape.wkt}\n" for n, shape in enumerate(SHAPES))).encode(),
        "a wkt only.csv": ("wkt\n" + "".join(f"{shape.wkt}\n" for shape in SHAPES)).encode(),
    }


@pytest.mark.parametrize("name", good_files())
def test_every_format_gives_the_same_points_to_the_last_digit(name):
    upload = read_points(io.BytesIO(good_files()[name]), name)
    assert list(zip(upload.points.x.tolist(), upload.points.y.tolist(), strict=True)) == POINTS
    assert upload.points.weights is None
    assert upload.dropped == {}
    assert not upload.looks_swapped
    assert upload.summary == "3 of 3 rows can be used."


def test_text_is_read_to_the_nearest_double():
    values = np.random.default_rng(1).uniform(-90, 90, 5000)
    lines = "".join(f"{value!r},{value!r}\n" for value in values.tolist())
    upload = read_points(("lon,lat\n" + lines).encode(), "a.csv")
    np.testing.assert_array_equal(upload.points.x, values)


def test_one_stream_can_be_inspected_and_then_read():
    stream = io.BytesIO(GOOD_CSV)
    assert inspect_points(stream, "a.csv").columns == ["lon", "lat"]
    assert read_points(stream, "a.csv").points.x.size == 2


def test_a_path_is_read_and_gives_its_own_name(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes(GOOD_CSV)
    assert read_points(path).preview.name == "mine.csv"
    assert read_points(str(path)).points.x.size == 2


# -- columns ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "longitude", "latitude"),
    [
        ("lat,lon", "lon", "lat"),
        ("LATITUDE,LONGITUDE", "LONGITUDE", "LATITUDE"),
        ("lng,lat", "lng", "lat"),
        ("y,x", "x", "y"),
        ("Pickup_longitude,Pickup_latitude", "Pickup_longitude", "Pickup_latitude"),
        ("start lat,start lng", "start lng", "start lat"),
        ("geo.lat,geo.lon", "geo.lon", "geo.lat"),
        # The feet of Chicago's export must not win against its degrees.
        ("X Coordinate,Y Coordinate,Latitude,Longitude", "Longitude", "Latitude"),
        ("pickup_latitude,dropoff_longitude,latitude,longitude", "longitude", "latitude"),
        (" lat , lon ", "lon", "lat"),
    ],
)
def test_columns_are_found_by_the_usual_names(header, longitude, latitude):
    preview = inspect_points(f"{header}\n{','.join('1' * len(header.split(',')))}\n".encode(), "a.csv")
    assert preview.candidates[0] == Columns(longitude, latitude)
    assert not preview.ambiguous


def test_two_pairs_of_one_rank_are_ambiguous_and_either_can_be_chosen():
    content = b"pickup_latitude,pickup_longitude,dropoff_latitude,dropoff_longitude\n1,2,3,4\n"
    preview = inspect_points(content, "trips.csv")
    assert preview.ambiguous
    assert preview.candidates == [
        Columns("pickup_longitude", "pickup_latitude"),
        Columns("dropoff_longitude", "dropoff_latitude"),
    ]
    assert str(preview.candidates[1]) == "dropoff_longitude, dropoff_latitude"
    assert read_points(content, columns=preview.candidates[1]).points.x.tolist() == [4.0]


def test_columns_of_any_name_can_be_chosen():
    upload = read_points(b"a,b,a\n1,2,3\n", columns=Columns("a (2)", "b"))
    assert (upload.points.x.tolist(), upload.points.y.tolist()) == ([3.0], [2.0])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (Columns("lon", "nope"), r"has no column 'nope': choose one that is there"),
        (Columns("lon", "lon"), r"longitude and latitude are both 'lon': choose two columns"),
        (Columns("lon"), r"choose either a longitude and a latitude column, or one geometry column"),
        (Columns("lon", "lat", "lon"), r"choose either"),
        (Columns(), r"choose either"),
    ],
)
def test_an_impossible_choice_is_explained(columns, message):
    with pytest.raises(DataError, match=message):
        read_points(GOOD_CSV, "a.csv", columns)


def test_the_preview_shows_the_first_rows_shortened():
    content = b"lon,lat,note\n1,2," + b"x" * 500 + b"\n" + b"3,4,y\n" * 20
    preview = inspect_points(content, "a.csv")
    assert preview.kind == "CSV"
    assert preview.columns == ["lon", "lat", "note"]
    assert len(preview.first_rows) == 5
    assert preview.first_rows[0] == {"lon": "1", "lat": "2", "note": "x" * 79 + "…"}
    assert preview.first_rows[1] == {"lon": "3", "lat": "4", "note": "y"}
    assert preview.official is None
    quoted = inspect_points(json.dumps({"type": "Feature", "geometry": point(1, 2), "properties": {"n": 3}}).encode())
    assert quoted.first_rows == [{"geometry": "{'type': 'Point', 'coordinates': [1, 2]}", "n": "3"}]


def test_an_official_export_is_recognised():
    header = b"Case Number,IUCR,Primary Type,Date,Latitude,Longitude"
    upload = read_points(header + b"\nJF1,0820,THEFT,01/01/2022,41.8,-87.6\n", "Crimes_-_2022.csv")
    assert upload.preview.official == "chicago-crimes-2022"


# -- weights ---------------------------------------------------------------------------------------


def test_weights_are_offered_but_used_only_when_chosen():
    content = b"lon,lat,n,weight\n1,2,3,4\n5,6,7,8\n"
    preview = inspect_points(content)
    assert preview.weights == ["weight", "n"]
    assert read_points(content).points.weights is None
    upload = read_points(content, columns=Columns("lon", "lat", weight="weight"))
    assert upload.points.weights.tolist() == [4, 8]
    assert upload.points.people == 12
    assert upload.summary == "2 of 2 rows can be used, 12 people in all."


def test_weights_that_are_no_number_of_people_are_dropped_and_counted():
    content = b"lon,lat,w\n1,1,2\n1,1,-1\n1,1,1.5\n1,1,\n1,1,many\n1,1,inf\n1,1,1e12\n,1,5\n1,1,0\n"
    upload = read_points(content, columns=Columns("lon", "lat", weight="w"))
    assert upload.points.weights.tolist() == [2, 0]
    assert upload.dropped == {Reason.BAD_WEIGHT: 6, Reason.MISSING: 1}
    assert "6 because the weight is not a whole number ≥ 0" in upload.summary


@pytest.mark.parametrize(("weight", "people"), [("0", "0"), ("900000000", "1,800,000,000")])
def test_no_people_and_too_many_people_are_refused(weight, people):
    content = f"lon,lat,w\n1,1,{weight}\n1,1,{weight}\n".encode()
    with pytest.raises(DataError, match=rf"add up to {people} people; from 1 to 1,000,000,000 are allowed"):
        read_points(content, columns=Columns("lon", "lat", weight="w"))


def test_weights_come_from_the_properties_of_a_geojson():
    features = [
        {"type": "Feature", "geometry": point(1, 2), "properties": {"w": 5}},
        {"type": "Feature", "geometry": point(3, 4), "properties": None},
    ]
    content = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    upload = read_points(content, columns=Columns(geometry="geometry", weight="w"))
    assert upload.points.weights.tolist() == [5]
    assert upload.dropped == {Reason.BAD_WEIGHT: 1}


# -- swapped coordinates ---------------------------------------------------------------------------

CITIES = {
    "Chicago": (-87.63, 41.88),
    "New York": (-73.99, 40.75),
    "San Francisco": (-122.42, 37.77),
    "Delhi": (77.2, 28.6),
    "Tokyo": (139.7, 35.7),
    "Sydney": (151.2, -33.9),
    "Buenos Aires": (-58.4, -34.6),
    "Beijing": (116.4, 39.9),
}


@pytest.mark.parametrize("city", CITIES)
def test_swapped_coordinates_are_noticed_and_can_be_put_right(city):
    longitude, latitude = CITIES[city]
    right = f"lon,lat\n{longitude},{latitude}\n".encode()
    wrong = f"lon,lat\n{latitude},{longitude}\n".encode()
    assert not read_points(right).looks_swapped
    if abs(longitude) > 90:
        with pytest.raises(DataError, match=r"longitude and latitude look swapped; swap them"):
            read_points(wrong)
    else:
        assert read_points(wrong).looks_swapped
    fixed = read_points(wrong, swap=True)
    assert (fixed.points.x.tolist(), fixed.points.y.tolist()) == ([longitude], [latitude])
    assert fixed.swapped
    assert not fixed.looks_swapped


@pytest.mark.parametrize("place", [(2.35, 48.86), (-0.13, 51.5), (15.6, 68.4), (36.8, -1.3), (-70.9, -53.2)])
def test_right_coordinates_are_not_called_swapped(place):
    assert not read_points(f"lon,lat\n{place[0]},{place[1]}\n".encode()).looks_swapped


# -- the box to start with -------------------------------------------------------------------------


def test_the_suggested_box_leaves_stray_points_out():
    rng = np.random.default_rng(2)
    x, y = rng.uniform(10, 10.2, 5000), rng.uniform(50, 50.1, 5000)
    x[0], y[0] = 0.0, 0.0
    content = parquet({"lon": x, "lat": y})
    west, south, east, north = read_points(content).bounds
    assert 9.99 < west < 10.01
    assert 49.99 < south < 50.01
    assert 10.19 < east < 10.21
    assert 50.09 < north < 50.11
    one = read_points(b"lon,lat\n180,90\n").bounds
    assert one == pytest.approx((179.999, 89.999, 180, 90))

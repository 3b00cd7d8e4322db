"""The embedded cities: there, whole, small, fast, and where they should be on Earth."""

import random
import subprocess
import sys

import numpy as np
import pytest
import shapely

from spatialldp.datasets import OUTLINES, DataError, embedded, load_outline
from spatialldp.datasets.embedded import DATA_FOLDER, load_points
from tests.datasets.flipping import flip

#: Rows, and a box (west, south, east, north), as data/README.md and the sources state them.
STATED = {
    "san-francisco": (261_552, (-122.515, 37.707, -122.364, 37.832)),
    "new-haven": (3_293, (-72.985, 41.252, -72.861, 41.348)),
}
#: A place well inside each city and one well outside, from an atlas.
LANDMARKS = {
    "chicago": ((-87.6278, 41.8819), (-87.40, 41.88)),  # the Loop; Lake Michigan
    "new-york": ((-73.9857, 40.7484), (-74.0724, 40.7350)),  # Empire State Building; Jersey City
    "san-francisco": ((-122.4194, 37.7599), (-122.2712, 37.8044)),  # Mission; Oakland
    "new-haven": ((-72.9279, 41.3083), (-72.9279, 41.20)),  # the Green; Long Island Sound
}


@pytest.mark.parametrize("name", STATED)
def test_points_are_all_there_and_in_the_city(name):
    rows, (west, south, east, north) = STATED[name]
    x, y, weights = load_points(name)
    assert x.shape == y.shape == (rows,)
    assert weights is None
    assert x.dtype == y.dtype == np.float64
    assert west < x.min() < x.max() < east
    assert south < y.min() < y.max() < north
    # Stored as millionths of a degree, and read back as the double nearest to that decimal.
    np.testing.assert_array_equal(x, np.array([float(f"{value:.6f}") for value in x]))


def test_san_francisco_has_the_spread_of_its_source():
    # Mean and standard deviation of LON and LAT in the source file, taken there with pandas.
    x, y, _ = load_points("san-francisco")
    assert (x.mean(), y.mean()) == pytest.approx((-122.437096, 37.760945), abs=1e-6)
    assert (x.std(), y.std()) == pytest.approx((0.031419, 0.026080), abs=1e-6)


def test_san_francisco_loads_at_once_even_the_first_time():
    # Arrow imports pandas or its machinery for folders of files on some ways to the numbers, which takes a second.
    done = run_alone(
        "before = set(sys.modules)\nDATASETS['san-francisco'].load()\nprint(sorted(set(sys.modules) - before))\n"
    )
    assert done == "[]\n"


def test_loading_starts_no_thread_that_could_abort_a_program_about_to_end():
    done = run_alone(
        "threads = lambda: os.listdir('/proc/self/task') if os.path.exists('/proc/self/task') else []\n"
        "before = threads()\n"
        "DATASETS['san-francisco'].load()\n"
        "print(threads() == before)\n"
    )
    assert done == "True\n"


def run_alone(program: str) -> str:
    """What a program prints in a process of its own."""
    program = f"import os, sys\nfrom spatialldp.datasets import DATASETS\n{program}"
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=DATA_FOLDER.parent, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.mark.parametrize("city", OUTLINES)
def test_outlines_hold_what_is_inside_and_not_what_is_outside(city):
    outline = load_outline(city)
    inside, outside = LANDMARKS[city]
    assert outline.polygon.contains(shapely.Point(inside))
    assert not outline.polygon.contains(shapely.Point(outside))
    for feature in outline.geojson["features"]:
        assert feature["properties"]["kind"] in ("area", "line")
        assert feature["properties"]["name"]
        assert shapely.geometry.shape(feature["geometry"]).is_valid
    assert outline.licence in ("Apache-2.0", "BSD-3-Clause")


def test_outlines_have_the_areas_they_should():
    areas = {
        city: [f for f in load_outline(city).geojson["features"] if f["properties"]["kind"] == "area"]
        for city in OUTLINES
    }
    assert {city: len(found) for city, found in areas.items()} == {
        "chicago": 77,
        "new-york": 5,
        "san-francisco": 26,
        "new-haven": 1,
    }
    assert {f["properties"]["name"] for f in areas["new-york"]} == {
        "Bronx",
        "Brooklyn",
        "Manhattan",
        "Queens",
        "Staten Island",
    }


@pytest.mark.parametrize(("name", "share"), [("san-francisco", 0.999), ("new-haven", 0.99)])
def test_nearly_everybody_is_inside_the_outline(name, share):
    x, y, _ = load_points(name)
    polygon = load_outline(name).polygon
    shapely.prepare(polygon)
    assert shapely.contains_xy(polygon, x, y).mean() > share


def test_the_folder_is_small_and_documented():
    files = [path for path in DATA_FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 6_000_000
    readme = (DATA_FOLDER / "README.md").read_text("utf-8")
    for path in files:
        if path.suffix in (".parquet", ".geojson"):
            assert f"`{path.relative_to(DATA_FOLDER).as_posix()}`" in readme


def test_no_bit_of_an_embedded_file_can_change_unnoticed(tmp_path, monkeypatch):
    names = [f"points/{name}.parquet" for name in STATED] + [f"outlines/{city}.geojson" for city in OUTLINES]
    read = {path.relative_to(DATA_FOLDER).as_posix() for path in DATA_FOLDER.glob("[po]*/*")}
    assert set(names) == read
    monkeypatch.setattr(embedded, "DATA_FOLDER", tmp_path)
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        good = (DATA_FOLDER / name).read_bytes()
        load = load_points if path.suffix == ".parquet" else load_outline
        for bit in random.Random(name).sample(range(8 * len(good)), 30):
            path.write_bytes(good)
            flip(path, bit)
            with pytest.raises(DataError, match=rf"^data/{name} in .* is damaged \(.*\): install the package again"):
                load(path.stem)
        path.write_bytes(good)
        load(path.stem)


def test_a_missing_folder_and_an_unknown_city_are_explained(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "DATA_FOLDER", tmp_path)
    with pytest.raises(
        DataError, match=r"data/points/san-francisco.parquet is missing from .*install the package again"
    ):
        load_points("san-francisco")
    with pytest.raises(DataError, match=r"there is no outline of 'atlantis': choose one of chicago, new-haven"):
        load_outline("atlantis")


def test_districts_are_areas_by_name_where_there_are_several():
    assert load_outline("new-york").districts.keys() == {"Bronx", "Brooklyn", "Manhattan", "Queens", "Staten Island"}
    assert len(load_outline("chicago").districts) == 77
    # Its one area is the city itself.
    assert list(load_outline("new-haven").areas) == ["New Haven (hull of its streets)"]
    assert load_outline("new-haven").districts == {}
    manhattan = load_outline("new-york").districts["Manhattan"]
    assert manhattan.contains(shapely.Point(-73.9857, 40.7484))  # the Empire State Building
    assert not manhattan.contains(shapely.Point(-73.9969, 40.7061))  # the middle of Brooklyn Bridge

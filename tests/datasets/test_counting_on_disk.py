"""Counting on disk gives exactly what Grid.bin gives in memory."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from spatialldp import Grid
from spatialldp.datasets import DataError, bin_files


def assert_same(counted, expected):
    np.testing.assert_array_equal(counted.counts, expected.counts)
    assert counted.counts.dtype == np.int64
    assert (counted.outside, counted.masked, counted.invalid) == (
        expected.outside,
        expected.masked,
        expected.invalid,
    )


def hard_points(grid, rng, n):
    """Random points, all borders, and their neighbouring doubles: where two ways of rounding would part."""
    west, south, east, north = grid.bounds
    x = rng.uniform(west - (east - west) / 8, east + (east - west) / 8, n)
    y = rng.uniform(south - (north - south) / 8, north + (north - south) / 8, n)
    edges_x, edges_y = rng.choice(grid.x_edges, n), rng.choice(grid.y_edges, n)
    direction = rng.choice([-np.inf, np.inf], n)
    x = np.concatenate([x, edges_x, np.nextafter(edges_x, direction), x, [np.nan, np.inf, -np.inf, west, east, east]])
    y = np.concatenate([y, edges_y, np.nextafter(edges_y, direction), edges_y, [south, north, 0, np.nan, north, south]])
    return x, y


@settings(max_examples=40, deadline=None)
@given(
    d=st.integers(1, 70),
    crs=st.sampled_from(["EPSG:4326", None]),
    west=st.floats(-100, 100),
    south=st.floats(-60, 60),
    width=st.floats(1e-4, 5),
    height=st.floats(1e-4, 5),
    single=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_parquet_counts_equal_grid_bin_on_random_points_and_every_border(
    tmp_path_factory, d, crs, west, south, width, height, single, seed
):
    grid = Grid.from_bounds((west, south, west + width, south + height), d, crs)
    x, y = hard_points(grid, np.random.default_rng(seed), 200)
    if single:
        x, y = x.astype(np.float32), y.astype(np.float32)
    path = tmp_path_factory.mktemp("large") / "points.parquet"
    pq.write_table(pa.table({"lon": x, "lat": y}), path)
    assert_same(bin_files(path, grid), grid.bin(x, y))


@settings(max_examples=10, deadline=None)
@given(d=st.integers(1, 40), west=st.floats(-100, 100), width=st.floats(1e-3, 5), seed=st.integers(0, 2**32 - 1))
def test_csv_counts_equal_grid_bin_because_text_is_read_to_the_nearest_double(tmp_path_factory, d, west, width, seed):
    grid = Grid.from_bounds((west, 0.0, west + width, width), d, crs=None)
    x, y = hard_points(grid, np.random.default_rng(seed), 100)
    path = tmp_path_factory.mktemp("large") / "points.csv"
    lines = [f"{a!r},{b!r}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    path.write_text("lon,lat\n" + "\n".join(lines) + "\n")
    assert_same(bin_files(path, grid), grid.bin(x, y))


UNIT = Grid.from_bounds((0, 0, 1, 1), d=4, crs=None)


def write_parts(folder, parts):
    folder.mkdir()
    for number, (x, y) in enumerate(parts):
        pq.write_table(pa.table({"Longitude": x, "Latitude": y}), folder / f"part-{number}.parquet")


def test_a_folder_is_counted_as_one_set(tmp_path):
    rng = np.random.default_rng(5)
    x, y = rng.uniform(-0.1, 1.1, (2, 3000))
    write_parts(tmp_path / "set", [(x[i::3], y[i::3]) for i in range(3)])
    assert_same(bin_files(tmp_path / "set", UNIT), UNIT.bin(x, y))
    csvs = tmp_path / "csv"
    csvs.mkdir()
    for number in range(3):
        pd.DataFrame({"lat": y[number::3], "other": "x", "lon": x[number::3]}).to_csv(
            csvs / f"{number}.csv", index=False
        )
    assert_same(bin_files(csvs, UNIT), UNIT.bin(x, y))


def test_masked_cells_are_counted_apart(tmp_path):
    grid = UNIT.with_polygon(shapely.box(0, 0, 0.5, 1))
    x, y = np.random.default_rng(6).uniform(-0.1, 1.1, (2, 1000))
    pq.write_table(pa.table({"x": x, "y": y}), tmp_path / "points.parquet")
    assert_same(bin_files(tmp_path / "points.parquet", grid), grid.bin(x, y))


def test_text_gaps_and_junk_in_a_csv_are_invalid(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("lon,lat,note\n0.1,0.1,a\n,0.5,b\nabc,0.5,c\n0.5,nan,d\ninf,0.5,e\n0.9,0.9,f\n2,2,g\n")
    counted = bin_files(path, UNIT)
    assert (counted.inside, counted.invalid, counted.outside) == (2, 4, 1)
    assert counted.counts[0, 0] == counted.counts[3, 3] == 1


@pytest.mark.parametrize(
    "name",
    [
        "plain",
        "with space",
        "star*",
        "question?",
        "[brackets]",
        "quote'",
        'double"',
        "semi;drop table x",
        "ümläut",
        "a%20b",
    ],
)
def test_any_file_name_means_only_itself(tmp_path, name):
    pq.write_table(pa.table({"lon": [0.5], "lat": [0.5]}), tmp_path / f"{name}.parquet")
    pq.write_table(pa.table({"lon": [0.5] * 9, "lat": [0.5] * 9}), tmp_path / "star-of-another-set.parquet")
    assert bin_files(tmp_path / f"{name}.parquet", UNIT).inside == 1


def test_any_column_name_can_be_chosen(tmp_path):
    path = tmp_path / "points.parquet"
    pq.write_table(pa.table({'a"; DROP TABLE x; --': [0.5, 0.6], "{y}": [0.5, 3.0]}), path)
    counted = bin_files(path, UNIT, x='a"; DROP TABLE x; --', y="{y}")
    assert (counted.inside, counted.outside) == (1, 1)


def test_errors_are_one_line(tmp_path):
    (tmp_path / "junk.parquet").write_bytes(b"not parquet at all")
    (tmp_path / "notes.md").write_text("# nothing")
    pq.write_table(pa.table({"a": [1.0], "b": [2.0]}), tmp_path / "ab.parquet")
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed" / "one.csv").write_text("lon,lat\n1,1\n")
    pq.write_table(pa.table({"lon": [1.0], "lat": [2.0]}), tmp_path / "mixed" / "two.parquet")
    cases = {
        "junk.parquet": r"junk.parquet' cannot be counted",
        "nowhere.parquet": r"holds no Parquet or CSV file: check the path",
        "notes.md": r"is neither .parquet nor .csv",
        "ab.parquet": r"no columns are named like longitude and latitude \('a', 'b'\): name them with x and y",
        "mixed": r"holds both Parquet and CSV files",
    }
    for name, message in cases.items():
        with pytest.raises(DataError, match=message) as caught:
            bin_files(tmp_path / name, UNIT)
        assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match=r"there is no column 'c': choose from 'a', 'b'"):
        bin_files(tmp_path / "ab.parquet", UNIT, x="a", y="c")


def test_memory_does_not_grow_with_the_file(tmp_path):
    # Peak memory in a process of its own, for a small file and one thirty times as large (3 million rows, 48 MB).
    rng = np.random.default_rng(7)
    program = (
        "import resource, sys\n"
        "from spatialldp import Grid\n"
        "from spatialldp.datasets import bin_files\n"
        "bin_files(sys.argv[1], Grid.from_bounds((0, 0, 1, 1), 20, crs=None), memory='200MB', threads=1)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    peaks = {}
    for rows in (100_000, 3_000_000):
        path = tmp_path / f"{rows}.parquet"
        with pq.ParquetWriter(path, pa.schema([("x", pa.float64()), ("y", pa.float64())])) as writer:
            for _ in range(rows // 100_000):
                x, y = rng.random((2, 100_000))
                writer.write_table(pa.table({"x": x, "y": y}))
        done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
        peaks[rows] = int(done.stdout) / 1024
    assert peaks[3_000_000] - peaks[100_000] < 25  # MB; the points alone are 48

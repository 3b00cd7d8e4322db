"""One table describes every data set."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spatialldp.datasets import DATASETS, DEFAULT_DATASET, OUTLINES, DataError, dataset

IDS = [
    "san-francisco",
    "new-haven",
    "chicago-crimes-2022",
    "chicago-crimes-2022-a",
    "chicago-crimes-2022-b",
    "chicago-crimes-2022-c",
    "nyc-green-taxi-2016",
    "nyc-green-taxi-2016-a",
    "nyc-green-taxi-2016-b",
    "nyc-green-taxi-2016-c",
    "normal",
    "szipf",
    "mnormal",
]
#: The paper's squares: south, west, side.
SQUARES = {
    "chicago-crimes-2022": (41.64, -87.90, 0.36),
    "chicago-crimes-2022-a": (41.72, -87.68, 0.09),
    "chicago-crimes-2022-b": (41.82, -87.73, 0.09),
    "chicago-crimes-2022-c": (41.92, -87.77, 0.07),
    "nyc-green-taxi-2016": (40.56, -74.05, 0.32),
    "nyc-green-taxi-2016-a": (40.65, -73.84, 0.10),
    "nyc-green-taxi-2016-b": (40.65, -73.95, 0.09),
    "nyc-green-taxi-2016-c": (40.82, -73.90, 0.07),
    "normal": (-4.87, -4.44, 9.45),
    "szipf": (0.0, 0.0, 1.0),
    "mnormal": (-4.32, -4.25, 10.76),
}


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SPATIALLDP_CACHE", str(tmp_path))
    return tmp_path


def test_the_ids_are_the_published_ones_and_san_francisco_comes_first():
    assert list(DATASETS) == IDS
    assert DEFAULT_DATASET == "san-francisco"
    assert all(entry.id == name for name, entry in DATASETS.items())


@pytest.mark.parametrize("name", IDS)
def test_every_entry_is_complete(name):
    entry = DATASETS[name]
    assert entry.title
    assert entry.description.endswith(".")
    assert entry.source
    assert entry.licence
    assert entry.simulated == (name in ("normal", "szipf", "mnormal"))
    assert entry.outline is None if entry.simulated else entry.outline in OUTLINES
    west, south, east, north = entry.bounds
    assert west < east
    assert south < north
    assert entry.grid(7).d == 7


@pytest.mark.parametrize("name", SQUARES)
def test_the_papers_squares_are_kept_to_the_last_digit_in_plain_degrees(name):
    south, west, side = SQUARES[name]
    grid = DATASETS[name].grid(15)
    assert grid.bounds == (west, south, west + side, south + side)
    assert grid.crs is None
    assert grid.cell_size_m is None


@pytest.mark.parametrize("name", ["san-francisco", "new-haven"])
def test_the_default_view_of_a_city_holds_everybody_in_a_square_in_metres(name):
    entry = DATASETS[name]
    grid = entry.grid(15)
    binned = grid.bin(*entry.load())
    assert binned.left_out == 0
    assert binned.inside == entry.rows
    assert 500 < grid.cell_size_m < 1500
    assert entry.availability == "embedded"


@pytest.mark.parametrize("name", ["normal", "szipf", "mnormal"])
def test_generated_sets_are_the_same_every_time(name):
    entry = DATASETS[name]
    first, second = entry.load(), entry.load()
    np.testing.assert_array_equal(first.x, second.x)
    assert first.x.size == entry.rows == entry.paper_rows
    assert entry.availability == "generated"
    assert not entry.is_geographic


def test_official_sets_need_a_download_and_say_how():
    entry = DATASETS["chicago-crimes-2022-a"]
    assert entry.availability == "needs download"
    assert entry.label == "Chicago crimes 2022, part A (needs download)"
    assert entry.rows is None
    with pytest.raises(DataError) as caught:
        entry.load()
    assert "python -m spatialldp data fetch chicago-crimes-2022'" in str(caught.value)
    assert "Export → CSV" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_parts_load_only_what_is_in_their_square_and_the_whole_loads_every_known_place(empty_cache):
    # South-west corner of part A, its north-east corner, just outside, far away, without coordinates.
    longitude = [-87.68, -87.68 + 0.09, -87.6801, 0.0, None]
    latitude = [41.72, 41.72 + 0.09, 41.75, 0.0, None]
    pq.write_table(
        pa.table({"longitude": pa.array(longitude, pa.float64()), "latitude": pa.array(latitude, pa.float64())}),
        empty_cache / "chicago-crimes-2022.parquet",
    )
    part, whole = DATASETS["chicago-crimes-2022-a"], DATASETS["chicago-crimes-2022"]
    assert part.availability == whole.availability == "downloaded"
    assert part.label == "Chicago crimes 2022, part A"
    assert part.load().x.tolist() == [-87.68, -87.68 + 0.09]
    assert part.rows == 2
    assert part.grid(15).bin(*part.load()).left_out == 0
    assert whole.rows == 5
    assert whole.load().x.size == 4


def test_a_damaged_cache_file_is_named(empty_cache):
    (empty_cache / "chicago-crimes-2022.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(
        DataError, match=r"chicago-crimes-2022.parquet is damaged: run 'python -m spatialldp data fetch"
    ):
        DATASETS["chicago-crimes-2022"].load()
    assert DATASETS["chicago-crimes-2022"].rows is None
    assert DATASETS["chicago-crimes-2022-b"].rows is None


def test_an_unknown_id_is_answered_with_the_known_ones():
    with pytest.raises(DataError, match=r"there is no data set 'paris': choose one of san-francisco, new-haven"):
        dataset("paris")


@pytest.mark.parametrize("name", IDS)
def test_areas_and_landmarks_lie_in_their_city_where_people_are(name):
    entry = DATASETS[name]
    if not (entry.areas or entry.landmarks):
        assert name not in ("san-francisco", "new-haven")
        return
    west, south, east, north = entry.bounds
    for x, y in entry.landmarks.values():
        assert west < x < east
        assert south < y < north
    x, y, _ = entry.load()
    for left, below, right, above in entry.areas.values():
        assert left < right
        assert below < above
        assert np.count_nonzero((x > left) & (x < right) & (y > below) & (y < above)) > 500


def test_the_papers_squares_have_labels_of_their_own_and_other_sets_none():
    labels = {name: entry.part_label for name, entry in DATASETS.items() if entry.part_label}
    suffixes = {"": "full square", "-a": "part A", "-b": "part B", "-c": "part C"}
    sets = ("chicago-crimes-2022", "nyc-green-taxi-2016")
    assert labels == {whole + suffix: label for whole in sets for suffix, label in suffixes.items()}


def test_no_published_set_is_somebodys_own_file():
    assert not any(entry.own for entry in DATASETS.values())

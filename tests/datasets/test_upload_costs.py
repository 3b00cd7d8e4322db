"""What reading a file may cost: counted, not timed; memory is that of a process of its own."""

import gzip

import pytest

from benchmarks.uploads import HONEST, HOSTILE, MOST_MEGABYTES, measured_apart
from spatialldp.datasets import DataError, read_points
from spatialldp.datasets.readers import Limits
from tests.datasets.hostile import geojson, parquet, point

LONG_CSV = b"lon,lat\n" + b"1.5,2.5\n" * 400_000
LONG = {
    "csv": LONG_CSV,
    "csv.gz": gzip.compress(LONG_CSV, 1),
    "geojson": geojson(*[point(1.5, 2.5)] * 40_000),
    "parquet": parquet({"lon": [1.5] * 200_000, "lat": [2.5] * 200_000}),
}


class Clock:
    """Goes on by a second whenever it is looked at."""

    def __init__(self):
        self.seconds = 0

    def __call__(self):
        self.seconds += 1
        return self.seconds


@pytest.mark.parametrize("kind", LONG)
def test_reading_ends_when_its_time_is_up(kind):
    clock = Clock()
    read_points(LONG[kind], f"long.{kind}", limits=Limits(seconds=1e9), clock=clock)
    needed = clock.seconds
    assert needed > 4
    for seconds in (1, needed // 2, needed - 2):
        with pytest.raises(
            DataError, match=rf"^'long.{kind}' takes more than {seconds} s to read: keep fewer rows"
        ) as e:
            read_points(LONG[kind], f"long.{kind}", limits=Limits(seconds=seconds), clock=Clock())
        assert "\n" not in str(e.value)


@pytest.mark.parametrize("kind", LONG)
def test_whoever_waits_is_told_how_far_it_is(kind):
    told, previews = [], []
    upload = read_points(LONG[kind], on_reading=lambda *news: told.append(news), on_preview=previews.append)
    assert previews == [upload.preview]
    shares, rows = zip(*told, strict=True)
    assert list(shares) == sorted(shares)
    assert list(rows) == sorted(rows)
    assert 0 <= shares[0] < 0.15 <= shares[-1] <= 1
    assert 0 < rows[-1] <= upload.rows


def test_who_no_longer_waits_ends_the_reading():
    def stop(share, rows):
        if rows:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_points(LONG_CSV, on_reading=stop)


COSTLY = [
    "gzip of 199 MB of shortest rows",
    "gzip of 199 MB of quoted rows",
    "gzip of 3 GB of zeros",
    "[] in one feature",
    "one MultiPoint of 45 MB",
    "one row of 45 MB",
    "Parquet of a list of 100 million",
    "Parquet of a text of 8 MB in a million rows",
    "Parquet with a lying page",
]


@pytest.mark.parametrize("name", COSTLY)
def test_a_hostile_file_ends_in_a_sentence_and_in_little_memory(name):
    found = measured_apart(HOSTILE[name]())
    assert found["refused"], found
    assert found["mb"] < MOST_MEGABYTES
    assert len(found["words"].splitlines()) == 1


@pytest.mark.parametrize("name", ["140 MB of CSV in gzip, 3 million rows", "Parquet of as many rows as are taken"])
def test_a_large_honest_file_is_read_in_little_memory(name):
    found = measured_apart(HONEST[name]())
    assert not found["refused"], found
    assert found["mb"] < MOST_MEGABYTES
    assert found["words"] in ("3,000,000 of 3,000,000 rows can be used.", "8,000,000 of 8,000,000 rows can be used.")

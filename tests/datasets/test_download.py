"""Official sets, end to end against a local portal: nothing half-written is ever used."""

import hashlib
import os
import random
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from spatialldp.datasets import DATASETS, DataError, download, kept_pages, official
from spatialldp.datasets.official import SOURCES
from tests.datasets.exports import CHICAGO_HEADER, chicago_export, rows_near
from tests.datasets.flipping import flip
from tests.datasets.portal import Portal

CHICAGO, TAXI = SOURCES["chicago-crimes-2022"], SOURCES["nyc-green-taxi-2016"]
ROOT = Path(__file__).parents[2]
PAGE = 10
INTERRUPTIONS = [
    "break_half_way",
    "break_in_the_last_number",
    "break_a_chunk",
    "reset",
    "truncate_without_a_length",
    "lose_rows",
    "busy",
]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("SPATIALLDP_CACHE", str(folder))
    monkeypatch.setenv("no_proxy", "*")
    return folder


@pytest.fixture
def portal():
    with Portal(CHICAGO.resource, ["longitude", "latitude"], rows_near(CHICAGO, 47)) as running:
        yield running


class Clock:
    """Notes pauses instead of making them."""

    def __init__(self):
        self.pauses = []

    def __call__(self, seconds):
        self.pauses.append(seconds)


def fetch(portal, source=CHICAGO, on_progress=None, clock=None):
    return download.fetch(source, on_progress, portal.address, PAGE, clock or Clock())


def assert_stored(source, rows):
    table = pq.read_table(source.path)
    stored = list(zip(table["longitude"].to_pylist(), table["latitude"].to_pylist(), strict=True))
    assert stored == [tuple(float(cell) if cell else None for cell in row) for row in rows]
    assert sorted(path.name for path in source.path.parent.iterdir()) == [
        source.path.name,
        f"{source.path.name}.sha256",
    ]


def assert_refused(message, call, *arguments):
    with pytest.raises(DataError, match=message) as caught:
        call(*arguments)
    assert "\n" not in str(caught.value)
    assert not CHICAGO.is_present
    assert DATASETS["chicago-crimes-2022"].availability == "needs download"
    return str(caught.value)


# -- the way it should go --------------------------------------------------------------------------


def test_all_pages_are_fetched_in_a_stable_order_and_stored_exactly(portal):
    path = fetch(portal)
    assert path == CHICAGO.path
    assert portal.offsets == [0, 10, 20, 30, 40]
    assert [query["$limit"] for query in portal.requests if "$limit" in query] == ["10"] * 4 + ["7"]
    assert_stored(CHICAGO, portal.rows)
    entry = DATASETS["chicago-crimes-2022"]
    assert entry.availability == "downloaded"
    assert entry.rows == 47
    assert entry.load().x.tolist() == [float(x) for x, _ in portal.rows]


def test_what_is_there_is_found_again_without_asking_the_portal(portal):
    fetch(portal)
    asked = len(portal.requests)
    assert download.obtain(CHICAGO, portal=portal.address) == CHICAGO.path
    assert len(portal.requests) == asked


def test_a_damaged_file_in_the_cache_is_fetched_again(portal, cache):
    cache.mkdir()
    CHICAGO.path.write_bytes(b"PAR1 and then nothing")
    download.obtain(CHICAGO, portal=portal.address)
    assert_stored(CHICAGO, portal.rows)


def test_the_filter_for_taxis_with_coordinates_goes_with_every_question():
    rows = rows_near(TAXI, 25)
    rows[3:3] = [("", "")] * 5
    with Portal(TAXI.resource, ["pickup_longitude", "pickup_latitude"], rows) as portal:
        fetch(portal, TAXI)
        assert {query["$where"] for query in portal.requests} == {"pickup_longitude IS NOT NULL"}
    assert_stored(TAXI, [row for row in rows if row[0]])


def test_rows_without_coordinates_are_kept_in_the_file_and_left_out_of_the_points(portal):
    portal.rows[5] = ("", "")
    fetch(portal)
    assert_stored(CHICAGO, portal.rows)
    assert DATASETS["chicago-crimes-2022"].rows == 47
    assert DATASETS["chicago-crimes-2022"].load().x.size == 46


def test_an_answer_in_chunks_of_unknown_length_is_read_whole(portal):
    portal.always = "chunks"
    fetch(portal)
    assert_stored(CHICAGO, portal.rows)


def test_progress_grows_to_the_end(portal):
    seen = []
    fetch(portal, on_progress=seen.append)
    shares = [progress.share for progress in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert {progress.total for progress in seen} == {47}
    assert {10, 20, 30, 40, 47} <= {progress.rows for progress in seen}


def test_the_portal_can_be_replaced_by_the_environment(portal, monkeypatch):
    monkeypatch.setenv("SPATIALLDP_PORTAL", portal.address + "/")
    download.obtain(CHICAGO)
    assert_stored(CHICAGO, portal.rows)


# -- interruptions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", INTERRUPTIONS)
def test_an_answer_that_is_not_whole_is_asked_for_again(portal, fault):
    portal.faults = ["good", "good", fault, fault]
    clock = Clock()
    fetch(portal, clock=clock)
    assert clock.pauses == [1.0, 2.0]
    assert portal.offsets == [0, 10, 10, 10, 20, 30, 40]
    assert_stored(CHICAGO, portal.rows)


def test_a_busy_server_is_given_the_time_it_asks_for(portal):
    portal.faults = ["busy_for_seven_seconds"]
    clock, seen = Clock(), []
    fetch(portal, on_progress=seen.append, clock=clock)
    assert clock.pauses == [7.0]
    assert [progress.note for progress in seen if progress.retrying] == ["the server answered 503; trying again in 7 s"]
    assert_stored(CHICAGO, portal.rows)


@pytest.mark.parametrize("fault", INTERRUPTIONS)
def test_a_download_that_breaks_for_good_goes_on_where_it_stopped(portal, fault, cache):
    portal.faults = ["good", "good", "good"]
    portal.always = fault
    message = assert_refused(
        r"cannot be reached .* 5 attempts\); what has arrived is kept, so try again later", fetch, portal
    )
    assert CHICAGO.page in message
    assert str(cache) in message
    assert DATASETS["chicago-crimes-2022"].availability == "needs download"
    portal.always = None
    portal.requests.clear()
    fetch(portal)
    assert portal.offsets == [20, 30, 40]
    assert_stored(CHICAGO, portal.rows)


def test_stopping_by_hand_can_be_continued(portal):
    def stop_at_twenty(progress):
        if progress.rows >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(portal, on_progress=stop_at_twenty)
    assert not CHICAGO.is_present
    portal.requests.clear()
    fetch(portal)
    assert portal.offsets == [20, 30, 40]
    assert_stored(CHICAGO, portal.rows)


@pytest.mark.parametrize("rest", [b"", b"PAR1", b"\x00" * 500])
def test_a_damaged_page_of_an_earlier_attempt_is_not_used(portal, rest, cache):
    portal.always, portal.faults = "busy", ["good"] * 4
    assert_refused(r"cannot be reached", fetch, portal)
    parts = cache / "chicago-crimes-2022.parts"
    pages = sorted(parts.glob("*.page"))
    assert len(pages) == 3
    pages[1].write_bytes(rest)
    (parts / "000000000030.1.unfinished").write_bytes(pages[0].read_bytes())
    portal.always = None
    portal.requests.clear()
    fetch(portal)
    assert portal.offsets == [10, 30, 40]
    assert_stored(CHICAGO, portal.rows)


def test_a_page_that_goes_bad_on_the_disk_is_named_and_fetched_again(portal, cache):
    portal.always, portal.faults = "busy", ["good"] * 4
    assert_refused(r"cannot be reached", fetch, portal)
    page = sorted((cache / "chicago-crimes-2022.parts").glob("*.page"))[1]
    flip(page, 60 * 8)
    portal.always = None
    portal.requests.clear()
    seen = []
    fetch(portal, on_progress=seen.append)
    assert portal.offsets == [10, 30, 40]
    assert "000000000010.page has gone bad on the disk; fetching it again" in [progress.note for progress in seen]
    assert_stored(CHICAGO, portal.rows)


def test_no_bit_of_a_page_can_change_unnoticed(portal, cache):
    portal.always, portal.faults = "busy", ["good"] * 4
    assert_refused(r"cannot be reached", fetch, portal)
    page = sorted((cache / "chicago-crimes-2022.parts").glob("*.page"))[1]
    good = page.read_bytes()
    for bit in random.Random(1).sample(range(8 * len(good)), 30):
        page.write_bytes(good)
        flip(page, bit)
        with pytest.raises(DataError, match=r"^000000000010.page has gone bad on the disk and was removed"):
            kept_pages.read_page(page)


def test_no_bit_of_a_stored_set_or_of_its_checksum_can_change_unnoticed(portal, cache):
    fetch(portal)
    for path in sorted(cache.iterdir()):
        good = path.read_bytes()
        for bit in random.Random(path.name).sample(range(8 * len(good)), 30):
            flip(path, bit)
            with pytest.raises(DataError, match=r"chicago-crimes-2022.parquet is damaged: run 'python -m spatialldp"):
                DATASETS["chicago-crimes-2022"].load()
            assert not official.is_intact(CHICAGO)
            path.write_bytes(good)
    assert DATASETS["chicago-crimes-2022"].load().x.size == 47


def test_a_set_with_a_flipped_bit_is_fetched_again(portal):
    fetch(portal)
    flip(CHICAGO.path, 8 * 100)
    # A part of the set, too, has no rows that could be trusted.
    assert DATASETS["chicago-crimes-2022"].rows is DATASETS["chicago-crimes-2022-a"].rows is None
    portal.requests.clear()
    download.obtain(CHICAGO, portal=portal.address, page_rows=PAGE)
    assert portal.offsets == [0, 10, 20, 30, 40]
    assert_stored(CHICAGO, portal.rows)
    assert DATASETS["chicago-crimes-2022"].rows == 47


def test_a_set_from_before_there_were_checksums_is_used_and_guarded_from_then_on(portal):
    path = fetch(portal)
    listed = path.with_name(path.name + ".sha256")
    listed.unlink()
    assert DATASETS["chicago-crimes-2022"].load().x.size == 47
    assert listed.read_text() == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
    flip(path, 8 * 100)
    with pytest.raises(DataError, match=r"is damaged"):
        DATASETS["chicago-crimes-2022"].load()


def test_a_failed_import_leaves_the_set_that_was_there(portal, tmp_path, monkeypatch):
    fetch(portal)
    export = tmp_path / "export.csv"
    export.write_text(chicago_export(rows_near(CHICAGO, 30)))

    def fail(temporary, final):
        raise OSError(28, "No space left on device")

    real = Path.replace
    monkeypatch.setattr(Path, "replace", lambda path, target: (fail if target == CHICAGO.path else real)(path, target))
    with pytest.raises(DataError, match=r"No space left on device"):
        download.import_csv(CHICAGO, export)
    assert_stored(CHICAGO, portal.rows)
    assert DATASETS["chicago-crimes-2022"].load().x.size == 47


# -- two at once -----------------------------------------------------------------------------------

FETCH = """
import sys
from spatialldp.datasets import download
from spatialldp.datasets.official import SOURCES
print(download.obtain(SOURCES["chicago-crimes-2022"], portal=sys.argv[1], page_rows=10))
"""


def test_two_processes_that_fetch_the_same_set_at_once_both_have_it(portal, cache):
    command = [sys.executable, "-c", FETCH, portal.address]
    portal.always = "slow"
    running = [
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)
    ]
    answers = [process.communicate() for process in running]
    assert answers == [(f"{CHICAGO.path}\n", "")] * 3
    # Whoever came later waited instead of fetching the same pages once more.
    assert portal.offsets == [0, 10, 20, 30, 40]
    assert_stored(CHICAGO, portal.rows)
    assert DATASETS["chicago-crimes-2022"].load().x.size == 47


def test_two_threads_that_fetch_the_same_set_at_once_both_have_it(portal):
    portal.always = "slow"
    notes = []
    with ThreadPoolExecutor(3) as threads:
        paths = list(threads.map(lambda number: fetch(portal, on_progress=notes.append), range(3)))
    assert paths == [CHICAGO.path] * 3
    assert portal.offsets == [0, 10, 20, 30, 40]
    assert "Another download of the same set is under way; waiting for it" in {progress.note for progress in notes}
    assert_stored(CHICAGO, portal.rows)


def test_who_waited_for_a_download_that_failed_goes_on_where_it_stopped(portal):
    others = []

    def begin_another_and_fail(progress):
        if progress.rows == 20:
            others.append(threads.submit(fetch, portal, CHICAGO, others_notes.append))
            while not others_notes:
                time.sleep(0.01)
            raise KeyboardInterrupt

    others_notes = []
    with ThreadPoolExecutor(1) as threads:
        with pytest.raises(KeyboardInterrupt):
            fetch(portal, on_progress=begin_another_and_fail)
        assert others[0].result() == CHICAGO.path
    assert others_notes[0].note.startswith("Another download")
    assert portal.offsets == [0, 10, 20, 30, 40]
    assert_stored(CHICAGO, portal.rows)


def test_a_lock_that_a_killed_download_left_behind_locks_nothing(portal, cache):
    cache.mkdir()
    (cache / "chicago-crimes-2022.lock").touch()
    fetch(portal)
    assert_stored(CHICAGO, portal.rows)


def test_pages_of_a_set_that_has_changed_since_are_thrown_away(portal):
    portal.always, portal.faults = "busy", ["good"] * 4
    assert_refused(r"cannot be reached", fetch, portal)
    portal.always = None
    portal.rows.insert(0, portal.rows[-1])
    portal.requests.clear()
    fetch(portal)
    assert portal.offsets == [0, 10, 20, 30, 40]
    assert_stored(CHICAGO, portal.rows)


def test_a_set_that_changes_during_the_download_is_started_again(portal):
    def add_a_row(progress):
        if progress.rows == 47 and len(portal.rows) == 47:
            portal.rows.append(portal.rows[0])

    assert_refused(r"was changed at its source during the download: start it again", fetch, portal, CHICAGO, add_a_row)
    fetch(portal)
    assert_stored(CHICAGO, portal.rows)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_nothing_behind_that_could_be_used(portal, step, cache, monkeypatch):
    owner = os if step == "fsync" else Path
    real = getattr(owner, step)

    def fail_at_the_whole_set(*arguments):
        if list(cache.glob("chicago-crimes-2022.*.unfinished")):
            raise OSError(28, "No space left on device")
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(owner, step, fail_at_the_whole_set)
        assert_refused(
            r"cannot write to .* \(No space left on device\): make room or choose another folder", fetch, portal
        )
    assert [path.name for path in cache.iterdir()] == ["chicago-crimes-2022.parts"]
    portal.requests.clear()
    fetch(portal)
    assert portal.offsets == []
    assert_stored(CHICAGO, portal.rows)


# -- what is not the set ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("other_columns", r"answered with columns '\"ward\",\"beat\"', so it is not 'Crimes - 2022' as we know it"),
        ("words_for_numbers", r"answered with rows that are not two numbers"),
        ("login_page", r"answered with columns '<!DOCTYPE html>"),
        ("gone", r"answered with status 404"),
        ("flood", r"answered with more than 14,000 bytes for one page"),
    ],
)
def test_a_wrong_answer_is_refused_at_once_with_the_manual_steps(portal, fault, message):
    portal.faults = ["good", "good", fault]
    clock = Clock()
    text = assert_refused(message, fetch, portal, CHICAGO, None, clock)
    assert "Export → CSV" in text
    assert clock.pauses == []


def test_a_row_count_that_is_not_a_number_is_refused(portal):
    portal.faults = ["login_page"]
    assert_refused(r"answered with no number of rows", fetch, portal)


def test_an_empty_set_is_refused(portal):
    portal.rows.clear()
    assert_refused(r"answered with no rows at all", fetch, portal)


def test_coordinates_of_another_city_are_refused(portal):
    portal.rows[:] = rows_near(TAXI, 47)
    assert_refused(r"only 0 of 47 coordinates are near the city, so this is not 'Crimes - 2022'", fetch, portal)


def test_a_few_strange_places_are_no_reason_to_refuse(portal):
    portal.rows[0] = ("0", "0")
    fetch(portal)
    assert_stored(CHICAGO, portal.rows)


def test_an_unreachable_portal_is_explained_with_the_way_around_it(cache):
    with Portal(CHICAGO.resource, [], []) as closed:
        address = closed.address
    clock = Clock()
    with pytest.raises(DataError) as caught:
        download.fetch(CHICAGO, portal=address, sleep=clock)
    assert clock.pauses == [1.0, 2.0, 4.0, 8.0]
    text = str(caught.value)
    assert "cannot be reached (the connection was refused, 5 attempts)" in text
    assert f"open {CHICAGO.page} in a browser, choose Export → CSV" in text
    assert f"put the file into {cache}" in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (
            socket.gaierror(-2, "Name or service not known"),
            "no server of that name was found, is this computer online?",
        ),
        (TimeoutError("timed out"), "no answer in time"),
        (ssl.SSLError("bad certificate"), "the connection broke, SSLError"),
    ],
)
def test_other_ways_of_being_unreachable_are_said_in_words(monkeypatch, problem, words):
    def fail(*arguments, **options):
        raise urllib.error.URLError(problem)

    monkeypatch.setattr(urllib.request, "urlopen", fail)
    text = assert_refused(r"cannot be reached", download.fetch, CHICAGO, None, None, PAGE, Clock())
    assert f"({words}, 5 attempts)" in text


@pytest.mark.parametrize("address", ["file:///etc", "ftp://127.0.0.1", "data.cityofchicago.org"])
def test_only_web_addresses_are_asked(address):
    assert_refused(r"the portal's address must start with https://", download.fetch, CHICAGO, None, address)


# -- a CSV downloaded by hand ----------------------------------------------------------------------

TAXI_HEADER = (
    "VendorID,lpep_pickup_datetime,Lpep_dropoff_datetime,Store_and_fwd_flag,RateCodeID,Pickup_longitude,"
    "Pickup_latitude,Dropoff_longitude,Dropoff_latitude,Passenger_count"
)


def taxi_export(rows):
    lines = [f"2,01/01/2016 12:29:24 AM,01/01/2016 12:39:36 AM,N,1,{x},{y},-73.92,40.68,1" for x, y in rows]
    return "\n".join([TAXI_HEADER, *lines]) + "\n"


def test_an_official_csv_in_the_cache_folder_is_recognised_whatever_its_name(cache):
    rows = [*rows_near(CHICAGO, 30), ("", "")]
    cache.mkdir()
    (cache / "Crimes_-_2022_20240101 (1).csv").write_text(chicago_export(rows))
    (cache / "another.csv").write_text("lon,lat\n1,2\n")
    (cache / "aaa.csv").write_bytes(b"\xff\xfe\x00junk")
    assert download.obtain(CHICAGO, portal="http://127.0.0.1:1") == CHICAGO.path
    table = pq.read_table(CHICAGO.path)
    assert table.num_rows == 31
    assert DATASETS["chicago-crimes-2022"].load().y.tolist() == [float(y) for _, y in rows[:-1]]


def test_the_taxi_export_is_recognised_by_its_pickup_columns(tmp_path):
    rows = rows_near(TAXI, 20)
    path = tmp_path / "2016_Green_Taxi_Trip_Data.csv"
    path.write_text(taxi_export(rows), encoding="utf-8-sig")
    seen = []
    download.import_csv(TAXI, path, seen.append)
    assert_stored(TAXI, rows)
    assert seen[-1].share == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (chicago_export(rows_near(CHICAGO, 9), year=2019), r"is not of 2022 \(0 of 9 rows are\)"),
        (taxi_export(rows_near(TAXI, 9)), r"is not the official CSV of chicago-crimes-2022 \(it lacks"),
        ("lon,lat\n1,2\n", r"is not the official CSV"),
        (chicago_export(rows_near(CHICAGO, 9)).replace(",Date,", ",Day,"), r"is not the official CSV .* date\)"),
        ("", r"is not the official CSV"),
        (chicago_export(rows_near(CHICAGO, 9))[:-120], r"is cut off or damaged after 0 rows: download it again"),
        (chicago_export([("x", "y")] * 9), r"is cut off or damaged"),
        (chicago_export(rows_near(TAXI, 9)), r"only 0 of 9 coordinates are near the city"),
        (chicago_export([]), r"only 0 of 0 coordinates are near the city|cut off or damaged"),
    ],
)
def test_a_wrong_or_damaged_csv_is_refused_and_leaves_nothing(tmp_path, text, message, cache):
    path = tmp_path / "export.csv"
    path.write_text(text)
    assert_refused(message, download.import_csv, CHICAGO, path)
    assert not cache.exists() or list(cache.iterdir()) == []


def test_a_csv_that_is_not_there_is_refused(tmp_path):
    gone = r"'nowhere.csv' cannot be opened \(No such file or directory\): check the name"
    assert_refused(gone, download.import_csv, CHICAGO, tmp_path / "nowhere.csv")
    assert_refused(r"cannot be opened \(Is a directory\)", download.import_csv, CHICAGO, tmp_path)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (CHICAGO_HEADER.split(","), "chicago-crimes-2022"),
        (TAXI_HEADER.split(","), "nyc-green-taxi-2016"),
        ([name.lower() for name in TAXI_HEADER.split(",")], "nyc-green-taxi-2016"),
        (["lpep_pickup_datetime", "PULocationID"], None),
        (["tpep_pickup_datetime", "pickup_longitude", "pickup_latitude"], None),
        (["Latitude", "Longitude"], None),
        ([], None),
    ],
)
def test_official_exports_are_told_by_their_columns(columns, expected):
    assert official.recognise(columns) == expected


def test_an_unknown_source_is_answered_with_the_known_ones():
    with pytest.raises(
        DataError, match=r"'normal' is not a data set to download: choose one of chicago-crimes-2022, nyc"
    ):
        official.source_of("normal")
    assert official.source_of("nyc-green-taxi-2016-b") is TAXI


def test_the_cache_folder_is_the_users_unless_chosen(monkeypatch):
    monkeypatch.delenv("SPATIALLDP_CACHE")
    assert official.cache_folder().name == "spatialldp"
    assert official.cache_folder().is_absolute()

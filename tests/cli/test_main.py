"""python -m spatialldp …"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spatialldp.__main__ import main
from spatialldp.datasets import DATASETS, download
from spatialldp.datasets.official import SOURCES
from tests.datasets.exports import chicago_export, rows_near
from tests.datasets.portal import Portal

CHICAGO = SOURCES["chicago-crimes-2022"]
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SPATIALLDP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    return tmp_path / "cache"


@pytest.fixture
def portal(monkeypatch):
    with Portal(CHICAGO.resource, ["longitude", "latitude"], rows_near(CHICAGO, 30)) as running:
        monkeypatch.setenv("SPATIALLDP_PORTAL", running.address)
        yield running


def run(capsys, *arguments):
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_module_runs_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "spatialldp", "data", "list"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(DATASETS)
    assert lines[0].split("  ")[0] == "san-francisco"
    assert "261,552 rows  embedded" in lines[0]
    assert lines[0].endswith("San Francisco addresses (default)")
    assert "? rows  needs download" in lines[2]
    assert done.stderr == ""


def test_memory_that_runs_out_is_one_line():
    # As much as is in use once everything is loaded, and 150 MB: recovery on this grid takes half a GB.
    code = (
        "import resource, sys; from spatialldp.cli.main import main; from spatialldp.population import Population\n"
        "Population.of('new-haven', 3)\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 150_000_000,) * 2)\n"
        "sys.exit(main(['run', '--data', 'new-haven', '--d', '256', '--epsilon', '0.5']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "spatialldp: that is too large for this computer: choose a smaller --d, --b or --users\n"


def test_list_can_be_read_by_programs(capsys):
    status, out, _ = run(capsys, "data", "list", "--json")
    entries = json.loads(out)
    assert status == 0
    assert [entry["id"] for entry in entries] == list(DATASETS)
    assert entries[0]["licence"] == "Apache-2.0"
    assert entries[2]["availability"] == "needs download"
    assert {"title", "city", "rows", "source", "bounds", "default_view", "simulated"} <= set(entries[0])


def test_fetch_downloads_once_shows_progress_and_says_where_it_is(capsys, portal, cache):
    status, out, err = run(capsys, "data", "fetch", "chicago-crimes-2022-a")
    path = cache / "chicago-crimes-2022.parquet"
    assert status == 0
    assert out == f"chicago-crimes-2022: 30 rows, at {path}\n"
    assert "  0%  " in err
    assert "100%  " in err
    status, out, _ = run(capsys, "data", "fetch", "chicago-crimes-2022")
    assert out == f"chicago-crimes-2022: 30 rows, already at {path}\n"
    _, out, _ = run(capsys, "data", "list")
    assert "30 rows  downloaded" in out


def test_fetch_draws_a_bar_on_a_terminal(capsys, portal, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    portal.faults = ["busy_for_seven_seconds"]
    monkeypatch.setattr(download, "_LONGEST_WAIT_S", 0.0)
    status, _, err = run(capsys, "data", "fetch", "chicago-crimes-2022")
    assert status == 0
    assert "░" * 30 + "   0%  the server answered 503; trying again" in err
    assert "\r" + "█" * 30 + " 100%  Done" in err
    assert err.endswith("\n")


def test_fetch_says_in_a_log_that_it_tries_again_even_before_the_next_tenth(capsys, portal, monkeypatch):
    portal.faults = ["busy_for_seven_seconds", "busy_for_seven_seconds"]
    monkeypatch.setattr(download, "_LONGEST_WAIT_S", 0.0)
    _, _, err = run(capsys, "data", "fetch", "chicago-crimes-2022")
    assert err.count("  0%  the server answered 503; trying again") == 2


def test_fetch_takes_over_a_csv_downloaded_by_hand(capsys, tmp_path):
    path = tmp_path / "Crimes_-_2022.csv"
    path.write_text(chicago_export(rows_near(CHICAGO, 12)))
    status, out, _ = run(capsys, "data", "fetch", "chicago-crimes-2022", "--file", str(path))
    assert status == 0
    assert "12 rows" in out
    path.write_text("a,b\n1,2\n")
    status, _, err = run(capsys, "data", "fetch", "chicago-crimes-2022", "--file", str(path))
    assert status == 1
    assert "is not the official CSV of chicago-crimes-2022" in err
    assert len(err.splitlines()) == 1


def test_an_unreachable_source_is_one_line_and_status_1(capsys, monkeypatch):
    with Portal(CHICAGO.resource, [], []) as closed:
        monkeypatch.setenv("SPATIALLDP_PORTAL", closed.address)
    monkeypatch.setattr(download, "_ATTEMPTS", 1)
    status, out, err = run(capsys, "data", "fetch", "chicago-crimes-2022")
    assert (status, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "Export → CSV" in err


def test_what_is_here_needs_no_fetch(capsys):
    assert run(capsys, "data", "fetch", "normal")[:2] == (0, "normal is generated: there is nothing to download\n")
    assert run(capsys, "data", "fetch", "new-haven")[:2] == (0, "new-haven is embedded: there is nothing to download\n")


def test_path_says_where_things_are(capsys, cache):
    assert run(capsys, "data", "path")[1] == f"{cache}\n"
    assert run(capsys, "data", "path", "nyc-green-taxi-2016-c")[1] == f"{cache / 'nyc-green-taxi-2016.parquet'}\n"
    assert run(capsys, "data", "path", "szipf")[1] == "szipf is generated: it has no file\n"
    embedded = Path(run(capsys, "data", "path", "san-francisco")[1].strip())
    assert embedded == ROOT / "data" / "points" / "san-francisco.parquet"
    assert embedded.is_file()


@pytest.mark.parametrize("arguments", [["data", "fetch", "atlantis"], ["data", "path", "atlantis"]])
def test_an_unknown_data_set_is_one_line_and_status_1(capsys, arguments):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (1, "")
    assert err.startswith("spatialldp: there is no data set 'atlantis': choose one of san-francisco,")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("arguments", [[], ["data"], ["data", "fetch"], ["juggle"], ["data", "list", "--loud"]])
def test_a_wrong_command_shows_the_usage(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: python -m spatialldp" in capsys.readouterr().err


def test_the_keyboard_stops_it_quietly(capsys, portal, monkeypatch):
    def press(progress):
        raise KeyboardInterrupt

    monkeypatch.setattr("spatialldp.cli.data_command._Bar.show", lambda self, progress: press(progress))
    status, out, err = run(capsys, "data", "fetch", "chicago-crimes-2022")
    assert (status, out, err) == (130, "", "spatialldp: stopped\n")
    assert not CHICAGO.is_present


def test_a_reader_that_has_gone_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "spatialldp", "data", "list"]
    done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, check=True)
    os.close(writer)
    assert done.stderr == ""


def test_sets_of_cells_are_as_good_at_any_neighbouring_budget(capsys):
    # Thresholds that wrapped around once made 1,045 m of the second and 1,044 m of the last.
    errors = []
    for epsilon in ("3.30", "3.35", "3.50", "3.60"):
        status, out, _ = run(capsys, "run", "--mechanism", "SEM-Geo-I", "--d", "30", "--epsilon", epsilon, "--json")
        assert status == 0
        errors.append(json.loads(out)["w2_metres"])
    assert max(errors) < 1.2 * min(errors)


@pytest.mark.parametrize(
    "end", [["run", "--help"], ["compare", "--data", "new-haven", "--d", "3", "--mechanisms", "DAM", "--repeats", "2"]]
)
def test_a_stream_that_cannot_show_every_letter_gets_a_question_mark(end):
    result = subprocess.run(
        [sys.executable, "-m", "spatialldp", *end],
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"?" in result.stdout

"""No value of any option of any command ends in a traceback: one sentence, and a status that says so."""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from spatialldp.__main__ import main
from spatialldp.cli.main import make_parser
from spatialldp.mechanisms import MECHANISMS

ROOT = Path(__file__).parents[2]
#: What makes a command quick where the hostile value itself is harmless.
QUICK = {
    "run": ["--data", "new-haven", "--d", "3"],
    "compare": ["--data", "new-haven", "--d", "3", "--mechanisms", "DAM", "--repeats", "2"],
    "sweep": ["--data", "new-haven", "--d", "3", "--mechanisms", "DAM", "--repeats", "2", "--values", "1"],
    "report": [
        *("--data", "new-haven", "--d", "3", "--mechanisms", "DAM", "--repeats", "2", "--target", "99999"),
        *("--purpose", "counts", "--workers", "1"),
    ],
    "teach": ["worksheet", "--data", "new-haven", "--d", "3", "--repeats", "2", "--step", "1"],
}
#: No number, whatever it is for, is one of these, but for a seed, and a radius or an accepted error that is large.
NUMBERS = ["nan", "inf", "-inf", "-1", "1e308", "1" + "0" * 30, "-" + "9" * 30, "1" * 5_000, "", "x", "ε", "0x10"]


def commands() -> dict[str, argparse.ArgumentParser]:
    (action,) = [entry for entry in make_parser("spatialldp")._actions if isinstance(entry.choices, dict)]
    return dict(action.choices)


def numeric_options(command: str) -> list[str]:
    return [action.option_strings[0] for action in commands()[command]._actions if action.type in (int, float)]


CASES = [(command, option, value) for command in QUICK for option in numeric_options(command) for value in NUMBERS]


def ended(*arguments: str) -> int:
    """The status of a command line, that of argparse included."""
    try:
        return main(list(arguments))
    except SystemExit as left:
        return int(left.code or 0)


def test_the_cases_cover_every_number_that_can_be_given():
    assert {option for _, option, _ in CASES} == {
        *("--epsilon", "--d", "--b", "--seed", "--users", "--repeats", "--reports", "--workers", "--target", "--step")
    }
    assert set(commands()) == {*QUICK, "data", "app"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[1]}={case[2][:9]}")
def test_a_senseless_number_is_one_sentence(case, capsys):
    command, option, value = case
    harmless = option == "--seed" and value == "1" + "0" * 30
    if command == "report" and harmless:
        return  # A report takes a while; the seed is read as everywhere else.
    status = ended(command, *QUICK[command], f"{option}={value}")
    said = capsys.readouterr().err
    assert "Traceback" not in said
    if harmless or (option == "--target" and value in ("1e308", "1" + "0" * 30)):
        assert status == 0
        return
    assert status in (1, 2)
    # argparse shows the usage before its sentence.
    last = said.strip().splitlines()[-1]
    assert option in last
    assert status == 2 or said.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "--d", "1000000"], "--d must be at most 1,024, got 1000000: choose a coarser grid"),
        (["run", "--b", "1000000000"], "--b must be at most 100, got 1000000000: a disk that large holds all"),
        (["sweep", "--users", "9" * 20], "--users must be at most 9,007,199,254,740,992, got 99999999999999999999: "),
        (["sweep", "--over", "users", "--values", "1e30"], "--values is wrong: users must be at most 9,007,199,254"),
        (["sweep", "--over", "d", "--values", "3,99999"], "--values is wrong: d must be at most 1,024, got 99999"),
        (["sweep", "--over", "b", "--values", "3,99999"], "--values is wrong: b must be at most 100, got 99999"),
        (["sweep", "--values", "nan"], "epsilon of --values must be from 0.001 to 50, got nan"),
        (["sweep", "--values", "1,50.1"], "epsilon of --values must be from 0.001 to 50, got 50.1"),
        (["sweep", "--workers", "257"], "--workers must be at most 256, got 257: "),
        (["run", "--mechanism", "OUE", "--epsilon", "1e-17"], "--epsilon must be from 0.001 to 50, got 1e-17"),
        (["run", "--epsilon", "800"], "--epsilon must be from 0.001 to 50, got 800"),
        (["compare", "--repeats", "10001"], "--repeats must be at most 10,000, got 10001: "),
        (["sweep", "--reports", "1001"], "--reports must be at most 1,000, got 1001: "),
        (["sweep", "--users", "10" + "0" * 8], "users must be at most 100,000,000, got 1000000000: SEMGeoI draws one "),
        (["compare", "--d", "101"], "d must be at most 100, got 101: choose a coarser grid for SEMGeoI"),
        (["sweep", "--d", "513"], "d must be at most 512, got 513: choose a coarser grid for DAM"),
        (["report", "--pinned", "DAM,800,5,,"], "--pinned must be mechanism,ε,d,b,people (b and people may be empty)"),
        (["report", "--pinned", "DAM,60,5,,"], "ε of --pinned must be from 0.001 to 50, got 60"),
        (["report", "--pinned", "DAM,1,5,," + "9" * 20], "--pinned must be mechanism,ε,d,b,people"),
        (["report", "--pinned", "DAM"], "--pinned must be mechanism,ε,d,b,people"),
        (["report", "--pinned", "DAM,1,1000000,,"], "--pinned must be mechanism,ε,d,b,people"),
        (["report", "--pinned", "x=DAM,1,5,,"], "--pinned must be mechanism,ε,d,b,people (b and people may be empty)"),
        (["report", "--scenario", "x=DAM,800,5,,"], "--scenario must be name=mechanism,ε,d,b,people (b and people may"),
        (["report", "--scenario", "x=DAM,60,5,,"], "ε of --scenario must be from 0.001 to 50, got 60"),
        (["report", "--scenario", "x=DAM,nan,5,,"], "--scenario must be name=mechanism,ε,d,b,people"),
        (["report", "--scenario", "x=DAM,1,5,9999,"], "--scenario must be name=mechanism,ε,d,b,people"),
        (["report", "--scenario", "x=DAM,1,1000000,,"], "--scenario must be name=mechanism,ε,d,b,people"),
        (["report", "--scenario", "x=DAM,1,5,," + "9" * 20], "--scenario must be name=mechanism,ε,d,b,people"),
        (["report", "--scenario", "x=DAM,1,5,," + "1" * 5_000], "--scenario must be name=mechanism,ε,d,b,people"),
        (["report", "--scenario", "x=No,1,5,,"], "--scenario must be name=mechanism,ε,d,b,people"),
        (["report", "--scenario", "x=y=DAM,1,5,,"], "--scenario must be name=mechanism,ε,d,b,people"),
        (["report", "--scenario", "<b>=DAM,1,5,,"], "--scenario must be name=mechanism,ε,d,b,people"),
        (["report", "--scenario", "n" * 25 + "=DAM,1,5,,"], "--scenario must be name=mechanism,ε,d,b,people"),
        (["report", "--scenario", ""], "--scenario must be name=mechanism,ε,d,b,people"),
        (["report", "--workers", "257"], "--workers must be at most 256, got 257: "),
        (["run", "--bounds=-1e308,-1e308,1e308,1e308"], "bounds must lie between −1e+100 and 1e+100, got "),
        (["run", "--data", "normal", "--bounds=0,0,1e308,1"], "bounds must lie between −1e+100 and 1e+100, got "),
        (["run", "--data", "normal", "--bounds=0,0,1e-310,1e-310"], "bounds (0.0, 0.0, 1e-310, 1e-310) are too small"),
        (["sweep", "--mechanisms", ""], "there is no mechanism '': choose from DAM, "),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_what_is_wrong_is_named_with_its_limit(arguments, sentence, capsys):
    assert main(arguments) == 1
    out, said = capsys.readouterr()
    assert said.startswith(f"spatialldp: {sentence}")
    assert (out, said.count("\n")) == ("", 1)


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("epsilon", ["0.001", "50"])
def test_every_mechanism_runs_at_both_ends_of_the_budget(name, epsilon, capsys):
    assert main(["run", "--data", "new-haven", "--d", "4", "--mechanism", name, "--epsilon", epsilon]) == 0
    out, said = capsys.readouterr()
    assert "nan" not in out
    assert said == ""


def test_an_unknown_ruler_is_answered_in_the_words_of_the_help(capsys):
    assert ended("compare", "--by", "nosuch") == 2
    rulers = "local-privacy, best-guess-distance, hit-rate, worst-case"
    assert f"argument --by: must be one of {rulers}, got 'nosuch'" in capsys.readouterr().err
    assert ended("compare", "--help") == 0
    # The help may be broken after a hyphen.
    assert rulers.replace(" ", "") in "".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("word", ["hit-rate", "hit rate"])
def test_a_ruler_may_be_written_either_way(word):
    options = make_parser("spatialldp").parse_args(["compare", "--by", word])
    assert options.by == "hit rate"


# -- streams and signals, of real processes --------------------------------------------------------


def process(*arguments: str, **streams) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "spatialldp", *arguments]
    return subprocess.Popen(command, cwd=ROOT, text=True, stderr=subprocess.PIPE, **streams)


@pytest.mark.parametrize(
    "arguments", [["run", *QUICK["run"]], ["data", "list"], ["compare", *QUICK["compare"]]], ids=lambda a: a[0]
)
def test_a_full_disk_behind_stdout_is_one_sentence(arguments):
    with open("/dev/full", "w") as full:
        running = process(*arguments, stdout=full)
        said = running.communicate()[1]
    assert running.returncode == 1
    assert said == "spatialldp: the result cannot be written (No space left on device)\n"


def test_a_full_disk_behind_stderr_leaves_only_the_status():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "spatialldp", "run", "--d", "0"]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=full, text=True)
    assert (done.returncode, done.stdout) == (1, "")


def test_a_closed_stdout_is_no_error():
    command = f'exec "{sys.executable}" -m spatialldp data list >&-'
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_leaves_in_the_middle_is_no_error():
    reader, writer = os.pipe()
    running = process("compare", *QUICK["compare"], stdout=writer)
    os.close(writer)
    os.close(reader)
    assert running.communicate()[1] == ""
    assert running.returncode == 0


def test_the_keyboard_stops_a_long_command_and_leaves_the_file_that_was_there(tmp_path):
    file = tmp_path / "curve.csv"
    file.write_text("of yesterday\n")
    running = process("sweep", "--data", "new-haven", "--mechanisms", "DAM", "--repeats", "500", "--output", str(file))
    assert running.stderr is not None
    first = running.stderr.readline()
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=30)[1]
    assert first.startswith("DAM ")
    assert said.endswith("spatialldp: stopped\n")
    assert running.returncode == 130
    assert [entry.name for entry in tmp_path.iterdir()] == ["curve.csv"]
    assert file.read_text() == "of yesterday\n"

"""`sweep` on the command line: what it writes, and what it refuses."""

import csv
import io
import json

import pytest

from spatialldp import engines
from spatialldp.__main__ import main
from spatialldp.experiments import Plan, measure
from spatialldp.population import Population

QUICK = ["sweep", "--data", "new-haven", "--d", "4", "--repeats", "2", "--mechanisms", "DAM"]


def test_a_csv_file_has_a_row_per_point_and_the_screen_a_line(capsys, tmp_path):
    file = tmp_path / "curve.csv"
    assert main([*QUICK, "--over", "b", "--values", "0,1", "--output", str(file)]) == 0
    lines = file.read_text().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("over,mechanism,epsilon")
    assert capsys.readouterr().err.count("right cell named") == 2


def test_json_holds_numbers_and_null_where_the_csv_is_empty(capsys):
    arguments = [*QUICK[:-1], "DAM,SEM-Geo-I", "--values", "2"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert main(arguments) == 0
    table = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [list(entry) for entry in found] == [list(line) for line in table]
    words = {"over", "mechanism", "equal_by", "unit", "error_unit"}
    for entry, line in zip(found, table, strict=True):
        for name, text in line.items():
            if text == "":
                assert entry[name] is None
            elif name in words:
                assert entry[name] == text
            else:
                assert isinstance(entry[name], (int, float))
                assert entry[name] == float(text)
    dam, sem = found
    assert (dam["d"], dam["users"], dam["equal_by"]) == (4, 3293, None)
    assert (sem["b"], sem["equal_by"]) == (None, "local privacy")


@pytest.mark.parametrize("purpose", ["places", "counts"])
def test_a_point_has_the_error_that_was_asked_for(purpose, capsys):
    assert main([*QUICK, "--values", "2", "--seed", "5", "--purpose", purpose, "--json"]) == 0
    out, said = capsys.readouterr()
    (found,) = json.loads(out)
    expected = measure(Population.of("new-haven", 4), Plan(epsilon=2.0, d=4), 5, 2, purpose)
    assert (found["map_error"], found["cell_part"]) == (expected.mean, expected.cell)
    what, unit = {"places": ("error of the map", "m"), "counts": ("error of counts", "per 1,000")}[purpose]
    assert found["error_unit"] == unit
    assert (found["w2"] is None) == (purpose == "counts")
    assert f"{what} = {expected.mean:,.4g} ± {expected.half_width:,.3g} {unit}, right cell named" in said


def test_an_error_is_that_of_the_map_unless_said_otherwise(capsys):
    assert main([*QUICK, "--values", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["error_unit"] == "m"


def test_worker_processes_write_the_same_file(capsys, monkeypatch):
    asked, real = [], engines.Processes.map
    monkeypatch.setattr(engines.Processes, "map", lambda self, *work: asked.append(self.workers) or real(self, *work))
    assert main([*QUICK, "--over", "epsilon", "--values", "1,4"]) == 0
    alone = capsys.readouterr()
    assert asked == []
    assert main([*QUICK, "--over", "epsilon", "--values", "1,4", "--workers", "2"]) == 0
    assert capsys.readouterr() == alone
    assert set(asked) == {2}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--over", "b", "--mechanisms", "MDSW"], "radius"),
        (["--values", "x"], "values"),
        (["--repeats", "1"], "repeats"),
        (["--users", "0"], "users"),
        (["--workers", "0"], "workers"),
        (["--over", "d", "--values", "2.5"], "d must be a whole number ≥ 1, got 2.5"),
        (["--over", "d", "--values", "4,0"], "d must be a whole number ≥ 1, got 0"),
        (["--over", "b", "--values", "1.2"], "b must be a whole number ≥ 0, got 1.2"),
        (["--over", "users", "--values", "99.9"], "users must be a whole number ≥ 1, got 99.9"),
        (["--over", "users", "--values", "inf"], "users must be a whole number ≥ 1, got inf"),
        (["--values", "1,-1"], "epsilon of --values must be from 0.001 to 50, got -1"),
    ],
)
def test_a_usage_error_is_one_line_before_anything_is_measured(arguments, said, capsys):
    assert main([*QUICK, *arguments]) == 1
    out, error = capsys.readouterr()
    assert said in error
    assert error.count("\n") == 1
    assert out == ""

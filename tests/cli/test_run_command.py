"""`run` on the command line."""

import json

import pytest

from spatialldp.__main__ import main


def test_run_prints_every_promised_field_seconds_last(capsys):
    assert main(["run", "--data", "new-haven", "--d", "5", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    promised = (
        "data mechanism epsilon d b seed users w2_cells w2_metres iterations converged stopping distribution seconds"
    )
    assert set(promised.split()) <= set(result)
    assert list(result)[-1] == "seconds"
    assert result["users"] == 3293
    assert len(result["distribution"]) == 5


def test_run_with_the_outline_of_the_city_says_what_it_gains(capsys):
    arguments = ["run", "--data", "san-francisco", "--d", "15", "--epsilon", "2"]
    found = []
    for extra in ([], ["--mask"]):
        assert main([*arguments, *extra, "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    plain, masked = found
    assert "mask" not in plain
    assert masked["mask"] is True
    assert list(masked)[-1] == "seconds"
    assert masked["w2_cells_without_mask"] == plain["w2_cells"] > masked["w2_cells"]
    assert masked["w2_metres_without_mask"] == plain["w2_metres"]
    assert (masked["cells_ruled_out"], masked["people_ruled_out"]) == (50, 0)
    assert sum(value == 0 for column in masked["distribution"] for value in column) >= 50
    assert main([*arguments, "--mask"]) == 0
    out = capsys.readouterr().out
    assert "rules out 50 of 225 cells" in out
    saved = 100 * (1 - masked["w2_cells"] / plain["w2_cells"])
    assert f"would be {plain['w2_metres']:.0f} m: knowing it lowers the error by {saved:.0f}%.\n" in out


def test_run_prints_the_mechanism_and_the_error_as_text(capsys):
    assert main(["run", "--data", "normal", "--mechanism", "k-RR", "--d", "4", "--seed", "2"]) == 0
    out = capsys.readouterr().out
    assert "KRR(epsilon=3.5, d=4)" in out
    assert " cells after" in out


def test_run_says_none_where_there_is_no_radius_or_no_metre(capsys):
    assert main(["run", "--data", "normal", "--mechanism", "OUE", "--d", "3", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["b"], result["w2_metres"]) == (None, None)
    assert main(["run", "--data", "new-haven", "--d", "3", "--b", "2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["b"] == 2
    assert result["w2_metres"] > result["w2_cells"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--data", "atlantis"], "no data set"),
        (["--d", "0"], "--d must be a whole number ≥ 1, got 0"),
        (["--seed", "-1"], "--seed must be a whole number ≥ 0, got -1"),
        (["--epsilon", "0"], "epsilon"),
        (["--mechanism", "OUE", "--b", "1"], "no radius"),
        (["--bounds", "-123.5,37,-123.4,37.1"], "nobody"),
        (["--bounds", "3,2,1,0"], "west < east"),
        (["--d", "3", "--output", "/nowhere/x"], "cannot write"),
        (["--data", "chicago-crimes-2022"], "not on this computer"),
        (["--data", "szipf", "--mask"], "--mask must be left out: there is no outline"),
        (["--mechanism", "OUE", "--mask"], "--mask must be left out: OUE cannot use it, but DAM, "),
    ],
)
def test_a_usage_or_data_error_is_one_line(arguments, said, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SPATIALLDP_CACHE", str(tmp_path))
    assert main(["run", *arguments]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_bounds_that_are_not_four_numbers_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["run", "--bounds", "1,2,x"])
    assert "four numbers" in capsys.readouterr().err

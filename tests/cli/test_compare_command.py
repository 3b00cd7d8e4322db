"""`compare` on the command line."""

import json

import pytest

from spatialldp.__main__ import main


def test_compare_marks_the_best(capsys, tmp_path):
    arguments = ["compare", "--data", "new-haven", "--d", "4", "--repeats", "5", "--mechanisms", "DAM,MDSW"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "\nbest: DAM\n" in out
    file = tmp_path / "scores.json"
    assert main([*arguments, "--json", "--output", str(file)]) == 0
    scores = json.loads(file.read_text())
    assert scores["best"] == min(scores["scores"], key=lambda row: row["w2_cells"])["mechanism"]
    assert scores["tied"] == []
    assert scores["equal_by"] == "local privacy"


def test_compare_says_who_is_tied(capsys):
    arguments = ["compare", "--data", "new-haven", "--d", "4", "--repeats", "2"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("DAM", "HUEM", "MDSW", "SEM-Geo-I"))
    assert "Tied for least error: " in out
    assert "best:" not in out
    assert "range error: the mean over 1,000 random squares of one cell, 6.2% of the area\n" in out
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["best"] is None
    assert f"tied: {', '.join(found['tied'])}\n" in out
    assert main(["compare", "--data", "new-haven", "--d", "4", "--repeats", "1"]) == 0
    assert "best: one draw cannot tell" in capsys.readouterr().out


def test_compare_has_three_measures_and_their_ends(capsys):
    arguments = ["compare", "--data", "new-haven", "--d", "6", "--repeats", "3", "--mechanisms", "DAM,MDSW"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    dam = found["scores"][0]
    assert dam["range_error"] == pytest.approx(sum(dam["range_error_repeats"]) / 3)
    assert dam["hot_spots"] == pytest.approx(sum(dam["hot_spots_repeats"]) / 3)
    assert len(dam["repeats"]) == 3
    assert (dam["hottest_cells"], len(dam["hot_spots_repeats"])) == (5, 3)
    assert all(dam[f"half_width_{name}"] > 0 for name in ("cells", "range_error", "hot_spots"))
    ends = found["baselines"]
    assert ends["range error"]["no_privacy"] < dam["range_error"] < ends["range error"]["uniform_guess"]
    assert ends["hot spots"]["uniform_guess"] == pytest.approx(5 * 5 / 36)  # five cells, each with five chances of 36
    assert set(found["best_by_measure"]) == {"W2", "range error", "hot spots"}
    assert main(arguments) == 0
    assert " people per 1,000, top cells recovered " in capsys.readouterr().out


def test_compare_with_the_outline_of_the_city_names_who_cannot_use_it(capsys):
    arguments = ["compare", "--data", "new-haven", "--d", "6", "--repeats", "2", "--mechanisms", "DAM,OUE", "--mask"]
    assert main(arguments) == 0
    assert "recovered with the outline of the city (9 cells ruled out); without it: OUE" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["mask"], found["without_mask"]) == (True, ["OUE"])
    assert main([*arguments[:-1], "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert "mask" not in plain
    assert plain["scores"][0]["w2_cells"] != found["scores"][0]["w2_cells"]
    assert plain["scores"][1]["w2_cells"] == found["scores"][1]["w2_cells"]


def test_compare_shows_both_sides_of_a_jump(capsys):
    # On 5×5 cells no ε′ gives SEM-Geo-I the local privacy of DAM at ε = 2.2.
    arguments = [
        "compare",
        "--data",
        "new-haven",
        "--d",
        "5",
        "--epsilon",
        "2.2",
        "--repeats",
        "2",
        "--mechanisms",
        "DAM,SEM-Geo-I",
    ]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert out.count("SEM-Geo-I       ε = ") == 2
    for text in (
        "[just below the jump]",
        "[just above the jump]",
        "SEM-Geo-I cannot match DAM here",
        "right cell named",
        "95% region",
        "worst case 2.2 (9 times)",
    ):
        assert text in out, text
    assert main([*arguments, "--json"]) == 0
    dam, sem = json.loads(capsys.readouterr().out)["scores"]
    assert (dam["protects_more_than_asked"], dam["beyond"]) == (False, None)
    assert sem["protects_more_than_asked"]
    assert sem["beyond"]["local_privacy_cells"] < dam["local_privacy_cells"] < sem["local_privacy_cells"]
    assert sem["beyond"]["epsilon"] == pytest.approx(sem["epsilon"])
    assert dam["worst_case_loss"] == pytest.approx(2.2)


def test_compare_by_another_ruler(capsys):
    arguments = [
        "compare",
        "--data",
        "new-haven",
        "--d",
        "4",
        "--repeats",
        "1",
        "--mechanisms",
        "DAM,Planar Laplace",
        "--json",
    ]
    for text, by, field in (
        ("hit-rate", "hit rate", "hit_rate"),
        ("worst-case", "worst case", "worst_case_loss"),
        ("best-guess-distance", "best guess distance", "best_guess_distance_cells"),
        ("local-privacy", "local privacy", "local_privacy_cells"),
    ):
        assert main([*arguments, "--by", text]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["equal_by"] == by
        dam, laplace = found["scores"]
        assert laplace[field] == pytest.approx(dam[field], rel=1e-5)
    assert main([*arguments, "--same-epsilon"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["equal_by"] is None
    assert found["scores"][1]["epsilon"] == 3.5
    for wrong in (["--by", "luck"], ["--by", "hit-rate", "--same-epsilon"]):
        with pytest.raises(SystemExit):
            main([*arguments, *wrong])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["--mechanisms", "DAM,XYZ"], "there is no mechanism 'XYZ'"), (["--repeats", "0", "--d", "3"], "repeats")],
)
def test_a_usage_error_is_one_line(arguments, said, capsys):
    assert main(["compare", *arguments]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1

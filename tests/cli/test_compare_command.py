"""`compare` on the command line."""

import json

import pytest

from spatialldp.__main__ import main


def test_compare_marks_the_best(capsys, tmp_path):
    arguments = ["compare", "--data", "new-haven", "--d", "4", "--repeats", "2"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in ("DAM", "HUEM", "MDSW", "SEM-Geo-I", "best:"))
    file = tmp_path / "scores.json"
    assert main([*arguments, "--json", "--output", str(file)]) == 0
    scores = json.loads(file.read_text())
    assert scores["best"] == min(scores["scores"], key=lambda row: row["w2_cells"])["mechanism"]
    assert scores["equal_by"] == "local privacy"


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
        "95 % region",
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

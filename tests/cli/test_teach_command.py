"""`spatialldp teach`: worksheets, key and notebook from the command line."""

import json
import re

import pytest

from spatialldp.cli.main import main
from spatialldp.teaching import Findings, Scene, notebook, worksheet

COMMON = ["--data", "new-haven", "--epsilon", "2", "--d", "4", "--seed", "3", "--at", "-72.9264,41.2975"]


def test_a_sheet_is_that_of_the_library(tmp_path, capsys):
    file = tmp_path / "sheet.html"
    assert main(["teach", "worksheet", "--step", "3", *COMMON, "--output", str(file)]) == 0
    scene = Scene.of("new-haven", 2.0, 4, person=(-72.9264, 41.2975), seed=3)
    assert file.read_text("utf-8") == worksheet(Findings(scene), [3])
    assert main(["teach", "key", "--step", "3", *COMMON]) == 0
    assert 'class="answer"' in capsys.readouterr().out


def test_without_a_step_all_six_are_made(capsys):
    assert main(["teach", "worksheet", "--data", "new-haven", "--d", "3", "--repeats", "1", "--prior"]) == 0
    printed = capsys.readouterr().out
    assert re.findall(r'<section id="step-(\d)">', printed) == list("123456")
    assert "The attacker knows where people live." in printed


def test_a_notebook_holds_all_steps(capsys):
    assert main(["teach", "notebook", *COMMON, "--repeats", "2"]) == 0
    scene = Scene.of("new-haven", 2.0, 4, person=(-72.9264, 41.2975), seed=3)
    made = json.loads(capsys.readouterr().out)
    assert made == json.loads(notebook(scene, 2))
    assert made != json.loads(notebook(scene, 3))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["worksheet", "--step", "7"], "--step must be"),
        (["key", "--step", "0"], "--step must be"),
        (["notebook", "--step", "2"], "leave out --step"),
        (["worksheet", "--json"], "leave out --json"),
        (["worksheet", "--d", "31"], "from 1 to 30"),
        (["worksheet", "--epsilon", "0"], "--epsilon must be"),
        (["worksheet", "--data", "atlantis"], "atlantis"),
    ],
)
def test_what_cannot_be_made_is_said_in_one_line(words, said, capsys):
    assert main(["teach", *words]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_a_place_is_two_numbers(capsys):
    with pytest.raises(SystemExit):
        main(["teach", "worksheet", "--at", "1,2,3"])
    assert "two numbers X,Y" in capsys.readouterr().err

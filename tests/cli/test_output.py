"""Where results go: tried first, replaced only by a whole result."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from spatialldp.__main__ import main
from spatialldp.cli.options import UsageError
from spatialldp.cli.output import check, write

ROOT = Path(__file__).parents[2]
COMMANDS = ("run", "compare", "sweep", "report")


def test_output_is_printed_or_written_and_said(tmp_path, capsys):
    assert write("text", None) == 0
    assert capsys.readouterr() == ("text\n", "")
    file = tmp_path / "file.txt"
    check(file)
    assert not file.exists()
    assert write("ε", file) == 0
    assert file.read_text("utf-8") == "ε\n"
    assert capsys.readouterr() == ("", f"wrote {file}\n")
    with pytest.raises(UsageError, match="cannot write"):
        write("text", tmp_path / "no" / "file.txt")


def test_a_new_file_has_the_usual_rights_and_an_old_one_keeps_its_own(tmp_path):
    usual, new, old = tmp_path / "usual", tmp_path / "new", tmp_path / "old"
    usual.touch()
    write("text", new)
    assert stat.S_IMODE(new.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    old.touch()
    old.chmod(0o640)
    write("text", old)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert {entry.name for entry in tmp_path.iterdir()} == {"usual", "new", "old"}


def test_a_file_that_cannot_be_replaced_is_written(tmp_path, monkeypatch):
    """So it is with one that a container mounts by itself, which takes rights of the system to try."""

    def busy(source, target):
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(os, "replace", busy)
    file = tmp_path / "file"
    file.write_text("of yesterday, and longer\n")
    check(file)
    write("of today", file)
    assert file.read_text() == "of today\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "folder").mkdir()
    file, link = tmp_path / "folder" / "file", tmp_path / "link"
    file.write_text("of yesterday\n")
    link.symlink_to(file)
    check(link)
    assert file.read_text() == "of yesterday\n"
    write("of today", link)
    assert link.is_symlink()
    assert file.read_text() == "of today\n"


def test_a_link_to_a_file_that_is_not_there_yet_makes_it(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file")
    check(link)
    write("text", link)
    assert (tmp_path / "file").read_text() == "text\n"
    assert link.is_symlink()


def test_a_result_that_cannot_be_written_as_a_whole_leaves_the_file_as_it_was(tmp_path):
    file = tmp_path / "file"
    file.write_text("of yesterday\n")
    with pytest.raises(UsageError, match="cannot write"):
        write("of today \ud800", file)  # half a character, which has no bytes
    assert file.read_text() == "of yesterday\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("", "it is a folder"),
        ("no/file", "there is no such folder"),
        ("file/file", "there is no such folder"),
        ("n" * 300, "File name too long"),
        ("null\0byte", "embedded null byte"),
    ],
)
def test_a_place_that_cannot_hold_a_file_is_named_with_the_reason(tmp_path, place, reason):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError) as caught:
        check(tmp_path / place)
    assert str(caught.value).startswith("cannot write ")
    assert reason in str(caught.value)
    assert str(caught.value).endswith("): choose another --output")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["/nowhere/file", "/", "/proc/file", "/dev/full"])
def test_the_place_is_tried_before_anything_else_happens(command, place, capsys):
    # There is no such data set either, which would be found out first where anything is computed.
    assert main([command, "--data", "atlantis", "--output", place]) == 1
    out, said = capsys.readouterr()
    assert said.startswith(f"spatialldp: cannot write {place} (")
    assert (out, said.count("\n")) == ("", 1)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_fails_leaves_the_file_that_was_there(command, capsys, tmp_path):
    file = tmp_path / "result"
    file.write_text("of yesterday\n")
    assert main([command, "--data", "atlantis", "--output", str(file)]) == 1
    assert "there is no data set 'atlantis'" in capsys.readouterr().err
    assert file.read_text() == "of yesterday\n"
    new = tmp_path / "new"
    assert main([command, "--data", "atlantis", "--output", str(new)]) == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["result"]


def run(shell_end: str) -> subprocess.CompletedProcess[str]:
    command = f'"{sys.executable}" -m spatialldp run --data new-haven --d 3 {shell_end}'
    return subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True)


def test_devices_are_written_as_they_are(tmp_path):
    piped = run("--output /dev/stdout | cat")
    assert "DAM(epsilon=3.5, d=3" in piped.stdout
    assert piped.stderr == "wrote /dev/stdout\n"
    full = run("--output /dev/full")
    assert full.returncode == 1
    assert full.stderr == "spatialldp: cannot write /dev/full (No space left on device): choose another --output\n"
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    assert run("--output /dev/null").returncode == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    file = tmp_path / "file"
    run(f"--output /dev/stdout > {file}")
    assert "DAM(epsilon=3.5, d=3" in file.read_text()


def test_a_named_pipe_is_written_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = run(f'--output "{pipe}" & cat "{pipe}"; wait $!')
    assert "DAM(epsilon=3.5, d=3" in done.stdout
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)

"""Calls of the command line. Commands and their options are read from the parsers; their texts are proper or wrong.

A command ends with status 0 and something to show for it, or with one line that says what is wrong. Files go to the
current folder, which whoever runs this makes a temporary one.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from hypothesis import strategies as st

from spatialldp.cli import app_command
from spatialldp.cli import main as command_line
from spatialldp.datasets import DATASETS
from spatialldp.mechanisms import MECHANISMS
from spatialldp.privacy import MEASURES
from tests.fuzz.arguments import FILES
from tests.fuzz.contract import Answer, BrokenContractError, bounded
from tests.fuzz.values import Draw

#: What each option, by its name in the parsed options, is properly followed by. Flags and choices need nothing here.
PROPER: dict[str, tuple[str, ...]] = {
    "data": ("new-haven", "szipf"),
    "epsilon": ("2", "0.5", "3.5", "1e-3", "50", "9.0"),
    "d": ("1", "2", "3"),
    "b": ("0", "1", "3"),
    "bounds": ("-72.95,41.28,-72.9,41.33", "0,0,1,1"),
    "seed": ("0", "1", "4294967296"),
    "output": ("result.txt", "./other.txt"),
    "mechanisms": ("DAM", "k-RR,MDSW"),
    "repeats": ("2", "3"),
    "by": tuple(name.replace(" ", "-") for name in MEASURES),
    "users": ("1", "20", "5000"),
    "reports": ("1", "2"),
    "values": ("1", "2,3"),
    "workers": ("1",),
    "target": ("1", "3000"),
    "pinned": ("DAM,2,3,,", "MDSW,2,3,,50"),
    "scenario": ("a=DAM,2,3,,", "six districts=MDSW,2,3,,50", "DAM,2,3,1,"),
    "id": ("new-haven", "normal", "chicago-crimes-2022"),
    "file": ("points.csv", "points.geojson"),
    "step": ("1", "2", "3"),
    "at": ("-72.92,41.3", "0,0"),
    "port": ("1", "65535"),
    "address": ("localhost", "0.0.0.0"),
}

WRONG = (
    *(
        "",
        " ",
        "-",
        "--",
        ",",
        ",,,,",
        "nan",
        "inf",
        "-inf",
        "-0",
        "0",
        "-1",
        "0.5",
        "1e400",
        "1e30",
        "1e-400",
        "1e-17",
    ),
    *(
        "1e-300",
        "100.5",
        "0x10",
        "1_0",
        "٣",
        "½",
        "1,2",
        "1,nan",
        "1,2,3",
        "0,0,0,0",
        "1,1,0,0",
        "nan,0,1,1",
        "0,0,1e308,1",
    ),
    *("-1e308,-1e308,1e308,1e308", "179,89,181,91", "1000000", "1000000000", "99999999999999999999", "1" * 5_000),
    *("\0", "\udcff", "a" * 3_000, "DAM", "dam", "DAM,DAM", "DAM,,", "None", "True", "--d", "'; --", "%s", "{}"),
    *("/dev/full", "/", "/no/such/folder/file", "/proc/version", ".", "DAM,x,y,z,w", "DAM,1e30,3,,", "DAM,2,1000000,,"),
    *(
        "DAM,2,3,1000000000,",
        "DAM,2,3,,99999999999999999999",
        "X,2,3,,",
        "=DAM,2,3,,",
        "a=b=DAM,2,3,,",
        "<b>=DAM,2,3,,",
        "sweep",
        "new-haven-a",
        "normal\n",
        "http://[::1",
    ),
)

#: A number of rounds, draws or processes: what is large here takes long rather than being wrong.
_WORK = {"repeats", "reports", "workers"}
_QUICK = {"data": "new-haven", "d": "3", "repeats": "2", "mechanisms": "DAM", "values": "2", "over": "epsilon"}
#: Other steps of the lesson have examples of their own, on finer grids.
_QUICK |= {"step": "1", "kind": "worksheet"}
#: Other processes take longer to start than such a command to run.
_QUICK |= {"workers": "1"}


@dataclass(frozen=True)
class Option:
    """An option or argument of a command.

    Attributes:
        command: the words before it, such as ("data", "fetch").
        action: what the parser knows of it.
        others: all that the command takes.
    """

    command: tuple[str, ...]
    action: argparse.Action
    others: tuple[argparse.Action, ...]

    @property
    def name(self) -> str:
        """For people: the command and the option."""
        return " ".join((*self.command, (self.action.option_strings or [self.action.dest])[-1]))

    @property
    def takes_a_value(self) -> bool:
        """Whether a text follows."""
        return self.action.nargs != 0

    def proper(self) -> tuple[str, ...]:
        """What it is properly followed by. Raises KeyError where nobody has said so."""
        return proper_texts(self.action)


def proper_texts(action: argparse.Action) -> tuple[str, ...]:
    """What an option is properly followed by."""
    if action.dest in PROPER:
        return PROPER[action.dest]
    if action.choices is not None:
        return tuple(map(str, action.choices))
    raise KeyError(f"{action.dest}: say in tests/fuzz/command_line.py what it is properly followed by")


def options() -> dict[str, Option]:
    """Every option of every command, by name."""
    found = _options(command_line.make_parser("spatialldp"), ())
    return {option.name: option for option in found}


def _options(parser: argparse.ArgumentParser, command: tuple[str, ...]) -> Iterator[Option]:
    actions = tuple(action for action in parser._actions if not isinstance(action, argparse._SubParsersAction))
    for action in actions:
        yield Option(command, action, actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from _options(below, (*command, name))


@dataclass(frozen=True)
class Words:
    """A command line."""

    words: tuple[str, ...]

    def __repr__(self) -> str:
        return f"spatialldp {' '.join(map(repr, self.words))}"


@st.composite
def lines(draw: Draw, option: Option) -> Words:
    """Command lines with the option: proper in half of them, with up to three other options that may be wrong too."""
    words = list(option.command)
    others = {
        action.dest: action
        for action in option.others
        if action is not option.action and action.nargs != 0 and action.dest != "help"
    }
    for dest, action in others.items():
        needed = dest in _QUICK or not action.option_strings
        if not needed and draw(st.integers(0, 5)):
            continue
        text = _QUICK.get(dest) or draw(st.sampled_from(proper_texts(action)))
        if draw(st.integers(0, 15)) == 0:
            text = _wrong(draw, dest)
        words += [*action.option_strings[-1:], text]
    words += option.action.option_strings[-1:]
    if option.takes_a_value:
        proper = draw(st.booleans())
        words.append(draw(st.sampled_from(option.proper())) if proper else _wrong(draw, option.action.dest))
    return Words(tuple(words))


def _wrong(draw: Draw, dest: str) -> str:
    text = draw(st.one_of(st.sampled_from(WRONG), st.text(max_size=8)))
    if dest == "output" and (os.sep in text and text not in WRONG):
        return "/"
    return "-3" if dest in _WORK and text.isdecimal() and int(text[:6]) > 3 else text


def keep_to(line: Words) -> Answer:
    """Run the command in this process and hold what happens against the contract. Raises `BrokenContractError`."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors) for errors in ("strict", "backslashreplace"))
    before = set(os.listdir())
    with bounded(), _warnings_are_errors(), redirect_stdout(out), redirect_stderr(err), _without_a_server():
        try:
            status: object = command_line.main(line.words)
        except SystemExit as end:
            status = end.code
        except Exception as error:
            raise BrokenContractError(f"{type(error).__name__}: {error}") from error
    printed, said = (stream.detach().getvalue().decode() for stream in _flushed(out, err))
    if "Traceback" in said:
        raise BrokenContractError(f"a traceback: {said}")
    if status == 0:
        if not (printed.strip() or set(os.listdir()) - before or "wrote" in said):
            raise BrokenContractError(f"status 0 and nothing to show for it: {said!r}")
        return Answer("returned", printed)
    last = said.replace("\r", "\n").strip().rpartition("\n")[2]
    if status not in (1, 2) or len(last) < 20 or not ("spatialldp: " in last or "error: " in last):
        raise BrokenContractError(f"status {status} and no sentence: {said[-500:]!r}")
    return Answer("refused", last)


def _flushed(*streams: io.TextIOWrapper) -> Iterator[io.TextIOWrapper]:
    for stream in streams:
        stream.flush()
        yield stream


@contextmanager
def _warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@contextmanager
def _without_a_server() -> Iterator[None]:
    """`app` gets as far as starting Streamlit, which would serve until somebody stops it."""
    arguments = sys.argv
    with mock.patch.object(app_command.runpy, "run_module"):
        try:
            yield
        finally:
            sys.argv = arguments


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder to run commands in, with an empty cache of data sets and no portal that could be reached."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        settings = {"SPATIALLDP_CACHE": str(Path(name, "cache")), "SPATIALLDP_PORTAL": "none"}
        with mock.patch.dict(os.environ, settings):
            folder = Path(name, "work")
            folder.mkdir()
            for file, content in FILES.items():
                (folder / file).write_bytes(content)
            os.chdir(folder)
            try:
                yield folder
            finally:
                os.chdir(here)


assert set(PROPER["data"]) <= set(DATASETS)
assert {"DAM", "k-RR", "MDSW"} <= set(MECHANISMS)

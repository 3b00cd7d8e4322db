"""Reads the command line and runs one command.

Each command is a module with `add_parser(commands)`, which sets `run`, a function of the parsed options that
returns the exit status. A problem with the arguments, the data or a file, or a missing extra of the package, is one
line on the error stream and status 1. Where the result is to go is tried before anything is computed.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress

from spatialldp import __version__
from spatialldp.cli import (
    app_command,
    compare_command,
    data_command,
    output,
    report_command,
    run_command,
    sweep_command,
    teach_command,
)
from spatialldp.cli.options import UsageError

_COMMANDS = (
    run_command,
    compare_command,
    sweep_command,
    report_command,
    teach_command,
    data_command,
    app_command,
)

_DESCRIPTION = "How much of a map survives when every person's location is randomised on their own device?"

#: Module that a command may need → the extra of the package that installs it.
_EXTRAS = {"PIL": "report", "vl_convert": "report", "streamlit": "app"}


def make_parser(prog: str) -> argparse.ArgumentParser:
    """What reads the command line; `prog` is how the program was called, for the usage text."""
    parser = argparse.ArgumentParser(prog=prog, description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"spatialldp {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in _COMMANDS:
        module.add_parser(commands)
    return parser


def _allow_any_encoding() -> None:
    """A terminal or pipe that cannot show ε gets a question mark in its place, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def main(arguments: Sequence[str] | None = None, prog: str = "spatialldp") -> int:
    """Run one command and return its exit status.

    `arguments` are those of the process unless given; `prog` is how the program was called, for the usage text.
    """
    _allow_any_encoding()
    options = make_parser(prog).parse_args(_joined(sys.argv[1:] if arguments is None else list(arguments)))
    try:
        if getattr(options, "output", None) is not None:
            output.check(options.output)
        status = int(options.run(options))
        if sys.stdout is not None:  # It is None where the caller has closed it.
            sys.stdout.flush()
        return status
    except (UsageError, ValueError) as error:
        # The library says in one sentence what is wrong with an argument, and DataError is a ValueError.
        return _failed(" ".join(str(error).split()))
    except (MemoryError, OverflowError):
        return _failed("that is too large for this computer: choose a smaller --d, --b or --users")
    except BrokenProcessPool:
        return _failed("a worker process ended unexpectedly: choose fewer --workers, or a smaller --d")
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        extra = _EXTRAS[error.name]
        return _failed(f'{error.name} is not installed: pip install "spatialldp[{extra}]"')
    except KeyboardInterrupt:
        return _failed("stopped", 130)
    except BrokenPipeError:
        # The reader (head, less) has gone; what it wanted has been written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        what = f"{error.filename} cannot be used" if error.filename else "the result cannot be written"
        return _failed(f"{what} ({error.strerror or error})")


def _failed(sentence: str, status: int = 1) -> int:
    """Say why, and give the exit status."""
    with suppress(OSError):  # Nobody listens on the error stream either.
        print(f"spatialldp: {sentence}", file=sys.stderr)
    return status


def _joined(arguments: list[str]) -> list[str]:
    """`--bounds -122.5,…` as one word, and `--at` likewise: argparse would take the minus sign of the west for another
    option."""
    for at, word in enumerate(arguments[:-1]):
        if word in ("--bounds", "--at"):
            return [*arguments[:at], f"{word}={arguments[at + 1]}", *_joined(arguments[at + 2 :])]
    return arguments

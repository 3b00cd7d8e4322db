"""Reads the command line and runs one command.

Each command is a module with `add_parser(commands)`, which sets `run`, a function of the parsed options that
returns the exit status. A problem with the arguments or the data, or a missing extra of the package, is one line on the
error stream and status 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from spatialldp import __version__
from spatialldp.cli import app_command, compare_command, data_command, report_command, run_command, sweep_command
from spatialldp.cli.options import UsageError
from spatialldp.datasets.points import DataError

_COMMANDS = (run_command, compare_command, sweep_command, report_command, data_command, app_command)

_DESCRIPTION = "How much of a map survives when every person's location is randomised on their own device?"

#: Module that a command may need → the extra of the package that installs it.
_EXTRAS = {"PIL": "report", "vl_convert": "report", "streamlit": "app"}


def make_parser(prog: str = "spatialldp") -> argparse.ArgumentParser:
    """The parser of all commands; `prog` as for `main`."""
    parser = argparse.ArgumentParser(prog=prog, description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"spatialldp {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in _COMMANDS:
        module.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None, prog: str = "spatialldp") -> int:
    """Run one command and return its exit status.

    `arguments` are those of the process unless given; `prog` is how the program was called, for the usage text.
    """
    options = make_parser(prog).parse_args(_joined(sys.argv[1:] if arguments is None else list(arguments)))
    try:
        status = int(options.run(options))
        sys.stdout.flush()
        return status
    except (DataError, UsageError) as error:
        print(f"spatialldp: {error}", file=sys.stderr)
        return 1
    except (MemoryError, OverflowError):
        print("spatialldp: that is too large for this computer: choose a smaller --d, --b or --users", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        extra = _EXTRAS[error.name]
        print(f'spatialldp: {error.name} is not installed: pip install "spatialldp[{extra}]"', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("spatialldp: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone; what it wanted has been written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _joined(arguments: list[str]) -> list[str]:
    """`--bounds -122.5,…` as one word: argparse would take the minus sign of the west for another option."""
    for at, word in enumerate(arguments[:-1]):
        if word == "--bounds":
            return [*arguments[:at], f"--bounds={arguments[at + 1]}", *arguments[at + 2 :]]
    return arguments

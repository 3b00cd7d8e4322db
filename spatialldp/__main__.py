"""`python -m spatialldp COMMAND …`: the same commands as `spatialldp COMMAND …`."""

from __future__ import annotations

from collections.abc import Sequence

from spatialldp.cli import main as command_line


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    return command_line.main(arguments, prog="python -m spatialldp")


if __name__ == "__main__":
    raise SystemExit(main())

"""Where a command's result goes."""

from __future__ import annotations

import sys
from pathlib import Path

from spatialldp.cli.options import UsageError


def write(text: str, output: Path | None) -> int:
    """Print, or write to a file and say so; the exit status."""
    if output is None:
        print(text)
        return 0
    try:
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {output} ({error.strerror}): choose another --output") from None
    print(f"wrote {output}", file=sys.stderr)
    return 0


class StatusLine:
    """One line on the error stream, written over itself."""

    def show(self, text: str) -> None:
        """Replace what it says."""
        print(f"\r{text:<70}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line."""
        print(file=sys.stderr)

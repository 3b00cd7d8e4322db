"""Where a command's result goes. A file is tried before anything is computed, and replaced only by a whole result."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from spatialldp.cli.options import UsageError


def check(output: Path) -> None:
    """Raise UsageError where a result could not be written there; what is there stays as it is."""
    try:
        target = _target(output)
        if target.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        if not target.parent.is_dir():
            raise FileNotFoundError(0, "there is no such folder")
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(0, "it is read-only")
        if not _is_written_directly(target):
            os.unlink(_part_beside(target))
        elif target.is_char_device():
            _try_device(target)
    except (OSError, ValueError) as error:
        raise _cannot_write(output, error) from None


def write(text: str, output: Path | None) -> int:
    """Print, or write to a file and say so; the exit status."""
    if output is None:
        print(text)
        return 0
    try:
        target = _target(output)
        if _is_written_directly(target):
            target.write_text(text + "\n", encoding="utf-8")
        else:
            _replace(target, text + "\n")
    except (OSError, ValueError) as error:
        raise _cannot_write(output, error) from None
    print(f"wrote {output}", file=sys.stderr)
    return 0


def _target(output: Path) -> Path:
    """The file itself where `output` is a link to one: the link stays. A pipe or device has no path but that link."""
    return Path(os.path.realpath(output)) if output.is_file() or not output.exists() else output


def _is_written_directly(target: Path) -> bool:
    """A pipe or device cannot be replaced, nor can a file in a folder that takes no new ones."""
    return target.exists() and not (target.is_file() and os.access(target.parent, os.W_OK | os.X_OK))


def _try_device(target: Path) -> None:
    """Write a line end: a full device takes no byte, but opens like any other. A terminal is left alone."""
    with target.open("wb", buffering=0) as device:
        if not device.isatty():
            device.write(b"\n")


def _part_beside(target: Path) -> str:
    """A new, empty file in the same folder."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".spatialldp-", suffix=".part")
    os.close(handle)
    return name


def _replace(target: Path, text: str) -> None:
    part = _part_beside(target)
    try:
        Path(part).write_text(text, encoding="utf-8")
        os.chmod(part, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        try:
            os.replace(part, target)
        except OSError:
            # Mounted by itself, as in a container, or another user's: it cannot be replaced, but it can be written.
            target.write_text(text, encoding="utf-8")
    finally:
        with suppress(OSError):
            os.unlink(part)


def _umask() -> int:
    """Which rights a new file does not get; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _cannot_write(output: Path, error: Exception) -> UsageError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return UsageError(f"cannot write {output} ({reason}): choose another --output")


class StatusLine:
    """One line on the error stream, written over itself."""

    def __init__(self) -> None:
        self._drawn = False

    def show(self, text: str) -> None:
        """Replace what it says."""
        self._drawn = True
        print(f"\r{text:<70}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the line."""
        if self._drawn:
            print(file=sys.stderr)

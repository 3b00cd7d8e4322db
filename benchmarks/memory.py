"""How much memory a process has had at its peak."""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path


def forget_peak() -> None:
    """Let the peak begin anew, where the system can do that."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak() -> float:
    """The most memory that this process has had, in MB."""
    try:
        # Not ru_maxrss: a process inherits that from the one that started it.
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 2**10
    except OSError:
        # Kilobytes, but bytes on macOS.
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit

"""What reading one file has cost so far, held against what it may cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import Limits, quoted

#: Told how much of a file is read, from 0 to 1, and how many rows have been looked at.
OnReading = Callable[[float, int], None]
#: Gives seconds. That of the thread by default: how busy the machine is does not matter.
Clock = Callable[[], float]

#: The part of the work that is done when a file has been looked through once, before its rows are read.
_SURVEYED = 0.15


@dataclass
class Meter:
    """The clock and the rows of one reading.

    Attributes:
        name: what messages call the file.
        limits: what it may cost.
        on_reading: told how far it is; an exception it raises ends the reading.
        clock: gives seconds; their number since the beginning is held against the limit.
        rows: how many rows have been looked at.
    """

    name: str
    limits: Limits
    on_reading: OnReading | None = None
    clock: Clock = time.thread_time
    rows: int = 0

    def __post_init__(self) -> None:
        self._began = self.clock()

    def surveyed(self, share: float) -> None:
        """The first look has come so far, from 0 to 1."""
        self._passed(_SURVEYED * share)

    def read(self, share: float) -> None:
        """The rows have been read so far, from 0 to 1."""
        self._passed(_SURVEYED + (1 - _SURVEYED) * share)

    def add_rows(self, number: int) -> None:
        """Count rows as they come: what a file says about their number is not taken on trust."""
        self.rows += number
        if self.rows > self.limits.rows:
            raise self.too_many_rows()

    def too_many_rows(self) -> DataError:
        return DataError(
            f"{quoted(self.name)} has more than {self.limits.rows:,} rows: use a part of them, or in Python count "
            "them with spatialldp.datasets.bin_files"
        )

    def _passed(self, share: float) -> None:
        if self.clock() - self._began > self.limits.seconds:
            raise DataError(
                f"{quoted(self.name)} takes more than {self.limits.seconds:g} s to read: keep fewer rows or columns, "
                "or count it on disk with spatialldp.datasets.bin_files"
            )
        if self.on_reading is not None:
            self.on_reading(min(share, 1.0), self.rows)

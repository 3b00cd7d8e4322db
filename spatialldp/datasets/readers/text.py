"""CSV, TSV and other tables of delimited text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.csv

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import PREVIEW_COLUMNS, PREVIEW_ROWS, Table, checked_columns, quoted, short
from spatialldp.datasets.readers.content import Content, Told, silent

_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
_PREVIEW_BYTES = 2**20


class TextTable(Table):
    kind = "CSV"

    def __init__(self, content: Content) -> None:
        self._content, self._meter, self._limits = content, content.meter, content.meter.limits
        name, limits = content.name, self._limits
        beginning = b""
        for piece in content.text():
            beginning += piece
            if len(beginning) > limits.header_bytes + _PREVIEW_BYTES:
                break
        # Line ends of the oldest Macintosh files.
        self._old_macintosh = b"\n" not in beginning
        if self._old_macintosh:
            beginning = beginning.replace(b"\r", b"\n")
        header = beginning[: limits.header_bytes + 1].split(b"\n", 1)[0].rstrip(b"\r")
        if len(header) > limits.header_bytes:
            raise DataError(
                f"{quoted(name)} has a first line of more than {limits.header_bytes:,} bytes: "
                "it must be a line of column names"
            )
        text = header.decode("utf-8")
        self._delimiter = max(_DELIMITERS, key=text.count)
        self.decimal_comma = self._delimiter != ","
        [cells] = csv.reader([text], delimiter=self._delimiter)
        cells = checked_columns([cell.strip() for cell in cells], name, limits)
        if len(cells) < 2 and cells[0].casefold() not in ("wkt", "geometry", "geom", "the_geom"):
            delimiters = ", ".join(_DELIMITERS.values())
            raise DataError(f"{quoted(name)} has one column, {quoted(cells[0])}: separate the columns by {delimiters}")
        if any(_is_number(cell) for cell in cells):
            raise DataError(
                f"{quoted(name)} starts with numbers, not with column names: add a first line such as "
                "longitude,latitude"
            )
        self.columns = _unique(cells)
        self.geometry = []
        self._header_bytes = len(header)
        if not any(piece.strip(b" \t\r\n,;|") for piece in self._rows()):
            raise DataError(f"{quoted(name)} has column names but no rows")
        # What has to be in a row that can be used: a delimiter or an end for each column, and a digit or more.
        self.most_rows = content.size // (len(cells) + 1) + 1
        # One mark that is never closed would swallow the rest of the file into one value, so then none of them counts.
        self._quotes_pair_up = (content.quotes - header.count(b'"')) % 2 == 0
        first_rows = beginning[len(header) :].lstrip(b"\r\n")[:_PREVIEW_BYTES]
        lines = io.StringIO(first_rows.decode("utf-8", "replace"))
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self._quotes_pair_up else csv.QUOTE_NONE
        reader = csv.reader(lines, delimiter=self._delimiter, quoting=quoting)
        self.first_rows = []
        try:
            for cells in reader:
                row = zip(self.columns[:PREVIEW_COLUMNS], cells, strict=False)
                self.first_rows.append({column: short(cell) for column, cell in row})
                if len(self.first_rows) == PREVIEW_ROWS:
                    break
        except csv.Error:
            raise DataError(f"{quoted(name)} has a value that is far too long: check its quotation marks") from None

    def batches(self, names: Sequence[str]) -> Iterator[list[pa.Array]]:
        self.bad_rows = 0

        def skip(row: Any) -> str:
            self.bad_rows += 1
            return "skip" if self.bad_rows <= self._limits.bad_rows else "error"

        # Columns go by position: names may repeat, be empty or be anything at all.
        keys = [str(position) for position in range(len(self.columns))]
        wanted = [keys[self.columns.index(name)] for name in names]
        for block in self._blocks():
            try:
                table = pa.csv.read_csv(
                    pa.BufferReader(block),
                    read_options=pa.csv.ReadOptions(column_names=keys, block_size=len(block) + 1, use_threads=False),
                    parse_options=pa.csv.ParseOptions(
                        delimiter=self._delimiter,
                        quote_char='"' if self._quotes_pair_up else False,
                        newlines_in_values=self._quotes_pair_up,
                        invalid_row_handler=skip,
                    ),
                    convert_options=pa.csv.ConvertOptions(
                        include_columns=wanted,
                        column_types=dict.fromkeys(wanted, pa.large_string()),
                        strings_can_be_null=True,
                        null_values=[""],
                    ),
                )
            except Exception:
                if self.bad_rows > self._limits.bad_rows:
                    raise DataError(
                        f"{quoted(self._content.name)} has more than {self._limits.bad_rows:,} rows with too many or "
                        "too few columns: check what separates the columns"
                    ) from None
                raise DataError(
                    f"{quoted(self._content.name)} cannot be read as CSV: check that every quotation mark is closed"
                ) from None
            yield [table[key].combine_chunks() for key in wanted]

    def _rows(self, told: Told = silent) -> Iterator[bytes]:
        """Everything behind the header line, piece by piece."""
        skipped = begun = 0
        for piece in self._content.text(told):
            here = min(self._header_bytes - skipped, len(piece))
            skipped += here
            rest = piece[here:]
            if not begun:
                rest = rest.lstrip(b"\r\n")
                begun = bool(rest)
            if rest:
                yield rest.replace(b"\r", b"\n") if self._old_macintosh else rest

    def _blocks(self) -> Iterator[bytes]:
        """The rows, about a megabyte of whole ones at a time."""
        rest = b""
        for piece in self._rows(self._meter.read):
            rest += piece
            end = _end_of_rows(rest, self._quotes_pair_up, len(rest) > self._limits.row_bytes)
            if not end and len(rest) > self._limits.row_bytes:
                raise DataError(
                    f"{quoted(self._content.name)} has a row of more than {self._limits.row_bytes / 2**20:,.0f} MB: "
                    "check its line ends"
                )
            if end and rest[:end].strip(b"\r\n"):
                yield rest[:end]
            rest = rest[end:]
        if rest.strip(b"\r\n"):
            yield rest


def _end_of_rows(block: bytes, with_quotes: bool, must_end: bool) -> int:
    """Where the last whole row of a block ends; 0 where none does. A line end inside quotation marks is none.

    A mark that stands alone inside a value, as in 5", opens nothing; so a block that `must_end` ends at any line end.
    """
    if with_quotes and b'"' in block:
        letters = np.frombuffer(block, np.uint8)
        inside = np.bitwise_xor.accumulate(letters == ord('"'))
        ends = np.flatnonzero((letters == ord("\n")) & ~inside)
        if ends.size or not must_end:
            return int(ends[-1]) + 1 if ends.size else 0
    return block.rfind(b"\n") + 1


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _unique(names: Sequence[str]) -> list[str]:
    """The names with a number behind each repetition, and something to call an empty one."""
    unique: list[str] = []
    taken: set[str] = set()
    for position, name in enumerate(names, start=1):
        candidate, number = name or f"column {position}", 1
        while candidate in taken:
            number += 1
            candidate = f"{name or f'column {position}'} ({number})"
        taken.add(candidate)
        unique.append(candidate)
    return unique

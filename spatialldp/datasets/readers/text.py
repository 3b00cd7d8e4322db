"""CSV, TSV and other tables of delimited text."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa
import pyarrow.csv

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import (
    PREVIEW_COLUMNS,
    PREVIEW_ROWS,
    Limits,
    Table,
    as_utf8,
    checked_columns,
    quoted,
    short,
    too_many_rows,
)

_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}


class TextTable(Table):
    kind = "CSV"

    def __init__(self, content: bytes, name: str, limits: Limits) -> None:
        self._name, self._limits = name, limits
        self._content = as_utf8(content, name)
        if b"\n" not in self._content:
            # Line ends of the oldest Macintosh files.
            self._content = self._content.replace(b"\r", b"\n")
        header = self._content[: limits.header_bytes + 1].split(b"\n", 1)[0].rstrip(b"\r")
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
        self._rows = self._content[len(header) :].lstrip(b"\r\n")
        if not self._rows.strip(b" \t\r\n,;|"):
            raise DataError(f"{quoted(name)} has column names but no rows")
        # One mark that is never closed would swallow the rest of the file into one value, so then none of them counts.
        self._quotes_pair_up = self._rows.count(b'"') % 2 == 0
        lines = io.StringIO(self._rows[: 2**20].decode("utf-8", "replace"))
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

    def read(self, names: Sequence[str]) -> list[pa.Array]:
        self.bad_rows = 0

        def skip(row: Any) -> str:
            self.bad_rows += 1
            return "skip"

        # Columns go by position: names may repeat, be empty or be anything at all.
        keys = [str(position) for position in range(len(self.columns))]
        wanted = [keys[self.columns.index(name)] for name in names]
        try:
            table = pa.csv.read_csv(
                pa.BufferReader(self._rows),
                read_options=pa.csv.ReadOptions(column_names=keys, block_size=2**22, use_threads=False),
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
            raise DataError(
                f"{quoted(self._name)} cannot be read as CSV: check that every quotation mark is closed"
            ) from None
        if table.num_rows > self._limits.rows:
            raise too_many_rows(self._name, self._limits)
        return [table[key].combine_chunks() for key in wanted]


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

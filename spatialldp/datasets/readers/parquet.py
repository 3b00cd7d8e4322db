"""Parquet and GeoParquet."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import (
    PREVIEW_COLUMNS,
    PREVIEW_ROWS,
    Limits,
    Table,
    check_crs,
    checked_columns,
    quoted,
    short,
    too_many_rows,
)


class ParquetTable(Table):
    kind = "Parquet"

    def __init__(self, content: bytes, name: str, limits: Limits) -> None:
        self._name, self._limits = name, limits
        self._file = pq.ParquetFile(pa.BufferReader(content))
        schema = self._file.schema_arrow
        self.columns = checked_columns(schema.names, name, limits)
        if len(set(self.columns)) < len(self.columns):
            raise DataError(f"{quoted(name)} has two columns of one name: give each its own")
        if self._file.metadata.num_rows == 0:
            raise DataError(f"{quoted(name)} has column names but no rows")
        if self._file.metadata.num_rows > limits.rows:
            raise too_many_rows(name, limits)
        self.geometry = _geometry_columns(schema, name)
        if self.geometry:
            self.kind = "GeoParquet"
        shown_columns = self.columns[:PREVIEW_COLUMNS]
        first = next(self._file.iter_batches(batch_size=PREVIEW_ROWS, columns=shown_columns, use_threads=False))
        self.first_rows = [
            {column: short(value) for column, value in row.items()} for row in first.slice(0, PREVIEW_ROWS).to_pylist()
        ]

    def read(self, names: Sequence[str]) -> list[pa.Array]:
        batches, rows = [], 0
        try:
            # A few hundred bytes can stand for a billion equal rows, so the rows are counted as they come.
            for batch in self._file.iter_batches(batch_size=2**17, columns=list(names), use_threads=False):
                rows += batch.num_rows
                if rows > self._limits.rows:
                    raise too_many_rows(self._name, self._limits)
                batches.append(batch)
            table = pa.Table.from_batches(batches)
            table.validate(full=True)
            return [table[name].combine_chunks() for name in names]
        except DataError:
            raise
        except Exception:
            raise DataError(f"{quoted(self._name)} is a damaged Parquet file: write or download it again") from None


def _geometry_columns(schema: pa.Schema, name: str) -> list[str]:
    """The primary geometry column of a GeoParquet file, if it is one in longitude and latitude."""
    text = (schema.metadata or {}).get(b"geo")
    if text is None:
        return []
    geo = json.loads(text)
    column = geo["primary_column"]
    about = geo["columns"][column]
    if column not in schema.names:
        raise DataError(f"{quoted(name)} names a geometry column that it does not have: write it again")
    crs = about.get("crs")
    # GeoParquet: no CRS at all means longitude and latitude (OGC:CRS84).
    if crs is not None:
        identity = crs.get("id") or {}
        check_crs(f"{identity.get('authority')}:{identity.get('code')}", name)
    return [column]

"""Parquet and GeoParquet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import (
    PREVIEW_COLUMNS,
    PREVIEW_ROWS,
    Table,
    check_crs,
    check_number_of_columns,
    checked_columns,
    is_text,
    quoted,
    short,
)
from spatialldp.datasets.readers.content import Content
from spatialldp.datasets.readers.parquet_pages import Chunk, page_headers, row_groups

_BATCH_ROWS = 2**16
#: Packed once more with gzip, a Parquet file hardly gets smaller.
_MOST_UNPACKED = 100 * 2**20
_MOST_GEO_TEXT = 2**20


class ParquetTable(Table):
    kind = "Parquet"

    def __init__(self, content: Content) -> None:
        self._name, self._meter, self._limits = content.name, content.meter, content.meter.limits
        self._bytes = content.whole(_MOST_UNPACKED)
        footer_bytes = int.from_bytes(self._bytes[-8:-4], "little")
        if footer_bytes > len(self._bytes) - 12:
            raise ValueError("it states to be longer than it is")
        if footer_bytes > self._limits.footer_bytes:
            raise DataError(
                f"{quoted(self._name)} has a footer of more than {self._limits.footer_bytes / 2**20:,.0f} MB: write it "
                "again with fewer row groups"
            )
        self._groups = row_groups(self._bytes[len(self._bytes) - 8 - footer_bytes : -8])
        self._metadata = pq.read_metadata(pa.BufferReader(self._bytes))
        # Of lists and structures, every part counts as a column.
        check_number_of_columns(self._metadata.num_columns, self._name, self._limits)
        self._schema = self._metadata.schema.to_arrow_schema()
        self.columns = checked_columns(self._schema.names, self._name, self._limits)
        if len(set(self.columns)) < len(self.columns):
            raise DataError(f"{quoted(self._name)} has two columns of one name: give each its own")
        self.most_rows = self._metadata.num_rows
        if self.most_rows == 0:
            raise DataError(f"{quoted(self._name)} has column names but no rows")
        if self.most_rows > self._limits.rows:
            raise self._meter.too_many_rows()
        self.geometry = _geometry_columns(self._schema, self._name)
        if self.geometry:
            self.kind = "GeoParquet"
        shown = [self._first_values(column) for column in self.columns[:PREVIEW_COLUMNS]]
        self.first_rows = [dict(zip(self.columns, row, strict=False)) for row in zip(*shown, strict=True)]

    def batches(self, names: Sequence[str]) -> Iterator[list[pa.Array]]:
        for name in names:
            kind = self._schema.field(name).type
            if not _is_flat(kind):
                # Before anything of it is read: one row of a list may hold a billion values.
                raise DataError(
                    f"{quoted(self._name)}: {quoted(name)} holds {quoted(str(kind))} where numbers are needed: choose "
                    "another column"
                )
        try:
            self._check_pages(names, self._groups)
            for batch in self._opened(names).iter_batches(_BATCH_ROWS, columns=list(names), use_threads=False):
                batch.validate(full=True)
                self._meter.read(self._meter.rows / self.most_rows)
                yield [batch[name] for name in names]
        except DataError:
            raise
        except Exception:
            raise DataError(f"{quoted(self._name)} is a damaged Parquet file: write or download it again") from None

    def _first_values(self, column: str) -> list[str]:
        """The first values of a column as texts; of those that would have to be unpacked at large, nothing."""
        rows = min(PREVIEW_ROWS, self.most_rows)
        try:
            if not _is_flat(self._schema.field(column).type):
                return ["…"] * rows
            self._check_pages([column], self._groups[:1])
            opened = self._opened([column])
        except DataError:
            return ["…"] * rows
        first = next(opened.iter_batches(rows, columns=[column], use_threads=False))
        # A damaged file may refer to values that are not there.
        first.validate(full=True)
        values = [short(value) for value in first[column].to_pylist()]
        return (values + [""] * rows)[:rows]

    def _opened(self, names: Sequence[str]) -> pq.ParquetFile:
        # As a dictionary, a long text that a million rows share stays one text.
        texts = [name for name in names if is_text(self._schema.field(name).type)]
        opened = pq.ParquetFile(pa.BufferReader(self._bytes), metadata=self._metadata, read_dictionary=texts)
        try:
            next(opened.iter_batches(1, columns=texts, use_threads=False), None)
        except OSError as error:
            if "DeltaLengthByteArray" in str(error):
                # No dictionary can be made of these, nor is one needed: every text is in the file as long as it is.
                return pq.ParquetFile(pa.BufferReader(self._bytes), metadata=self._metadata)
            if "DeltaByteArray" in str(error):
                raise DataError(
                    f"{quoted(self._name)} has texts that are written as changes of the one before (DELTA_BYTE_ARRAY): "
                    "write it again without that encoding"
                ) from None
            raise
        return opened

    def _check_pages(self, names: Sequence[str], groups: Sequence[list[Chunk]]) -> None:
        """Refuse pages that state sizes which nobody needs for points."""
        for chunks in groups:
            self._meter.surveyed(1)
            for column, start, size in chunks:
                if column not in names:
                    continue
                for page in page_headers(self._bytes, start, size):
                    most = self._limits.dictionary_bytes if page.is_dictionary else self._limits.page_bytes
                    if page.unpacked > most or page.values > page.unpacked:
                        raise DataError(
                            f"{quoted(self._name)} has a page of more than {most / 2**20:,.0f} MB in {quoted(column)}: "
                            "write it again with smaller pages"
                        )


def _is_flat(kind: pa.DataType) -> bool:
    """Whether a row holds one value, or one structure of such."""
    if pa.types.is_struct(kind):
        return all(not pa.types.is_nested(field.type) and not is_text(field.type) for field in kind)
    if pa.types.is_dictionary(kind):
        return not pa.types.is_nested(kind.value_type)
    return not pa.types.is_nested(kind)


def _geometry_columns(schema: pa.Schema, name: str) -> list[str]:
    """The primary geometry column of a GeoParquet file, if it is one in longitude and latitude."""
    text = (schema.metadata or {}).get(b"geo")
    if text is None:
        return []
    if len(text) > _MOST_GEO_TEXT:
        raise ValueError("the description of the geometry is too large")
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

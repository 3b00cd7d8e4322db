"""The sizes that the pages of a Parquet file state, read before any page is unpacked.

A page of some bytes may state that it unpacks to two gigabytes, and Arrow makes room for that before it looks. The
statements are Thrift structures between the pages, and where those begin is stated in one at the end of the file
(https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift, `PageHeader`, `FileMetaData`), all
in the compact protocol (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
Arrow could tell where pages begin, but ends the whole program when it is asked that of some damaged files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

#: Pages of one column in one row group; a file of 50 MB has some hundred.
_MOST_PAGES = 20_000
#: Structures at the end of a file; each column of each row group takes some seven.
_MOST_STRUCTURES = 200_000
_DICTIONARY = 2

# Types of the compact protocol.
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)

#: Fields that are wanted of a structure, by number, and those that are wanted of these.
_Wanted: TypeAlias = dict[int, "_Wanted"]
_PAGE: _Wanted = {1: {}, 2: {}, 3: {}, 7: {1: {}}}
_FILE: _Wanted = {4: {1: {3: {3: {}, 7: {}, 9: {}, 11: {}}}}}


class Chunk(NamedTuple):
    """The pages of one column in one row group.

    Attributes:
        column: name of the column, or of the structure that it is a part of.
        start: where the pages begin, in bytes.
        size: of all of them in the file, in bytes.
    """

    column: str
    start: int
    size: int


def row_groups(footer: bytes) -> list[list[Chunk]]:
    """Where the pages of each row group are, from the structure at the end of a file; ValueError if it is damaged."""
    groups = _Compact(footer, 0, len(footer)).struct(_FILE).get(4, [])
    return [[_chunk(chunk.get(3, {})) for chunk in group.get(1, [])] for group in groups]


def _chunk(about: dict[int, Any]) -> Chunk:
    start, dictionary = _size(about.get(9)), about.get(11)
    if dictionary:
        start = min(start, _size(dictionary))
    path = about.get(3) or [b""]
    return Chunk(path[0].decode("utf-8"), start, _size(about.get(7)))


class PageHeader(NamedTuple):
    """What a page states about itself.

    Attributes:
        is_dictionary: whether it holds the values that others refer to.
        unpacked: its size, in bytes.
        packed: its size in the file, in bytes.
        values: how many values a dictionary has; 0 for other pages.
    """

    is_dictionary: bool
    unpacked: int
    packed: int
    values: int


def page_headers(content: bytes, start: int, size: int) -> Iterator[PageHeader]:
    """The headers of all pages in a stretch of a file; ValueError where there is something else.

    `start` and `size` are in bytes.
    """
    end = start + size
    if not 4 <= start <= end <= len(content):
        raise ValueError("the pages are outside the file")
    position, number = start, 0
    while position < end:
        reader = _Compact(content, position, end)
        fields = reader.struct(_PAGE)
        header = PageHeader(
            fields.get(1) == _DICTIONARY, _size(fields.get(2)), _size(fields.get(3)), _size(fields.get(7, {}).get(1, 0))
        )
        yield header
        position = reader.position + header.packed
        number += 1
        if number > _MOST_PAGES:
            raise ValueError("there are too many pages")


def _size(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("a page without a size")
    return value


class _Compact:
    """Structures in Thrift's compact protocol, of which only some fields are wanted."""

    def __init__(self, content: bytes, position: int, end: int) -> None:
        self._content, self.position, self._end, self._structures = content, position, end, 0

    def struct(self, wanted: _Wanted | None, depth: int = 0) -> dict[int, Any]:
        """The wanted fields of a structure, by their numbers; None for none."""
        self._structures += 1
        if depth > 12 or self._structures > _MOST_STRUCTURES:
            raise ValueError("too many structures")
        fields: dict[int, Any] = {}
        field = 0
        while kind := self._byte():
            # A field's number is the last one plus a small step, or stands by itself.
            field = field + (kind >> 4) if kind >> 4 else self._whole()
            below = None if wanted is None else wanted.get(field)
            value = (kind & 15) == _TRUE if kind & 15 in (_TRUE, _FALSE) else self._value(kind & 15, below, depth)
            if below is not None:
                fields[field] = value
        return fields

    def _value(self, kind: int, wanted: _Wanted | None, depth: int) -> Any:
        if kind in (_I16, _I32, _I64):
            return self._whole()
        if kind == _BINARY:
            size = self._varint()
            self._skip(size)
            return self._content[self.position - size : self.position] if wanted is not None else None
        if kind == _STRUCT:
            return self.struct(wanted, depth + 1)
        if kind in (_LIST, _SET):
            return self._list(wanted, depth)
        if kind not in (_TRUE, _FALSE, _BYTE, _DOUBLE):
            raise ValueError("no such type in these structures")
        # Inside a list a truth takes a byte.
        self._skip(8 if kind == _DOUBLE else 1)
        return None

    def _list(self, wanted: _Wanted | None, depth: int) -> list[Any]:
        head = self._byte()
        size = head >> 4 if head >> 4 < 15 else self._varint()
        values = []
        for _ in range(size):
            value = self._value(head & 15, wanted, depth)
            if wanted is not None:
                values.append(value)
        return values

    def _skip(self, size: int) -> None:
        self.position += size
        if self.position > self._end:
            raise ValueError("a structure beyond the end")

    def _byte(self) -> int:
        self._skip(1)
        return self._content[self.position - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number without an end")

    def _whole(self) -> int:
        """A signed number: 0, -1, 1, -2, 2 … are stored as 0, 1, 2, 3, 4 …"""
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

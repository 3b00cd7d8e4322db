"""The bytes of a stranger's file, unpacked piece by piece, and what a first look through all of them tells.

A file is never held unpacked as a whole (except Parquet, whose parts are read in any order): some hundred kilobytes of
gzip can stand for gigabytes.
"""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import Limits, quoted
from spatialldp.datasets.readers.meter import Meter

_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_PIECE = 2**20
#: Unpacked pieces are made of this many packed bytes, of which each may stand for a thousand.
_PACKED_PIECE = 2**14
#: A gzip file may be made of several; tools that pack in blocks make some ten thousand of 600 MB.
_MOST_MEMBERS = 20_000
#: Bytes that no text in the encoding of Windows has.
_NOT_WINDOWS = tuple(bytes([code]) for code in (0x81, 0x8D, 0x8F, 0x90, 0x9D))

Told = Callable[[float], None]


def silent(share: float) -> None:
    """Tells nobody."""


class Content:
    """A file of known size, which can be gone through any number of times.

    Attributes:
        name: what messages call it.
        meter: what reading it costs.
        start: its first bytes, unpacked and without a byte-order mark of UTF-8; up to 1 MB.
        encoding: of its text: "utf-8", "cp1252" or "utf-16…"; empty where it is not text.
        quotes: how many quotation marks there are.
        brackets: how many lists and objects there are, if it is JSON.
        size: unpacked, in bytes.
    """

    def __init__(self, file: str | Path | bytes | IO[bytes], meter: Meter) -> None:
        self.name, self.meter = meter.name, meter
        self._limits = meter.limits
        self._bytes = _read(file, meter.name, meter.limits)
        self.is_packed = self._bytes.startswith(_GZIP)
        self.start = next(self.pieces(), b"")
        if self.is_packed and self.start.startswith(_GZIP):
            raise DataError(f"{quoted(self.name)} is packed twice: unpack it once")
        self.encoding, self.quotes, self.brackets, self.size = "", 0, 0, 0
        self._survey()

    def whole(self, most: int) -> bytes:
        """Everything at once, for a format that needs it."""
        if not self.is_packed:
            return self._bytes
        if self.size > most:
            raise DataError(f"{quoted(self.name)} unpacks to more than {most / 2**20:,.0f} MB: upload it unpacked")
        return b"".join(self.pieces())

    def pieces(self, told: Told = silent) -> Iterator[bytes]:
        """The unpacked bytes, without a mark, in pieces of up to 1 MB; `told` hears how much has been gone through."""
        first = True
        for piece in self._unpacked(told) if self.is_packed else self._plain(told):
            yield piece.removeprefix(_MARK) if first else piece
            first = False

    def text(self, told: Told = silent) -> Iterator[bytes]:
        """The same as UTF-8, whatever it was before."""
        if self.encoding == "utf-8":
            return self.pieces(told)
        if not self.encoding:
            raise not_text(self.name)
        return self._recoded(told)

    def _recoded(self, told: Told) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(self.encoding)()
        for piece in self.pieces(told):
            yield decoder.decode(piece).encode("utf-8")
        yield decoder.decode(b"", final=True).encode("utf-8")

    def _plain(self, told: Told) -> Iterator[bytes]:
        for position in range(0, len(self._bytes), _PIECE):
            told(position / len(self._bytes))
            yield self._bytes[position : position + _PIECE]

    def _unpacked(self, told: Told) -> Iterator[bytes]:
        packed, position, pending, unpacked = self._bytes, 0, b"", 0
        member, members = None, 0
        try:
            while True:
                if not pending:
                    pending = packed[position : position + _PACKED_PIECE]
                    position += len(pending)
                if member is None:
                    # Behind a member come the next one, or zeros that fill a block of a tape.
                    pending = pending.lstrip(b"\x00") if members else pending
                    if not pending and position >= len(packed):
                        return
                    if not pending:
                        continue
                    member, members = zlib.decompressobj(31), members + 1
                    if members > _MOST_MEMBERS:
                        raise DataError(
                            f"{quoted(self.name)} has more than {_MOST_MEMBERS:,} gzip members: compress it again"
                        )
                if not pending:
                    raise EOFError
                piece = member.decompress(pending, _PIECE)
                pending = member.unused_data if member.eof else member.unconsumed_tail
                member = None if member.eof else member
                unpacked += len(piece)
                if unpacked > self._limits.unpacked_bytes:
                    raise DataError(
                        f"{quoted(self.name)} unpacks to more than {self._limits.unpacked_bytes / 2**20:,.0f} MB: keep "
                        "fewer rows or columns"
                    )
                told(position / len(packed))
                if piece:
                    yield piece
        except (EOFError, zlib.error):
            raise DataError(f"{quoted(self.name)} is a damaged gzip file: download or pack it again") from None

    def _survey(self) -> None:
        """Look through everything once: is there anything, is it text, and how many quotation marks has it?"""
        start, wide = self.start, _wide_encoding(self.start)
        utf8: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()
        other = codecs.getincrementaldecoder(wide)() if wide else None
        is_blank, windows = True, True
        try:
            for piece in self.pieces(self.meter.surveyed):
                self.size += len(piece)
                is_blank = is_blank and not piece.strip(b" \t\r\n\x00")
                # Of UTF-16 as UTF-8, so that its signs are single bytes too.
                signs = piece if other is None else other.decode(piece).encode("utf-8", "replace")
                self.quotes += signs.count(b'"')
                self.brackets += signs.count(b"[") + signs.count(b"{")
                if other is not None:
                    continue
                windows = windows and not any(code in piece for code in _NOT_WINDOWS)
                if utf8 is not None and not _is_decoded(utf8, piece):
                    utf8 = None
            if other is not None:
                other.decode(b"", final=True)
        except UnicodeError:
            wide, other = "", None
            utf8, windows = None, False
        if is_blank:
            raise DataError(f"{quoted(self.name)} is empty: choose a file with a header line and at least one row")
        if wide:
            self.encoding = wide
        elif b"\x00" in start[:100_000]:
            self.encoding = ""
        elif utf8 is not None and _is_decoded(utf8, b"", final=True):
            self.encoding = "utf-8"
        # What spreadsheets on Windows write; it can name nearly every byte, so junk is told by its control codes.
        elif windows and not any(code < 9 for code in start[:10_000]):
            self.encoding = "cp1252"


def not_text(name: str) -> DataError:
    return DataError(f"{quoted(name)} is not text: choose a CSV, TSV, Parquet, GeoJSON or GeoParquet file")


def _wide_encoding(start: bytes) -> str:
    """The name of UTF-16, marked or not; empty for text whose letters are single bytes."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    # No text has NUL bytes, but UTF-16 without a mark has nothing else.
    return "utf-16-le" if start[1:200:2].count(0) > 80 else ""


def _is_decoded(decoder: codecs.IncrementalDecoder, piece: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        return False
    return True


def _read(file: str | Path | bytes | IO[bytes], name: str, limits: Limits) -> bytes:
    """The file as it is, if it is not too large."""
    if isinstance(file, bytes):
        content = file
    elif isinstance(file, (str, Path)):
        path = Path(file)
        try:
            # A pipe or device never ends.
            if not path.is_file():
                raise DataError(f"{quoted(name)} is not a file: check the path")
            with path.open("rb") as handle:
                content = handle.read(limits.file_bytes + 1)
        except DataError:
            raise
        except (OSError, ValueError):
            raise DataError(f"{quoted(name)} cannot be opened: check the path and its permissions") from None
    else:
        if not (hasattr(file, "read") and hasattr(file, "seekable")):
            raise DataError(f"{quoted(name)} must be a path, bytes or a binary stream, got {type(file).__name__}")
        # A stream that was looked at before stands at its end.
        if file.seekable():
            file.seek(0)
        content = file.read(limits.file_bytes + 1)
    if len(content) > limits.file_bytes:
        raise DataError(
            f"{quoted(name)} is larger than {limits.file_bytes / 2**20:,.0f} MB: keep fewer rows or columns, or count "
            "it on disk with spatialldp.datasets.bin_files, which has no limit"
        )
    return content

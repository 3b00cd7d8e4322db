"""Getting an official set: page by page from the portal, or from a CSV somebody downloaded by hand.

Each page is checked and kept under its final name, behind its checksum, only when it is complete, so a broken download
resumes where it stopped. The set itself appears when all pages are there and the whole has been verified. Of two
processes or threads that want the same set, the second waits and finds it there.
"""

from __future__ import annotations

import csv
import http.client
import os
import shutil
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet as pq

from spatialldp.datasets.columns import normalised
from spatialldp.datasets.kept_pages import begin, read_page, write_page
from spatialldp.datasets.official import OfficialSource, RegionCheck, cache_folder, is_intact, recognise
from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers import quoted
from spatialldp.datasets.storage import only_writer, publish_with_checksum, unfinished

#: Environment variable that replaces the address of every portal, for a mirror.
PORTAL_VARIABLE = "SPATIALLDP_PORTAL"
#: The most rows every version of the portals' interface gives at once (https://dev.socrata.com/docs/paging.html).
PAGE_ROWS = 50_000
_ATTEMPTS = 5
_TIMEOUT_S = 60
_LONGEST_WAIT_S = 60.0
#: Two numbers per row take some 40 bytes; far more means that something else is coming.
_MOST_BYTES_PER_ROW = 400
_TRY_AGAIN_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_SCHEMA = pa.schema([("longitude", pa.float64()), ("latitude", pa.float64())])
_HEADER_BYTES = 64 * 2**10


@dataclass(frozen=True)
class Progress:
    """How far a download has got.

    Attributes:
        rows: rows that have arrived.
        total: rows there are; 0 while unknown.
        note: what it is doing right now.
        retrying: whether it waits because an answer was incomplete, which a reader should learn at once.
    """

    rows: int
    total: int
    note: str
    retrying: bool = False

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.rows / self.total if self.total else 0.0


OnProgress = Callable[[Progress], None]


class _InterruptedError(Exception):
    """The answer was incomplete; asking again may help. `wait_s` is the pause that the server wants."""

    def __init__(self, what: str, wait_s: float | None = None) -> None:
        super().__init__(what)
        self.wait_s = wait_s


def obtain(source: OfficialSource, on_progress: OnProgress | None = None, **options: Any) -> Path:
    """Make sure the set is here and return its file: found, imported from a CSV in the cache folder, or downloaded.

    A file that is damaged is replaced.
    `on_progress` is called often, with a `Progress`; an exception it raises stops the work, which can be continued.
    """
    if is_intact(source):
        return source.path
    by_hand = downloaded_by_hand(source)
    if by_hand is not None:
        return import_csv(source, by_hand, on_progress)
    return fetch(source, on_progress, **options)


# -- from the portal ---------------------------------------------------------------------------


def fetch(
    source: OfficialSource,
    on_progress: OnProgress | None = None,
    portal: str | None = None,
    page_rows: int = PAGE_ROWS,
    sleep: Callable[[float], None] = time.sleep,
) -> Path:
    """Download the set from its portal into the cache folder, continuing an earlier attempt.

    `portal` replaces the address of the portal (so does $SPATIALLDP_PORTAL). Raises DataError with one line.
    """
    client = _Client(source, portal or os.environ.get(PORTAL_VARIABLE) or source.portal, on_progress or _silent, sleep)
    try:
        with _only_writer(source, client.on_progress) as waited:
            if waited and is_intact(source):
                client.on_progress(Progress(1, 1, "Already fetched by another download"))
                return source.path
            return _fetch(client, page_rows)
    except OSError as error:
        raise DataError(
            f"cannot write to {cache_folder()} ({error.strerror}): make room or choose another folder with "
            "SPATIALLDP_CACHE"
        ) from None


def _only_writer(source: OfficialSource, on_progress: OnProgress) -> AbstractContextManager[bool]:
    cache_folder().mkdir(parents=True, exist_ok=True)
    waiting = Progress(0, 0, "Another download of the same set is under way; waiting for it")
    return only_writer(cache_folder() / f"{source.id}.lock", lambda: on_progress(waiting))


def _fetch(client: _Client, page_rows: int) -> Path:
    source, parts = client.source, cache_folder() / f"{client.source.id}.parts"
    parts.mkdir(exist_ok=True)
    total = client.count()
    begin(
        parts,
        {"form": 2, "resource": source.resource, "where": source.where, "page_rows": page_rows, "rows": total},
    )
    pages = [
        client.page(parts / f"{offset:012d}.page", offset, min(page_rows, total - offset))
        for offset in range(0, total, page_rows)
    ]
    if client.count() != total:
        shutil.rmtree(parts, ignore_errors=True)
        raise DataError(f"{source.id} was changed at its source during the download: start it again")
    path = _store(source, map(read_page, pages), total)
    shutil.rmtree(parts, ignore_errors=True)
    client.on_progress(Progress(total, total, "Done"))
    return path


class _Client:
    """Questions to one portal, asked again when the answer is incomplete."""

    def __init__(
        self, source: OfficialSource, portal: str, on_progress: OnProgress, sleep: Callable[[float], None]
    ) -> None:
        if urllib.parse.urlsplit(portal).scheme not in ("http", "https"):
            raise DataError(f"the portal's address must start with https://, got {quoted(portal)}")
        self.source, self.on_progress, self._sleep = source, on_progress, sleep
        self._address = f"{portal.rstrip('/')}/resource/{source.resource}.csv"
        self._rows, self.total = 0, 0

    def count(self) -> int:
        """Rows of the set, as the portal says."""

        def read() -> int:
            lines = self._get({"$select": "count(*)"}, 10_000, lambda size: None).decode("utf-8", "replace").split()
            try:
                return int(lines[-1].strip('"'))
            except (IndexError, ValueError):
                raise self._unexpected("no number of rows") from None

        self.total = self._insist(read)
        if self.total < 1:
            raise self._unexpected("no rows at all")
        return self.total

    def page(self, path: Path, offset: int, rows: int) -> Path:
        """The page under its final name, downloaded unless it is there already, and intact."""
        if not self._is_whole(path, rows):
            query = {
                "$select": f"{self.source.longitude},{self.source.latitude}",
                "$order": ":id",
                "$limit": str(rows),
                "$offset": str(offset),
            }

            def read() -> pa.Table:
                def arrived(size: int) -> None:
                    self._tell(f"Downloading, {size / 2**20:.1f} MB of this page")

                return self._parsed(self._get(query, 10_000 + rows * _MOST_BYTES_PER_ROW, arrived), rows)

            table = self._insist(read)
            write_page(path, table)
        self._rows += rows
        self._tell("Downloading")
        return path

    def _is_whole(self, path: Path, rows: int) -> bool:
        """Whether the page of an earlier attempt can be used."""
        try:
            return read_page(path).num_rows == rows
        except FileNotFoundError:
            return False
        except DataError:
            self._tell(f"{path.name} has gone bad on the disk; fetching it again", retrying=True)
            return False

    def _tell(self, note: str, retrying: bool = False) -> None:
        self.on_progress(Progress(self._rows, self.total, note, retrying))

    def _insist(self, read: Callable[[], Any]) -> Any:
        """The result of `read`, tried again with growing pauses while the answer is interrupted."""
        for attempt in range(_ATTEMPTS):
            try:
                return read()
            except _InterruptedError as trouble:
                what = str(trouble)
                wait = min(_LONGEST_WAIT_S, 2.0**attempt if trouble.wait_s is None else trouble.wait_s)
            if attempt < _ATTEMPTS - 1:
                self._tell(f"{what}; trying again in {wait:.0f} s", retrying=True)
                self._sleep(wait)
        raise DataError(
            f"{self._address} cannot be reached ({what}, {_ATTEMPTS} attempts); what has arrived is kept, so try again "
            f"later, or {self.source.manual_steps}"
        )

    def _get(self, query: dict[str, str], most_bytes: int, arrived: Callable[[int], None]) -> bytes:
        if self.source.where:
            query = {**query, "$where": self.source.where}
        url = f"{self._address}?{urllib.parse.urlencode(query)}"
        request = urllib.request.Request(url, headers={"User-Agent": "spatialldp", "Accept": "text/csv"})
        content = bytearray()
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:
                while block := response.read(2**16):
                    content += block
                    if len(content) > most_bytes:
                        raise self._unexpected(f"more than {most_bytes:,} bytes for one page")
                    arrived(len(content))
                declared = response.headers.get("Content-Length")
                chunked = response.headers.get("Transfer-Encoding", "").lower() == "chunked"
        except urllib.error.HTTPError as error:
            with error:
                if error.code not in _TRY_AGAIN_STATUS:
                    raise self._unexpected(f"status {error.code}") from None
                raise _InterruptedError(f"the server answered {error.code}", _seconds(error.headers)) from None
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            # A refused or broken connection, a name that is not found, a time-out, an answer cut short.
            raise _InterruptedError(_trouble(getattr(error, "reason", error))) from None
        # http.client does not complain when an answer ends early, except in chunks.
        if declared is not None and len(content) != int(declared):
            raise _InterruptedError(f"the connection broke after {len(content):,} of {int(declared):,} bytes")
        if declared is None and not chunked and not content.endswith(b"\n"):
            raise _InterruptedError("the answer ends in the middle of a line")
        return bytes(content)

    def _parsed(self, content: bytes, rows: int) -> pa.Table:
        header = content.split(b"\n", 1)[0][:200].decode("utf-8", "replace")
        found = [normalised(cell) for cell in header.split(",")]
        if found != [self.source.longitude, self.source.latitude]:
            raise self._unexpected(f"columns {quoted(header)}")
        try:
            table = pa.csv.read_csv(
                pa.BufferReader(content),
                read_options=pa.csv.ReadOptions(column_names=_SCHEMA.names, skip_rows=1, use_threads=False),
                convert_options=pa.csv.ConvertOptions(column_types=_SCHEMA, null_values=[""]),
            )
        except pa.ArrowInvalid:
            raise self._unexpected("rows that are not two numbers") from None
        if table.num_rows != rows:
            raise _InterruptedError(f"a page arrived with {table.num_rows:,} of {rows:,} rows")
        return table

    def _unexpected(self, what: str) -> DataError:
        return DataError(
            f"{self._address} answered with {what}, so it is not {self.source.title!r} as we know it: "
            f"{self.source.manual_steps}"
        )


def _trouble(reason: object) -> str:
    """What went wrong with a connection, in words."""
    if isinstance(reason, socket.gaierror):
        return "no server of that name was found, is this computer online?"
    if isinstance(reason, ConnectionRefusedError):
        return "the connection was refused"
    if isinstance(reason, TimeoutError):
        return "no answer in time"
    return f"the connection broke, {type(reason).__name__}"


def _silent(progress: Progress) -> None:
    return None


def _seconds(headers: Any) -> float | None:
    """What the server's Retry-After asks for, if it is a number of seconds."""
    text = headers.get("Retry-After", "") if headers else ""
    return float(text) if text.isdecimal() else None


def _store(source: OfficialSource, tables: Iterable[pa.Table], expected_rows: int | None = None) -> Path:
    """Write the set beside its final name, verify it, and only then give it that name."""
    region, rows = RegionCheck(source), 0
    temporary = unfinished(source.path)
    schema = _SCHEMA.with_metadata({"id": source.id, "source": source.page})
    try:
        with pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
            for table in tables:
                writer.write_table(table.cast(schema))
                rows += table.num_rows
                region.add(*(table[axis].to_numpy().astype(np.float64) for axis in _SCHEMA.names))
        if expected_rows is not None and rows != expected_rows:
            raise DataError(f"{source.id} has {rows:,} rows, not the {expected_rows:,} promised: start it again")
        region.verify()
        publish_with_checksum(temporary, source.path)
    finally:
        temporary.unlink(missing_ok=True)
    return source.path


# -- from a file downloaded by hand ------------------------------------------------------------


def downloaded_by_hand(source: OfficialSource) -> Path | None:
    """A CSV in the cache folder that has the columns of the official export, whatever its name."""
    for path in sorted(cache_folder().glob("*.csv")):
        if recognise(_header(path)) == source.id:
            return path
    return None


def import_csv(source: OfficialSource, path: Path, on_progress: OnProgress | None = None) -> Path:
    """Import an official CSV export, in constant memory. Raises DataError if it is not the one it should be."""
    try:
        path.open("rb").close()
    except OSError as error:
        raise DataError(
            f"{quoted(path.name)} cannot be opened ({error.strerror}): check the name of the file"
        ) from None
    columns = _header(path)
    names, needed = [normalised(column) for column in columns], (source.longitude, source.latitude, source.date_column)
    if recognise(columns) != source.id or not set(needed) <= set(names):
        raise DataError(
            f"{quoted(path.name)} is not the official CSV of {source.id} (it lacks some of the columns "
            f"{', '.join(dict.fromkeys((*source.signature, *needed)))}): {source.manual_steps}"
        )
    keys = [str(position) for position in range(len(names))]
    wanted = [keys[names.index(name)] for name in needed]
    types = dict(zip(wanted, (pa.float64(), pa.float64(), pa.string()), strict=True))
    size = path.stat().st_size
    right_year = rows = 0

    def tables() -> Iterator[pa.Table]:
        nonlocal right_year, rows
        with path.open("rb") as file:
            batches = pa.csv.open_csv(
                file,
                read_options=pa.csv.ReadOptions(column_names=keys, skip_rows=1, use_threads=False),
                parse_options=pa.csv.ParseOptions(newlines_in_values=False),
                convert_options=pa.csv.ConvertOptions(
                    include_columns=wanted, column_types=types, null_values=[""], strings_can_be_null=True
                ),
            )
            for batch in batches:
                dates = pa.compute.match_substring(batch.column(2), str(source.year))
                right_year += pa.compute.sum(dates).as_py() or 0
                rows += batch.num_rows
                if on_progress is not None:
                    on_progress(Progress(file.tell(), size, "Reading the CSV"))
                yield pa.Table.from_arrays(batch.columns[:2], names=_SCHEMA.names)
        if right_year < 0.99 * rows:
            raise DataError(
                f"{quoted(path.name)} is not of {source.year} ({right_year:,} of {rows:,} rows are): "
                f"{source.manual_steps}"
            )

    try:
        with _only_writer(source, on_progress or _silent):
            return _store(source, tables())
    except pa.ArrowInvalid:
        raise DataError(
            f"{quoted(path.name)} is cut off or damaged after {rows:,} rows: download it again; {source.manual_steps}"
        ) from None
    except OSError as error:
        raise DataError(f"cannot read {path} or write to {cache_folder()} ({error.strerror})") from None


def _header(path: Path) -> list[str]:
    """Column names of a CSV, or none if it cannot be read."""
    try:
        with path.open("rb") as file:
            line = file.readline(_HEADER_BYTES).decode("utf-8-sig")
        return next(csv.reader([line]), [])
    except (OSError, UnicodeError, csv.Error):
        return []

"""The pages of a download that is not finished: kept, so that it can go on, each behind its checksum."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spatialldp.datasets.points import DataError
from spatialldp.datasets.storage import publish, sha256, unfinished


def begin(parts: Path, plan: dict[str, Any]) -> None:
    """Keep the pages of an earlier attempt only if they belong to the same plan."""
    manifest = parts / "plan.json"
    with contextlib.suppress(OSError, ValueError):
        if json.loads(manifest.read_text("utf-8")) == plan:
            return
    for leftover in parts.iterdir():
        leftover.unlink()
    temporary = manifest.with_suffix(".unfinished")
    temporary.write_text(json.dumps(plan), "utf-8")
    publish(temporary, manifest)


def write_page(path: Path, table: pa.Table) -> None:
    """Keep a page: a line with its checksum, then a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    temporary = unfinished(path)
    temporary.write_bytes(sha256(sink.getvalue()).encode() + b"\n" + sink.getvalue())
    publish(temporary, path)


def read_page(path: Path) -> pa.Table:
    """A page kept on disk, its checksum verified; one that has gone bad there is removed."""
    checksum, _, content = path.read_bytes().partition(b"\n")
    if sha256(content).encode() != checksum:
        path.unlink(missing_ok=True)
        raise DataError(f"{path.name} has gone bad on the disk and was removed: start the download again")
    return pq.ParquetFile(pa.BufferReader(content)).read(use_threads=False)

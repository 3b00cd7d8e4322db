"""Files too large to load: counted on disk into the d×d cells, in constant memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spatialldp import _validation as validate
from spatialldp.datasets.columns import place_candidates
from spatialldp.datasets.points import DataError
from spatialldp.datasets.readers.base import quoted
from spatialldp.grid import Binned, Grid

if TYPE_CHECKING:
    import duckdb

_OUTSIDE, _INVALID = -1, -2


class _Reader(NamedTuple):
    """How the engine reads one kind of file.

    Attributes:
        table: the SQL of the table.
        number: the SQL of a column of it as a double or NULL, with {} for its name.
    """

    table: str
    number: str


_READERS = {
    ".parquet": _Reader("read_parquet($files)", "TRY_CAST({} AS DOUBLE)"),
    # Text columns, so that one strange value late in a file is counted instead of ending the query; without the
    # trim the engine's optimiser would move the cast into the reader, where such a value is an error after all.
    ".csv": _Reader(
        "read_csv($files, header = true, all_varchar = true, union_by_name = true)", "TRY_CAST(trim({}) AS DOUBLE)"
    ),
}
#: The rule of Grid.cells_of, step by step in the same double arithmetic, so that both give the same cells.
_QUERY = """
WITH coordinates AS (
    SELECT {x} AS x, {y} AS y FROM {table}
)
SELECT
    CASE
        WHEN x IS NULL OR y IS NULL OR NOT isfinite(x) OR NOT isfinite(y) THEN {invalid}
        WHEN x < $west OR x > $east OR y < $south OR y > $north THEN {outside}
        ELSE least(CAST(floor((x - $west) * $cells_per_x) AS BIGINT), $d - 1) * $d
           + least(CAST(floor((y - $south) * $cells_per_y) AS BIGINT), $d - 1)
    END AS cell,
    count(*) AS people
FROM coordinates
GROUP BY cell
"""


@validate.takes(
    source=(str, Path), grid=Grid, x=(str, type(None)), y=(str, type(None)), memory=str, threads=(int, type(None))
)
def bin_files(
    source: str | Path,
    grid: Grid,
    x: str | None = None,
    y: str | None = None,
    memory: str = "1GB",
    threads: int | None = None,
) -> Binned:
    r"""Count the points of a Parquet or CSV file, or of a folder of them, into the cells of a grid.

    Exactly what `grid.bin` gives for the same points, without loading them. A value that is missing or not a number
    counts as invalid.

    Args:
        source: path of a file, or of a folder with files of one kind.
        grid: the cells, in the units of the file.
        x: column of longitudes or plain units; None, together with `y`, for the one named like it.
        y: column of latitudes or plain units.
        memory: the most memory the engine may use, for example "500MB".
        threads: threads the engine may use; None for up to four.

    Returns:
        The counts, and how many points were left out and why.

    Raises:
        DataError: there is no such file, it is of another kind, it has no such columns, or it cannot be read.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from spatialldp import Grid
        >>> from spatialldp.datasets import bin_files
        >>> grid = Grid.from_bounds((0, 0, 2, 2), d=2, crs=None)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "points.csv")
        ...     characters = file.write_text("longitude,latitude\n0.5,0.5\n1.5,0.5\n9,9\n?,1\n")
        ...     binned = bin_files(file, grid)
        >>> binned.counts.tolist(), binned.outside, binned.invalid
        ([[1, 0], [1, 0]], 1, 1)
    """
    # A tenth of a second that only large files should cost.
    import duckdb

    files, reader = _files(Path(source))
    west, south, east, north = grid.bounds
    # No download of extensions, no files but the given ones.
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory,
        "threads": threads or min(4, os.cpu_count() or 1),
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        with duckdb.connect(config=settings) as connection:
            x, y = (reader.number.format(_quoted(name)) for name in _columns(connection, reader, files, x, y))
            query = _QUERY.format(x=x, y=y, table=reader.table, invalid=_INVALID, outside=_OUTSIDE)
            values = {
                "files": files,
                "d": grid.d,
                "west": west,
                "south": south,
                "east": east,
                "north": north,
                "cells_per_x": grid.d / (east - west),
                "cells_per_y": grid.d / (north - south),
            }
            answer = connection.execute(query, values).fetchnumpy()
    except duckdb.Error as error:
        raise DataError(f"{quoted(Path(source).name)} cannot be counted: {_first_line(error)}") from None
    people = dict(zip(answer["cell"].tolist(), answer["people"].tolist(), strict=True))
    invalid, outside = people.pop(_INVALID, 0), people.pop(_OUTSIDE, 0)
    counts = np.zeros((grid.d, grid.d), np.int64)
    counts.flat[list(people.keys())] = list(people.values())
    masked = 0
    if grid.mask is not None:
        masked = int(counts[~grid.mask].sum())
        counts = np.where(grid.mask, counts, 0)
    return Binned(counts, outside, masked, invalid)


def _files(source: Path) -> tuple[list[str], _Reader]:
    """The files, as patterns that mean only themselves, and how to read them."""
    try:
        if source.is_dir():
            paths = sorted(path for path in source.rglob("*") if _kind(path) is not None and path.is_file())
        else:
            paths = [source] if source.is_file() else []
    except (OSError, ValueError):
        paths = []
    kinds = {_kind(path) for path in paths}
    if not paths:
        raise DataError(f"{quoted(Path(source).name)} holds no Parquet or CSV file: check the path")
    if len(kinds) > 1:
        raise DataError(f"{quoted(Path(source).name)} holds both Parquet and CSV files: keep one kind in a folder")
    [kind] = kinds
    if kind is None:
        raise DataError(f"{quoted(source.name)} is neither .parquet nor .csv (or .csv.gz): convert it first")
    return [_literal(path) for path in paths], _READERS[kind]


def _kind(path: Path) -> str | None:
    name = path.name.lower()
    if name.endswith(".parquet"):
        return ".parquet"
    return ".csv" if name.endswith((".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")) else None


def _literal(path: Path) -> str:
    """The absolute path with its wildcards taken away: a name may hold * or [."""
    text = str(path.resolve())
    return "".join(f"[{character}]" if character in "*?[" else character for character in text)


def _columns(
    connection: duckdb.DuckDBPyConnection, reader: _Reader, files: Sequence[str], x: str | None, y: str | None
) -> tuple[str, str]:
    described = connection.execute(f"DESCRIBE SELECT * FROM {reader.table}", {"files": list(files)}).fetchall()
    names = [str(row[0]) for row in described]
    if x is None and y is None:
        pairs = [pair for pair in place_candidates(names) if pair.longitude is not None]
        if not pairs:
            raise DataError(
                f"no columns are named like longitude and latitude ({_list(names)}): name them with x and y"
            )
        x, y = pairs[0].longitude, pairs[0].latitude
    for name in (x, y):
        if name not in names:
            raise DataError(f"there is no column {quoted(str(name))}: choose from {_list(names)}")
    assert x is not None
    assert y is not None
    return x, y


def _list(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names[:8]) + (", …" if len(names) > 8 else "")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _first_line(error: Exception) -> str:
    return quoted(str(error).splitlines()[0] if str(error) else type(error).__name__)

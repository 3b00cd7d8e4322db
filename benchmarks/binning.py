"""Counting points on disk (DuckDB) beside loading them (pandas), for one Parquet file of synthetic points.

    python -m benchmarks.binning                      ten million rows
    python -m benchmarks.binning --rows 100000000     a hundred million

Each way runs in a process of its own, so that its peak memory is its own, and both must give the same counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BOUNDS = (-88.0, 41.6, -87.5, 42.1)
ROWS_PER_BLOCK = 1_000_000
WAYS = {"duckdb": "DuckDB, counted on disk", "pandas": "pandas, loaded and counted"}


def write_points(path: Path, rows: int, seed: int = 0) -> None:
    """A Parquet file of float64 longitudes and latitudes, some of them outside the bounds, block by block."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    west, south, east, north = BOUNDS
    with pq.ParquetWriter(path, pa.schema([("longitude", pa.float64()), ("latitude", pa.float64())])) as writer:
        for start in range(0, rows, ROWS_PER_BLOCK):
            size = min(ROWS_PER_BLOCK, rows - start)
            x = rng.normal((west + east) / 2, (east - west) / 5, size)
            y = rng.normal((south + north) / 2, (north - south) / 5, size)
            writer.write_table(pa.table({"longitude": x, "latitude": y}))


def measure(way: str, path: Path, d: int) -> dict[str, float]:
    """Seconds, peak memory in MB and a checksum of the counts, in this process."""
    import resource

    import numpy as np

    from spatialldp import Grid
    from spatialldp.datasets import bin_files

    grid = Grid.from_bounds(BOUNDS, d)
    start = time.perf_counter()
    if way == "duckdb":
        binned = bin_files(path, grid)
    else:
        import pandas as pd

        frame = pd.read_parquet(path)
        binned = grid.bin(frame["longitude"].to_numpy(), frame["latitude"].to_numpy())
    seconds = time.perf_counter() - start
    # Kilobytes on Linux, bytes on macOS.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    checksum = int((binned.counts.ravel() * np.arange(1, d * d + 1)).sum()) + binned.outside
    return {"seconds": seconds, "peak_mb": peak, "checksum": checksum}


def measured_apart(way: str, path: Path, d: int) -> dict[str, float] | None:
    """The same in a process of its own; None if it did not survive (pandas may run out of memory)."""
    command = [sys.executable, "-m", "benchmarks.binning", "--measure", way, "--file", str(path), "--d", str(d)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"{WAYS[way]:<28} failed with status {done.returncode}")
        return None
    result: dict[str, float] = json.loads(done.stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description="Rows per second and peak memory of counting points.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--d", type=int, default=50, help="cells per side")
    parser.add_argument("--file", type=Path, help="a Parquet file with longitude and latitude (default: make one)")
    parser.add_argument("--measure", choices=list(WAYS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.file, options.d)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or Path(folder) / "points.parquet"
        if options.file is None:
            write_points(path, options.rows)
        import pyarrow.parquet as pq

        rows = pq.read_metadata(path).num_rows
        print(f"{rows:,} rows, {path.stat().st_size / 2**20:,.0f} MB of Parquet, {options.d}×{options.d} cells")
        results = {}
        for way, title in WAYS.items():
            result = measured_apart(way, path, options.d)
            if result is not None:
                results[way] = result
                speed = rows / result["seconds"] / 1e6
                print(f"{title:<28} {speed:8.1f} million rows/s  {result['peak_mb']:8,.0f} MB at most")
    if len(results) == len(WAYS):
        duckdb, pandas = results["duckdb"], results["pandas"]
        if duckdb["checksum"] != pandas["checksum"]:
            raise SystemExit("the two ways gave different counts")
        print(
            f"DuckDB / pandas: {pandas['seconds'] / duckdb['seconds']:.1f}× the speed, "
            f"{duckdb['peak_mb'] / pandas['peak_mb']:.2f}× the memory, the same counts"
        )


if __name__ == "__main__":
    main()

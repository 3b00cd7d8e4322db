"""A run as files: every cell with its true, perturbed and recovered value."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from spatialldp.experiments.run import Run
from spatialldp.formatting import command_word
from spatialldp.grid import Grid
from spatialldp.mechanisms import Mechanism

Settings = Mapping[str, Any]


def cell_table(run: Run, mechanism: Mechanism, grid: Grid) -> dict[str, list[Any]]:
    """Columns, one row per cell of the whole output domain; None where a value does not exist.

    `true_people`, `perturbed` (what `mechanism.report_map` shows), `recovered_share` (sums to 1).
    """
    picture = mechanism.report_map(run.reports)
    margin = -picture.origin[0]
    wide = grid.extended(margin)
    inside = np.zeros(picture.values.shape, bool)
    inside[margin : margin + grid.d, margin : margin + grid.d] = True
    kept = inside | ~np.isnan(picture.values)
    ix, iy = np.nonzero(kept)

    def within(values: np.ndarray) -> list[Any]:
        full = np.full(picture.values.shape, None, dtype=object)
        full[inside] = values.ravel().tolist()
        column: list[Any] = full[kept].tolist()
        return column

    perturbed = picture.values[kept]
    return {
        "ix": (ix - margin).tolist(),
        "iy": (iy - margin).tolist(),
        "west": wide.x_edges[ix].tolist(),
        "south": wide.y_edges[iy].tolist(),
        "east": wide.x_edges[ix + 1].tolist(),
        "north": wide.y_edges[iy + 1].tolist(),
        "true_people": within(run.counts),
        "perturbed": [None if np.isnan(value) else float(value) for value in perturbed],
        "recovered_share": within(run.estimate.distribution),
    }


def to_csv(table: Mapping[str, list[Any]]) -> bytes:
    """The recovered distribution of the true cells; floats in full precision."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [name for name in table if name != "perturbed"]
    writer.writerow(names)
    for row in zip(*(table[name] for name in names), strict=True):
        if row[-1] is not None:
            writer.writerow(row)
    return text.getvalue().encode()


def to_geojson(table: Mapping[str, list[Any]], settings: Settings) -> bytes:
    """Cell polygons with the three values as properties; null outside the true area."""
    features = []
    for row in zip(*table.values(), strict=True):
        cell = dict(zip(table, row, strict=True))
        west, south, east, north = (cell.pop(side) for side in ("west", "south", "east", "north"))
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        features.append({"type": "Feature", "properties": cell, "geometry": {"type": "Polygon", "coordinates": [ring]}})
    return json.dumps({"type": "FeatureCollection", "settings": dict(settings), "features": features}).encode()


def to_parquet(table: Mapping[str, list[Any]], settings: Settings) -> bytes:
    """All columns, with the settings in the file's metadata."""
    arrow = pa.table(
        {
            name: pa.array(values, pa.int64() if name in ("ix", "iy", "true_people") else pa.float64())
            for name, values in table.items()
        }
    )
    buffer = io.BytesIO()
    pq.write_table(arrow.replace_schema_metadata({"spatialldp": json.dumps(dict(settings))}), buffer)
    return buffer.getvalue()


def command(data: str, mechanism: str, epsilon: float, d: int, b: int | None, seed: int, bounds: Any = None) -> str:
    """The command line that gives the same numbers."""
    parts = [f"python -m spatialldp run --data {data} --mechanism {command_word(mechanism)}"]
    parts.append(f"--epsilon {epsilon:g} --d {d}")
    parts += [f"--b {b}"] if b is not None else []
    parts += [f"--bounds {','.join(map(repr, bounds))}"] if bounds else []
    return " ".join([*parts, f"--seed {seed}"])


def snippet(data: str, mechanism: str, epsilon: float, d: int, b: int | None, seed: int, bounds: Any = None) -> str:
    """Library calls that give the same numbers."""
    area = f", bounds={tuple(bounds)}" if bounds else ""
    radius = "" if b is None else f", b={b}"
    return (
        "from spatialldp.experiments import make_mechanism, simulate\n"
        "from spatialldp.population import Population\n\n"
        f'population = Population.of("{data}", d={d}{area})\n'
        f'mechanism = make_mechanism("{mechanism}", epsilon={epsilon:g}, d={d}{radius})\n'
        f"run = simulate(population.counts, mechanism, seed={seed})\n"
        "print(run.w2_cells, population.grid.cell_size_m)  # error in cells; metres per cell\n"
        "run.estimate.distribution  # the recovered map, [ix east, iy north], sums to 1\n"
    )

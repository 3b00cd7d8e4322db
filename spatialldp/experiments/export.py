"""A run as files: every cell with its true, perturbed and recovered value, or the fullest ones with their ranks."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from spatialldp import _validation as validate
from spatialldp.experiments.hot_spots import HotSpot
from spatialldp.experiments.run import Run
from spatialldp.formatting import command_word
from spatialldp.grid import Grid, checked_box
from spatialldp.mechanisms import MECHANISMS, Mechanism

Settings = Mapping[str, Any]
_COLUMNS = ("ix", "iy", "west", "south", "east", "north", "true_people", "perturbed", "recovered_share")


@validate.takes(run=Run, mechanism=Mechanism, grid=Grid)
def cell_table(run: Run, mechanism: Mechanism, grid: Grid) -> dict[str, list[Any]]:
    """Every cell of a run, with its true, perturbed and recovered value.

    Args:
        run: the run.
        mechanism: the one it was made with.
        grid: where its cells are.

    Returns:
        Columns by name, one row per cell of the whole output domain: indices `ix`, `iy`; edges `west`, `south`, `east`,
        `north`; `true_people`; `perturbed`, what `mechanism.report_map` shows; `recovered_share`, which sums to 1. None
        where a value does not exist.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate
        >>> from spatialldp.experiments.export import cell_table
        >>> from spatialldp.population import Population
        >>> people, mechanism = Population.of("new-haven", d=6), DAM(epsilon=3.5, d=6)
        >>> table = cell_table(simulate(people.counts, mechanism, seed=1), mechanism, people.grid)
        >>> len(table["ix"]), table["true_people"][0], sum(number or 0 for number in table["true_people"])
        (64, None, 3293)
    """
    if grid.d != mechanism.d:
        raise ValueError(f"grid must have the d = {mechanism.d} of {mechanism!r}, got d = {grid.d}")
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
        # The names are those of `_COLUMNS`.
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


@validate.takes(table=Mapping)
def to_csv(table: Mapping[str, list[Any]]) -> bytes:
    """The recovered map as a table in CSV.

    Args:
        table: of `cell_table`.

    Returns:
        A line of names and one line per true cell, floats in full precision; UTF-8.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate
        >>> from spatialldp.experiments.export import cell_table, to_csv
        >>> from spatialldp.population import Population
        >>> people, mechanism = Population.of("new-haven", d=6), DAM(epsilon=3.5, d=6)
        >>> table = cell_table(simulate(people.counts, mechanism, seed=1), mechanism, people.grid)
        >>> names, *cells = to_csv(table).decode().splitlines()
        >>> names, len(cells)
        ('ix,iy,west,south,east,north,true_people,recovered_share', 36)
    """
    names = [name for name in _checked_table(table) if name != "perturbed"]
    rows = zip(*(table[name] for name in names), strict=True)
    return _csv(names, (row for row in rows if row[-1] is not None))


@validate.takes(spots=[HotSpot], grid=Grid)
def hot_spots_csv(spots: Iterable[HotSpot], grid: Grid, districts: NDArray[Any] | None = None) -> bytes:
    """The fullest cells as a table in CSV.

    Args:
        spots: of `spatialldp.experiments.hot_spots`.
        grid: where their cells are.
        districts: the name of each cell's district, (d, d), as `spatialldp.experiments.district_names` finds them; None
            where there are no districts.

    Returns:
        A line of names and one line per spot: indices `ix`, `iy`; the centre `x`, `y` of the cell; `district`, if there
        are any; the first and the last of the ranks that it shares with equal cells, true and recovered; true and
        recovered people, in full precision; UTF-8.

    Raises:
        ValueError: a cell is not on the grid, or `districts` has not its shape.

    Example:
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import hot_spots, simulate
        >>> from spatialldp.experiments.export import hot_spots_csv
        >>> from spatialldp.population import Population
        >>> people, mechanism = Population.of("new-haven", d=6), DAM(epsilon=3.5, d=6)
        >>> run = simulate(people.counts, mechanism, seed=1)
        >>> found = hot_spots(people.counts, run.estimate.distribution, number=3)
        >>> names, first, *others = hot_spots_csv(found, people.grid).decode().splitlines()
        >>> names.split(",")[:6]
        ['ix', 'iy', 'x', 'y', 'true_rank_first', 'true_rank_last']
    """
    listed, centres = list(spots), grid.cell_centres()
    cells = [
        (validate.whole_number("ix", spot.ix, 0, grid.d - 1), validate.whole_number("iy", spot.iy, 0, grid.d - 1))
        for spot in listed
    ]
    named: dict[str, list[Any]] = {}
    if districts is not None:
        if not isinstance(districts, np.ndarray) or districts.shape != (grid.d, grid.d):
            raise ValueError(f"districts must be an array {(grid.d, grid.d)}, got {validate.shown(districts)}")
        named["district"] = [districts[cell] for cell in cells]
    table = {
        "ix": [ix for ix, _ in cells],
        "iy": [iy for _, iy in cells],
        "x": [float(centres[cell][0]) for cell in cells],
        "y": [float(centres[cell][1]) for cell in cells],
        **named,
        "true_rank_first": [spot.true_rank.first for spot in listed],
        "true_rank_last": [spot.true_rank.last for spot in listed],
        "recovered_rank_first": [spot.recovered_rank.first for spot in listed],
        "recovered_rank_last": [spot.recovered_rank.last for spot in listed],
        "true_people": [spot.people for spot in listed],
        "recovered_people": [spot.recovered for spot in listed],
    }
    return _csv(table, zip(*table.values(), strict=True))


def _csv(names: Iterable[str], rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return text.getvalue().encode()


@validate.takes(table=Mapping, settings=Mapping)
def to_geojson(table: Mapping[str, list[Any]], settings: Settings) -> bytes:
    """The cells as polygons in GeoJSON, with the three values as properties.

    Args:
        table: of `cell_table`.
        settings: of the run; they are kept in the file.

    Returns:
        A FeatureCollection; values are null where they do not exist.

    Example:
        >>> import json
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate
        >>> from spatialldp.experiments.export import cell_table, to_geojson
        >>> from spatialldp.population import Population
        >>> people, mechanism = Population.of("new-haven", d=6), DAM(epsilon=3.5, d=6)
        >>> table = cell_table(simulate(people.counts, mechanism, seed=1), mechanism, people.grid)
        >>> found = json.loads(to_geojson(table, {"epsilon": 3.5}))
        >>> found["settings"], found["features"][0]["geometry"]["type"]
        ({'epsilon': 3.5}, 'Polygon')
    """
    features = []
    for row in zip(*_checked_table(table).values(), strict=True):
        cell = dict(zip(table, row, strict=True))
        west, south, east, north = (cell.pop(side) for side in ("west", "south", "east", "north"))
        ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
        features.append({"type": "Feature", "properties": cell, "geometry": {"type": "Polygon", "coordinates": [ring]}})
    return json.dumps({"type": "FeatureCollection", "settings": dict(settings), "features": features}).encode()


@validate.takes(table=Mapping, settings=Mapping)
def to_parquet(table: Mapping[str, list[Any]], settings: Settings) -> bytes:
    """All columns as a Parquet file.

    Args:
        table: of `cell_table`.
        settings: of the run; they are kept in the file's metadata, under the key `spatialldp`.

    Returns:
        The bytes of the file.

    Example:
        >>> import io
        >>> import pyarrow.parquet
        >>> from spatialldp import DAM
        >>> from spatialldp.experiments import simulate
        >>> from spatialldp.experiments.export import cell_table, to_parquet
        >>> from spatialldp.population import Population
        >>> people, mechanism = Population.of("new-haven", d=6), DAM(epsilon=3.5, d=6)
        >>> table = cell_table(simulate(people.counts, mechanism, seed=1), mechanism, people.grid)
        >>> found = pyarrow.parquet.read_table(io.BytesIO(to_parquet(table, {"epsilon": 3.5})))
        >>> found.num_columns, found.schema.metadata[b"spatialldp"]
        (9, b'{"epsilon": 3.5}')
    """
    arrow = pa.table(
        {
            name: pa.array(values, pa.int64() if name in ("ix", "iy", "true_people") else pa.float64())
            for name, values in _checked_table(table).items()
        }
    )
    buffer = io.BytesIO()
    pq.write_table(arrow.replace_schema_metadata({"spatialldp": json.dumps(dict(settings))}), buffer)
    return buffer.getvalue()


def command(
    data: str,
    mechanism: str,
    epsilon: float,
    d: int,
    b: int | None,
    seed: int,
    bounds: Any = None,
    mask: bool = False,
) -> str:
    """The command line that gives the same numbers.

    Args:
        data: the id of a data set.
        mechanism: its name, a key of `spatialldp.MECHANISMS`.
        epsilon: privacy budget; per cell for Geo-I.
        d: cells per side.
        b: radius in cells; None for the optimal one, or where there is none to choose.
        seed: of the run.
        bounds: a box (west, south, east, north) in the data set; None for its default view.
        mask: whether the analyst knows the outline of the city.

    Returns:
        One line for a shell.

    Example:
        >>> from spatialldp.experiments.export import command
        >>> command("new-haven", "DAM", 3.5, 15, None, seed=1)
        'python -m spatialldp run --data new-haven --mechanism DAM --epsilon 3.5 --d 15 --seed 1'
    """
    run = _Described(data, mechanism, epsilon, d, b, seed, bounds, mask)
    parts = [f"python -m spatialldp run --data {run.data} --mechanism {command_word(run.mechanism)}"]
    parts.append(f"--epsilon {run.budget} --d {run.d}")
    parts += [f"--b {run.b}"] if run.b is not None else []
    parts += [f"--bounds {','.join(map(repr, run.bounds))}"] if run.bounds is not None else []
    return " ".join([*parts, f"--seed {run.seed}", *(["--mask"] if run.mask else [])])


def snippet(
    data: str,
    mechanism: str,
    epsilon: float,
    d: int,
    b: int | None,
    seed: int,
    bounds: Any = None,
    mask: bool = False,
) -> str:
    """Library calls that give the same numbers.

    Args:
        data: the id of a data set.
        mechanism: its name, a key of `spatialldp.MECHANISMS`.
        epsilon: privacy budget; per cell for Geo-I.
        d: cells per side.
        b: radius in cells; None for the optimal one, or where there is none to choose.
        seed: of the run.
        bounds: a box (west, south, east, north) in the data set; None for its default view.
        mask: whether the analyst knows the outline of the city.

    Returns:
        Lines of Python.

    Example:
        >>> from spatialldp.experiments.export import snippet
        >>> lines = snippet("new-haven", "DAM", 3.5, 15, None, seed=1).splitlines()
        >>> print("\\n".join(lines[3:6]))
        population = Population.of("new-haven", d=15)
        mechanism = make_mechanism("DAM", epsilon=3.5, d=15)
        run = simulate(population.counts, mechanism, seed=1)
    """
    run = _Described(data, mechanism, epsilon, d, b, seed, bounds, mask)
    area = f", bounds={tuple(run.bounds)}" if run.bounds is not None else ""
    radius = "" if run.b is None else f", b={run.b}"
    names = "land_mask, make_mechanism, simulate" if run.mask else "make_mechanism, simulate"
    known = f', mask=land_mask("{run.data}", population.grid)' if run.mask else ""
    return (
        f"from spatialldp.experiments import {names}\n"
        "from spatialldp.population import Population\n\n"
        f'population = Population.of("{run.data}", d={run.d}{area})\n'
        f'mechanism = make_mechanism("{run.mechanism}", epsilon={run.budget}, d={run.d}{radius})\n'
        f"run = simulate(population.counts, mechanism, seed={run.seed}{known})\n"
        "print(run.w2_cells, population.grid.cell_size_m)  # error in cells; metres per cell\n"
        "run.estimate.distribution  # the recovered map, [ix east, iy north], sums to 1\n"
    )


@dataclass(frozen=True)
class _Described:
    """A run that somebody else is to repeat; its fields are the arguments of `command`, checked."""

    data: str
    mechanism: str
    epsilon: float
    d: int
    b: int | None
    seed: int
    bounds: Any
    mask: bool

    def __post_init__(self) -> None:
        validate.instance("data", self.data, str)
        validate.one_of("mechanism", self.mechanism, tuple(MECHANISMS))
        validate.cells_per_side(self.d)
        validate.whole_number("b", 0 if self.b is None else self.b, 0)
        validate.seed(self.seed)
        validate.instance("mask", self.mask, bool)
        if self.bounds is not None:
            checked_box(self.bounds)
        validate.privacy_budget(self.epsilon)

    @property
    def budget(self) -> str:
        """ε in as few digits as give the very same number, without ".0"."""
        number = float(self.epsilon)
        short = f"{number:g}"
        return short if float(short) == number else repr(number)


def _checked_table(table: Mapping[str, list[Any]]) -> Mapping[str, list[Any]]:
    lengths = {len(column) for column in table.values() if isinstance(column, list)}
    if tuple(table) != _COLUMNS or len(lengths) != 1:
        raise ValueError(f"table must be one of cell_table, got columns {validate.shown(list(table))}")
    return table

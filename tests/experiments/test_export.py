"""Exported files open elsewhere and hold the same numbers."""

import csv
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from spatialldp import MECHANISMS, Grid
from spatialldp.__main__ import main
from spatialldp.experiments import HotSpot, Rank, export, land_mask, make_mechanism, population, simulate

BOX = (-122.43, 37.75, -122.39, 37.8)


@pytest.fixture(scope="module", params=MECHANISMS)
def taken(request):
    place = population("san-francisco", 6, BOX)
    mechanism = make_mechanism(request.param, 2.0, 6)
    run = simulate(place.binned.counts, mechanism, 3)
    return run, mechanism, place.grid, export.cell_table(run, mechanism, place.grid)


def test_csv_holds_the_recovered_map(taken):
    run, _, grid, table = taken
    rows = list(csv.DictReader(io.StringIO(export.to_csv(table).decode())))
    assert len(rows) == 36
    recovered = np.empty((6, 6))
    for row in rows:
        ix, iy = int(row["ix"]), int(row["iy"])
        recovered[ix, iy] = float(row["recovered_share"])
        assert int(row["true_people"]) == run.counts[ix, iy]
        assert float(row["west"]) == pytest.approx(grid.x_edges[ix])
        assert float(row["north"]) == pytest.approx(grid.y_edges[iy + 1])
    assert np.array_equal(recovered, run.estimate.distribution)


def test_geojson_covers_the_whole_output_domain(taken):
    run, mechanism, _, table = taken
    collection = json.loads(export.to_geojson(table, {"seed": 3}))
    assert collection["settings"] == {"seed": 3}
    shown = mechanism.report_map(run.reports).values
    reported = [f["properties"]["perturbed"] for f in collection["features"]]
    assert sum(value for value in reported if value is not None) == pytest.approx(np.nansum(shown))
    shares = [f["properties"]["recovered_share"] for f in collection["features"]]
    assert sum(value for value in shares if value is not None) == pytest.approx(1.0)
    for feature in collection["features"]:
        (ring,) = feature["geometry"]["coordinates"]
        assert len(ring) == 5
        assert ring[0] == ring[-1]


def test_parquet_holds_the_same_table(taken):
    run, _, _, table = taken
    arrow = pq.read_table(io.BytesIO(export.to_parquet(table, {"seed": 3})))
    assert json.loads(arrow.schema.metadata[b"spatialldp"]) == {"seed": 3}
    assert arrow.to_pydict() == table
    people = [value for value in arrow["true_people"].to_pylist() if value is not None]
    assert sum(people) == run.counts.sum()


@pytest.mark.parametrize(
    "choice",
    [
        ("san-francisco", "DAM", 3.5, 10, None, 1, None),
        ("san-francisco", "DAM-NS", 2.5, 6, 2, 9, BOX),
        ("normal", "Planar Laplace", 1.0, 5, None, 4, None),
        ("san-francisco", "DAM", 2.0, 10, None, 1, None, True),
        # An ε′ that six digits would round.
        ("new-haven", "Planar Laplace", 0.386224123456789, 8, None, 3, None),
    ],
)
def test_the_command_and_the_snippet_give_the_same_numbers(choice, capsys):
    import shlex

    data, mechanism, epsilon, d, b, seed, bounds, *mask = choice
    words = shlex.split(export.command(*choice))
    assert words[:3] == ["python", "-m", "spatialldp"]
    assert main([*words[3:], "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    names: dict = {}
    exec(export.snippet(*choice), names)
    place = population(data, d, bounds)
    known = land_mask(data, place.grid) if mask else None
    run = simulate(place.binned.counts, make_mechanism(mechanism, epsilon, d, b), seed, known)
    assert names["run"].w2_cells == run.w2_cells == printed["w2_cells"]
    assert np.array_equal(printed["distribution"], run.estimate.distribution)
    assert np.array_equal(names["run"].estimate.distribution, run.estimate.distribution)
    assert printed["users"] == run.counts.sum()


def test_hot_spots_are_listed_with_their_cells_ranks_and_people():
    grid = Grid.from_bounds((10.0, 20.0, 14.0, 24.0), 2, None)
    spots = [HotSpot(0, 1, 40.0, 38.5, Rank(1, 1), Rank(2, 3)), HotSpot(1, 0, 5.0, 1 / 3, Rank(3, 4), Rank(1, 1))]
    header = "true_rank_first,true_rank_last,recovered_rank_first,recovered_rank_last,true_people,recovered_people"
    assert export.hot_spots_csv(spots, grid).decode() == (
        f"ix,iy,x,y,{header}\n0,1,11.0,23.0,1,1,2,3,40.0,38.5\n1,0,13.0,21.0,3,4,1,1,5.0,0.3333333333333333\n"
    )
    names = np.array([["south-west", "north, west"], [None, "north-east"]], dtype=object)
    assert export.hot_spots_csv(spots, grid, names).decode() == (
        f"ix,iy,x,y,district,{header}\n"
        '0,1,11.0,23.0,"north, west",1,1,2,3,40.0,38.5\n1,0,13.0,21.0,,3,4,1,1,5.0,0.3333333333333333\n'
    )


def test_hot_spots_beyond_the_grid_or_with_names_of_another_are_refused():
    grid, spot = Grid.from_bounds((0, 0, 1, 1), 2, None), HotSpot(2, 0, 1.0, 1.0, Rank(1, 1), Rank(1, 1))
    with pytest.raises(ValueError, match="ix must be"):
        export.hot_spots_csv([spot], grid)
    with pytest.raises(ValueError, match=r"districts must be an array \(2, 2\)"):
        export.hot_spots_csv([spot._replace(ix=1)], grid, np.full((3, 3), "name"))

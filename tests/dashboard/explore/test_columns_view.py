"""Explore's columns, without a browser: one for every inhabited cell, taller where there are more people."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from spatialldp.experiments import make_mechanism, population, simulate
from tests.dashboard.driving import decks, layer, said, started


def columns(app: AppTest) -> tuple[list[dict], list[dict]]:
    """True and recovered columns."""
    (deck,) = decks(app)
    true, recovered = layer(deck, "ColumnLayer")
    return true["data"], recovered["data"]


def test_every_inhabited_cell_has_a_column_of_the_height_of_its_people():
    people = population("san-francisco", 9)
    counts = people.binned.counts
    run = simulate(counts, make_mechanism("DAM", 3.5, 9), 1)
    true, recovered = columns(started(d="9", view="columns"))
    assert 0 < np.count_nonzero(counts) == len(true) < 81
    heights = np.array([column["h"] for column in true])
    # Columns come cell by cell, first those of the westernmost cells.
    assert heights / heights.max() == pytest.approx(counts[counts > 0] / counts.max(), abs=1e-4)
    assert [column["n"].split()[0] for column in true] == [f"{count:,}" for count in counts[counts > 0].tolist()]
    estimate = run.estimate.distribution
    shown = estimate[estimate * counts.sum() >= 0.5]
    assert len(recovered) == shown.size
    # Both maps have one scale of heights.
    assert max(column["h"] for column in recovered) / heights.max() == pytest.approx(
        shown.max() * counts.sum() / counts.max(), rel=1e-3
    )


def test_the_maps_stand_side_by_side_and_are_turned_the_right_way():
    counts = population("san-francisco", 9).binned.counts
    true, recovered = columns(started(d="9", view="columns"))
    tallest = max(true, key=lambda column: column["h"])
    ix, iy = np.unravel_index(counts.argmax(), counts.shape)
    assert tallest["p"] == pytest.approx([(ix + 0.5) / 9 * 0.1, (iy + 0.5) / 9 * 0.1], abs=1e-5)
    assert max(column["p"][0] for column in true) < min(column["p"][0] for column in recovered)


@pytest.mark.parametrize("data", ["san-francisco", "normal"])
def test_cities_and_plain_units_are_seen_from_the_side_without_a_street_map(data):
    (deck,) = decks(started(d="6", view="columns", data=data))
    assert "mapProvider" not in deck
    assert "http" not in deck["mapStyle"]
    assert 45 <= deck["initialViewState"]["pitch"] <= 50
    assert len(layer(deck, "LineLayer")) == (data == "san-francisco")


def test_outlines_end_at_the_edge_of_their_map():
    (deck,) = decks(started(d="6", view="columns", box="-122.435,37.745,-122.4,37.775"))
    (lines,) = layer(deck, "LineLayer")
    places = np.array([place for line in lines["data"] for place in (line["s"], line["e"])])
    assert places[:, 1].min() >= 0
    assert places[:, 1].max() <= 0.1 + 1e-9
    between = (places[:, 0] > 0.1 + 1e-9) & (places[:, 0] < 0.112 - 1e-9)
    assert not between.any()


def test_one_person_is_not_people():
    true, _ = columns(started(data="new-haven", box="-72.93,41.305,-72.927,41.308", d="15", view="columns"))
    assert "1 person" in {column["n"] for column in true}
    assert "1 people" not in {column["n"] for column in true}


def test_too_fine_a_grid_is_said():
    app = started(d="61", eps="9", view="columns")
    assert not decks(app)
    assert "The 3-D view goes up to d = 60" in said(app)

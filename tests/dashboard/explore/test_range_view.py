"""People in a part of the map, without a browser: figures, words, menu, fields and links."""

import re

import numpy as np
import pytest
import shapely
from streamlit.testing.v1 import AppTest

from spatialldp.datasets import dataset, load_outline
from spatialldp.experiments import make_mechanism, population, range_error, simulate
from tests.dashboard.driving import decks, layer, link_of, menu_of, said, started, value_of

MENU = "Count people in"


def place_menu(app: AppTest):
    return next(menu for menu in app.selectbox if menu.label == MENU)


def number(text: str) -> int:
    return int(text.replace(",", "").replace("−", "-").removesuffix(" people"))


def counted_lines(app: AppTest) -> list[list]:
    """The lines around what is counted, on each map."""
    return [
        [row["path"] for path in layer(deck, "PathLayer") if path["id"] == "counted" for row in path["data"]]
        for deck in decks(app)
    ]


def test_nothing_is_counted_until_somebody_asks_but_the_error_of_counts_is_known():
    app = started(d="8")
    assert place_menu(app).value is None
    assert counted_lines(app) == [[], [], []]
    assert not [metric for metric in app.metric if metric.label in ("True people", "Recovered people")]
    counts = population("san-francisco", 8).counts
    found = simulate(counts, make_mechanism("DAM", 3.5, 8), 1).estimate.distribution
    error = range_error(counts.astype(float), found)
    assert value_of(app, "Range error") == f"{error * counts.sum():,.0f} people"
    # A square of 0.3 · 8 = 2.4 cells, rounded.
    assert "In a square of 2×2 cells" in said(app)
    assert f"{error * 1000:.1f} per 1,000 (range error" in said(app)


def test_a_district_is_counted_by_the_area_of_its_cells_and_the_error_of_that_stands_apart():
    app = started(d="8", count="94110")
    place = population("san-francisco", 8)
    (polygon,) = [
        shapely.geometry.shape(feature["geometry"])
        for feature in load_outline("san-francisco").geojson["features"]
        if feature["properties"]["name"] == "94110"
    ]
    x, y = place.grid.x_edges, place.grid.y_edges
    cells = [[shapely.box(x[i], y[j], x[i + 1], y[j + 1]) for j in range(8)] for i in range(8)]
    weights = np.array([[polygon.intersection(cell).area / cell.area for cell in row] for row in cells])
    recovered = simulate(place.counts, make_mechanism("DAM", 3.5, 8), 1).estimate.distribution * place.users
    true, shown = (round((weights * values).sum()) for values in (place.counts, recovered))
    longitude, latitude, _ = dataset("san-francisco").load()
    inside = int(shapely.contains_xy(polygon, longitude, latitude).sum())
    assert number(value_of(app, "True people")) == true
    assert number(value_of(app, "Recovered people")) == shown
    assert number(value_of(app, "Difference")) == shown - true
    assert (
        next(metric.delta for metric in app.metric if metric.label == "True people") == f"{inside:,} by exact position"
    )
    words = said(app)
    assert f"In postcode 94110 there are {true:,} people; the recovered map says {shown:,}" in words
    assert f"{abs(shown - true):,} too {'many' if shown > true else 'few'}" in words
    off = f"{true - inside:+,}".replace("-", "−")
    assert f"This alone shifts the true count by {off} people (grid error)" in words
    for lines in counted_lines(app):
        (ring,) = lines
        assert (
            shapely.Polygon(ring).intersection(polygon).area > 0.98 * shapely.union(shapely.Polygon(ring), polygon).area
        )


def test_a_rectangle_on_the_borders_of_cells_holds_the_people_of_these_cells():
    place = population("new-haven", 6)
    box = [place.grid.x_edges[1], place.grid.y_edges[2], place.grid.x_edges[4], place.grid.y_edges[5]]
    app = started(data="new-haven", d="6", count=",".join(f"{value:.6f}" for value in box))
    recovered = simulate(place.counts, make_mechanism("DAM", 3.5, 6), 1).estimate.distribution * place.users
    # The link carries six digits, so a border may be off by the width of a hair.
    assert number(value_of(app, "True people")) == pytest.approx(place.counts[1:4, 2:5].sum(), abs=1)
    assert number(value_of(app, "Recovered people")) == pytest.approx(recovered[1:4, 2:5].sum(), abs=1)
    assert "grid error" not in said(app)
    for lines in counted_lines(app):
        (ring,) = lines
        assert np.allclose([ring[0], ring[2]], [box[:2], box[2:]], atol=1e-6)


def test_the_menu_names_districts_and_begins_a_rectangle_with_the_middle_quarter():
    app = started(d="8")
    menu = place_menu(app)
    assert menu.options[0] == "a rectangle"
    assert "postcode 94110" in menu.options
    assert len(menu.options) == 1 + 26
    menu.select_index(0).run()
    west, south, east, north = population("san-francisco", 8).grid.bounds
    corners = [app.number_input(key=f"count-{corner}").value for corner in ("West", "South", "East", "North")]
    quarter = [0.75 * west + 0.25 * east, 0.75 * south + 0.25 * north, 0.25 * west + 0.75 * east]
    assert corners == pytest.approx([*quarter, 0.25 * south + 0.75 * north], abs=1e-6)
    # Two of eight cells are cut off at each side.
    assert number(value_of(app, "True people")) == pytest.approx(
        population("san-francisco", 8).counts[2:6, 2:6].sum(), abs=2
    )
    assert re.search(r"&count=-122\.\d+,37\.\d+,-122\.\d+,37\.\d+$", link_of(app))


def test_typed_corners_change_the_rectangle_unless_they_are_none():
    app = started(d="8", count="-122.45,37.74,-122.41,37.78")
    before = value_of(app, "True people")
    app.number_input(key="count-North").set_value(37.79).run()
    wider = value_of(app, "True people")
    assert number(wider) > number(before)
    assert link_of(app).endswith("count=-122.45,37.74,-122.41,37.79")
    app.number_input(key="count-South").set_value(37.8).run()
    assert "The rectangle was not changed" in said(app)
    assert value_of(app, "True people") == wider
    assert app.number_input(key="count-South").value == 37.74


def test_what_lies_outside_the_area_is_said_and_not_counted():
    outside = started(d="5", count="-122.6,37.0,-122.55,37.1")
    assert [info.value for info in outside.info] == [
        "The rectangle lies outside the map: choose another place, or another area."
    ]
    assert not [metric for metric in outside.metric if metric.label == "True people"]
    partly = started(d="5", box="-122.45,37.75,-122.41,37.78", count="94110")
    assert re.search(r"Only \d\d% of postcode 94110 lies on the map", said(partly))
    west, south, east, north = population("san-francisco", 5).grid.bounds
    half = f"{west - (east - west):.6f},{south:.6f},{east:.6f},{north:.6f}"
    twice_as_wide = started(d="5", count=half)
    assert "Only 50% of the rectangle lies on the map" in said(twice_as_wide)
    assert number(value_of(twice_as_wide, "True people")) == pytest.approx(261_552, abs=2)


def test_a_place_does_not_survive_its_data_set():
    app = started(d="5", count="94110")
    menu_of(app).select("new-haven").run()
    assert place_menu(app).options == ["a rectangle"]
    assert place_menu(app).value is None
    assert "count=" not in link_of(app)
    assert counted_lines(app) == [[], [], []]


def unfinished() -> None:
    """A page as it is while the map is being recovered."""
    from dataclasses import replace

    from spatialldp.dashboard.explore import hot_spots_view, range_view, state
    from spatialldp.dashboard.shared.choices import Choices
    from spatialldp.dashboard.shared.chosen_data import loaded_data, population_of

    chosen = Choices(d=5, counted="94110")
    shown = state.begin(chosen, loaded_data(chosen), population_of(chosen))
    assert shown is not None
    rough = replace(shown, run=None)
    range_view.range_counts(rough)
    hot_spots_view.hot_spot_table(rough)


def test_nothing_stale_is_shown_while_the_map_is_being_recovered():
    app = AppTest.from_function(unfinished, default_timeout=60)
    app.session_state["hot-spots"] = True
    app.run()
    assert not app.exception
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown.pop("True people") != "…"
    assert shown == dict.fromkeys(["Recovered people", "Difference"], "…")
    assert not app.dataframe
    assert "too few" not in said(app)
    assert "too many" not in said(app)

"""Explore, without a browser: maps, figures, controls, own and fetched data."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from spatialldp.experiments import make_mechanism, population, simulate
from spatialldp.mechanisms import MECHANISMS
from tests.dashboard.driving import (
    APP,
    decks,
    error_of,
    layer,
    link_notices,
    link_of,
    menu_of,
    radius_of,
    said,
    started,
    value_of,
    with_area,
)


def test_first_page_is_a_real_city_with_the_librarys_numbers():
    app = started()
    assert app.selectbox(key="data").value == "san-francisco"
    assert len(decks(app)) == 3
    counts = population("san-francisco", 15).binned.counts
    run = simulate(counts, make_mechanism("DAM", 3.5, 15), 1)
    assert error_of(app) == pytest.approx(run.w2_cells, abs=5e-4)
    assert value_of(app, "People") == "261,552"
    assert value_of(app, "Recovery") == f"{run.estimate.iterations} steps"
    assert "e^ε = 33 times" in said(app)


def test_no_map_asks_for_tiles_until_the_switch_is_on():
    app = started()
    assert all("mapProvider" not in deck and "http" not in deck["mapStyle"] for deck in decks(app))
    app.toggle(key="tiles").set_value(True).run()
    assert all(deck["mapStyle"].startswith("https://basemaps.cartocdn.com/") for deck in decks(app))


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("data", ["new-haven", "normal"])
def test_every_mechanism_works_in_degrees_and_in_plain_units(data, mechanism):
    app = started(data=data, mech=mechanism, d="6")
    assert error_of(app) > 0
    assert len(decks(app)) == 3


@pytest.mark.parametrize(
    ("epsilon", "d", "mechanism"),
    [("0.5", "1", "DAM"), ("9", "1", "SEM-Geo-I"), ("0.5", "15", "DAM"), ("9", "100", "DAM"), ("0.5", "100", "OUE")],
)
def test_the_ends_of_the_sliders_work(epsilon, d, mechanism):
    app = started(eps=epsilon, d=d, mech=mechanism)
    assert (error_of(app) == 0) == (d == "1")
    assert value_of(app, "Uniform guess").endswith("cells")


@pytest.mark.parametrize("b", ["0", "30"])
def test_the_ends_of_the_radius_work(b):
    app = started(b=b)
    assert radius_of(app).value == int(b)
    assert error_of(app) > 0


def test_the_radius_follows_until_it_is_moved_and_one_click_brings_it_back():
    app = started()
    assert radius_of(app).value == 3
    assert "b = 3 is the optimum" in said(app)
    app.slider(key="d").set_value(20).run()
    assert radius_of(app).value == 4
    radius_of(app).set_value(7).run()
    app.slider(key="eps").set_value(5.0).run()
    assert radius_of(app).value == 7
    assert "follows" not in said(app)
    app.button(key="best").click().run()
    assert radius_of(app).value == make_mechanism("DAM", 5.0, 20).b
    radius_of(app).set_value(35).run()
    app.slider(key="d").set_value(5).run()
    assert radius_of(app).value == 10


def test_mechanisms_without_a_radius_have_no_slider_for_it():
    assert [slider.label for slider in started(mech="HUEM", b="4").slider if "Radius" in slider.label] == [
        "Radius b, cells"
    ]
    without = started(mech="k-RR", b="4")
    assert not [slider.label for slider in without.slider if "Radius" in slider.label]
    assert not [slider.key for slider in without.slider if slider.key.startswith("b-on-")]


def test_a_box_from_a_link_is_in_the_fields_on_the_maps_and_in_the_numbers():
    app = started(box="-122.43,37.75,-122.39,37.8")
    with_area(app).run()
    assert app.number_input(key="box-West").value == -122.43
    assert app.number_input(key="box-North").value == 37.8
    assert value_of(app, "People") == "97,927"
    for deck in decks(app):
        rings = [path["data"][0]["path"] for path in layer(deck, "PathLayer")]
        assert any(ring[0] == [-122.43, 37.75] and ring[2] == [-122.39, 37.8] for ring in rings)


def test_corner_fields_and_presets_change_the_box():
    app = started()
    with_area(app).run()
    with_area(app).number_input(key="box-East").set_value(-122.42).run()
    assert "people are inside" in said(app)
    assert value_of(app, "People") != "261,552"
    before = value_of(app, "People")
    with_area(app).number_input(key="box-West").set_value(-122.0).run()
    assert "The area was not changed" in said(app)
    assert value_of(app, "People") == before
    assert app.number_input(key="box-West").value == pytest.approx(-122.5144)
    app.button(key="whole").click().run()
    assert value_of(app, "People") == "261,552"


def test_a_ready_made_area_is_known_by_its_box():
    app = started(d="6", box="-122.435,37.745,-122.4,37.775")
    assert "Area: Mission" in said(app)
    with_area(app).run()
    areas = app.button_group(key="preset")
    assert areas.options == ["All", "Downtown", "Mission", "Sunset"]
    assert areas.value.name == "Mission"
    assert "Area: all of it" in said(started(d="6"))
    assert "Area: your own" in said(started(d="6", box="-122.435,37.745,-122.4,37.776"))


def test_an_empty_box_is_said_and_has_a_way_back():
    app = started(box="-122.9,37.2,-122.8,37.3")
    assert "Nobody is in this area" in said(app)
    assert not decks(app)
    app.button(key="whole-again").click().run()
    assert len(decks(app)) == 3


def test_a_tiny_box_is_said():
    app = started(box="-122.42,37.77,-122.4199,37.7701")
    assert "draw a larger one" in said(app)


def test_tiny_data():
    app = started(data="new-haven", box="-72.93,41.305,-72.927,41.308", d="15", eps="0.5")
    people = int(value_of(app, "People").replace(",", ""))
    assert 10 <= people < 100
    assert error_of(app) > 0


def test_garbage_in_the_link_is_ignored_with_a_notice():
    app = started(eps="abc", d="-3", mech="<b>x</b>", box="1,2", data="../../etc")
    notices = link_notices(app)
    assert len(notices) == 5
    assert not app.warning
    assert not any("<" in notice for notice in notices)
    assert app.slider(key="eps").value == 3.5
    app.slider(key="eps").set_value(2.0).run()
    assert link_notices(app) == []


def test_drawing_again_and_the_seed():
    app = started()
    first = error_of(app)
    app.button(key="again").click().run()
    assert app.number_input(key="seed").value == 2
    assert error_of(app) != first
    app.number_input(key="seed").set_value(1).run()
    assert error_of(app) == first


def test_reset_to_defaults():
    app = started(data="normal", eps="1", d="7", b="3", seed="5", diff="1")
    app.button(key="reset").click().run()
    assert (app.selectbox(key="data").value, app.slider(key="eps").value) == ("san-francisco", 3.5)
    assert app.slider(key="d").value == 15
    assert not app.toggle(key="diff").value


def test_a_reset_takes_the_warnings_of_the_link_away():
    app = started(eps="abc", d="7")
    assert link_notices(app) == ["Ignored eps = “abc” in the link: it is not a number from 0.5 to 9."]
    # Even a single notice does not push the maps down.
    assert not app.warning
    app.button(key="reset").click().run()
    assert link_notices(app) == []
    assert app.slider(key="d").value == 15


def test_difference_and_flows():
    app = started(diff="1", flows="1")
    assert len(decks(app)) == 4
    recovered = decks(app)[2]
    arcs = layer(recovered, "ArcLayer")[0]["data"]
    assert 5 < len(arcs) <= 30
    assert all(" m from where they belong" in arc["t"] for arc in arcs)
    assert "% of the squared error" in said(app)
    assert not layer(decks(started())[2], "ArcLayer")


def labels_of(app: AppTest) -> dict[str, dict]:
    """What the browser is told about the cells of each map."""
    (component,) = [c.proto for c in app.get("bidi_component") if "values_on_hover" in c.proto.component_name]
    return json.loads(component.json)["maps"]


def test_values_on_hover_at_small_d_only():
    labels = labels_of(started())
    assert set(labels) == {"map-true", "map-perturbed", "map-recovered"}
    assert (labels["map-true"]["side"], labels["map-perturbed"]["side"]) == (15, 21)
    for name, unit in (("map-true", "(people|person)"), ("map-perturbed", "reports")):
        numbers = [re.match(rf"([\d,]+) {unit}", text) for text in labels[name]["texts"] if text]
        assert sum(int(found[1].replace(",", "")) for found in numbers) == 261_552
    assert labels_of(started(d="60", eps="9")) == {}


def test_a_set_that_needs_a_download_is_offered_not_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("SPATIALLDP_CACHE", str(tmp_path))
    app = started(data="chicago-crimes-2022")
    assert "Download it once" in said(app)
    assert app.button(key="fetch").label == "Download it now"


def test_a_portal_that_cannot_be_reached_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("SPATIALLDP_CACHE", str(tmp_path))
    monkeypatch.setenv("SPATIALLDP_PORTAL", "http://127.0.0.1:9")
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    app = started(data="nyc-green-taxi-2016")
    app.button(key="fetch").click().run()
    assert not app.exception
    assert len(app.error) == 1
    assert "Traceback" not in said(app)
    # Where the server keeps its files is nobody's business.
    assert str(tmp_path) not in said(app)
    assert "put the file into the server's data folder" in app.error[0].value


def test_a_geo_i_mechanism_says_what_its_budget_means_and_runs_at_equal_protection_on_one_click():
    app = started(mech="Planar Laplace")
    counts = population("san-francisco", 15).binned.counts
    side = population("san-francisco", 15).grid.cell_size_m
    same, dam = (simulate(counts, make_mechanism(name, 3.5, 15), 1).w2_cells for name in ("Planar Laplace", "DAM"))
    assert error_of(app) == pytest.approx(same, abs=5e-4)
    # e^3.5 and e^7, to two digits
    assert "33 times likelier from one cell than from the next, 1,100 times likelier than from two cells away" in said(
        app
    )
    assert f"DAM’s {dam * side:.0f} m" in said(app)
    app.button(key="equal").click().run()
    # README and tests/privacy have this ε′ from the local privacy of both.
    fair = simulate(counts, make_mechanism("Planar Laplace", 0.386224, 15), 1).w2_cells
    assert error_of(app) == pytest.approx(fair, rel=0.01)
    assert same < dam < fair
    assert "ε′ = 0.386 per cell" in said(app)
    assert "equal=1" in link_of(app)
    app.button(key="equal").click().run()
    assert error_of(app) == pytest.approx(same, abs=5e-4)
    app.selectbox(key="mech").set_value("DAM").run()
    assert "times likelier from one cell" not in said(app)


def test_knowing_where_nobody_can_live_lowers_the_error_and_says_by_how_much():
    app = started(eps="1.5")
    before = error_of(app)
    app.toggle(key="mask").set_value(True).run()
    after = error_of(app)
    assert after < before
    side = population("san-francisco", 15).grid.cell_size_m
    sentence = f"Without the outline the error would be {before * side:.0f} m: knowing it lowers the error by"
    assert f"{sentence} {100 * (1 - after / before):.0f}%." in said(app)
    shares = layer(decks(app)[2], "BitmapLayer")[0]["image"]
    assert shares != layer(decks(started(eps="1.5"))[2], "BitmapLayer")[0]["image"]
    assert "mask=1" in link_of(app)


def test_the_mask_is_offered_only_where_it_can_be_used():
    assert not [toggle for toggle in started(data="normal", d="5").toggle if toggle.key == "mask"]
    oue = started(mech="OUE", mask="1", d="5")
    assert oue.toggle(key="mask").disabled
    assert error_of(oue) == error_of(started(mech="OUE", d="5"))


def test_somebodys_own_file_is_used_and_nobody_else_sees_it():
    app = AppTest.from_file(APP, default_timeout=60).run()
    mine = app.file_uploader(key="own-file")
    rows = "\n".join(f"{-122.4 + i / 1000},{37.7 + (i * 7 % 50) / 1000}" for i in range(60))
    mine.set_value(("mine.csv", f"lon,lat\n{rows}".encode(), "text/csv")).run()
    assert not app.exception
    assert "60 of 60 rows can be used" in said(app)
    app.button(key="own-use").click().run()
    assert menu_of(app).value == "upload"
    assert value_of(app, "People") == "60"
    assert "not the data" in said(app)
    other = started(data="upload")
    assert "own file" in link_notices(other)[0]
    assert "upload" not in other.selectbox(key="data").options
    assert "mine.csv" not in said(other)


def test_one_click_fetches_an_official_set_and_shows_it(monkeypatch, tmp_path):
    from spatialldp.datasets.official import SOURCES
    from tests.datasets.portal import Portal

    source = SOURCES["chicago-crimes-2022"]
    rows = [(f"{-87.8 + i % 20 / 100:.3f}", f"{41.7 + i % 17 / 100:.3f}") for i in range(400)]
    monkeypatch.setenv("SPATIALLDP_CACHE", str(tmp_path))
    with Portal(source.resource, [source.longitude, source.latitude], rows) as portal:
        monkeypatch.setenv("SPATIALLDP_PORTAL", portal.address)
        app = started(data="chicago-crimes-2022", d="5")
        app.button(key="fetch").click().run()
    assert not app.exception
    assert value_of(app, "People") == "400"
    assert "no real-world scale" in next(metric.delta for metric in app.metric if metric.label == "Error W2")
    with_area(app).run()
    areas = app.button_group(key="preset").options
    assert areas == ["All", "Paper’s part A", "Paper’s part B", "Paper’s part C"]


def test_a_damaged_file_of_the_package_is_named_without_its_folder(monkeypatch, tmp_path):
    from spatialldp.dashboard.shared.own_files import sentence
    from spatialldp.datasets import DataError, embedded

    monkeypatch.setattr(embedded, "DATA_FOLDER", tmp_path)
    monkeypatch.setattr("spatialldp.dashboard.shared.own_files.DATA_FOLDER", tmp_path)
    with pytest.raises(DataError) as problem:
        embedded._verified("points/new-haven.parquet")
    assert str(tmp_path) in str(problem.value)
    assert str(tmp_path) not in sentence(problem.value)
    assert "new-haven.parquet is missing from the server's data folder" in sentence(problem.value)


@pytest.mark.parametrize(("d", "words"), [("1", None), ("2", "diagonally across"), ("3", "two cells away")])
def test_small_grids_speak_only_of_cells_that_they_have(d, words):
    text = said(started(mech="Planar Laplace", d=d))
    assert ("promises less than DAM" in text) == (words is not None)
    assert words is None or words in text

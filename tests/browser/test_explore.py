"""The Explore page as a visitor meets it."""

import csv
import io
import json
import re

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from playwright.sync_api import expect

from spatialldp import DAM
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.datasets import DATASETS, dataset
from spatialldp.experiments import land_mask, make_mechanism, population, simulate
from tests.browser.looking import (
    MAPS,
    expect_data,
    metric,
    metric_box,
    pixels,
    shown_error,
    views,
    wait_for_another_error,
    wait_for_maps,
    wait_for_other_pixels,
)


@pytest.fixture(scope="module")
def expected():
    return simulate(population("san-francisco", 15).binned.counts, make_mechanism("DAM", 3.5, 15), 1)


def test_first_paint_is_a_real_city_with_the_librarys_error(visit, expected):
    page = visit().page
    wait_for_maps(page)
    assert shown_error(page) == pytest.approx(expected.w2_cells, abs=5e-4)
    metres = expected.w2_cells * DATASETS["san-francisco"].grid(15).cell_size_m
    assert f"{metres:.0f} m" in metric(page, "Error W2")
    expect_data(page, "San Francisco addresses")
    expect(page.get_by_role("img", name=re.compile("Colour scale"))).to_be_visible()


def test_less_budget_gives_another_map_and_a_larger_error(visit):
    page = visit().page
    wait_for_maps(page)
    before, error = pixels(page, "recovered"), shown_error(page)
    slider = page.get_by_role("slider", name=re.compile("Privacy budget"))
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("e^ε = 12 times likelier")).to_be_visible()
    assert wait_for_another_error(page, error) > error
    wait_for_other_pixels(page, "recovered", before)
    assert "eps=2.5" in page.url


@pytest.mark.parametrize("wait_ms", [30, 60, 100])
def test_keys_pressed_faster_than_the_page_is_drawn_all_count_and_move_nothing_else(visit, wait_ms):
    page = visit().page
    wait_for_maps(page)
    slider = page.get_by_role("slider", name=re.compile("Privacy budget"))
    expect(slider).to_have_count(1)
    slider.focus()
    # Each of them moves the slider of telephones as well, and some the radius, which is at its optimum.
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(wait_ms)
    expect(page.get_by_text(f"b = {DAM(2.3, 15).b} is the optimum")).to_be_visible()
    expect(slider).to_have_value("2.3")
    expect(page).to_have_url(re.compile(r"/\?v=2&eps=2\.3$"))


def test_a_dragged_box_is_in_the_fields_the_link_the_data_and_on_the_maps(visit):
    page = visit().page
    wait_for_maps(page)
    before = {name: pixels(page, name) for name in MAPS}
    expect(page.get_by_text("Area: all of it")).to_be_visible()
    page.get_by_text("Choose an area").click()
    canvas = page.locator(".st-key-box-map canvas").first
    expect(canvas).to_be_visible()
    page.wait_for_timeout(500)  # the panel unfolds
    frame = canvas.bounding_box()
    start, end = (70, 60), (190, 160)
    page.mouse.move(frame["x"] + start[0], frame["y"] + start[1])
    page.mouse.down()
    page.mouse.move(frame["x"] + 120, frame["y"] + 100, steps=3)
    page.mouse.move(frame["x"] + end[0], frame["y"] + end[1], steps=3)
    page.mouse.up()
    entry = dataset("san-francisco")
    west, south, east, north = LoadedData(entry, entry.load()).view
    width, height = frame["width"], frame["height"]
    dragged = {
        "West": west + start[0] / width * (east - west),
        "East": west + end[0] / width * (east - west),
        "North": north - start[1] / height * (north - south),
        "South": north - end[1] / height * (north - south),
    }
    expect(page.get_by_text("Area: your own")).to_be_visible()
    expect(page).to_have_url(re.compile("box="))
    in_link = re.search(r"box=([^&]*)", page.url)[1].split(",")
    shown = dict(zip(("West", "South", "East", "North"), map(float, in_link), strict=True))
    # A pixel of the little map is about 0.0007 degrees.
    assert shown == pytest.approx(dragged, abs=0.0015)
    for corner, value in shown.items():
        # The field shows five digits, the link six.
        expect(page.get_by_label(re.compile(rf"^{corner}\b"))).to_have_value(f"{value:.5f}")
    place = population("san-francisco", 15, list(shown.values()))
    counted = metric_box(page, "People")
    expect(counted).not_to_contain_text("261,552", timeout=20_000)
    people = re.search(r"People[^\d]*([\d,]+)", counted.inner_text())[1]
    assert int(people.replace(",", "")) == pytest.approx(place.binned.inside, rel=0.01)
    for name in MAPS:
        wait_for_other_pixels(page, name, before[name])
    orange = np.abs(pixels(page, "true") - (214, 92, 0)).max(axis=2) < 25
    assert orange.sum() > 100
    field = page.get_by_label(re.compile("^North\\b"))
    field.fill("37.8")
    field.press("Enter")
    expect(page).to_have_url(re.compile(r"box=[^&]*,37\.8(&|$)"))


def test_a_ready_made_area_is_a_click_away_and_so_is_the_whole_map(visit):
    page = visit("/?d=6&seed=7").page
    # At once: a click while the page is being drawn must not change a setting.
    page.get_by_text("Choose an area").click()
    expect(page.get_by_role("slider", name=re.compile("Cells per side"))).to_have_value("6")
    expect(page.get_by_role("spinbutton", name="Random seed")).to_have_value("7")
    areas = page.locator(".st-key-preset")
    areas.get_by_text("Mission").click()
    expect(page.get_by_text("Area: Mission")).to_be_visible()
    west, south, east, north = dataset("san-francisco").areas["Mission"]
    expect(page).to_have_url(re.compile(rf"&d=6&seed=7&box={west:g},{south:g},{east:g},{north:g}$"))
    areas.get_by_text("All").click()
    expect(page.get_by_text("Area: all of it")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?v=2&d=6&seed=7$"))


def test_panning_and_zooming_one_map_moves_the_other_two(visit):
    page = visit().page
    wait_for_maps(page)
    start, drawn = views(page), {name: pixels(page, name) for name in MAPS}
    box = page.locator(".st-key-map-perturbed canvas").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 10, steps=4)
    page.mouse.move(x + 60, y + 30, steps=4)
    page.mouse.up()
    page.wait_for_timeout(1000)
    panned = views(page)
    for name in MAPS:
        assert panned[name][0] < start[name][0] - 0.01
        assert panned[name][1] > start[name][1] + 0.003
        assert panned[name] == pytest.approx([*panned["perturbed"][:2], start[name][2]], abs=1e-6)
        wait_for_other_pixels(page, name, drawn[name])
    page.mouse.wheel(0, -200)
    page.wait_for_timeout(1500)
    zoomed = views(page)
    gain = zoomed["perturbed"][2] - start["perturbed"][2]
    assert gain > 0.3
    for name in MAPS:
        assert zoomed[name][2] - start[name][2] == pytest.approx(gain, abs=1e-6)
        assert zoomed[name][:2] == pytest.approx(zoomed["perturbed"][:2], abs=1e-6)


def test_a_copied_link_opened_by_somebody_else_shows_the_same(visit):
    first = visit("/?data=new-haven&eps=4.2&d=9", permissions=["clipboard-read", "clipboard-write"]).page
    wait_for_maps(first)
    error = shown_error(first)
    first.get_by_role("button", name="Draw again").click()
    error = wait_for_another_error(first, error)
    first.get_by_role("button", name="Copy link").click()
    expect(first.get_by_text("Copied.")).to_be_visible()
    link = first.evaluate("navigator.clipboard.readText()")
    assert link == first.url
    assert "seed=2" in link
    second = visit(link[link.index("/?") :]).page
    wait_for_maps(second)
    assert shown_error(second) == error
    assert np.abs(pixels(second, "recovered") - pixels(first, "recovered")).mean() < 1


def test_each_download_opens_and_holds_the_shown_numbers(visit, expected):
    page = visit().page
    wait_for_maps(page)
    page.get_by_text("Downloads:").click()

    def get(label: str) -> bytes:
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label).click()
        return waiting.value.path().read_bytes()

    recovered = np.full((15, 15), np.nan)
    for row in csv.DictReader(io.StringIO(get("CSV").decode())):
        recovered[int(row["ix"]), int(row["iy"])] = float(row["recovered_share"])
    assert np.array_equal(recovered, expected.estimate.distribution)
    geojson = json.loads(get("GeoJSON"))
    assert geojson["settings"]["w2_cells"] == pytest.approx(shown_error(page), abs=5e-4)
    assert sum(cell["properties"]["perturbed"] for cell in geojson["features"]) == 261_552
    table = pq.read_table(io.BytesIO(get("Parquet")))
    assert sum(people or 0 for people in table["true_people"].to_pylist()) == 261_552
    picture = Image.open(io.BytesIO(get("PNG")))
    assert picture.width > 1000
    assert len(np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0)) > 100
    expect(page.get_by_text("python -m spatialldp run --data san-francisco")).to_be_visible()


def test_slow_recoveries_come_in_stages(visit):
    page = visit("/?mech=HUEM&eps=1&d=25").page
    wait_for_maps(page, ("true", "perturbed"))
    expect(page.get_by_text(re.compile("being refined|what the reports reveal"))).to_be_visible(timeout=10_000)
    # The page stays free: a quicker choice is shown long before the slow one could be done.
    page.get_by_role("combobox", name=re.compile("Mechanism")).click()
    page.get_by_role("option", name=re.compile("^k-RR")).click()
    expect(page.get_by_test_id("stMetric").filter(has_text="Error W2")).to_be_visible(timeout=20_000)
    expect(page).to_have_url(re.compile("mech=k-RR"))


def test_no_figure_of_a_former_run_stands_beside_new_maps(visit):
    # A recovery that takes seconds on any computer.
    page = visit("/?eps=0.7&d=100").page
    wait_for_maps(page)
    before = shown_error(page)
    results = page.locator(".st-key-results")
    expect(results).to_have_css("opacity", "1")
    expect(metric_box(page, "Uniform guess")).to_contain_text("cells")
    page.get_by_role("slider", name=re.compile("Privacy budget")).focus()
    page.keyboard.press("ArrowLeft")
    # The reports are new and the recovery is under way: what is left of the former run is grey, and cannot be clicked.
    expect(page.locator(".st-key-headline")).to_contain_text("being computed")
    expect(results).to_have_css("opacity", "0.3")
    expect(results).to_have_css("pointer-events", "none")
    assert wait_for_another_error(page, before) != before
    expect(results).to_have_css("opacity", "1")


def test_knowing_where_nobody_can_live_empties_the_sea_and_lowers_the_error(visit):
    page = visit("/?eps=1").page
    wait_for_maps(page)
    before, error = pixels(page, "recovered"), shown_error(page)
    page.get_by_text("The analyst knows where nobody can live").click()
    assert wait_for_another_error(page, error) < error
    expect(page.locator(".st-key-headline")).to_contain_text("Without the outline the error would be")
    expect(page).to_have_url(re.compile("mask=1"))
    wait_for_other_pixels(page, "recovered", before)
    # Of the cells at sea, the one with most people before: it is empty, in the palest colour, after.
    place = population("san-francisco", 15)
    guess = simulate(place.counts, make_mechanism("DAM", 1.0, 15), 1).estimate.distribution
    at_sea = np.where(land_mask("san-francisco", place.grid), -1.0, guess)
    ix, iy = np.unravel_index(at_sea.argmax(), at_sea.shape)
    after = pixels(page, "recovered")
    # 97% of the canvas are cells.
    x, y = (round(after.shape[0] * (0.015 + 0.97 * (at + 0.5) / 15)) for at in (ix, 14 - iy))
    palest = (0xF6, 0xF3, 0xE7)
    assert np.abs(before[y, x] - palest).max() > 5
    assert np.abs(after[y, x] - palest).max() <= 2


def test_a_geo_i_mechanism_is_made_comparable_on_one_click(visit):
    page = visit("/?mech=SEM-Geo-I").page
    wait_for_maps(page)
    headline = page.locator(".st-key-headline")
    expect(headline).to_contain_text("At the same ε, SEM-Geo-I promises less than DAM")
    error = shown_error(page)
    page.get_by_role("button", name="Use the ε′ that protects as much as DAM").click()
    assert wait_for_another_error(page, error) > 5 * error
    expect(headline).to_contain_text("SEM-Geo-I runs at ε′ = 0.69 per cell")
    expect(headline).to_contain_text("DAM’s 360 m")
    page.get_by_role("button", name="Back to the same ε").click()
    expect(headline).to_contain_text("promises less")
    assert shown_error(page) == error


def test_streets_are_asked_for_only_when_switched_on(app, browser):
    from tests.browser.conftest import watch

    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    watched = watch(context, app)
    page = watched.page
    # Nothing leaves this computer in a test: the host is unreachable, as for many visitors.
    page.route(re.compile("cartocdn"), lambda route: route.abort())
    page.goto(app.url)
    wait_for_maps(page)
    assert watched.foreign_requests == []
    page.get_by_role("button", name="Layers").click()
    page.get_by_text("Street map (loads from CARTO)").click()
    for _ in range(100):
        if watched.foreign_requests:
            break
        page.wait_for_timeout(100)
    assert watched.foreign_requests
    assert all("cartocdn.com" in url for url in watched.foreign_requests)
    expect(page.get_by_text("The street map cannot be loaded: basemaps.cartocdn.com does not answer")).to_be_visible()
    wait_for_maps(page)
    page.get_by_text("Street map (loads from CARTO)").click()
    expect(page.get_by_text("The street map cannot be loaded")).to_be_hidden()
    assert "Exception" not in page.inner_text("body")
    context.close()


def test_the_value_of_a_cell_is_shown_beside_the_pointer(visit):
    page = visit("/?d=5").page
    wait_for_maps(page)
    counts = population("san-francisco", 5).binned.counts
    label = page.locator(".cell-value")
    expect(label).to_be_hidden()
    frame = page.locator(".st-key-map-true canvas").first.bounding_box()
    # The middle of the map is the middle of the cell in the middle.
    page.mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    expect(label).to_have_text(re.compile(f"^{counts[2, 2]:,} people "))
    page.mouse.move(frame["x"] + frame["width"] * 0.7, frame["y"] + frame["height"] / 2)
    expect(label).to_have_text(re.compile(f"^{counts[3, 2]:,} people "))
    page.mouse.move(5, 5)
    expect(label).to_be_hidden()

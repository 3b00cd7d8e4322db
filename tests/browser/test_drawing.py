"""Drawing on the maps themselves: the area, and rectangles in which people are counted."""

import csv
import io
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from spatialldp.experiments import (
    counted_in,
    district_weights,
    districts,
    hot_spots,
    make_mechanism,
    population,
    simulate,
)
from spatialldp.grid import Grid
from tests.browser.looking import (
    MAPS,
    ground,
    metric,
    metric_box,
    pixels,
    shown_error,
    views,
    wait_for_another_error,
    wait_for_maps,
)

#: Corners of a drag, in pixels from the middle of a map.
FROM, TO = (-60, -30), (50, 20)


def dragging(page: Page, words: str) -> None:
    """Switch what dragging on a map does, and wait until it does."""
    page.locator(".st-key-dragging").get_by_text(words, exact=True).click()
    expect_dragging(page, words)
    expect(says(page)).to_have_count(0 if words == "Move" else 1)


def expect_dragging(page: Page, words: str) -> None:
    expect(page.locator(".st-key-dragging").get_by_role("radio", name=words)).to_be_checked()


def canvas_of(page: Page, name: str) -> Locator:
    return page.locator(f".st-key-map-{name} canvas").first


def middle(page: Page, name: str) -> tuple[float, float]:
    canvas_of(page, name).scroll_into_view_if_needed()
    frame = canvas_of(page, name).bounding_box()
    return frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2


def begin_drag(page: Page, name: str, start: tuple[float, float] = FROM, end: tuple[float, float] = TO) -> list[float]:
    """Press at one pixel of a map and drag to another, both from its middle; the box on the ground between them."""
    x, y = middle(page, name)
    frame = canvas_of(page, name).bounding_box()
    (ax, ay), (bx, by) = ground(page, name, [(x - frame["x"] + dx, y - frame["y"] + dy) for dx, dy in (start, end)])
    page.mouse.move(x + start[0], y + start[1])
    page.mouse.down()
    page.mouse.move(x, y, steps=2)
    page.mouse.move(x + end[0], y + end[1], steps=2)
    return [min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)]


def in_link(page: Page, name: str) -> list[float]:
    expect(page).to_have_url(re.compile(rf"[?&]{name}="))
    return [float(value) for value in re.search(rf"{name}=([^&]*)", page.url)[1].split(",")]


def on_the_ground(page: Page, name: str, drawn: Locator) -> list[float]:
    """The box that a rectangle on the screen covers on a map."""
    frame, box = canvas_of(page, name).bounding_box(), drawn.bounding_box()
    left, top = box["x"] - frame["x"], box["y"] - frame["y"]
    (west, south), (east, north) = ground(page, name, [(left, top + box["height"]), (left + box["width"], top)])
    return [west, south, east, north]


def says(page: Page) -> Locator:
    return page.locator(".draw-says")


def whole(text: str) -> int:
    return int(re.search(r"\n([+−]?[\d,]+)", text)[1].replace(",", "").replace("−", "-"))


def test_an_area_drawn_on_a_map_snaps_to_its_square_and_becomes_the_area(visit):
    page = visit().page
    wait_for_maps(page)
    before = views(page)
    dragging(page, "Draw an area")
    dragged = begin_drag(page, "true")
    expect(says(page)).to_have_text(re.compile(r"^\d\.\d km × \d\.\d km becomes a square of \d\.\d km per side$"))
    assert views(page) == before  # The map itself stays where it is.
    square = Grid.from_bounds(dragged, 1).bounds
    # In the order in which they were made: true, perturbed, recovered. A pixel is about 0.0006 degrees.
    for number, name in enumerate(MAPS):
        frame = page.locator(".draw-frame").nth(number)
        assert on_the_ground(page, name, frame.locator(".becomes")) == pytest.approx(square, abs=0.001)
        assert on_the_ground(page, name, frame.locator(".dragged")) == pytest.approx(dragged, abs=0.001)
    page.mouse.up()
    box = in_link(page, "box")
    assert box == pytest.approx(dragged, abs=1e-5)
    place = population("san-francisco", 15, box)
    expect(metric_box(page, "People")).to_contain_text(f"{place.users:,}")
    side = re.fullmatch(r"Your area was widened to a (\d+\.\d km) square; .*", place.note)[1]
    expect(page.get_by_text(f"Your area was widened to a {side} square")).to_be_visible()
    expect_dragging(page, "Move")
    expect(page.locator(".draw-frame")).to_have_count(0)
    page.get_by_text("Choose an area").click()
    for corner, value in zip(("West", "South", "East", "North"), box, strict=True):
        expect(page.get_by_label(re.compile(rf"^{corner}\b"))).to_have_value(f"{value:.5f}")


def test_a_drag_that_is_no_rectangle_gets_a_word_of_advice_and_escape_cancels(visit):
    page = visit("/?d=5&box=-122.42,37.76,-122.413,37.766").page
    wait_for_maps(page)
    link = page.url
    dragging(page, "Draw an area")
    x, y = middle(page, "perturbed")
    page.mouse.click(x, y)
    expect(says(page)).to_have_text(re.compile("That was a click. Press, drag across the map"))
    begin_drag(page, "true", (-50, 0), (50, 2))
    page.mouse.up()
    expect(says(page)).to_have_text(re.compile("That is a line. Drag from corner to corner"))
    # The map is some 670 m wide and high, so 20 pixels of at least 250 are 54 m at most.
    begin_drag(page, "recovered", (-10, -6), (10, 6))
    page.mouse.up()
    expect(says(page)).to_have_text(re.compile(r"^\d\d m per side is too small for an area: .* at least 100 m\.$"))
    begin_drag(page, "recovered")
    expect(page.locator(".draw-frame")).to_have_count(3)
    page.keyboard.press("Escape")
    expect(page.locator(".draw-frame")).to_have_count(0)
    expect(says(page)).to_have_text("Cancelled: nothing was drawn.")
    page.mouse.up()
    page.wait_for_timeout(300)
    assert page.url == link
    expect_dragging(page, "Draw an area")


def test_people_in_a_drawn_rectangle_are_those_of_the_library(visit):
    page = visit("/?data=new-haven&d=8").page
    wait_for_maps(page)
    place = population("new-haven", 8)
    recovered = simulate(place.counts, make_mechanism("DAM", 3.5, 8), 1).estimate.distribution * place.users
    dragging(page, "Count people")
    before = views(page)
    dragged = begin_drag(page, "recovered")
    assert page.locator(".draw-frame .becomes").count() == 0
    page.mouse.up()
    box = in_link(page, "count")
    assert box == pytest.approx(dragged, abs=1e-5)
    true = round(counted_in(place.counts.astype(float), place.grid, tuple(box)))
    shown = round(counted_in(recovered, place.grid, tuple(box)))
    expect(says(page)).to_have_text(f"{true:,} people; the recovered map says {shown:,}. More below the maps.")
    expect(page.locator(".st-key-range-counts")).to_contain_text("In the rectangle there are")
    assert whole(metric(page, "True people")) == true
    assert whole(metric(page, "Recovered people")) == shown
    for name in MAPS:
        pink = np.abs(pixels(page, name) - (208, 28, 118)).max(axis=2) < 25
        assert pink.sum() > 100, name
    # No map has noticed that somebody pressed on it.
    assert views(page) == before
    page.mouse.move(*middle(page, "recovered"), steps=3)
    page.wait_for_timeout(300)
    assert views(page) == before
    # Another one is a drag away, and a map that is left to move again moves.
    expect_dragging(page, "Count people")
    begin_drag(page, "true", (0, 0), (40, 40))
    page.mouse.up()
    expect(page).not_to_have_url(re.compile(re.escape(f"{box[0]:g}")))
    dragging(page, "Move")
    begin_drag(page, "true")
    page.mouse.up()
    assert abs(views(page)["true"][0] - before["true"][0]) > 0.005


def test_a_finger_draws_as_well(visit):
    page = visit("/?data=new-haven&d=6", width=420, height=900, has_touch=True).page
    wait_for_maps(page, ("true",))
    dragging(page, "Count people")
    x, y = middle(page, "true")
    touch = page.context.new_cdp_session(page)
    for kind, points in (
        ("touchStart", [(x - 50, y - 50)]),
        ("touchMove", [(x, y)]),
        ("touchMove", [(x + 50, y + 40)]),
        ("touchEnd", []),
    ):
        points = [{"x": px, "y": py} for px, py in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        page.wait_for_timeout(100)
    west, south, east, north = in_link(page, "count")
    left, bottom, right, top = population("new-haven", 6).grid.bounds
    assert left < west < (left + right) / 2 < east < right
    assert bottom < south < (bottom + top) / 2 < north < top


def test_a_district_from_the_menu_and_the_table_of_hot_spots_say_what_the_library_says(visit):
    page = visit("/?d=8").page
    wait_for_maps(page)
    place = population("san-francisco", 8)
    shares = simulate(place.counts, make_mechanism("DAM", 3.5, 8), 1).estimate.distribution
    menu = page.get_by_role("combobox", name="Count people in")
    menu.click()
    menu.fill("94110")  # the long list would have to be scrolled
    page.get_by_role("option", name="postcode 94110", exact=True).click()
    expect(page).to_have_url(re.compile("count=94110$"))
    weights = district_weights(place.grid, districts("san-francisco")["94110"])
    expect(page.get_by_text("In postcode 94110 there are")).to_be_visible()
    assert whole(metric(page, "True people")) == round(weights.counted(place.counts.astype(float)))
    assert whole(metric(page, "Recovered people")) == round(weights.counted(shares * place.users))
    page.get_by_text("Top cells:").click()
    found = hot_spots(place.counts.astype(float), shares)
    # The table is a picture with the same table inside it, for those who have it read out.
    for row, spot in enumerate(found):
        people = page.get_by_test_id("stDataFrame").get_by_test_id(f"glide-cell-2-{row}")
        expect(people).to_have_text(f"{spot.people:.0f}")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Top cells, CSV").click()
    rows = list(csv.DictReader(io.StringIO(waiting.value.path().read_text("utf-8"))))
    assert [(int(row["ix"]), int(row["iy"])) for row in rows] == [(spot.ix, spot.iy) for spot in found]
    assert [float(row["recovered_people"]) for row in rows] == [spot.recovered for spot in found]
    assert [int(row["recovered_rank_first"]) for row in rows] == [spot.recovered_rank.first for spot in found]
    assert all(row["district"] in districts("san-francisco") for row in rows)


def test_the_little_map_shows_the_square_and_answers_a_click(visit):
    page = visit("/?d=5").page
    wait_for_maps(page, ("true",))
    link = page.url
    page.get_by_text("Choose an area").click()
    canvas = page.locator(".st-key-box-map canvas").first
    expect(canvas).to_be_visible()
    page.wait_for_timeout(500)  # the panel unfolds
    frame = canvas.bounding_box()
    status = page.locator(".st-key-box-map").get_by_role("status")
    page.mouse.click(frame["x"] + 100, frame["y"] + 100)
    expect(status).to_have_text(re.compile("^That was a click. Press, drag"))
    page.mouse.move(frame["x"] + 60, frame["y"] + 60)
    page.mouse.down()
    page.mouse.move(frame["x"] + 180, frame["y"] + 100, steps=3)
    expect(status).to_have_text(re.compile(r"km × .* becomes a square of \d\.\d km per side"))
    assert page.url == link
    page.mouse.up()
    expect(page).to_have_url(re.compile("box="))


def test_the_label_under_the_pointer_is_that_of_the_run_on_the_page(visit):
    page = visit("/?d=3").page
    wait_for_maps(page)
    error = shown_error(page)
    page.get_by_role("slider", name=re.compile("Privacy budget")).press("ArrowLeft")
    wait_for_another_error(page, error)
    page.wait_for_timeout(500)  # the labels come last
    page.mouse.move(*middle(page, "true"))
    expect(page.locator(".cell-value:visible")).to_have_count(1)

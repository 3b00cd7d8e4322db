"""Explore's maps are as large as the window allows, whole, and show one place at one place. Measured in pixels."""

import io
import re
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.looking import MAPS, metric_box, pixels, views, wait_for_maps, wait_for_other_pixels

#: Plain units have no outlines, so that whatever is not white is a cell.
BARE = "/?data=normal&d=8"


def cells_in(picture: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of all that is not white in a picture (height, width, 3)."""
    drawn = (picture < 250).any(axis=2)
    columns, rows = np.flatnonzero(drawn.any(axis=0)), np.flatnonzero(drawn.any(axis=1))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def settled_cells(page: Page, name: str) -> tuple[tuple[int, int, int, int], tuple[int, int]]:
    """Where the cells of a map are once it no longer changes, and width and height of the map."""
    before = None
    for _ in range(100):
        picture = pixels(page, name)
        if before is not None and picture.shape == before.shape and (picture == before).all():
            return cells_in(picture), (picture.shape[1], picture.shape[0])
        before = picture
        page.wait_for_timeout(300)
    raise AssertionError("the map never came to rest")


def frame_in(picture: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the dark frame around the true area, on a map that goes on beyond it."""
    dark = picture.max(axis=2) < 150
    upright, level = (np.flatnonzero(dark.sum(axis=axis) > 0.5 * dark.shape[axis]) for axis in (0, 1))
    return int(upright[0]), int(level[0]), int(upright[-1]) + 1, int(level[-1]) + 1


def whole_width(page: Page, name: str) -> int:
    """How many pixels the true area is wide on a map, none of whose cells is cut."""
    cells, (wide, high) = settled_cells(page, name)
    left, top, right, bottom = frame_in(pixels(page, name)) if name == "perturbed" else cells
    # A strip beside the area on every side.
    assert min(left, top, wide - right, high - bottom) >= 1
    assert abs((right - left) - (bottom - top)) <= 2
    return right - left


def wait_for_canvas(page: Page, name: str, is_right: Callable[[float], bool]) -> None:
    """Until the canvas of a map has the right width."""
    for _ in range(100):
        if is_right(page.locator(f".st-key-map-{name} canvas").first.bounding_box()["width"]):
            return
        page.wait_for_timeout(100)
    raise AssertionError("the map has another size")


def beside_the_sidebar(page: Page) -> float:
    return page.locator("[data-testid=stMain]").bounding_box()["width"]


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1440, 900), (1920, 1080)])
def test_three_whole_maps_fill_the_width_and_one_screen_holds_all_that_matters(visit, width, height):
    page = visit(BARE, width=width, height=height).page
    wait_for_maps(page)
    covered = 0
    for name in MAPS:
        covered += whole_width(page, name)
    assert covered >= 0.75 * beside_the_sidebar(page)
    for thing in (
        page.get_by_role("heading", name="How much of a map"),
        page.get_by_role("slider", name=re.compile("Privacy budget")),
        metric_box(page, "Error W2"),
        page.get_by_text("On average (root mean square)"),
        *(page.locator(f".st-key-map-{name} canvas").first for name in MAPS),
    ):
        box = thing.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height


def test_on_a_telephone_each_map_is_as_wide_as_the_screen(visit):
    page = visit(BARE, width=420, height=900).page
    wait_for_maps(page)
    for name in MAPS:
        page.locator(f".st-key-map-{name}").scroll_into_view_if_needed()
        assert whole_width(page, name) >= 0.85 * 420
    assert page.evaluate("document.documentElement.scrollWidth") <= 420


@pytest.mark.parametrize(
    ("name", "width", "height"), [("true", 1280, 720), ("perturbed", 1440, 900), ("recovered", 1920, 1080)]
)
def test_full_screen_fits_the_map_again_and_so_does_the_way_back(visit, name, width, height):
    page = visit(BARE, width=width, height=height).page
    wait_for_maps(page)
    chart = page.locator(f".st-key-map-{name}")
    small = whole_width(page, name)
    chart.hover()
    chart.get_by_role("button", name=re.compile("Fullscreen", re.I)).click()
    wait_for_canvas(page, name, lambda wide: wide > 0.9 * width)
    assert whole_width(page, name) >= 0.8 * min(width, height)
    page.keyboard.press("Escape")
    wait_for_canvas(page, name, lambda wide: wide < 0.95 * width)
    # Below the mouse the map has buttons.
    page.mouse.move(0, 0)
    assert whole_width(page, name) == pytest.approx(small, abs=1)


def orange(picture: np.ndarray) -> tuple[int, int, int, int]:
    """Where the orange line around the chosen area is."""
    return cells_in(np.where((np.abs(picture - (214, 92, 0)).max(axis=2) < 60)[..., None], 0, 255))


def test_one_place_is_at_one_place_in_the_three_maps_also_after_a_drag_and_a_reset(visit):
    # The box is twice as wide as high: its line is a landmark inside the square.
    page = visit("/?d=8&box=-122.45,37.76,-122.40,37.78", width=1440, height=900).page
    wait_for_maps(page)
    settled_cells(page, "recovered")
    at_first = {name: orange(pixels(page, name)) for name in MAPS}
    assert at_first["true"][2] - at_first["true"][0] > 250
    assert at_first["perturbed"] == pytest.approx(at_first["true"], abs=1)
    assert at_first["recovered"] == pytest.approx(at_first["true"], abs=1)
    reset = page.get_by_role("button", name="Reset view")
    expect(reset).to_be_disabled()  # by aria-disabled: it keeps the focus
    before = pixels(page, "true")
    frame = page.locator(".st-key-map-recovered canvas").first.bounding_box()
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 30, y + 25, steps=5)
    page.mouse.up()
    wait_for_other_pixels(page, "true", before)
    settled_cells(page, "true")
    dragged = {name: orange(pixels(page, name)) for name in MAPS}
    # The first pixels of a drag are what makes it one.
    assert 15 <= dragged["true"][1] - at_first["true"][1] <= 26
    assert dragged["true"] == pytest.approx(dragged["recovered"], abs=1)
    assert dragged["perturbed"] == pytest.approx(dragged["recovered"], abs=1)
    reset.click()
    expect(reset).to_be_disabled()
    expect(reset).to_be_focused()
    for name in MAPS:
        settled_cells(page, name)
        assert orange(pixels(page, name)) == pytest.approx(at_first[name], abs=1)


def test_the_difference_map_moves_in_step(visit):
    page = visit("/?d=8&diff=1&box=-122.45,37.76,-122.40,37.78", width=1440, height=1400).page
    wait_for_maps(page, (*MAPS, "difference"))
    settled_cells(page, "difference")
    before = pixels(page, "difference")
    frame = page.locator(".st-key-map-true canvas").first.bounding_box()
    page.mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    page.mouse.wheel(0, -300)
    wait_for_other_pixels(page, "difference", before)
    settled_cells(page, "difference")
    zoomed = views(page, (*MAPS, "difference"))
    assert zoomed["difference"][:2] == pytest.approx(zoomed["true"][:2], abs=1e-6)
    # Without it the others stay where they are.
    page.get_by_role("button", name="Layers").click()
    page.get_by_text("Difference map", exact=True).click()
    expect(page.locator(".st-key-map-difference")).to_have_count(0)
    page.wait_for_timeout(1000)
    assert views(page)["true"] == pytest.approx(zoomed["true"], abs=1e-6)


def test_the_error_stays_in_sight_when_the_page_is_scrolled(visit):
    page = visit("/?d=8", width=1280, height=720).page
    wait_for_maps(page)
    page.get_by_text("Downloads:").scroll_into_view_if_needed()
    expect(page.locator(".st-key-map-true canvas").first).not_to_be_in_viewport(ratio=0.9)
    expect(metric_box(page, "Error W2")).to_be_in_viewport(ratio=0.9)
    # Nor does anything lie on it, or shine through.
    value = metric_box(page, "Error W2").get_by_test_id("stMetricValue")
    assert value.evaluate("""(value) => {
      const box = value.getBoundingClientRect();
      return value.contains(document.elementFromPoint(box.left + 20, box.top + box.height / 2));
    }""")
    headline = page.get_by_test_id("stLayoutWrapper").filter(has=page.locator("> .st-key-headline")).last
    assert headline.evaluate("(part) => getComputedStyle(part).backgroundColor") == "rgb(255, 255, 255)"


def test_a_printed_page_has_the_settings_and_three_maps_side_by_side_but_no_sidebar(visit):
    page = visit("/?d=8&eps=2", width=1280, height=720).page
    wait_for_maps(page)
    settings = page.get_by_text("ε = 2, 8 × 8 cells")
    expect(settings).to_be_hidden()
    printed = page.pdf(landscape=True, format="A4")
    assert printed.startswith(b"%PDF")
    page.emulate_media(media="print")
    expect(settings).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    for control in ("Three maps", "Downloads:", "Count people in"):
        expect(page.get_by_text(control, exact=control != "Downloads:").first).to_be_hidden()
    boxes = [page.locator(f".st-key-map-{name} canvas").first.bounding_box() for name in MAPS]
    assert len({round(box["y"]) for box in boxes}) == 1
    assert sum(box["width"] for box in boxes) > 0.9 * 1280
    picture = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 100

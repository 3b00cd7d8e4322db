"""Looking closer in a browser: swipe, play and columns on Explore, and the maps of Compare that open large."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.looking import change_epsilon, pixels, shown_error, wait_for_maps


def picture(place: Locator) -> np.ndarray:
    """What is on the screen there, (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(place.screenshot())).convert("RGB")).astype(int)


def part(seen: np.ndarray, left: float, right: float) -> np.ndarray:
    """The part of a picture between two shares of its width."""
    width = seen.shape[1]
    return seen[:, round(left * width) : round(right * width)]


def alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether nothing changed that could be seen: a line that is painted again may be a shade off."""
    return bool(np.abs(one - other).max() <= 3)


def shows(seen: np.ndarray, image: Locator) -> bool:
    """Whether a square on the screen has the colours of a picture of cells; the upper half may be below a heading."""
    source = base64.b64decode(image.get_attribute("src").partition(",")[2])
    cells = np.asarray(Image.open(io.BytesIO(source)).convert("RGB")).astype(int)
    d, side = len(cells), seen.shape[0] / len(cells)
    for row in range(d // 2, d):
        for column in range(d):
            top, left = round((row + 0.2) * side), round((column + 0.2) * side)
            # Most of a cell is free of outlines.
            colour = np.median(seen[top : top + round(0.6 * side), left : left + round(0.6 * side)], axis=(0, 1))
            if np.abs(colour - cells[row, column]).max() > 4:
                return False
    return True


def divider_of(place: Page | Locator) -> Locator:
    return place.get_by_role("slider", name=re.compile("^Divider between"))


def expect_divider(divider: Locator, text: str) -> None:
    expect(divider).to_have_attribute("aria-valuetext", text)


def swipe_to(divider: Locator, percent: int) -> None:
    """By keyboard alone."""
    at = int(divider.input_value())
    for _ in range(abs(percent - at)):
        divider.press("ArrowRight" if percent > at else "ArrowLeft")


def expect_a_swipe_by_keyboard(place: Page | Locator) -> None:
    """Every part of the picture changes with the divider, and no other does."""
    divider, stack = divider_of(place), place.locator(".stack")
    divider.press("End")
    expect_divider(divider, "100% true, 0% recovered")
    true = picture(stack)
    assert shows(true, stack.get_by_role("img", name=re.compile("^True map")))
    divider.press("Home")
    expect_divider(divider, "0% true, 100% recovered")
    recovered = picture(stack)
    assert shows(recovered, stack.get_by_role("img", name=re.compile("^Recovered map")))
    swipe_to(divider, 30)
    expect_divider(divider, "30% true, 70% recovered")
    before = picture(stack)
    swipe_to(divider, 70)
    expect_divider(divider, "70% true, 30% recovered")
    after = picture(stack)
    # Clear of the handle, which moves along, and of the labels in the upper corners.
    assert alike(part(after, 0, 0.25), part(before, 0, 0.25))
    assert alike(part(after, 0.75, 1), part(before, 0.75, 1))
    assert alike(part(before, 0.36, 0.64), part(recovered, 0.36, 0.64))
    assert alike(part(after, 0.36, 0.64), part(true, 0.36, 0.64))
    assert np.abs(part(true, 0.36, 0.64) - part(recovered, 0.36, 0.64)).max() > 20


def test_swipe_by_keyboard_uncovers_one_map_and_covers_the_other(visit):
    # So high that nothing is scrolled: below the headline a part of the picture would be hidden.
    page = visit("/?view=swipe&d=6&eps=1", height=1100).page
    expect_divider(divider_of(page), "50% true, 50% recovered")
    expect_a_swipe_by_keyboard(page)


def test_swipe_by_dragging_on_the_picture_reads_cells_and_chooses_another_pair(visit):
    # So high that nothing is scrolled: below the headline a part of the picture would be hidden.
    page = visit("/?view=swipe&d=6&eps=1", width=1280, height=1000).page
    stack = page.locator(".stack")
    expect(stack.get_by_text("Recovered")).to_be_visible()
    shown_error(page)  # the page is at rest
    box = stack.bounding_box()
    before = picture(stack)
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 210)
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 220)
    page.mouse.up()
    expect_divider(divider_of(page), "20% true, 80% recovered")
    after = picture(stack)
    assert alike(part(after, 0.56, 1), part(before, 0.56, 1))
    assert np.abs(part(after, 0.26, 0.44) - part(before, 0.26, 0.44)).max() > 20
    expect(page.locator(".values")).to_have_text(
        re.compile(r"^True: [\d,]+ (people|person) \([\d.]+%\)\s*Recovered: [\d,]+ (people|person) \([\d.]+%\)$")
    )
    # After the button is up, moving no longer drags.
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 220)
    expect_divider(divider_of(page), "20% true, 80% recovered")
    page.get_by_role("radio", name="Perturbed | Recovered").check()
    expect_divider(divider_of(page), "20% perturbed, 80% recovered")
    expect(page.get_by_text("of the reports fall outside the area")).to_be_visible()
    swapped = picture(stack)
    # Between the names of the maps, the divider and the edge.
    assert alike(part(swapped, 0.4, 0.6), part(after, 0.4, 0.6))
    assert np.abs(part(swapped, 0, 0.14) - part(after, 0, 0.14)).max() > 20


def test_a_slider_changes_the_pictures_and_leaves_divider_pair_and_focus_alone(visit):
    page = visit("/?view=swipe&d=6&eps=1").page
    page.get_by_role("radio", name="Perturbed | Recovered").check()
    swipe_to(divider_of(page), 45)
    image = page.get_by_role("img", name=re.compile("^Recovered map"))
    before = image.get_attribute("src")
    change_epsilon(page)
    expect(image).not_to_have_attribute("src", before)
    expect_divider(divider_of(page), "45% perturbed, 55% recovered")
    expect(page.get_by_role("radio", name="Perturbed | Recovered")).to_be_checked()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080), (420, 900)])
def test_the_swipe_is_as_large_as_the_window_allows(visit, width, height):
    page = visit("/?view=swipe&d=6&eps=1", width=width, height=height).page
    box = page.locator(".stack").bounding_box()
    assert box["width"] == pytest.approx(box["height"], abs=1)
    if width > 640:  # on one screen with the error
        assert box["width"] >= 0.5 * height
        assert box["y"] + box["height"] <= height
    else:
        assert box["width"] >= 0.9 * width
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_play_over_epsilon_to_the_end_says_what_explore_says_there(visit):
    page = visit("/?view=play&d=6").page
    player = page.locator(".st-key-play-player")
    said, slider = player.get_by_role("status"), player.get_by_role("slider", name="Privacy budget ε")
    expect(page.get_by_text("All 18 pictures are ready.")).to_be_visible()
    expect(said).to_have_text(re.compile(r"^ε = 0\.5: off by [\d.]+ cells \([\d,]+ m\)$"))
    slider.press("End")
    for _ in range(3):
        slider.press("ArrowLeft")
    expect(said).to_have_text(re.compile(r"^ε = 7\.5: "))
    recovered, marker = player.get_by_role("img", name=re.compile("^Recovered map")), player.locator(".marker")
    before, place = recovered.get_attribute("src"), float(marker.get_attribute("cx"))
    curve = player.get_by_role("img", name=re.compile("^Error W2, metres"))
    drawn = picture(curve)
    player.get_by_role("button", name="Play").click()
    expect(said).to_have_text(re.compile(r"^ε = 9: off by "))
    expect(player.get_by_role("button", name="Play")).to_be_visible()
    assert recovered.get_attribute("src") != before
    assert float(marker.get_attribute("cx")) > place
    assert (picture(curve) != drawn).any()
    cells, metres = re.search(r"off by ([\d.]+) cells \(([\d,]+ m)\)", said.inner_text()).groups()
    page.goto(re.sub(r"\?.*", "?d=6&eps=9", page.url))
    wait_for_maps(page)
    assert shown_error(page) == pytest.approx(float(cells), abs=5.1e-3)
    assert metres in page.inner_text("body")


def wait_for_pictures(page: Page, slider: Locator, last: int) -> None:
    """Until the player has the picture of this number."""
    for _ in range(600):
        if int(slider.get_attribute("max")) >= last:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"picture {last} has not come")


def test_pictures_that_arrive_leave_the_player_and_the_keyboard_where_they_are(visit):
    page = visit("/?view=play&d=40&mech=SEM-Geo-I&seed=77").page
    player = page.locator(".st-key-play-player")
    expect(page.get_by_text(re.compile("of 18 pictures are ready; the rest will follow"))).to_be_visible()
    slider = player.get_by_role("slider", name="Privacy budget ε")
    slider.press("Home")
    expect(player.get_by_role("status")).to_have_text(re.compile(r"^ε = 0\.5: "))
    wait_for_pictures(page, slider, 2)
    slider.press("ArrowRight")
    expect(player.get_by_role("status")).to_have_text(re.compile(r"^ε = 1: "))
    expect(page.get_by_text("All 18 pictures are ready.")).to_be_visible(timeout=120_000)
    expect(player.get_by_role("status")).to_have_text(re.compile(r"^ε = 1: "))
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("max", "17")


def test_pause_stops_a_player_that_began_while_pictures_arrived(visit):
    page = visit("/?view=play&d=40&mech=SEM-Geo-I&seed=78").page
    player = page.locator(".st-key-play-player")
    expect(page.get_by_text(re.compile("of 18 pictures are ready; the rest will follow"))).to_be_visible()
    slider, said = player.get_by_role("slider", name="Privacy budget ε"), player.get_by_role("status")
    player.get_by_role("button", name="Play").click()
    before = int(slider.get_attribute("max"))
    wait_for_pictures(page, slider, before + 3)
    expect(said).not_to_have_text(re.compile(r"^ε = 0\.5: "))
    player.get_by_role("button", name="Pause").click()
    slider.press("Home")
    expect(said).to_have_text(re.compile(r"^ε = 0\.5: "))
    wait_for_pictures(page, slider, int(slider.get_attribute("max")) + 2)
    expect(said).to_have_text(re.compile(r"^ε = 0\.5: "))
    expect(slider).to_have_value("0")
    expect(player.get_by_role("button", name="Play")).to_be_visible()


def test_play_over_d_changes_both_maps(visit):
    page = visit("/?view=play&mech=k-RR&d=6").page
    page.get_by_role("radiogroup", name="Play").get_by_text(re.compile("over d")).click()
    player = page.locator(".st-key-play-player")
    slider = player.get_by_role("slider", name="Cells per side d")
    expect(page.get_by_text("All 19 pictures are ready.")).to_be_visible()
    expect(page).to_have_url(re.compile("view=play&play=d"))
    true, recovered = (player.get_by_role("img", name=re.compile(name)) for name in ("^True map", "^Recovered map"))
    before = true.get_attribute("src"), recovered.get_attribute("src")
    slider.press("End")
    expect(player.get_by_role("status")).to_have_text(re.compile(r"^d = 60: off by [\d.]+ cells \([\d,]+ m\)$"))
    assert true.get_attribute("src") != before[0]
    assert recovered.get_attribute("src") != before[1]


def colours(seen: np.ndarray) -> int:
    return len(np.unique(seen.reshape(-1, 3), axis=0))


def drawn_columns(seen: np.ndarray) -> np.ndarray:
    """Where something is drawn, (height, width)."""
    return np.abs(seen - seen[-1, 0]).max(axis=2) > 8


def is_fitted(seen: np.ndarray) -> bool:
    """Whether the drawing reaches no edge of its canvas but takes most of the width there is."""
    drawn = drawn_columns(seen)
    at_an_edge = drawn[:2].any() or drawn[-2:].any() or drawn[:, :2].any() or drawn[:, -2:].any()
    wide = np.ptp(np.flatnonzero(drawn.any(axis=0))) if drawn.any() else 0
    return bool(not at_an_edge and wide > 0.75 * min(seen.shape[1], 1.6 * seen.shape[0]))


def fitted_columns(page: Page) -> np.ndarray:
    """The columns once they are fitted to their canvas, which is after the first picture."""
    for _ in range(100):
        if is_fitted(seen := pixels(page, "columns")):
            return seen
        page.wait_for_timeout(200)
    raise AssertionError("the columns are not fitted to their canvas")


def test_columns_are_fitted_again_when_the_window_is_another_size(visit):
    page = visit("/?view=columns&d=8", width=1600, height=900).page
    wait_for_maps(page, ("columns",))
    before = fitted_columns(page)
    page.set_viewport_size({"width": 950, "height": 700})
    page.wait_for_function(
        "width => document.querySelector('.st-key-map-columns canvas').clientWidth < 0.8 * width", arg=before.shape[1]
    )
    fitted_columns(page)


@pytest.mark.parametrize(
    ("data", "width", "height"), [("san-francisco", 1280, 720), ("san-francisco", 1920, 1080), ("normal", 420, 900)]
)
def test_columns_of_both_maps_are_drawn_and_none_is_cut_off(visit, data, width, height):
    page = visit(f"/?view=columns&d=8&data={data}", width=width, height=height).page
    wait_for_maps(page, ("columns",))
    seen = fitted_columns(page)
    expect(page.locator(".st-key-unseen-fit-map-columns")).to_be_hidden()
    middle = seen.shape[1] // 2
    assert colours(seen[:, :middle]) > 50
    assert colours(seen[:, middle:]) > 50


def test_a_map_of_compare_opens_large_by_keyboard_and_by_click(visit):
    page = visit("/compare?d=6&eps=1&repeats=2&with=DAM,k-RR").page
    expect(page.get_by_text(re.compile("mechanisms are done"))).to_have_count(0)
    expect(page.get_by_text("What one report hides")).to_be_visible()
    card = page.get_by_role("button", name=re.compile("^Look closer: k-RR"))
    caption = re.search(r"[\d.]+ cells \([\d,]+ m\), one draw", card.inner_text())[0]
    card.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name=re.compile("^k-RR"))).to_be_visible()
    expect(dialog.get_by_text(f"error W2 {caption}")).to_be_visible()
    expect_a_swipe_by_keyboard(dialog)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Look closer: DAM")).locator("img").click()
    expect(dialog.get_by_role("heading", name=re.compile("^DAM"))).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_role("link", name="Explore").click()
    wait_for_maps(page)
    page.get_by_role("link", name="Compare").click()
    expect(card).to_be_visible()
    expect(page.get_by_text("What one report hides")).to_be_visible()
    expect(dialog).to_have_count(0)
    # The browser's own button leaves a dialog open behind it.
    card.press("Enter")
    expect(dialog.get_by_role("heading", name=re.compile("^k-RR"))).to_be_visible()
    page.go_back()
    wait_for_maps(page)
    expect(dialog).to_have_count(0)
    page.get_by_role("link", name="Compare").click()
    expect(card).to_be_visible()
    expect(page.get_by_text("What one report hides")).to_be_visible()
    expect(dialog).to_have_count(0)


def test_a_map_stays_open_while_others_are_computed_and_they_are_there_when_it_is_closed(visit):
    page = visit("/lesson?step=4&d=30&seed=91").page
    cards = page.locator(".st-key-lesson-maps button.card")
    cards.first.press("Enter")
    dialog, computing = page.get_by_role("dialog"), page.get_by_text(re.compile("^Computing the curves"))
    expect(dialog.get_by_role("heading", name=re.compile("^DAM"))).to_be_visible()
    assert cards.count() < 5
    swipe_to(divider_of(dialog), 45)
    expect(computing).to_be_visible()
    expect(computing).to_have_count(0, timeout=120_000)
    expect_divider(divider_of(dialog), "45% true, 55% recovered")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(cards).to_have_count(5)
    expect(dialog).to_have_count(0)


@pytest.mark.parametrize(("width", "columns"), [(420, 1), (1280, 3), (1920, 5)])
def test_the_maps_of_compare_fill_the_width(visit, width, columns):
    page = visit("/compare?d=5&repeats=1&with=DAM,HUEM,MDSW,k-RR,OUE", width=width, height=900).page
    maps = page.locator(".st-key-small-maps img")
    expect(maps).to_have_count(6)
    boxes = [maps.nth(number).bounding_box() for number in range(6)]
    row = [box for box in boxes if abs(box["y"] - boxes[0]["y"]) < 2]
    assert len(row) >= columns
    whole = page.locator(".st-key-small-maps").bounding_box()
    assert sum(box["width"] for box in row) > 0.9 * whole["width"] - 16 * len(row)
    assert min(box["width"] for box in boxes) >= 230
    assert page.evaluate("document.documentElement.scrollWidth") <= width

"""The lesson on a screen in front of a class: a step is seen at a glance, and keys turn the pages."""

import re

import pytest
from playwright.sync_api import Page, expect

from spatialldp.experiments import equal_protection
from tests.browser.lesson import D, expect_step

#: The pictures of each step that are to be on one screen with its text, and how many there are.
PICTURES = {
    1: (".st-key-pictures [class*='st-key-map-'] canvas", 3),
    2: (".st-key-pictures [class*='st-key-map-'] canvas", 3),
    3: (".st-key-pictures [data-testid=stVegaLiteChart]", 1),
    4: (".st-key-ruler-maps img", 5),
    # The true map and every mechanism; of a jump, which there is not at ε = 5, both sides.
    5: (".st-key-small-maps img", 4),
    6: (".st-key-again-maps img, .st-key-pictures [data-testid=stVegaLiteChart]", 6),
}
CHARTS = ".st-key-pictures [data-testid=stVegaLiteChart]"
SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"


def problems(page: Page, selector: str, many: int) -> list[str]:
    """What of a step is not in the window, or too small to be seen from the last row."""
    pictures, size, found = page.locator(selector), page.viewport_size, []
    if pictures.count() != many:
        return [f"{pictures.count()} pictures instead of {many}"]
    # A chart is as tall as its place, and what is drawn in it, titles of its axes included, no taller.
    drawn = page.locator(f"{CHARTS} canvas, {CHARTS} svg").all() if CHARTS in selector else []
    shown = [page.locator(".st-key-words"), *pictures.all(), *drawn]
    for one in shown:
        box = one.bounding_box()
        if box is None:
            return [f"{one} is being replaced"]
        if box["height"] <= 80:
            found.append(f"{one} is {box['height']} high")
        if not 0 <= box["x"] < box["x"] + box["width"] <= size["width"] + 1:
            found.append(f"{one} from {box['x']}, {box['width']} wide")
        if not 0 < box["y"] < box["y"] + box["height"] <= size["height"]:
            found.append(f"{one} from {box['y']}, {box['height']} high")
    bar = [button.bounding_box()["y"] for button in page.locator(".st-key-step button").all()]
    return found if len(bar) == 6 and len(set(bar)) == 1 else [*found, f"bar at {bar}"]


def expect_one_screen(page: Page, number: int, jumps: int = 0) -> None:
    """The words and the pictures of a step are in the window, at the top of the page."""
    selector, many = PICTURES[number]
    many += jumps if number == 5 else 0
    expect(page.locator(selector)).to_have_count(many, timeout=120_000)
    found = problems(page, selector, many)
    # The text is measured before pictures get their size.
    for _ in range(50):
        if not found:
            break
        page.wait_for_timeout(200)
        found = problems(page, selector, many)
    assert not found
    assert page.evaluate(SCROLLED) == 0


def expect_title_below_header(page: Page) -> None:
    title, header = page.get_by_role("heading", level=1), page.get_by_test_id("stHeader")
    assert title.bounding_box()["y"] >= header.bounding_box()["height"]


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_a_teacher_turns_all_six_steps_by_keys_and_by_the_browsers_back(visit, width, height):
    page = visit(f"/lesson?d={D}&repeats=1&eps=5", width=width, height=height).page
    for number in range(1, 7):
        expect_step(page, number)
        expect_one_screen(page, number)
        expect_title_below_header(page)
        # Whoever has scrolled down finds the next step at its top.
        page.locator(".st-key-step-next").scroll_into_view_if_needed()
        if number < 6:
            page.keyboard.press("ArrowRight")
    for number in (5, 4, 3):
        page.go_back()
        expect_step(page, number)
    page.go_forward()
    expect_step(page, 4)
    page.keyboard.press("ArrowLeft")
    expect_step(page, 3)
    page.get_by_role("button", name="Next: Can the ruler be fooled?").click()
    expect_step(page, 4)
    assert page.evaluate(SCROLLED) == 0
    # A slider keeps its arrow keys.
    page.get_by_role("slider", name=re.compile("Privacy budget")).press("ArrowRight")
    expect(page).to_have_url(re.compile(r"eps=5\.1.*step=4"))


@pytest.mark.parametrize(("epsilon", "d"), [(5.0, D), (3.5, 15)])
def test_on_a_projector_every_step_is_on_one_screen_too(visit, epsilon, d):
    page = visit(f"/lesson?d={d}&repeats=1&eps={epsilon:g}&present=1", width=1280, height=720).page
    for number in range(1, 7):
        expect_step(page, number)
        expect_one_screen(page, number, jumps=equal_protection("SEM-Geo-I", epsilon, d).jumped)
        if number < 6:
            page.keyboard.press("ArrowRight")


@pytest.mark.parametrize("mode", ["present", "bare"])
def test_without_a_sidebar_nothing_is_wasted_above_the_controls(visit, mode):
    page = visit(f"/lesson?d={D}&{mode}=1", width=1280, height=720).page
    expect_step(page, 1)
    page.wait_for_function("document.querySelector('.st-key-essentials').getBoundingClientRect().y < 20")
    formula, heading = page.locator(".st-key-words .katex-html").first, page.locator(".st-key-map-dam strong")
    expect(heading).to_be_visible(timeout=60_000)
    below, next_line = formula.bounding_box(), heading.bounding_box()
    assert next_line["y"] - (below["y"] + below["height"]) > 10


def test_maps_on_a_projector_are_no_smaller_than_elsewhere(visit):
    heights = []
    for mode in ("", "&present=1"):
        page = visit(f"/lesson?d={D}&step=2{mode}", width=1280, height=720).page
        expect_step(page, 2)
        expect_one_screen(page, 2)
        heights.append(page.locator(PICTURES[2][0]).first.bounding_box()["height"])
    assert heights[1] >= heights[0]


@pytest.mark.parametrize(("width", "height", "least"), [(1280, 720, 350), (1920, 1080, 500)])
def test_the_curve_of_every_day_takes_the_room_there_is(visit, width, height, least):
    page = visit(f"/lesson?d={D}&step=6", width=width, height=height).page
    expect_step(page, 6)
    expect_one_screen(page, 6)
    assert page.locator(f"{CHARTS} canvas, {CHARTS} svg").first.bounding_box()["height"] >= least


def test_pictures_keep_their_size_when_an_answer_is_unfolded(visit):
    page = visit(f"/lesson?d={D}&step=2", width=1280, height=720).page
    expect_step(page, 2)
    expect_one_screen(page, 2)
    first = page.locator(PICTURES[2][0]).first
    before = first.bounding_box()
    page.locator(".st-key-answer-2 summary").click()
    expect(page.get_by_text("an island in a lake")).to_be_visible()
    page.wait_for_function(
        "(y) => document.querySelector('.st-key-map-dam canvas').getBoundingClientRect().y > y + 50", arg=before["y"]
    )
    page.wait_for_timeout(500)
    assert first.bounding_box()["height"] == before["height"]


def test_an_arrow_after_a_click_turns_the_page_and_a_keyboards_own_arrows_stay(visit):
    page = visit(f"/lesson?d={D}&data=new-haven").page
    expect_step(page, 1)
    page.get_by_text("2 · Attacker").click()
    expect_step(page, 2)
    page.keyboard.press("ArrowRight")
    expect_step(page, 3)
    page.keyboard.press("ArrowLeft")
    expect_step(page, 2)
    page.get_by_text("The attacker knows where people live").click()
    expect(page).to_have_url(re.compile("prior=density"))
    page.keyboard.press("ArrowRight")
    expect_step(page, 3)
    page.keyboard.press("ArrowRight")
    expect_step(page, 4)
    page.locator(".st-key-ruler-choice").get_by_text("Local privacy").click()
    expect(page.get_by_text("SEM-Geo-I (three cells) protects better.")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect_step(page, 5)
    # Whoever came to the bar by keyboard walks along it.
    page.locator(".st-key-step button").nth(4).focus()
    page.keyboard.press("Shift")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".st-key-step button").nth(3)).to_be_focused()
    expect_step(page, 5)
    # A number field and a menu keep theirs as well.
    for control in (page.get_by_role("spinbutton", name="Random seed"), page.get_by_role("combobox").first):
        control.click()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Escape")
        page.wait_for_timeout(300)
        expect_step(page, 5)

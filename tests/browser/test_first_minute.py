"""The first minute in a real browser: stories, the tour, the presenter mode, the bare form, ε on a telephone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import (
    change_epsilon,
    choose_data,
    expect_data,
    metric_box,
    shown_error,
    wait_for_another_error,
    wait_for_maps,
)

STORIES = [
    "What ε = 1 does to a city",
    "A small town struggles",
    "Same ε, different promise",
    "500 m: how private?",
    "Where the error is",
]


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def epsilon_slider(page: Page):
    return page.get_by_role("slider", name=re.compile("Privacy budget"))


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_the_way_in_leaves_the_maps_on_the_first_screen(visit, width, height):
    page = visit("/", width=width, height=height).page
    wait_for_maps(page)
    for title in STORIES:
        box = page.get_by_role("link", name=title, exact=True).bounding_box()
        assert box["x"] >= 340
        assert box["x"] + box["width"] < page.get_by_role("button", name="Present").bounding_box()["x"]
    for name in ("true", "perturbed", "recovered"):
        box = page.locator(f".st-key-map-{name} canvas").first.bounding_box()
        assert box["y"] + box["height"] <= height
        assert box["height"] > 0.3 * height


def test_every_story_is_told_one_after_the_other_and_closed(visit):
    page = visit("/", width=1280, height=720).page
    page.get_by_role("link", name=STORIES[0], exact=True).click()
    for number, title in enumerate(STORIES):
        heading(page, title)
        expect(page.get_by_text(f"Story {number + 1} of 5")).to_be_visible()
        if title == "500 m: how private?":
            expect(page).to_have_url(re.compile(r"/tradeoff\?v=2&story=target$"))
        else:
            expect(page).to_have_url(re.compile(r"/\?v=2&story=\w+$"))
        page.get_by_role("link", name=f"Next: {STORIES[(number + 1) % 5]}").click()
    heading(page, STORIES[0])
    expect(page.locator(".st-key-story")).to_contain_text("561 m")
    page.get_by_role("button", name="Close the story").click()
    heading(page, "How much of a map survives local privacy?")
    # The view stays, to go on from.
    expect(page).to_have_url(re.compile(r"/\?v=2&eps=1$"))


def test_a_story_whose_view_was_changed_says_so_and_offers_it_again(visit):
    page = visit("/?story=city").page
    expect(page.locator(".st-key-story")).to_contain_text("561 m")
    change_epsilon(page)
    expect(page.locator(".st-key-story")).not_to_contain_text("561 m")
    expect(page).to_have_url(re.compile(r"\?v=2&eps=0\.9&story=city$"))
    page.get_by_role("button", name="Back to the story’s view").click()
    expect(page.locator(".st-key-story")).to_contain_text("561 m")
    # The one for telephones is hidden by a style that may come a moment later than the slider.
    expect(epsilon_slider(page)).to_have_count(1)
    expect(epsilon_slider(page)).to_have_value("1")


def test_the_tour_is_walked_by_keyboard_skipped_and_repeated(visit):
    page = visit("/", width=1280, height=720).page
    wait_for_maps(page)
    card = page.get_by_role("dialog")
    expect(card).to_have_count(0)
    page.get_by_role("button", name="New here? Take the tour").focus()
    page.keyboard.press("Enter")
    seen = []
    for number in range(1, 7):
        expect(card).to_contain_text(f"Stop {number} of 6")
        box = card.bounding_box()
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= 1280
        assert box["y"] + box["height"] <= 720
        seen.append(card.get_by_role("heading").inner_text())
        page.keyboard.press("Enter")
    assert len(set(seen)) == 6
    expect(card).to_have_count(0)
    again = page.get_by_role("button", name="Tour", exact=True)
    expect(again).to_be_focused()
    page.keyboard.press("Enter")
    expect(card).to_contain_text("Stop 1 of 6")
    page.keyboard.press("ArrowRight")
    expect(card).to_contain_text("Stop 2 of 6")
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    # It stays skipped, also after a visit to another page.
    page.get_by_role("link", name="How it works").click()
    heading(page, "How it works")
    page.get_by_role("link", name="Explore").click()
    expect(again).to_be_visible()


def test_on_a_telephone_the_tour_shows_all_of_what_it_is_about(visit):
    page = visit("/?d=8", width=420, height=900, reduced_motion="reduce").page
    shown_error(page)
    wait_for_maps(page)
    page.get_by_role("button", name="New here?", exact=True).click()
    page.get_by_role("button", name="New here? Take the tour").click()
    card, frame = page.get_by_role("dialog"), page.locator(".st-key-strip .frame")
    below = page.get_by_test_id("stHeader").bounding_box()["height"]
    for number in range(1, 7):
        expect(card).to_contain_text(f"Stop {number} of 6")
        # Frame and card follow what they stand beside with the next picture.
        page.wait_for_timeout(300)
        framed, said = frame.bounding_box(), card.bounding_box()
        assert said["x"] >= 0
        assert said["y"] >= 0
        assert said["x"] + said["width"] <= 420
        assert said["y"] + said["height"] <= 900
        if number < 6:
            assert below <= framed["y"]
        if number == 5:
            figure = metric_box(page, "Error W2").bounding_box()
            assert below <= figure["y"]
            assert figure["y"] + figure["height"] <= said["y"]
        if number == 6:
            # The menu is behind this button.
            opens = page.get_by_test_id("stExpandSidebarButton").bounding_box()
            for start, size in (("x", "width"), ("y", "height")):
                assert framed[start] <= opens[start]
                assert opens[start] + opens[size] <= framed[start] + framed[size]
                assert framed[size] <= 60
        page.keyboard.press("Enter")
    expect(card).to_have_count(0)


def test_the_page_can_be_used_while_the_tour_is_open(visit):
    page = visit("/?d=8", width=1280, height=720).page
    before = shown_error(page)
    page.get_by_role("button", name="New here? Take the tour").click()
    for _ in range(3):
        page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("dialog")).to_contain_text("ε, the privacy budget")
    change_epsilon(page)
    wait_for_another_error(page, before)
    expect(page.get_by_role("dialog")).to_contain_text("ε, the privacy budget")
    page.get_by_role("button", name="Skip the tour").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


PAGES = ["/?d=5", "/compare?d=5&repeats=1&with=DAM", "/tradeoff?d=5&data=new-haven", "/lesson?d=5", "/how_it_works?d=5"]


@pytest.mark.parametrize("path", PAGES)
def test_the_presenter_mode_is_entered_used_and_left_on_every_page(visit, path):
    page = visit(path, width=1280, height=720).page
    page.get_by_role("button", name="Present").click()
    expect(page.get_by_role("button", name="Leave (Esc)")).to_be_visible()
    expect(page).to_have_url(re.compile("present=1"))
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    lower, higher = ("ArrowDown", "ArrowUp") if "lesson" in path else ("ArrowLeft", "ArrowRight")
    expect(page.locator(".st-key-unseen-arrow-keys [data-listening]")).to_be_attached()
    for key in (higher, higher, higher, lower):
        page.keyboard.press(key)
    expect(epsilon_slider(page)).to_have_value("3.7")
    expect(page).to_have_url(re.compile(r"eps=3\.7&"))
    row = [
        page.get_by_role("combobox", name="People and place"),
        epsilon_slider(page),
        page.get_by_role("slider", name="Cells per side d"),
        page.get_by_role("button", name="Leave (Esc)"),
    ]
    boxes = [control.bounding_box() for control in row]
    assert all(0 <= box["y"] < 120 and box["x"] + box["width"] <= 1280 for box in boxes), boxes
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).not_to_have_url(re.compile("present"))


@pytest.mark.parametrize("path", PAGES)
def test_the_button_of_the_presenter_mode_is_level_with_the_menu_beside_it(visit, path):
    page = visit(path, width=1280, height=720).page
    for width in (1280, 1440):
        page.set_viewport_size({"width": width, "height": 720})
        pair = [page.get_by_role("button", name="Present"), page.get_by_test_id("stMainMenu").get_by_role("button")]
        for button in pair:
            expect(button).to_be_visible()
        page.wait_for_timeout(300)
        middles = [box["y"] + box["height"] / 2 for box in (button.bounding_box() for button in pair)]
        assert abs(middles[0] - middles[1]) <= 1, (width, middles)


def test_the_presenter_mode_shows_the_whole_name_of_a_mechanism(visit):
    page = visit("/?present=1&d=5&mech=Planar+Laplace", width=1280, height=720).page
    menu = page.get_by_role("combobox", name="Mechanism")
    expect(menu).to_have_value("Planar Laplace")
    assert menu.evaluate("field => field.scrollWidth <= field.clientWidth")


def test_the_presenter_mode_survives_other_pages_and_keys_belong_to_the_field_in_use(visit):
    page = visit("/?present=1&d=8").page
    page.get_by_role("button", name="Pages").click()
    page.get_by_role("link", name="Lesson").click()
    heading(page, re.compile("Two promises"))
    expect(page).to_have_url(re.compile(r"/lesson\?v=2&d=8&present=1$"))
    page.get_by_role("combobox", name="People and place").click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Leave (Esc)")).to_be_visible()
    expect(epsilon_slider(page)).to_have_value("3.5")


def test_a_bare_page_has_no_menu_and_leads_to_the_whole_one(visit):
    page = visit("/how_it_works?bare=1&eps=2", width=900, height=700).page
    heading(page, "How it works")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    expect(page.get_by_role("link", name="Explore")).to_have_count(0)
    epsilon_slider(page).press("ArrowRight")
    expect(page).to_have_url(re.compile(r"/how_it_works\?v=2&eps=2\.1&bare=1$"))
    whole = page.get_by_role("link", name="Open the whole page")
    expect(whole).to_have_attribute("href", re.compile(r"\?v=2&eps=2\.1$"))


def test_streamlits_own_embedding_still_works(visit):
    page = visit("/?embed=true&d=8").page
    wait_for_maps(page)
    expect(page).to_have_url(re.compile(r"\?v=2&d=8&embed=true$"))
    change_epsilon_in_the_address = re.compile(r"eps=3\.4&d=8&embed=true$")
    epsilon_slider(page).press("ArrowLeft")
    expect(page).to_have_url(change_epsilon_in_the_address)
    expect(page.get_by_test_id("stMainMenu")).to_have_count(0)


def test_a_copied_link_has_a_mode_only_where_that_is_meant(visit):
    page = visit("/?d=8", permissions=["clipboard-read", "clipboard-write"]).page
    page.get_by_role("button", name="Copy link to this view").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith("/?v=2&d=8")
    page.get_by_text("Other links").click()
    for name, end in (("projector", "/?v=2&d=8&present=1"), ("course page", "/?v=2&d=8&bare=1")):
        page.get_by_role("button", name=f"Copy link for a {name}").click()
        page.wait_for_function(f"navigator.clipboard.readText().then((text) => text.endsWith('{end}'))")


def test_what_needs_a_download_stands_behind_one_entry(visit):
    page = visit("/?d=5").page
    expect_data(page, "San Francisco addresses")
    page.get_by_role("combobox", name="People and place").click()
    options = page.get_by_role("option").all_inner_texts()
    assert options[:2] == ["San Francisco addresses", "New Haven police cases"]
    assert options[-1] == "More cities, to download …"
    assert not any("Chicago" in option or "New York" in option for option in options)
    page.keyboard.press("Escape")
    choose_data(page, "More cities, to download …")
    page.get_by_role("combobox", name="To download").click()
    page.get_by_role("option", name="New York green taxis 2016", exact=True).click()
    expect(page).to_have_url(re.compile("data=nyc-green-taxi-2016"))
    expect(page.get_by_role("button", name="Download it now")).to_be_visible()
    choose_data(page, "New Haven police cases")
    expect(page.get_by_role("combobox", name="To download")).to_have_count(0)


def test_on_a_telephone_epsilon_and_the_stories_are_at_hand(visit):
    page = visit("/?d=8", width=420, height=900).page
    before = shown_error(page)
    slider = epsilon_slider(page)
    # Not `to_be_in_viewport`: the field itself lies clipped below the handle that is seen.
    box = slider.bounding_box()
    assert 0 <= box["y"] <= 900 - box["height"]
    slider.press("ArrowLeft")
    wait_for_another_error(page, before)
    expect(page).to_have_url(re.compile(r"eps=3\.4"))
    page.get_by_role("button", name="New here?", exact=True).click()
    page.get_by_role("link", name="A small town struggles").click()
    heading(page, "A small town struggles")
    assert page.evaluate("document.documentElement.scrollWidth") <= 420

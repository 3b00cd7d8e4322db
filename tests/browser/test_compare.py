"""Compare in a browser: the choice of a ruler, both sides of a jump, and everything within a small screen."""

import re

import pytest
from playwright.sync_api import expect


def wait_until_done(page) -> None:
    expect(page.get_by_text("What one report hides")).to_be_visible()
    expect(page.get_by_text(re.compile("mechanisms are done"))).to_have_count(0)


def choose(page, option: str) -> None:
    page.get_by_role("combobox", name=re.compile("Ruler by which Geo-I mechanisms")).click()
    page.get_by_role("option", name=option).click()


def test_another_ruler_is_chosen_shown_and_in_the_address(visit):
    page = visit("/compare?d=5&eps=5&repeats=2&with=DAM,SEM-Geo-I").page
    wait_until_done(page)
    expect(page.get_by_text("“Local privacy” is made equal")).to_be_visible()
    choose(page, "Worst-case loss across the map")
    expect(page.get_by_text("“Worst case” is made equal")).to_be_visible()
    expect(page.get_by_role("table").nth(1).get_by_text("5 (150 times)")).to_have_count(2)
    expect(page).to_have_url(re.compile("geo=worst"))
    page.reload()
    expect(page.get_by_text("“Worst case” is made equal")).to_be_visible()


def test_both_sides_of_a_jump_are_in_the_tables_and_the_chart(visit):
    page = visit("/compare?repeats=3&with=DAM,SEM-Geo-I").page
    wait_until_done(page)
    expect(page.get_by_text("SEM-Geo-I cannot match DAM here")).to_be_visible()
    for table in (0, 1):
        for side in ("just below the jump", "just above the jump"):
            expect(page.get_by_role("table").nth(table).get_by_text(f"SEM-Geo-I, {side}")).to_be_visible()
    expect(page.get_by_text("Least error on both sides of the jump: DAM")).to_be_visible()
    page.get_by_text("Can the ruler be fooled?").click()
    expect(page.get_by_role("table").nth(2).get_by_text("26.3%")).to_be_visible()


def test_the_three_measures_are_tabs_whose_charts_fill_the_same_place(visit):
    page = visit("/compare?d=6&eps=5&repeats=3&with=DAM,MDSW").page
    wait_until_done(page)
    widths = []
    for name, axis in (
        ("W2 between grids", "W2 between grids, metres"),
        ("Range error", "people per 1,000"),
        ("Top cells", "Top cells recovered, of 5"),
    ):
        page.get_by_role("tab", name=name, exact=True).click()
        panel = page.get_by_role("tabpanel").filter(visible=True)
        expect(panel).to_have_count(1)
        chart = panel.get_by_test_id("stVegaLiteChart").locator("canvas, svg").first
        expect(chart).to_be_visible()
        described = panel.locator("[aria-label*='draws']").first.get_attribute("aria-label")
        assert axis in described
        widths.append(chart.bounding_box()["width"])
    # A chart drawn while its tab was hidden would be a stripe.
    assert min(widths) > 300
    assert max(widths) - min(widths) < 30


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_telephone_shows_it_without_scrolling_sideways(visit, theme):
    page = visit("/compare?d=8&repeats=2", width=420, height=900, color_scheme=theme).page
    wait_until_done(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    for number in range(page.get_by_role("table").count()):
        box = page.get_by_role("table").nth(number).bounding_box()
        assert box["x"] + box["width"] <= 420

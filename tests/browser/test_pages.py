"""Compare, links into every page, both themes, small screens."""

import re

import pytest
from playwright.sync_api import expect

from spatialldp.datasets import dataset
from spatialldp.datasets.official import SOURCES
from tests.browser.conftest import start
from tests.browser.looking import (
    change_epsilon,
    expect_data,
    metric_box,
    shown_error,
    wait_for_another_error,
    wait_for_maps,
)
from tests.datasets.portal import Portal

FOUR = ("DAM", "HUEM", "MDSW", "SEM-Geo-I")


def wait_for_compare(page, names=FOUR) -> dict[str, float]:
    """The error of each mechanism, cells, when all are there."""
    found = {}
    cards = page.locator(".st-key-small-maps")
    for name in names:
        card = cards.get_by_text(
            re.compile(rf"^{name}( · best)?\s*[\d.]+ cells \([\d,]+ m\), one draw(, below the jump)?$")
        )
        expect(card.first).to_be_visible(timeout=60_000)
        found[name] = float(re.search(r"([\d.]+) cells", card.first.inner_text())[1])
    return found


def test_compare_opened_cold_shows_four_mechanisms(visit):
    page = visit("/compare").page
    errors = wait_for_compare(page)
    assert all(0 < error < 10 for error in errors.values())
    expect(page.get_by_text(re.compile("^(Least|Tied for least) error"))).to_be_visible()
    expect(page.get_by_text("as far off as with DAM (“local privacy”)")).to_be_visible()
    # No ε′ of SEM-Geo-I is equal here: it has a map on either side of the jump.
    expect(page.locator(".st-key-small-maps img")).to_have_count(6)
    expect(page.get_by_test_id("stVegaLiteChart").locator("canvas, svg").first).to_be_visible()
    # The same seed on Explore gives the same error.
    page.get_by_role("link", name="Explore").click()
    wait_for_maps(page)
    assert shown_error(page) == pytest.approx(errors["DAM"], abs=1e-9)


@pytest.mark.parametrize(
    ("path", "label"),
    [("/?box=-122.435,37.745,-122.4,37.775", "Computed in"), ("/tradeoff?with=DAM&repeats=2", "Right cell named")],
)
def test_no_figure_is_cut_off_on_a_small_laptop(visit, path, label):
    page = visit(path, width=1280, height=720).page
    expect(metric_box(page, label)).to_be_visible(timeout=60_000)
    cut = """[...document.querySelectorAll("[data-testid=stMetric] *")]
      .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === "hidden")
      .map(e => e.innerText)"""
    assert page.evaluate(cut) == []


def test_choices_survive_moving_between_pages(visit):
    page = visit("/?data=new-haven&eps=5&d=8").page
    wait_for_maps(page)
    error = shown_error(page)
    page.get_by_role("link", name="Compare").click()
    errors = wait_for_compare(page)
    assert errors["DAM"] == pytest.approx(error, abs=1e-9)
    expect(page).to_have_url(re.compile(r"/compare\?.*data=new-haven.*eps=5&d=8"))
    page.locator(".st-key-compared").get_by_text("k-RR").click()
    wait_for_compare(page, (*FOUR, "k-RR"))
    expect(page).to_have_url(re.compile("with=DAM,HUEM,MDSW,SEM-Geo-I,k-RR"))
    page.get_by_role("combobox", name=re.compile("Ruler by which Geo-I mechanisms")).click()
    page.get_by_role("option", name="None: use the same ε").click()
    expect(page.get_by_text("bought with less protection")).to_be_visible()


def test_a_long_comparison_arrives_piece_by_piece_and_can_be_stopped(visit):
    page = visit("/compare?d=24&eps=0.7&repeats=20&with=MDSW,HUEM").page
    expect(page.get_by_text(re.compile("of 2 mechanisms are done; computing"))).to_be_visible(timeout=30_000)
    page.get_by_role("button", name="Stop", exact=True).and_(page.locator(".st-key-stop button")).click()
    expect(page.get_by_text(re.compile("Stopped: [01] of 2"))).to_be_visible(timeout=20_000)
    expect(page.get_by_role("button", name="Continue")).to_be_visible()


@pytest.mark.parametrize("path", ["/", "/compare", "/lesson", "/how_it_works"])
def test_garbage_in_a_link_is_said_and_ignored(visit, path):
    page = visit(f"{path}?eps=abc&d=9999&mech=%3Cimg%20src=x%3E&box=1,2&data=nowhere").page
    page.get_by_text("5 parts of the link could not be used").click(timeout=60_000)
    expect(page.get_by_text("Ignored ").first).to_be_visible()
    expect(page.get_by_text("Ignored ")).to_have_count(5)
    expect_data(page, "San Francisco addresses")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_telephone_shows_everything_without_scrolling_sideways(visit, theme):
    page = visit("/?d=8", width=420, height=900, color_scheme=theme).page
    wait_for_maps(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    for name in ("true", "perturbed", "recovered"):
        box = page.locator(f".st-key-map-{name} canvas").first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 420


def test_drawing_again_and_the_way_back_to_the_best_radius(visit):
    page = visit("/?d=10").page
    wait_for_maps(page)
    first = shown_error(page)
    page.get_by_role("button", name="Draw again").click()
    second = wait_for_another_error(page, first)
    slider = page.get_by_role("slider", name=re.compile("Radius b"))
    slider.focus()
    page.keyboard.press("End")
    assert wait_for_another_error(page, second) > second
    page.get_by_role("button", name="Back to the optimum, b = 2").click()
    expect(page.get_by_text("b = 2 is the optimum; it follows")).to_be_visible()
    page.get_by_role("button", name="Reset to defaults").click()
    expect(page).to_have_url(re.compile(r"/\?v=2$"))


def test_a_set_that_was_fetched_stays_with_the_next_click(browser, monkeypatch, tmp_path):
    source, title = SOURCES["chicago-crimes-2022"], dataset("chicago-crimes-2022").title
    rows = [(f"{-87.8 + i % 20 / 100:.3f}", f"{41.7 + i % 17 / 100:.3f}") for i in range(400)]
    monkeypatch.setenv("SPATIALLDP_CACHE", str(tmp_path))
    with Portal(source.resource, [source.longitude, source.latitude], rows) as portal:
        monkeypatch.setenv("SPATIALLDP_PORTAL", portal.address)
        app = start(tmp_path)
        try:
            page = browser.new_page()
            page.goto(f"{app.url}/?data=chicago-crimes-2022&d=5")
            expect_data(page, "More cities, to download …")
            expect(page.get_by_role("combobox", name="To download")).to_have_value(title)
            page.get_by_role("button", name="Download it now").click()
            expect(metric_box(page, "People")).to_contain_text("400")
            expect_data(page, title)
            change_epsilon(page)
            expect_data(page, title)
            expect(metric_box(page, "People")).to_contain_text("400")
            page.close()
        finally:
            app.process.terminate()
            app.process.wait(10)

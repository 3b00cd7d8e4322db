"""The Explore page as a visitor meets it."""

import io
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from spatialldp import DAM, wasserstein2
from spatialldp.datasets import SYNTHETIC

pytestmark = pytest.mark.xdist_group("browser")  # one server and one browser for all of them
MAPS = ("true", "perturbed", "recovered")


def pixels(page: Page, name: str) -> np.ndarray:
    """What the map with this name shows, (height, width, 3)."""
    canvas = page.locator(f".st-key-map-{name} canvas").first
    return np.asarray(Image.open(io.BytesIO(canvas.screenshot())).convert("RGB")).astype(int)


def wait_for_maps(page: Page) -> None:
    for name in MAPS:
        expect(page.locator(f".st-key-map-{name} canvas").first).to_be_visible(timeout=60_000)
    for _ in range(100):
        if all(len(np.unique(pixels(page, name).reshape(-1, 3), axis=0)) > 20 for name in MAPS):
            return
        page.wait_for_timeout(200)
    raise AssertionError("a map stayed empty")


def shown_error(page: Page) -> float:
    text = page.get_by_test_id("stMetric").filter(has_text="Error W2").inner_text()
    return float(re.search(r"([\d.]+) cells", text)[1])


def wait_for_another_error(page: Page, before: float) -> float:
    for _ in range(100):
        if (now := shown_error(page)) != before:
            return now
        page.wait_for_timeout(100)
    raise AssertionError("W2 did not change")


def test_three_maps_are_drawn_and_the_error_is_the_librarys(visitor):
    wait_for_maps(visitor.page)
    recipe = SYNTHETIC["normal"]
    counts = recipe.grid(15).bin(*recipe.points(0)).counts
    mechanism = DAM(3.5, 15)
    estimate = mechanism.estimate(mechanism.perturb(counts, np.random.default_rng(1)))
    assert shown_error(visitor.page) == pytest.approx(wasserstein2(counts, estimate.distribution), abs=5e-4)


def test_less_budget_gives_another_map_and_a_larger_error(visitor):
    page = visitor.page
    wait_for_maps(page)
    before, error = pixels(page, "recovered"), shown_error(page)
    slider = page.get_by_role("slider", name=re.compile("Privacy budget"))
    slider.focus()
    for _ in range(25):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("e^ε = 2.72 times likelier")).to_be_visible()
    assert wait_for_another_error(page, error) > error
    page.wait_for_timeout(500)
    assert np.abs(pixels(page, "recovered") - before).max() > 20


def test_drawing_again_changes_the_reports_and_a_chosen_radius_counts(visitor):
    page = visitor.page
    wait_for_maps(page)
    first = shown_error(page)
    page.get_by_role("button", name="Draw again").click()
    second = wait_for_another_error(page, first)
    page.get_by_text("Best radius for ε and d").click()
    slider = page.get_by_role("slider", name=re.compile("Radius b"))
    slider.focus()
    page.keyboard.press("End")
    assert wait_for_another_error(page, second) > second

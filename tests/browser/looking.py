"""What a visitor sees: pixels, numbers and where the maps look."""

import io
import re

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page, expect

MAPS = ("true", "perturbed", "recovered")

#: The viewport of a chart, read from deck.gl itself.
_VIEWPORT = """key => {
  const canvas = document.querySelector(`.st-key-map-${key} canvas`);
  const name = Object.keys(canvas).find(k => k.startsWith("__reactFiber$"));
  for (let fiber = canvas[name]; fiber; fiber = fiber.return)
    for (let hook = fiber.memoizedState; hook && typeof hook === "object"; hook = hook.next) {
      const kept = hook.memoizedState, deck = (Array.isArray(kept) && kept[0]?.deck) || kept?.current?.deck;
      if (deck?.getViewports) return deck.getViewports()[0];
    }
}"""
_VIEW = f"key => {{ const v = ({_VIEWPORT})(key); return [v.longitude, v.latitude, v.zoom]; }}"
_GROUND = f"([key, pixels]) => {{ const v = ({_VIEWPORT})(key); return pixels.map((pixel) => v.unproject(pixel)); }}"


def pixels(page: Page, name: str) -> np.ndarray:
    """What the map with this name shows, (height, width, 3)."""
    canvas = page.locator(f".st-key-map-{name} canvas").first
    return np.asarray(Image.open(io.BytesIO(canvas.screenshot())).convert("RGB")).astype(int)


def wait_for_maps(page: Page, names: tuple[str, ...] = MAPS) -> None:
    """Until every map is drawn."""
    for name in names:
        expect(page.locator(f".st-key-map-{name} canvas").first).to_be_visible(timeout=60_000)
    for _ in range(450):
        if all(len(np.unique(pixels(page, name).reshape(-1, 3), axis=0)) > 20 for name in names):
            return
        page.wait_for_timeout(200)
    raise AssertionError("a map stayed empty")


def metric_box(page: Page, label: str) -> Locator:
    """The figure with this label."""
    exactly = page.get_by_test_id("stMetricLabel").get_by_text(label, exact=True)
    return page.get_by_test_id("stMetric").filter(has=exactly)


def metric(page: Page, label: str) -> str:
    """The text of a figure under the maps."""
    return metric_box(page, label).inner_text(timeout=60_000)


def shown_error(page: Page) -> float:
    """The error above the maps, once it is computed."""
    expect(metric_box(page, "Error W2")).to_contain_text("cells")
    return float(re.search(r"([\d.]+) cells", metric(page, "Error W2"))[1])


def wait_for_another_error(page: Page, before: float) -> float:
    for _ in range(900):
        if page.get_by_test_id("stMetric").count() and (now := shown_error(page)) != before:
            return now
        page.wait_for_timeout(100)
    raise AssertionError("W2 did not change")


def wait_for_other_pixels(page: Page, name: str, before: np.ndarray) -> None:
    for _ in range(300):
        now = pixels(page, name)
        if now.shape != before.shape or np.abs(now - before).max() > 20:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"the {name} map did not change")


def expect_data(page: Page, title: str) -> None:
    """The chosen data set, as the menu shows it."""
    expect(page.get_by_test_id("stSelectbox").first.locator("input").first).to_have_value(title)


def choose_data(page: Page, title: str) -> None:
    """Another data set, from the menu."""
    page.get_by_role("combobox", name="People and place").click()
    page.get_by_role("option", name=title, exact=True).click()


def change_epsilon(page: Page) -> float:
    """A click on something that has nothing to do with the data; the new ε."""
    slider = page.get_by_role("slider", name=re.compile("Privacy budget"))
    # The one for telephones is hidden by a style that may come a moment later than the slider.
    expect(slider).to_have_count(1)
    epsilon = round(float(slider.input_value()) - 0.1, 1)
    slider.press("ArrowLeft")
    expect(page).to_have_url(re.compile(rf"eps={epsilon:g}(&|$)"))
    return epsilon


def views(page: Page, names: tuple[str, ...] = MAPS) -> dict[str, list[float]]:
    """Longitude, latitude and zoom of each map."""
    return {name: page.evaluate(_VIEW, name) for name in names}


def ground(page: Page, name: str, pixels: list[tuple[float, float]]) -> list[list[float]]:
    """The coordinates at pixels of a map, counted from the upper left of its canvas."""
    found: list[list[float]] = page.evaluate(_GROUND, [name, [list(pixel) for pixel in pixels]])
    return found

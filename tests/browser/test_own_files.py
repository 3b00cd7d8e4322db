"""One file of a visitor's own after another: each takes the place of the one before, on every page."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from playwright.sync_api import Page, expect

from spatialldp import DAM
from spatialldp.datasets import dataset, read_points
from spatialldp.experiments import population, simulate
from spatialldp.population import Population
from spatialldp.recovery_path import recovery_path
from spatialldp.wasserstein import wasserstein2
from tests.browser.looking import change_epsilon, choose_data, expect_data, metric_box

#: A small grid and one mechanism, so that a busy machine is done in time.
D = 5
SETTINGS = f"d={D}&with=DAM&repeats=2&part=recovery"


@dataclass(frozen=True)
class File:
    name: str
    rows: int
    west: float
    south: float

    @property
    def content(self) -> bytes:
        points = ((self.west + i % 20 / 200, self.south + i * i % 23 / 200) for i in range(self.rows))
        return "\n".join(["lon,lat", *(f"{x:.3f},{y:.3f}" for x, y in points)]).encode()

    @property
    def people(self) -> Population:
        upload = read_points(self.content, self.name)
        return Population.of_points(upload.points, D, upload.bounds)


BERLIN = File("berlin.csv", 600, 13.3, 52.45)
OSLO = File("oslo.csv", 444, 10.7, 59.9)
LIMA = File("lima.csv", 333, -77.1, -12.1)


def use(page: Page, file: File) -> None:
    """Choose the file, wait until it is looked at, and use it."""
    panel = page.locator(".st-key-own")
    if not panel.get_by_test_id("stFileUploader").is_visible():
        panel.get_by_text("Use your own file").click()
    panel.locator("input[type=file]").set_input_files(
        {"name": file.name, "mimeType": "text/csv", "buffer": file.content}
    )
    # What is known of the former file stays until that of the new one is there.
    expect(panel.get_by_text(f"{file.rows} of {file.rows} rows can be used")).to_be_visible()
    expect(page.locator(".stApp[data-test-script-state=notRunning]")).to_be_visible()
    panel.get_by_role("button", name="Use these points").click()


def expect_file(page: Page, file: File) -> None:
    """The menu and the line below it, which every page has."""
    expect_data(page, f"{file.name} (your file)")
    expect(page.get_by_text("Area: all of it")).to_contain_text(f"{file.rows} of {file.rows} rows can be used")


def turn_to(page: Page, title: str) -> None:
    """Another page, with all its controls: the link is drawn after them."""
    page.get_by_role("link", name=title, exact=True).click()
    expect(page).to_have_url(re.compile(rf"/{PATHS[title]}\?v=2"))


def on_explore(page: Page, file: File, epsilon: float) -> None:
    expect(metric_box(page, "People")).to_contain_text(f"{file.rows}")
    error = simulate(file.people.binned.counts, DAM(epsilon, D), 1).w2_cells
    expect(metric_box(page, "Error W2")).to_contain_text(f"{error:.3f} cells")


def on_compare(page: Page, file: File, epsilon: float) -> None:
    expect(page.get_by_text(f"all {file.rows} people are inside")).to_be_visible()
    error = simulate(file.people.binned.counts, DAM(epsilon, D), 1).w2_cells
    maps = page.locator(".st-key-small-maps")
    expect(maps.get_by_text(re.compile(rf"{error:.3f} cells( \([\d,]+ m\))?, one draw"))).to_be_visible()
    expect(maps.locator("img")).to_have_count(2)


def on_tradeoff(page: Page, file: File, epsilon: float) -> None:
    expect(page.get_by_text(f"everybody: {file.rows}", exact=True)).to_be_visible()
    expect(page.get_by_text(f"all {file.rows} people are inside")).to_be_visible()


def on_lesson(page: Page, file: File, epsilon: float) -> None:
    # Nobody placed the person, who therefore stands in the fullest cell.
    page.get_by_role("button", name="Place the person").click()
    expect(page.get_by_text(f"{file.people.binned.counts.max()} people live in this cell")).to_be_visible()
    page.keyboard.press("Escape")


def on_how_it_works(page: Page, file: File, epsilon: float) -> None:
    counts, mechanism = file.people.binned.counts, DAM(epsilon, D)
    path = recovery_path(mechanism, mechanism.perturb(counts, np.random.default_rng(1)))
    error = wasserstein2(counts, path.distributions[path.chosen])
    expect(metric_box(page, "Error at the chosen step")).to_contain_text(f"{error:.3f} cells")
    expect(page.get_by_text(f"Why step {path.chosen} and not {path.best}?")).to_be_visible()


PATHS = {
    "Explore": "",
    "Compare": "compare",
    "Trade-off": "tradeoff",
    "Lesson": "lesson",
    "How it works": "how_it_works",
}
PAGES: dict[str, Callable[[Page, File, float], None]] = {
    "Explore": on_explore,
    "Compare": on_compare,
    "Trade-off": on_tradeoff,
    "Lesson": on_lesson,
    "How it works": on_how_it_works,
}


def test_a_second_and_a_third_file_are_shown_on_every_page_and_stay_whatever_is_clicked(visit):
    page = visit(f"/?{SETTINGS}").page
    use(page, BERLIN)
    expect_file(page, BERLIN)
    epsilon = change_epsilon(page)
    on_explore(page, BERLIN, epsilon)
    for file in (OSLO, LIMA):  # the second on the first page, the third on the last one
        use(page, file)
        expect_file(page, file)
        for title, expect_numbers in PAGES.items():
            turn_to(page, title)
            expect_file(page, file)
            expect_numbers(page, file, epsilon)
            epsilon = change_epsilon(page)
            expect_file(page, file)
            expect_numbers(page, file, epsilon)


def test_the_second_file_is_there_again_after_a_public_set_and_after_a_reset(visit):
    page = visit(f"/?{SETTINGS}").page
    for file in (BERLIN, OSLO):
        use(page, file)
        expect_file(page, file)
    choose_data(page, dataset("new-haven").title)
    expect(metric_box(page, "People")).to_contain_text(f"{population('new-haven', D).binned.inside:,}")
    choose_data(page, "oslo.csv (your file)")
    expect_file(page, OSLO)
    on_explore(page, OSLO, change_epsilon(page))
    page.get_by_role("button", name="Reset to defaults").click()
    expect(page).to_have_url(re.compile(r"\?v=2&data=upload$"))
    expect_file(page, OSLO)
    expect(metric_box(page, "People")).to_contain_text("444")

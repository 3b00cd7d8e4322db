"""The Trade-off page as somebody who has to decide meets it."""

import functools
import re

import pytest
from playwright.sync_api import Page, expect

from spatialldp.datasets import dataset
from spatialldp.experiments import population
from spatialldp.experiments.plan import Plan
from spatialldp.formatting import added_up, length
from spatialldp.planning import sentences
from spatialldp.planning.decision import Decision, assess, decide
from tests.browser.looking import change_epsilon, choose_data, metric_box
from tests.browser.test_own_files import BERLIN, use

#: A small town and two repeats, so that a busy machine is done in time.
ADDRESS = "/tradeoff?data=new-haven&repeats=2"
people_on = functools.cache(lambda d: population("new-haven", d))


def wait_until_complete(page: Page) -> None:
    expect(page.locator(".st-key-get-report button:enabled")).to_be_visible(timeout=240_000)


def decided(target: float) -> tuple[Decision, str]:
    """What the library recommends for New Haven with two repeats, and in which words."""
    *_, found = decide(people_on, Plan(), target, 1, 2)
    return found, sentences.recommendation(found, assess(people_on, found.plan, 1, 2))


def bottom_of(page: Page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1920, 1080)])
def test_a_stakeholder_reads_the_budget_uses_it_and_takes_the_report(visit, browser, tmp_path, width, height):
    page = visit(ADDRESS, width=width, height=height).page
    page.get_by_text("I can accept an error of …").click()
    field = page.get_by_role("spinbutton", name="Error I can accept, metres")
    expect(field).to_be_visible()
    field.fill("1000")
    field.press("Enter")
    decision, words = decided(1_000.0)
    sentence = page.locator("#advice")
    expect(sentence).to_have_text(words, timeout=240_000)
    wait_until_complete(page)
    expect(page).to_have_url(re.compile("target=1000"))
    total, cell, _ = added_up(decision.error.mean, decision.error.cell, "m")
    expect(metric_box(page, "Error of the map")).to_contain_text(total)
    expect(metric_box(page, "Part from cell size")).to_contain_text(cell)
    # Sentence, figures and the beginning of the maps are on the first screen; nothing is scrolled sideways.
    assert bottom_of(page, ".st-key-decision [data-testid=stMetric]") < height
    assert page.locator(".st-key-plan-maps img").first.bounding_box()["y"] < height - 100
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.get_by_role("button", name=re.compile("^Use ε = ")).click()
    expect(page.get_by_text("Your setting is the recommended plan.")).to_be_visible(timeout=60_000)
    expect(sentence).to_have_text(words)
    expect(metric_box(page, "Error of the map")).to_contain_text(total)
    expect(page).to_have_url(re.compile(rf"eps={decision.plan.epsilon:g}&"))
    wait_until_complete(page)

    with page.expect_download() as download:
        page.get_by_role("button", name="Printable report (HTML, A4)").click()
    file = tmp_path / "report.html"
    download.value.save_as(file)
    context = browser.new_context(offline=True)
    report, asked = context.new_page(), []
    report.on("request", lambda request: asked.append(request.url))
    report.goto(file.as_uri())
    assert report.locator("#recommendation").inner_text() == words
    sizes = report.evaluate("[...document.images].map(image => image.complete && image.naturalWidth)")
    assert len(sizes) == 7
    assert all(size > 50 for size in sizes)
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    body = report.inner_text("body")
    for value in (total, cell, f"{decision.plan.d} × {decision.plan.d}"):
        assert value in body
    assert "python -m spatialldp report --data new-haven" in body
    context.close()


def test_a_stakeholder_decides_on_a_file_of_their_own(visit):
    page = visit("/tradeoff?repeats=2", width=1280, height=720).page
    use(page, BERLIN)
    expect(page.get_by_text(f"everybody: {BERLIN.rows}", exact=True)).to_be_visible()
    sentence = page.locator("#advice")
    expect(sentence).to_contain_text("With ε = 3.5, choose ", timeout=240_000)
    page.get_by_text("I can accept an error of …").click()
    expect(sentence).to_contain_text(re.compile("^To stay within 500 m, choose|^No ε up to 9"), timeout=240_000)
    wait_until_complete(page)
    expect(page.get_by_text("Your own file is not in the printable report")).to_be_visible()
    expect(page.locator(".st-key-plan-maps img")).to_have_count(4)


def test_the_plan_that_is_decided_for_is_the_one_below_and_scenarios_stand_beside_it(visit):
    page = visit(f"{ADDRESS}&d=5", height=1400).page
    wait_until_complete(page)
    page.locator(".st-key-decision").get_by_role("radio", name="Your setting").click()
    own = assess(people_on, Plan(d=5), 1, 2).error
    expect(metric_box(page, "Error of the map")).to_contain_text(length(own.mean, "m"))
    expect(page).to_have_url(re.compile("plan=present"))
    name = page.get_by_role("textbox", name="Name of the scenario")
    name.fill("today")
    name.press("Enter")
    page.get_by_role("button", name="Save your setting as a scenario").click()
    expect(page.get_by_role("columnheader", name="today")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Remove today").click()
    expect(page.get_by_role("columnheader", name="today")).to_be_hidden(timeout=60_000)


def test_a_search_can_be_stopped_and_continued_and_choices_survive(visit):
    page = visit("/tradeoff?d=30&eps=0.7&repeats=20&target=150").page
    stop = page.locator(".st-key-stop button")
    expect(stop).to_be_visible(timeout=60_000)
    expect(page.get_by_text(re.compile(r"about \d+ s left"))).to_be_visible(timeout=60_000)
    stop.click()
    stopped = page.get_by_text(re.compile(r"Stopped: \d+% is done"))
    expect(stopped).to_be_visible(timeout=60_000)
    done = int(re.search(r"(\d+)%", stopped.inner_text())[1])
    page.get_by_role("button", name="Continue").click()
    # What was done is not done again: it goes on from there.
    going_on = page.locator(".st-key-decision [data-testid=stProgress] [role=progressbar]")
    expect(going_on).to_be_visible(timeout=60_000)
    page.wait_for_function(
        f"+document.querySelector('.st-key-decision [role=progressbar]')?.getAttribute('aria-valuenow') >= {done - 1}",
        timeout=20_000,
    )
    page.get_by_role("link", name="Compare").click()
    expect(page).to_have_url(re.compile(r"/compare\?.*eps=0.7&d=30"))


def test_a_telephone_shows_it_without_scrolling_sideways(visit):
    page = visit(f"{ADDRESS}&d=5", width=420, height=900).page
    wait_until_complete(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()
    # Two maps in a row.
    first, second = (page.locator(".st-key-plan-maps img").nth(number).bounding_box() for number in (0, 1))
    assert first["y"] == pytest.approx(second["y"], abs=2)


def test_everybody_still_takes_part_when_other_people_are_chosen(visit):
    page = visit("/tradeoff?d=5&repeats=2").page
    expect(page.get_by_text("everybody: 261,552", exact=True)).to_be_visible()
    choose_data(page, dataset("new-haven").title)
    everybody = page.get_by_text(f"everybody: {population('new-haven', 5).binned.inside:,}", exact=True)
    expect(everybody).to_be_visible()
    change_epsilon(page)
    expect(everybody).to_be_visible()
    # Everybody is the default, which a link leaves out.
    expect(page).to_have_url(re.compile("data=new-haven"))
    expect(page).not_to_have_url(re.compile("pop="))

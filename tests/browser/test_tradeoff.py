"""The Trade-off page as somebody who has to decide meets it."""

import functools
import re

from playwright.sync_api import expect

from spatialldp.datasets import dataset
from spatialldp.experiments import population
from spatialldp.experiments.plan import Plan, measure
from spatialldp.formatting import length
from spatialldp.planning import sentences
from spatialldp.planning.decision import decide
from tests.browser.looking import change_epsilon, choose_data

#: One curve and three repeats, so that a busy machine is done in time.
ADDRESS = "/tradeoff?d=20&with=DAM&repeats=3"


def wait_until_complete(page) -> None:
    expect(page.locator(".st-key-get-report button:enabled")).to_be_visible(timeout=240_000)


def test_a_stakeholder_enters_500_metres_reads_the_budget_and_takes_the_report(visit, browser, tmp_path):
    page = visit(ADDRESS, height=1400).page
    page.get_by_text("I can accept an error of …").click()
    field = page.get_by_role("spinbutton", name="Error I can accept, metres")
    expect(field).to_be_visible()
    field.fill("500")
    field.press("Enter")
    sentence = page.locator("#advice")
    expect(sentence).to_contain_text("To stay within 500 m, choose ε = ", timeout=240_000)
    wait_until_complete(page)
    said = sentence.inner_text()
    people_at = functools.cache(lambda d: population("san-francisco", d))
    *_, decision = decide(people_at, Plan(d=20), 500.0, 1, 3)
    assert sentences.decision_sentence(decision) in said
    error = measure(people_at(20), Plan(d=20), 1, 3)
    expect(page.get_by_test_id("stMetric").filter(has_text="Total")).to_contain_text(length(error.total, "m"))
    expect(page).to_have_url(re.compile("target=500"))

    with page.expect_download() as download:
        page.get_by_role("button", name="Printable report (HTML, A4)").click()
    file = tmp_path / "report.html"
    download.value.save_as(file)
    context = browser.new_context(offline=True)
    report, asked = context.new_page(), []
    report.on("request", lambda request: asked.append(request.url))
    report.goto(file.as_uri())
    assert report.locator("#recommendation").inner_text() == said
    sizes = report.evaluate("[...document.images].map(image => image.complete && image.naturalWidth)")
    assert len(sizes) == 7
    assert all(size > 50 for size in sizes)
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    body = report.inner_text("body")
    for value in (error.transport, error.cell, error.total):
        assert length(value, "m") in body
    assert "python -m spatialldp report --data san-francisco" in body
    context.close()


def test_a_search_can_be_stopped_and_continued_and_choices_survive(visit):
    page = visit("/tradeoff?d=30&eps=0.7&repeats=20&with=DAM,HUEM").page
    stop = page.locator(".st-key-stop button")
    expect(stop).to_be_visible(timeout=60_000)
    stop.click()
    expect(page.get_by_text(re.compile("Stopped: .* points"))).to_be_visible(timeout=60_000)
    expect(page.get_by_role("button", name="Continue")).to_be_visible()
    page.get_by_role("link", name="Compare").click()
    expect(page).to_have_url(re.compile(r"/compare\?.*eps=0.7&d=30"))


def test_a_telephone_shows_it_without_scrolling_sideways(visit):
    page = visit("/tradeoff?data=new-haven&d=5&with=DAM&repeats=2", width=420, height=900).page
    wait_until_complete(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    expect(page.get_by_test_id("stVegaLiteChart").first).to_be_visible()


def test_everybody_still_takes_part_when_other_people_are_chosen(visit):
    page = visit("/tradeoff?d=5&with=DAM&repeats=2").page
    expect(page.get_by_text("everybody: 261,552", exact=True)).to_be_visible()
    choose_data(page, dataset("new-haven").title)
    everybody = page.get_by_text(f"everybody: {population('new-haven', 5).binned.inside:,}", exact=True)
    expect(everybody).to_be_visible()
    change_epsilon(page)
    expect(everybody).to_be_visible()
    # Everybody is the default, which a link leaves out.
    expect(page).to_have_url(re.compile("data=new-haven"))
    expect(page).not_to_have_url(re.compile("pop="))

"""Clicks that come while the server is between two runs of a page."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import App, serving


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A server that takes a second between two runs, so that a click is likely to come just then."""
    with serving(tmp_path_factory.mktemp("slow-app"), "tests.browser.slow_server") as running:
        yield running


@pytest.mark.parametrize("wait_s", [0.4, 0.8, 1.2, 1.6])  # three of them are lost where a rerun may overtake a click
def test_a_link_works_while_the_page_is_redrawn_for_every_piece_of_news(visit, wait_s):
    page = visit(f"/tradeoff?d=5&eps={1 + wait_s}&with=DAM&repeats=2").page
    expect(page.get_by_text("Where do you start?")).to_be_visible()
    page.wait_for_timeout(wait_s * 1000)
    page.get_by_role("link", name="Lesson", exact=True).click()
    expect(page).to_have_url(re.compile(r"/lesson\?v=2"))
    expect(page.get_by_role("heading", name="1. What leaves the phone")).to_be_visible()

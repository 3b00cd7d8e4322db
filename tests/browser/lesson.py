"""Steps of the lesson, as several test modules look at them."""

import re

from playwright.sync_api import Page, expect

#: Cells per side, unless a test says otherwise.
D = 10
TITLES = (
    "What leaves the phone",
    "What an attacker concludes",
    "Loss against distance",
    "Can the ruler be fooled?",
    "The whole city",
    "Again and again",
)


def expect_step(page: Page, number: int) -> None:
    expect(page.get_by_role("heading", name=f"{number}. {TITLES[number - 1]}")).to_be_visible(timeout=60_000)
    expect(page).to_have_url(re.compile(f"step={number}" if number > 1 else r"lesson\?((?!step).)*$"))

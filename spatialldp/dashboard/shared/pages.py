"""The pages there are. Knows nothing of widgets."""

from __future__ import annotations

from enum import StrEnum


class Page(StrEnum):
    """A page by its title, in the order of the menu."""

    EXPLORE = "Explore"
    COMPARE = "Compare"
    TRADE_OFF = "Trade-off"
    LESSON = "Lesson"
    HOW_IT_WORKS = "How it works"


#: The file that Streamlit runs for each page, as seen from the folder of app.py.
FILES = {
    Page.EXPLORE: "app.py",
    Page.COMPARE: "pages/compare.py",
    Page.TRADE_OFF: "pages/tradeoff.py",
    Page.LESSON: "pages/lesson.py",
    Page.HOW_IT_WORKS: "pages/how_it_works.py",
}

"""The stories of the start page: prepared views, each told in two sentences. Knows nothing of widgets.

Their numbers are written out, so that a story is there before its maps are; `tests/dashboard/shared/test_stories.py`
computes each of them anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spatialldp.dashboard.shared.pages import Page


@dataclass(frozen=True)
class Story:
    """A view and what it shows."""

    title: str
    """What makes somebody open it."""
    page: Page
    """Where it is told."""
    values: Mapping[str, Any]
    """The choices that differ from the defaults, by field of `Choices`."""
    text: str
    """Two sentences, as Markdown, true for this view."""


#: By the name that a link has for it, in the order in which they are told.
STORIES = {
    "city": Story(
        "What ε = 1 does to a city",
        Page.EXPLORE,
        {"epsilon": 1.0},
        "Whoever reads one phone’s report and names the likeliest cell is **wrong 99 times in 100**. Yet all 261,552 "
        "reports together give a map that shows people, on average, **561 m** from their own cell, with 3 of the 5 "
        "fullest cells right.",
    ),
    "town": Story(
        "A small town struggles",
        Page.EXPLORE,
        {"data": "new-haven"},
        "The 3,293 people here get the same promise as those of San Francisco, but their map is off by **514 m** "
        "instead of 360 m. Chance averages out in a crowd: **a small town pays more for the same privacy**.",
    ),
    "promise": Story(
        "Same ε, different promise",
        Page.EXPLORE,
        {"mechanism": "SEM-Geo-I"},
        "This map is off by **82 m**; at the same ε = 3.5 DAM’s is off by 360 m. But here ε counts per cell of "
        "distance, and one report **gives the right cell away in 87 of 100 cases**, with DAM in 4.",
    ),
    "target": Story(
        "500 m: how private?",
        Page.TRADE_OFF,
        {"target": 500.0},
        "If your city can live with a map that is 500 m off, **ε = 0.95 is enough**, on 30 × 30 cells. No report is "
        "then more than 2.6 times likelier from one place than from any other.",
    ),
    "error": Story(
        "Where the error is",
        Page.EXPLORE,
        {"difference": True, "flows": True},
        "To repair the recovered map, **13 of 100 people** would have to move, nearly all of them to a neighbouring "
        "cell. Orange lines show the largest moves; the map below, where there are too many people and where too few.",
    ),
}


def next_story(name: str) -> str:
    """The one that is told after this one; after the last, the first."""
    names = list(STORIES)
    return names[(names.index(name) + 1) % len(names)]

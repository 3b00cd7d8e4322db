"""Small pieces of browser code of our own: a box to drag, a rectangle to draw on maps, a person to place, maps that
move in step, a player, maps to swipe between, maps to choose from, a link to copy, a tour, keys that move ε.

Each is a pair of files, JavaScript and (perhaps) CSS, mounted with `st.components.v2`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from spatialldp.dashboard.shared.session import UNSEEN
from spatialldp.drawing.outlines import NO_OUTLINE, Lines, OutlinePath
from spatialldp.grid import METRES_PER_DEGREE, Bounds
from spatialldp.population import SMALLEST_SIDE_M

_FOLDER = Path(__file__).parent


class Film(NamedTuple):
    """The pictures of a player."""

    name: str
    """What they show."""
    frames: Sequence[dict[str, Any]]
    """One {image, step, text} each, and {truth} where every frame has a true map of its own."""
    truth: dict[str, str]
    """What stands beside them, {image, caption}."""
    start: int = 0
    """The number of the frame that is shown first."""
    outline: OutlinePath = NO_OUTLINE
    """What lies over them."""
    dark: bool = False
    """Whether they are drawn for a dark page."""


class Axis(NamedTuple):
    """What the charts of a player stand on."""

    label: str
    """Its name, also that of the slider."""
    values: Sequence[float]
    """The value of each step, rising; more than there are frames where others will follow."""
    ticks: Sequence[float]
    """The values that are written out."""


class Curves(NamedTuple):
    """The line charts of a player."""

    charts: Sequence[dict[str, Any]]
    """One {title, unit, description, values, digits, colour, begin, high} each: a value for each step, drawn from step
    `begin` on, labels above if `high`, and {low} where the axis begins there."""
    stops: Sequence[dict[str, Any]]
    """What is marked on every chart, {step, label, colour, left}, at a value of the axis."""
    axis: Axis | None = None
    """None for the steps of a recovery."""


class Growing(NamedTuple):
    """A player whose frames arrive one by one."""

    topic: str
    """What is played: as long as it stays the same, the player keeps its place."""
    more: bool
    """Whether frames are still to come."""


@cache
def _component(name: str, *needs: str) -> Any:
    """The component of this name; `needs` are other files whose functions it calls and whose style it has."""
    files = [_FOLDER / file for file in (*needs, name)]
    styles = [style.read_text("utf-8") for file in files if (style := file.with_suffix(".css")).exists()]
    return st.components.v2.component(
        f"spatialldp_{name}",
        html='<div class="root"></div>',
        css="".join(styles) or None,
        js="".join(file.with_suffix(".js").read_text("utf-8") for file in files),
    )


def _lengths(geographic: bool) -> dict[str, float | None]:
    """What boxes that are dragged are measured by, in metres: a degree, or None in plain units; the least side."""
    return {"metres": METRES_PER_DEGREE if geographic else None, "least": SMALLEST_SIDE_M}


def box_chooser(
    view: Bounds,
    box: Bounds | None,
    points: Sequence[Sequence[float]],
    outline: Lines,
    stretch: float,
    geographic: bool,
    on_change: Callable[[], None],
    key: str,
) -> None:
    """A map on which a rectangle can be dragged; `st.session_state[key].box` is then [west, south, east, north].

    `stretch` is the height of a unit of y in units of x (1/cos of the latitude on a city map).
    """
    data = {"view": view, "box": box, "points": points, "outline": outline, "stretch": stretch}
    _component("box_chooser", "drawn_box", "little_map")(
        data=data | _lengths(geographic), key=key, on_box_change=on_change
    )


def draw_on_maps(
    maps: Sequence[str],
    purpose: str | None,
    geographic: bool,
    drawn: Any,
    answer: str | None,
    on_drawn: Callable[[], None],
    key: str,
) -> None:
    """A rectangle can be dragged on any chart in the containers with the keys `maps`, and is shown on all of them.

    `purpose` is "area", where the square that it becomes is shown as well, "count", or None, where charts are left to
    move. In `on_drawn`, `st.session_state[key].drawn` is {purpose, box}. `drawn` is what has been drawn by now: when it
    changes, what was left of the drag goes, and `answer` is shown where the drag ended.
    """
    data = {"maps": list(maps), "purpose": purpose, "drawn": drawn, "answer": answer}
    _component("draw_on_maps", "deck_of", "drawn_box")(
        data=data | _lengths(geographic), key=key, height=1, on_drawn_change=on_drawn
    )


def maps_in_step(areas: dict[str, Bounds], geographic: bool) -> None:
    """Each chart in the containers with these keys is fitted to its area, whatever its size on the screen, and all pan
    and zoom together; a button brings the fitted view back. `geographic`: whether areas are in degrees."""
    _component("maps_in_step", "deck_of", "reset_button")(
        data={"areas": areas, "geographic": geographic}, key="maps-in-step"
    )


def values_on_hover(maps: dict[str, dict[str, Any] | None], key: str) -> None:
    """Labels for the cells of the charts in the containers with these keys: `bounds`, `side` and `texts` [ix·side + iy]
    of each, or None for a chart without."""
    labelled = {name: labels for name, labels in maps.items() if labels is not None}
    _component("values_on_hover", "deck_of")(data={"maps": labelled}, key=UNSEEN + key, height=1)


def street_map_notice(style: str) -> None:
    """A sentence when the street map with this style, an address on another host, cannot be fetched."""
    _component("street_map_notice")(data={"style": style}, key="street-map-notice")


def lesson_steps(step: int, steps: int, on_change: Callable[[], None], key: str) -> None:
    """The steps of the lesson as pages of the browser: arrow keys turn them, Back and Forward go between them, and each
    opens at its top. In `on_change`, `st.session_state[key].turned` is the step that the visitor went to."""
    _component("lesson_steps")(data={"step": step, "steps": steps}, key=key, height=1, on_turned_change=on_change)


def address(query: str, links: dict[str, str] | None) -> None:
    """Put the choices into the address bar, with a new entry in the history for a step of the lesson only, and offer to
    copy `links`: to the "view", to "present" it, and to the "bare" form inside another page. None offers nothing.

    Where it moves from one place of a page to another, the browser may draw the former one once more after the new one:
    by the time it knows which is the newer."""
    _component("address")(data={"query": query, "links": links, "at": time.time()}, key="address")


def arrow_keys(
    epsilon: float,
    limits: tuple[float, float],
    step: float,
    keys: tuple[str, str],
    on_change: Callable[[], None],
    key: str,
) -> None:
    """The first of two `keys` lowers ε by a step and the second raises it, wherever no field has the focus;
    `st.session_state[key].epsilon` is then the wanted one. Escape presses the button with the key "leave"."""
    _component("arrow_keys")(
        data={"epsilon": epsilon, "limits": limits, "step": step, "keys": keys}, key=key, on_epsilon_change=on_change
    )


def first_minute(
    stories: Sequence[dict[str, str]],
    told: dict[str, Any] | None,
    stops: Sequence[dict[str, Any]],
    taken: bool,
    on_story: Callable[[], None],
    on_taken: Callable[[], None],
    key: str,
) -> None:
    """The way into the app: links to `stories`, {name, title, href} each, and a tour of `stops`, {title, text, beside}.

    While one is `told`, {number, of, next}, there are the next one and the way out in their place. `beside` are the
    selectors of what a stop is about, the first one that is in sight counts. After a click on a story
    `st.session_state[key].story` is its name, or "" where the story is closed; `taken` tells whether the tour is over.
    """
    _component("first_minute", "tour")(
        data={"stories": stories, "told": told, "stops": stops, "taken": taken},
        key=key,
        on_story_change=on_story,
        on_taken_change=on_taken,
    )


def person_chooser(
    view: Bounds,
    cells: Bounds,
    d: int,
    person: tuple[float, float],
    points: Sequence[Sequence[float]],
    outline: Lines,
    stretch: float,
    on_change: Callable[[], None],
    key: str,
) -> None:
    """A map of `view` with d×d `cells` on which a click or the arrow keys place a person; `st.session_state[key].at`
    is then [x, y]."""
    _component("person_chooser", "little_map")(
        data={
            "view": view,
            "cells": cells,
            "d": d,
            "person": person,
            "points": points,
            "outline": outline,
            "stretch": stretch,
        },
        key=key,
        on_at_change=on_change,
    )


def player(film: Film, curves: Curves, key: str, growing: Growing | None = None) -> None:
    """Pictures one after the other beside line charts with a moving marker: a play button and a slider.

    With `growing` the player is as wide as the page. It plays in the browser, so the page stays free.
    """
    steps = len(curves.charts[0]["values"]) - 1
    axis = curves.axis or Axis("Recovery step", list(range(steps + 1)), list(dict.fromkeys((0, steps))))
    _component("player", "outline")(
        data={
            **film._asdict(),
            **curves._asdict(),
            "outline": film.outline._asdict(),
            "axis": axis._asdict(),
            "topic": growing and growing.topic,
            "more": growing is not None and growing.more,
            "wide": growing is not None,
            "pace": 250 if growing is None else 500,
        },
        key=key,
    )


def swipe(data: dict[str, Any], key: str) -> None:
    """Maps one above the other with a divider between them, as `shared.swipe` describes them."""
    _component("swipe", "outline")(data=data, key=key)


def map_cards(
    cards: Sequence[dict[str, Any]],
    outline: OutlinePath,
    least: str,
    dark: bool,
    on_change: Callable[[], None],
    key: str,
) -> None:
    """Maps in a grid, each at least `least` (a length of CSS) wide. A card is {title, caption, image, words, closer};
    a click on one with `closer` calls `on_change`, and `st.session_state[key].closer` is then its number."""
    _component("map_cards", "outline")(
        data={"cards": cards, "outline": outline._asdict(), "least": least, "dark": dark},
        key=key,
        on_closer_change=on_change,
    )


def fit_view(chart: str, canvas: tuple[int, int], view: dict[str, float]) -> None:
    """Zoom the chart in the container with the key `chart` to the size that it really has, and offer a button back to
    its `view`, whose zoom is the one that fits a `canvas` of so many pixels, width and height."""
    _component("fit_view", "deck_of", "reset_button")(
        data={"chart": chart, "canvas": canvas, "view": view}, key=f"fit-{chart}"
    )

"""Small pieces of browser code of our own: a box to drag, a rectangle to draw on maps, a person to place, maps that
move in step, a player, a link to copy.

Each is a pair of files, JavaScript and (perhaps) CSS, mounted with `st.components.v2`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from spatialldp.grid import METRES_PER_DEGREE, Bounds

_FOLDER = Path(__file__).parent


@cache
def _component(name: str, *needs: str) -> Any:
    """The component of this name; `needs` are other files whose functions it calls."""
    style = _FOLDER / f"{name}.css"
    code = [(_FOLDER / f"{file}.js").read_text("utf-8") for file in (*needs, name)]
    return st.components.v2.component(
        f"spatialldp_{name}",
        html='<div class="root"></div>',
        css=style.read_text("utf-8") if style.exists() else None,
        js="".join(code),
    )


def box_chooser(
    view: Bounds,
    box: Bounds | None,
    points: Sequence[Sequence[float]],
    outline: Sequence[Sequence[Sequence[float]]],
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
        data=data | {"metres": METRES_PER_DEGREE if geographic else None}, key=key, on_box_change=on_change
    )


def draw_on_maps(
    maps: Sequence[str], purpose: str | None, geographic: bool, drawn: Any, on_drawn: Callable[[], None], key: str
) -> None:
    """A rectangle can be dragged on any chart in the containers with the keys `maps`, and is shown on all of them.

    `purpose` is "area", where the square that it becomes is shown as well, "count", or None, where charts are left to
    move. In `on_drawn`, `st.session_state[key].drawn` is {purpose, box}. `drawn` is what has been drawn by now: when it
    changes, what was left of the drag goes.
    """
    data = {"maps": list(maps), "purpose": purpose, "metres": METRES_PER_DEGREE if geographic else None, "drawn": drawn}
    _component("draw_on_maps", "deck_of", "drawn_box")(data=data, key=key, height=1, on_drawn_change=on_drawn)


def maps_in_step(zooms: dict[str, float]) -> None:
    """Pan and zoom of the charts in the containers with these keys go together; `zooms` are their own starting zooms,
    so that one that shows more of the world keeps doing so."""
    _component("maps_in_step", "deck_of")(data={"zooms": zooms}, key="maps-in-step", height=1)


def values_on_hover(maps: dict[str, dict[str, Any] | None], key: str) -> None:
    """Labels for the cells of the charts in the containers with these keys: `bounds`, `side` and `texts` [ix·side + iy]
    of each, or None for a chart without."""
    labelled = {name: labels for name, labels in maps.items() if labels is not None}
    _component("values_on_hover", "deck_of")(data={"maps": labelled}, key=key, height=1)


def address(query: str) -> None:
    """Put the choices into the address bar (without a new entry in the history) and offer to copy the link."""
    _component("address")(data={"query": query}, key="address")


def person_chooser(
    view: Bounds,
    cells: Bounds,
    d: int,
    person: tuple[float, float],
    points: Sequence[Sequence[float]],
    outline: Sequence[Sequence[Sequence[float]]],
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


def player(
    frames: Sequence[dict[str, Any]],
    charts: Sequence[dict[str, Any]],
    stops: Sequence[dict[str, Any]],
    truth: dict[str, str],
    start: int,
    name: str,
    key: str,
) -> None:
    """Pictures one after the other beside line charts with a moving marker: a play button and a slider.

    A frame is {image, step, text}. A chart is {title, unit, description, values, digits, colour, begin, high}, a value
    for each step, drawn from step `begin` on, its labels above if `high`. A stop is {step, label, colour, left}, on
    every chart. `truth` {image, caption} stands beside. It plays in the browser, so the page stays free.
    """
    _component("player")(
        data={"frames": frames, "charts": charts, "stops": stops, "truth": truth, "start": start, "name": name},
        key=key,
    )

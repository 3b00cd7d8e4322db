"""Small pieces of browser code of our own: a box to drag, a person to place, maps that move in step, a player, a link
to copy.

Each is a pair of files, JavaScript and (perhaps) CSS, mounted with `st.components.v2`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from spatialldp.grid import Bounds

_FOLDER = Path(__file__).parent


@cache
def _component(name: str, needs: str = "") -> Any:
    """The component of this name; `needs` is another file whose functions it calls."""
    style = _FOLDER / f"{name}.css"
    code = [(_FOLDER / f"{file}.js").read_text("utf-8") for file in (needs, name) if file]
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
    on_change: Callable[[], None],
    key: str,
) -> None:
    """A map on which a rectangle can be dragged; `st.session_state[key].box` is then [west, south, east, north].

    `stretch` is the height of a unit of y in units of x (1/cos of the latitude on a city map).
    """
    _component("box_chooser", "little_map")(
        data={"view": view, "box": box, "points": points, "outline": outline, "stretch": stretch},
        key=key,
        on_box_change=on_change,
    )


def maps_in_step(areas: dict[str, Bounds], geographic: bool) -> None:
    """Each chart in the containers with these keys is fitted to its area, whatever its size on the screen, and all pan
    and zoom together; a button brings the fitted view back. `geographic`: whether areas are in degrees."""
    _component("maps_in_step", "deck_of")(data={"areas": areas, "geographic": geographic}, key="maps-in-step")


def values_on_hover(maps: dict[str, dict[str, Any] | None], key: str) -> None:
    """Labels for the cells of the charts in the containers with these keys: `bounds`, `side` and `texts` [ix·side + iy]
    of each, or None for a chart without."""
    labelled = {name: labels for name, labels in maps.items() if labels is not None}
    _component("values_on_hover", "deck_of")(data={"maps": labelled}, key=key, height=1)


def street_map_notice(style: str) -> None:
    """A sentence when the street map with this style, an address on another host, cannot be fetched."""
    _component("street_map_notice")(data={"style": style}, key="street-map-notice")


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

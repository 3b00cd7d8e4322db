"""The one person of the lesson: named places, a click on a map, arrow keys."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import streamlit as st

from spatialldp.dashboard.shared import components
from spatialldp.dashboard.shared.choices import Choices, rounded_point
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.dashboard.shared.controls import choose, show
from spatialldp.drawing.outlines import outline_lines
from spatialldp.experiments.measures import hottest_cells, loneliest_cell
from spatialldp.population import Population

_BY_HAND = "a place of your own"
#: Longitude and latitude of places worth standing at.
_LANDMARKS: dict[str, dict[str, tuple[float, float]]] = {
    "san-francisco": {
        "City Hall": (-122.4193, 37.7793),
        "Ferry Building": (-122.3937, 37.7955),
        "Twin Peaks": (-122.4477, 37.7544),
        "Treasure Island, in the bay": (-122.3706, 37.8235),
    },
    "new-haven": {
        "New Haven Green": (-72.9272, 41.3083),
        "Union Station": (-72.9264, 41.2975),
        "East Rock Park": (-72.9060, 41.3270),
    },
}


@dataclass(frozen=True)
class Person:
    """Where the person is: a point, its cell, and how many others live in that cell."""

    x: float
    y: float
    ix: int
    iy: int
    neighbours: int


def places_for(data: str, population: Population) -> dict[str, tuple[float, float]]:
    """Places to stand at, by name, all of them inside the cells."""
    counts, centres = population.counts, population.grid.cell_centres().reshape(-1, 2)
    found = {name: at for name, at in _LANDMARKS.get(data, {}).items() if _inside(population, at)}
    cells = {
        "The fullest cell": int(hottest_cells(counts.astype(float), 1)[0]),
        "The loneliest cell somebody lives in": loneliest_cell(counts),
        "The middle of the map": (counts.shape[0] // 2) * (counts.shape[0] + 1),
    }
    return found | {name: rounded_point(*centres[cell]) for name, cell in cells.items()}


def _inside(population: Population, at: tuple[float, float]) -> bool:
    return bool(population.grid.cells_of(*at)[2][0])


def person_of(chosen: Choices, population: Population) -> Person:
    """The chosen person; the first place of the list where none is chosen, or one outside the cells."""
    at = chosen.person
    if at is None or not _inside(population, at):
        at = next(iter(places_for(chosen.data, population).values()))
    ix, iy, _ = population.grid.cells_of(*at)
    return Person(*at, int(ix[0]), int(iy[0]), int(population.counts[ix[0], iy[0]]))


def choose_person(chosen: Choices, loaded: LoadedData, population: Population) -> Person:
    """The map to click on and the list, both writing one choice."""
    person = person_of(chosen, population)
    places = places_for(chosen.data, population)
    at = (person.x, person.y)
    name = next((label for label, point in places.items() if np.allclose(point, at, rtol=0, atol=1e-6)), _BY_HAND)
    options = [*places, *([_BY_HAND] if name == _BY_HAND else [])]
    show("person-place", name)
    st.selectbox(
        "Where is the person?",
        options,
        key="person-place",
        on_change=_listed,
        args=(places,),
        help="Choose a place, click on the map, or move by the arrow keys when the map is focused.",
    )
    _, south, _, north = population.grid.bounds
    stretch = 1 / math.cos(math.radians((south + north) / 2)) if loaded.entry.is_geographic else 1.0
    components.person_chooser(
        population.grid.bounds,
        population.grid.bounds,
        population.grid.d,
        at,
        loaded.sample(),
        outline_lines(loaded.entry.outline),
        stretch,
        _clicked,
        "person-map",
    )
    others = "nobody lives" if person.neighbours == 0 else f"{person.neighbours:,} people live"
    st.caption(f"Column {person.ix + 1} from the west, row {person.iy + 1} from the south; {others} in this cell.")
    return person


def _listed(places: dict[str, tuple[float, float]]) -> None:
    name = st.session_state["person-place"]
    if name in places:
        choose(person=rounded_point(*places[name]))


def _clicked() -> None:
    at = st.session_state["person-map"].get("at")
    if at is not None:
        choose(person=rounded_point(*at))

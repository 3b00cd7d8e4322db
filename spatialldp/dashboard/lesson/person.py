"""The one person of the lesson: named places, a click on a map, arrow keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import streamlit as st

from spatialldp.dashboard.shared import components, session
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.dashboard.shared.controls import choose
from spatialldp.dashboard.shared.link_values import rounded_point
from spatialldp.datasets import Dataset
from spatialldp.drawing.outlines import outline_lines
from spatialldp.experiments.measures import hottest_cells, loneliest_cell
from spatialldp.population import Population


@dataclass(frozen=True)
class Person:
    """Where the person is."""

    x: float
    """West to east, in the units of the data set."""
    y: float
    """South to north."""
    ix: int
    """The column of the cell, from the west."""
    iy: int
    """Its row, from the south."""
    neighbours: int
    """How many people live in that cell."""


class Place(NamedTuple):
    """A place to stand at: its name in the list, and the point."""

    name: str
    at: tuple[float, float]


def places_for(entry: Dataset, population: Population) -> list[Place]:
    """Places to stand at, all of them inside the cells."""
    counts, centres = population.counts, population.grid.cell_centres().reshape(-1, 2)
    landmarks = [Place(name, at) for name, at in entry.landmarks.items() if _inside(population, at)]
    cells = {
        "The fullest cell": int(hottest_cells(counts.astype(float), 1)[0]),
        "The loneliest cell somebody lives in": loneliest_cell(counts),
        "The middle of the map": (counts.shape[0] // 2) * (counts.shape[0] + 1),
    }
    return landmarks + [Place(name, rounded_point(*centres[cell])) for name, cell in cells.items()]


def _inside(population: Population, at: tuple[float, float]) -> bool:
    return bool(population.grid.cells_of(*at)[2][0])


def person_of(chosen: Choices, population: Population, places: Sequence[Place]) -> Person:
    """The chosen person; the first of the places where none is chosen, or one outside the cells."""
    at = chosen.person
    if at is None or not _inside(population, at):
        at = places[0].at
    ix, iy, _ = population.grid.cells_of(*at)
    return Person(*at, int(ix[0]), int(iy[0]), int(population.counts[ix[0], iy[0]]))


def choose_person(chosen: Choices, loaded: LoadedData, population: Population) -> Person:
    """The map to click on and the list, both writing one choice."""
    places = places_for(loaded.entry, population)
    person = person_of(chosen, population, places)
    at = (person.x, person.y)
    listed = next((place for place in places if np.allclose(place.at, at, rtol=0, atol=1e-6)), None)
    by_hand = [] if listed else [Place("a place of your own", at)]
    session.show(session.PERSON_PLACE, listed or by_hand[0])
    st.selectbox(
        "Where is the person?",
        [*places, *by_hand],
        format_func=lambda place: place.name,
        key=session.PERSON_PLACE,
        on_change=_listed,
        help="Choose a place, click on the map, or focus the map and use the arrow keys.",
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
        session.PERSON_MAP,
    )
    others = "nobody lives" if person.neighbours == 0 else f"{person.neighbours:,} people live"
    st.caption(f"Column {person.ix + 1} from the west, row {person.iy + 1} from the south; {others} in this cell.")
    return person


def _listed() -> None:
    place: Place | None = session.shown(session.PERSON_PLACE)
    if place is not None:
        choose(person=rounded_point(*place.at))


def _clicked() -> None:
    at = session.shown(session.PERSON_MAP).get("at")
    if at is not None:
        choose(person=rounded_point(*at))

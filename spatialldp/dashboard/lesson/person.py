"""The one person of the lesson: named places, a click on a map, arrow keys."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from spatialldp.dashboard.shared import components, session
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData
from spatialldp.dashboard.shared.controls import choose
from spatialldp.drawing.outlines import outline_lines
from spatialldp.population import Population
from spatialldp.teaching.scene import Person, Place, person_at, places_for, rounded
from spatialldp.teaching.wording import people


def choose_person(chosen: Choices, loaded: LoadedData, population: Population) -> Person:
    """The map to click on and the list, both writing one choice, folded away behind one button."""
    places = places_for(loaded.entry, population)
    person = person_at(chosen.person, population, places)
    at = (person.x, person.y)
    listed = next((place for place in places if np.allclose(place.at, at, rtol=0, atol=1e-6)), None)
    by_hand = [] if listed else [Place("a place of your own", at)]
    # A button whose words changed would close what it has opened.
    with st.popover("Place the person", icon=":material/person_pin_circle:", key="person"):
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
        others = f"{people(person.neighbours)} {'lives' if person.neighbours == 1 else 'live'}"
        others = others if person.neighbours else "nobody lives"
        st.caption(f"Column {person.ix + 1} from the west, row {person.iy + 1} from the south; {others} in this cell.")
    st.caption(f"Now: {(listed or by_hand[0]).name}")
    return person


def _listed() -> None:
    place: Place | None = session.shown(session.PERSON_PLACE)
    if place is not None:
        choose(person=rounded(*place.at))


def _clicked() -> None:
    at = session.shown(session.PERSON_MAP).get("at")
    if at is not None:
        choose(person=rounded(*at))

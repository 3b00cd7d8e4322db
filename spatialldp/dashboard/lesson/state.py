"""What every step of the lesson needs: the visitor's settings, the data, and the scene made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of, population_of
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.experiments.calibrated import EqualProtection, equal_protection, is_stored
from spatialldp.experiments.run import make_mechanism
from spatialldp.mechanisms import Mechanism
from spatialldp.population import Population
from spatialldp.teaching.scene import EXAMPLE_D, FINEST, REFERENCE, Person, Scene, is_geo_i, lesson_names


@dataclass(frozen=True)
class LessonState:
    """All that a step needs."""

    choices: Choices
    """The visitor's settings."""
    loaded: LoadedData
    """The data set."""
    scene: Scene
    """Person, mechanisms and reports."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What the figures of a step depend on, but for the seed."""
        return (*key_of(self.choices), self.choices.epsilon)


def limited(chosen: Choices) -> Choices:
    """The choices on the finest grid the lesson uses."""
    return chosen if chosen.d <= FINEST else chosen.changed(d=FINEST)


def begin(chosen: Choices, loaded: LoadedData, population: Population, person: Person) -> LessonState:
    """The scene for these choices. Searching for ε′ may take a few seconds; the page says so meanwhile."""
    mechanisms, beyond = {}, {}
    slot = st.empty()
    for name in lesson_names():
        sides = EqualProtection(chosen.epsilon, None)
        if is_geo_i(name):
            sides = _equal_protection(name, chosen, slot)
        mechanisms[name] = mechanism_for(name, sides.epsilon, chosen.d)
        if sides.beyond is not None:
            beyond[name] = mechanism_for(name, sides.beyond, chosen.d)
    entry = loaded.entry
    scene = Scene(
        entry.title,
        None if entry.own else entry.id,
        population,
        entry.outline,
        chosen.epsilon,
        chosen.seed,
        person,
        mechanisms,
        beyond,
        chosen.knows_city,
        population if chosen.d == EXAMPLE_D else population_of(chosen.changed(d=EXAMPLE_D)),
    )
    return LessonState(chosen, loaded, scene)


@st.cache_resource(max_entries=64, show_spinner=False)
def mechanism_for(name: str, epsilon: float, d: int) -> Mechanism:
    """The mechanism with this name. Kept, because it remembers what it has worked out."""
    return make_mechanism(name, epsilon, d)


def _equal_protection(name: str, chosen: Choices, slot: Any) -> EqualProtection:
    if is_stored(name, chosen.epsilon, chosen.d):
        return equal_protection(name, chosen.epsilon, chosen.d)
    job = jobs_for(chosen).start(
        ("calibrated", name, chosen.epsilon, chosen.d), partial(_search, name, chosen.epsilon, chosen.d)
    )
    if not watch(
        job,
        f"Searching for the ε′ at which {name} protects as much as {REFERENCE}",
        failure=f"No ε′ could be found for {name} here. Change ε or d.",
        slot=slot,
    ):
        st.stop()
    found: EqualProtection = job.results[0]
    return found


def _search(name: str, epsilon: float, d: int) -> Iterator[EqualProtection]:
    yield equal_protection(name, epsilon, d)

"""What every step of the lesson needs: the person, the mechanisms at equal protection, and simulated reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.lesson.person import Person
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.experiments.calibrated import EqualProtection, equal_protection, is_stored
from spatialldp.experiments.run import make_mechanism
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.population import Population

#: The mechanism whose protection the Geo-I ones have to reach.
REFERENCE = "DAM"
#: On finer grids the attacker's reasoning would take seconds per step and show no more.
FINEST = 30
#: Reports of the one person that are simulated.
REPORTS = 2_000


def lesson_names() -> tuple[str, ...]:
    """The mechanisms that the lesson compares: the reference first, then those of LDP, then those of Geo-I."""
    others = [name for name, kind in MECHANISMS.items() if kind.in_lesson and name != REFERENCE]
    return (REFERENCE, *sorted(others, key=lambda name: MECHANISMS[name].notion != "LDP"))


@dataclass(frozen=True)
class LessonState:
    """All that a step needs."""

    choices: Choices
    """The visitor's settings."""
    loaded: LoadedData
    """The data set."""
    population: Population
    """Its people on the grid."""
    person: Person
    """The one on the map."""
    mechanisms: dict[str, Mechanism]
    """By name; those of Geo-I at the ε′ that protects as much as the reference does at ε."""
    beyond: dict[str, Mechanism]
    """By name, where no ε′ protects as much, because a jump skips it: the mechanism just above the jump. That of
    `mechanisms` lies just below it."""
    reports: dict[str, NDArray[Any]]
    """By name, `REPORTS` simulated reports of the person, one per row."""

    @property
    def geo_i(self) -> list[str]:
        """The names of those that promise Geo-I."""
        return [name for name, mechanism in self.mechanisms.items() if mechanism.notion == "Geo-I"]

    @property
    def ldp(self) -> list[str]:
        """The names of the others."""
        return [name for name, mechanism in self.mechanisms.items() if mechanism.notion != "Geo-I"]

    @property
    def side(self) -> float | None:
        """Side of a cell in metres; None where cells have no length."""
        return self.population.grid.cell_size_m

    @property
    def prior(self) -> NDArray[np.int64] | None:
        """What the attacker knows before any report: None for nothing, else people per cell."""
        return self.population.counts if self.choices.knows_city else None

    @property
    def key(self) -> tuple[Any, ...]:
        """What the figures of a step depend on, but for the seed."""
        return (*key_of(self.choices), self.choices.epsilon)


def limited(chosen: Choices) -> Choices:
    """The choices on the finest grid the lesson uses."""
    return chosen if chosen.d <= FINEST else chosen.changed(d=FINEST)


def begin(chosen: Choices, loaded: LoadedData, population: Population, person: Person) -> LessonState:
    """Mechanisms and reports for these choices. Searching for ε′ may take a few seconds; the page says so meanwhile."""
    mechanisms, beyond = {}, {}
    slot = st.empty()
    for name in lesson_names():
        sides = EqualProtection(chosen.epsilon, None)
        if MECHANISMS[name].notion == "Geo-I":
            sides = _equal_protection(name, chosen, slot)
        mechanisms[name] = mechanism_for(name, sides.epsilon, chosen.d)
        if sides.beyond is not None:
            beyond[name] = mechanism_for(name, sides.beyond, chosen.d)
    there = np.full(REPORTS, person.ix), np.full(REPORTS, person.iy)
    reports = {
        name: mechanism.randomize(*there, np.random.default_rng(chosen.seed)) for name, mechanism in mechanisms.items()
    }
    return LessonState(chosen, loaded, population, person, mechanisms, beyond, reports)


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

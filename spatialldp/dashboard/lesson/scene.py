"""What every step of the lesson needs: the person, the mechanisms at equal protection, and simulated reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.lesson.person import Person
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.experiments.calibrated import EqualProtection, equal_protection, is_stored
from spatialldp.experiments.run import make_mechanism
from spatialldp.mechanisms import MECHANISMS, Mechanism
from spatialldp.population import Population

#: What the lesson compares: one LDP mechanism and two Geo-I ones.
NAMES = ("DAM", "SEM-Geo-I", "Planar Laplace")
#: On finer grids the attacker's reasoning would take seconds a step and show no more.
FINEST = 30
#: Reports of the one person that are simulated.
REPORTS = 2_000


@dataclass(frozen=True)
class Lesson:
    """All a step needs. `mechanisms` by name, the Geo-I ones at the ε′ that protects as much as DAM does at ε;
    `beyond` those just above the jump, by name, where no ε′ does and that of `mechanisms` lies just below it;
    `reports` of the person by name, all simulated."""

    choices: Choices
    loaded: LoadedData
    population: Population
    person: Person
    mechanisms: dict[str, Mechanism]
    beyond: dict[str, Mechanism]
    reports: dict[str, NDArray[Any]]

    @property
    def prior(self) -> NDArray[np.int64] | None:
        """What the attacker knows before any report: None for nothing, else people per cell."""
        return self.population.counts if self.choices.knows_city else None

    @property
    def key(self) -> tuple[Any, ...]:
        """What the step's figures depend on."""
        return (*key_of(self.choices), self.choices.epsilon, self.choices.seed)


def limited(chosen: Choices) -> Choices:
    """The choices on the finest grid the lesson uses."""
    return chosen if chosen.d <= FINEST else chosen.changed(d=FINEST)


@st.cache_resource(max_entries=64, show_spinner=False)
def mechanism_for(name: str, epsilon: float, d: int) -> Mechanism:
    """The mechanism with this name. Kept, because it keeps what it has worked out."""
    return make_mechanism(name, epsilon, d)


def calibrated(chosen: Choices) -> tuple[dict[str, Mechanism], dict[str, Mechanism]]:
    """The three mechanisms at equal protection, and those beyond a jump. Searching for ε′ may take a few seconds: it is
    said meanwhile."""
    found, beyond = {}, {}
    slot = st.empty()
    for name in NAMES:
        sides = EqualProtection(chosen.epsilon, None)
        if MECHANISMS[name].notion == "Geo-I":
            sides = _searched(name, chosen, slot)
        found[name] = mechanism_for(name, sides.epsilon, chosen.d)
        if sides.beyond is not None:
            beyond[name] = mechanism_for(name, sides.beyond, chosen.d)
    slot.empty()
    return found, beyond


def _searched(name: str, chosen: Choices, slot: Any) -> EqualProtection:
    if is_stored(name, chosen.epsilon, chosen.d):
        return equal_protection(name, chosen.epsilon, chosen.d)
    work = lambda: iter([equal_protection(name, chosen.epsilon, chosen.d)])  # noqa: E731
    job = jobs_for(chosen).start(("calibrated", name, chosen.epsilon, chosen.d), work)
    wait_for(job, f"Searching for the ε′ at which {name} protects as much as DAM", slot)
    if not job.results:
        st.error(f"No ε′ could be found for {name} here. Change ε or d.")
        st.stop()
    found: EqualProtection = job.results[0]
    return found


def wait_for(job: Job, what: str, slot: Any | None = None) -> bool:
    """Wait for a job to end, free for the visitor's next click; whether it has a result."""
    slot = st.empty() if slot is None else slot
    waited = 0.0
    while not job.wait_to_finish(0.25):
        waited += 0.25
        slot.caption(f"{what} … {waited:.0f} s")
    slot.empty()
    return bool(job.results)


def scene(chosen: Choices, loaded: LoadedData, population: Population, person: Person) -> Lesson:
    """Mechanisms and reports for these choices."""
    mechanisms, beyond = calibrated(chosen)
    there = np.full(REPORTS, person.ix), np.full(REPORTS, person.iy)
    reports = {
        name: mechanism.randomize(*there, np.random.default_rng(chosen.seed)) for name, mechanism in mechanisms.items()
    }
    return Lesson(chosen, loaded, population, person, mechanisms, beyond, reports)

"""The run that Explore shows: started, found done, or seen in stages."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.baselines import baselines_job
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.dashboard.shared.waiting import Greyed, watch
from spatialldp.experiments import land_mask
from spatialldp.experiments.comparison import equal_footing
from spatialldp.experiments.measures import Baselines, Flow, largest_flows
from spatialldp.experiments.run import Run, Stage, make_mechanism, simulate_in_stages
from spatialldp.formatting import escaped_markdown
from spatialldp.mechanisms import Mechanism
from spatialldp.population import Population

#: What takes longer than this is shown in stages.
_PATIENCE_S = 0.35
_ARROWS = 30
#: The three maps, as their containers and charts are named.
MAP_NAMES = ("true", "perturbed", "recovered")
#: Keys of the parts of the page, from top to bottom.
HEADLINE, MAPS, RESULTS = _ALL = ("headline", "maps", "results")


@dataclass(frozen=True)
class ExploreState:
    """All that is on the page."""

    choices: Choices
    """The visitor's settings."""
    loaded: LoadedData
    """The data set."""
    population: Population
    """Its people on the grid."""
    mechanism: Mechanism
    """What randomises their places."""
    mask: NDArray[np.bool_] | None
    """The cells (d, d) that the recovery knows somebody may live in; None where it knows of none."""
    key: Hashable
    """What the run depends on."""
    job: Job
    """The work."""
    seen: int
    """How many results of the job are drawn."""
    reports: Any
    """All reports, as `mechanism.perturb` returns them."""
    recovered: NDArray[np.float64] | None
    """The recovered map so far (d, d); None before the first recovery."""
    run: Run | None
    """The finished run; None while it is being computed."""
    waited_for: list[Job] = field(default_factory=list)
    """Other work whose results belong on the page."""


def begin(choices: Choices, loaded: LoadedData, population: Population) -> ExploreState | None:
    """Start the run, or find it done. None when it failed."""
    greyed = Greyed()
    try:
        mechanism = _mechanism(choices, greyed)
    except ValueError as problem:  # A mechanism may have limits of its own, below those of the sliders.
        st.warning(escaped_markdown(f"This mechanism cannot do that: {problem}."))
        return None
    if mechanism is None:
        return None
    mask = mask_of(choices, loaded, population, mechanism)
    key = _run_key(choices, mechanism, mask is not None)
    job = _run_job(choices, population, mechanism, mask)
    _stop_previous(job, key)
    job.wait(_PATIENCE_S)
    if not job.results:
        greyed.only(*_ALL)
    watch(job, until=lambda: job.results)
    if not job.results:
        return None
    seen = len(job.results)
    latest: Stage | Run = job.results[seen - 1]
    run = latest if isinstance(latest, Run) else None
    greyed.only(*([] if run else [RESULTS]))
    estimate = latest.estimate if isinstance(latest, Run) else latest.rough
    recovered = None if estimate is None else estimate.distribution
    return ExploreState(choices, loaded, population, mechanism, mask, key, job, seen, latest.reports, recovered, run)


def _mechanism(choices: Choices, greyed: Greyed) -> Mechanism | None:
    """The one that runs, as `mechanism_of` has it; None where its ε′ could not be found."""
    if not choices.runs_as_dam:
        return mechanism_of(choices)
    key = ("equal", choices.mechanism, choices.epsilon, choices.d)
    job = jobs_for(choices).start(key, lambda: iter([mechanism_of(choices)]))
    _stop_former(session.EXPLORE_SEARCH, job)
    session.when_leaving(_stop_search)
    if not job.wait(_PATIENCE_S):
        greyed.only(*_ALL)
    found = watch(job, f"Finding the ε′ at which {choices.mechanism} protects as much as DAM")
    return job.results[0] if found else None


def _stop_search() -> None:
    job = session.EXPLORE_SEARCH.take()
    if job is not None:
        job.stop()


def mechanism_of(choices: Choices) -> Mechanism:
    """The chosen mechanism, with the chosen radius or at the ε′ that protects as much as DAM; the latter may take its
    time. Raises ValueError where there is no such mechanism."""
    if choices.runs_as_dam:
        return equal_footing(choices.mechanism, choices.epsilon, choices.d, calibrated=True)
    return make_mechanism(choices.mechanism, choices.epsilon, choices.d, choices.radius)


def mask_of(
    choices: Choices, loaded: LoadedData, population: Population, mechanism: Mechanism
) -> NDArray[np.bool_] | None:
    """The cells (d, d) that the recovery takes for inhabited, where that is wanted and the mechanism can use it."""
    return land_mask(loaded.entry, population.grid) if choices.mask and mechanism.honours_mask else None


def _run_key(choices: Choices, mechanism: Mechanism, masked: bool) -> Hashable:
    return "run", *key_of(choices), type(mechanism), mechanism.epsilon, mechanism.radius, choices.seed, masked


def _run_job(
    choices: Choices, population: Population, mechanism: Mechanism, mask: NDArray[np.bool_] | None = None
) -> Job:
    """The run of this mechanism, begun or done. `mask` is that of the data set, or None."""
    counts, seed = population.counts, choices.seed
    key = _run_key(choices, mechanism, mask is not None)
    return jobs_for(choices).start(key, lambda: simulate_in_stages(counts, mechanism, seed, mask=mask))


def _stop_former(kept: session.Kept[Job], job: Job) -> None:
    former = kept.get()
    if former is not None and former is not job:
        former.stop()
    kept.set(job)


def other_run(state: ExploreState, mechanism: Mechanism, mask: NDArray[np.bool_] | None) -> Run | None:
    """Another run of the same people, to compare with; None while it is being computed, for which `wait` then waits.
    `mask` is that of the data set, or None."""
    job = _run_job(state.choices, state.population, mechanism, mask)
    if not job.finished:
        state.waited_for.append(job)
        session.EXPLORE_BESIDE.set((state.key, [*state.waited_for]))
        return None
    return job.results[-1] if job.results and isinstance(job.results[-1], Run) else None


def _stop_previous(job: Job, key: Hashable) -> None:
    """Runs that the visitor no longer waits for must not take time from the one they do wait for."""
    _stop_former(session.EXPLORE_JOB, job)
    beside = session.EXPLORE_BESIDE.get()
    if beside is not None and beside[0] != key:
        for other in beside[1]:
            if other is not job:  # What stood beside may be what the visitor has chosen now.
                other.stop()
        session.EXPLORE_BESIDE.take()


def flows(state: ExploreState) -> tuple[list[Flow], float]:
    """The largest moves that would repair the recovered map, and the share of the squared error they explain."""
    assert state.run is not None
    run = state.run
    job = jobs_for(state.choices).start(
        ("flows", state.key), lambda: iter([largest_flows(run.counts, run.estimate.distribution, _ARROWS)])
    )
    found: tuple[list[Flow], float] = job.results[0] if watch(job) else ([], 0.0)
    return found


def wait(state: ExploreState, ends: Baselines | None) -> None:
    """Wait for what is not on the page yet, the end of the run or both `ends` of the scale, and draw again when it is
    there. Comes last on its page."""
    if state.run is None:
        watch(
            state.job,
            "Refining the recovered map",
            until=lambda: len(state.job.results) > state.seen,
            failure="The recovery could not be finished. Change a setting, or reset to the defaults.",
            rerun=True,
        )
        return
    if ends is None:
        state.waited_for.append(baselines_job(state.choices, state.population))
    if state.waited_for:
        watch(state.waited_for, "Computing what to compare the error with", rerun=True)

"""What the Trade-off page has been asked and what has been computed for it by now."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.dashboard.tradeoff.questions import question_of
from spatialldp.experiments.axes import axis_values
from spatialldp.experiments.sweep import Point
from spatialldp.planning.decision import Assessment, Decision
from spatialldp.planning.question import Question
from spatialldp.planning.searches import GridAnswer
from spatialldp.planning.study import ANSWER, ASSESSMENT, Findings, Part, parts, population_on_any_grid
from spatialldp.population import Population

#: How long the page waits for the figures of the plan before it is drawn without them.
_PATIENCE_S = 0.3
#: A page that is redrawn for every point would do nothing else.
_BETWEEN_DRAWINGS_S = 1.0
#: The progress of some jobs: for each, its results and whether there will be more.
Progress = tuple[tuple[int, bool], ...]


@dataclass(frozen=True)
class TradeoffState:
    """All that is on the page."""

    choices: Choices
    """The visitor's settings."""
    loaded: LoadedData
    """The data set."""
    population: Population
    """Its people on the plan's grid."""
    question: Question
    """What is asked."""
    parts: dict[str, Part]
    """The parts of the work on it, by name."""
    by_part: dict[str, Job | None]
    """The job of each part; None where it is not begun, or was stopped before it was."""
    drawn: Progress = ()
    """How far the jobs were when drawing began, because they go on meanwhile."""

    @property
    def jobs(self) -> list[Job]:
        """Every job there is."""
        return [job for job in self.by_part.values() if job]

    @property
    def progress(self) -> Progress:
        """How far the jobs are now."""
        return tuple((len(job.results), job.finished) for job in self.jobs)

    @property
    def failed(self) -> bool:
        """Whether something cannot be computed."""
        return any(job.failed for job in self.jobs)

    @property
    def stopped(self) -> bool:
        """Whether the visitor stopped it."""
        # To a question every own file is the same; its people are not.
        return session.TRADE_OFF_STOPPED.get() == (key_of(self.choices), self.question)

    @property
    def complete(self) -> bool:
        """Whether everything that was asked is there."""
        jobs = self.by_part.values()
        return all(job is not None and job.finished and not job.failed and not job.stopped for job in jobs)

    @property
    def findings(self) -> Findings:
        """What the jobs have found up to now."""
        return Findings({name: job.results for name, job in self.by_part.items() if job})

    @property
    def assessment(self) -> Assessment | None:
        """Error and risk of the plan."""
        return self.findings.assessment

    @property
    def pinned(self) -> Assessment | None:
        """Error and risk of scenario A."""
        return self.findings.pinned

    @property
    def answer(self) -> Decision | GridAnswer | None:
        """The last word of the search."""
        return self.findings.decision or self.findings.grid

    @property
    def points(self) -> list[Point]:
        """Points of all curves so far."""
        return self.findings.points

    @property
    def curves(self) -> int:
        """How many curves there will be."""
        return sum(part.is_curve for part in self.parts.values())


def begin(chosen: Choices, loaded: LoadedData, population: Population) -> TradeoffState:
    """Start what is asked, or find it done. What the visitor no longer waits for is stopped."""
    asked = question_of(chosen, population)
    work = parts(asked, population_on_any_grid(loaded.entry, loaded.points, chosen.box))
    store, jobs = jobs_for(chosen), dict[str, Job | None]()
    state = TradeoffState(chosen, loaded, population, asked, work, jobs)
    stopped = state.stopped
    for name, part in work.items():
        before = [jobs[other] for other in part.after]
        key = ("tradeoff", *key_of(chosen), part.key)
        if stopped:
            jobs[name] = store.find(key)
        elif any(job is None or not job.finished for job in before):
            jobs[name] = None
        else:
            jobs[name] = job = store.start(key, part.work)
            if name == ASSESSMENT:
                job.wait(_PATIENCE_S)
    for other in session.TRADE_OFF_JOBS.get() or []:
        if other not in state.jobs:
            other.stop()
    session.TRADE_OFF_JOBS.set(state.jobs)
    return replace(state, drawn=state.progress)


def progress(state: TradeoffState) -> None:
    """What is being computed, and a button that stops it."""
    if state.complete or state.failed:
        return
    values = len(axis_values(state.question.over, state.question.plan, state.population.users))
    total, done = values * state.curves, len(state.points)
    bar, button = st.columns([5, 1], vertical_alignment="center")
    share = done / total if total else 1.0
    if state.stopped:
        bar.progress(share, f"Stopped: {done} of {total} points of the curves are done.")
        button.button("Continue", on_click=go_on, key="continue", width="stretch")
        return
    searched = len(state.findings.results.get(ANSWER, ()))
    search = "" if state.answer is not None else f"; searching for the answer, {searched} plans measured"
    bar.progress(share, f"{done} of {total} points of the curves are done{search} …")
    button.button("Stop", on_click=stop, args=(state,), key="stop", width="stretch")


def stop(state: TradeoffState) -> None:
    """Compute no further until the visitor says so."""
    for job in state.jobs:
        job.stop()
    session.TRADE_OFF_STOPPED.set((key_of(state.choices), state.question))


def go_on() -> None:
    """Compute what was stopped."""
    session.TRADE_OFF_STOPPED.take()


def wait(state: TradeoffState) -> None:
    """Wait for news, and redraw when there is some. Comes last on its page."""
    if state.stopped or (state.complete and state.progress == state.drawn):
        return
    watch(
        state.jobs,
        "Computing",
        until=lambda: state.progress != state.drawn,
        no_sooner_than_s=_BETWEEN_DRAWINGS_S,
        failure="This could not be computed with these settings. Change ε, d or the mechanisms.",
        rerun=True,
    )

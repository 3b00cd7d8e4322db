"""What the Trade-off page has been asked and what has been computed for it by now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of
from spatialldp.dashboard.shared.jobs import Job, Work
from spatialldp.dashboard.shared.waiting import watch
from spatialldp.dashboard.tradeoff.questions import question_of
from spatialldp.experiments.sweep import Point, axis_values, curve_names, on_curve, sweep
from spatialldp.planning.decision import Assessment, Decision, assess, decide, offer
from spatialldp.planning.searches import GridAnswer
from spatialldp.planning.study import Question, population_on_any_grid
from spatialldp.population import Population, PopulationOn

#: How long the page waits for the figures of the plan before it is drawn without them.
_PATIENCE_S = 0.3
#: A page that is drawn again for every point would do nothing else.
_BETWEEN_DRAWINGS_S = 1.0
#: How far some jobs are: results and whether there will be more, of each.
Progress = tuple[tuple[int, bool], ...]


@dataclass(frozen=True)
class TradeoffState:
    """All that is on the page. A job is None where it was not asked for, not begun, or stopped before it was begun."""

    #: The visitor's settings.
    choices: Choices
    #: The data set.
    loaded: LoadedData
    #: Its people on the plan's grid.
    population: Population
    #: What is asked.
    question: Question
    #: Computes error and risk of the plan.
    assessing: Job | None
    #: The same of scenario A.
    pinning: Job | None
    #: Searches for the smallest ε, or the finest grid.
    answering: Job | None
    #: Computes the curve of each mechanism, by name.
    curving: dict[str, Job | None]
    #: How far the jobs were when drawing began, because they go on meanwhile.
    drawn: Progress = ()

    @property
    def jobs(self) -> list[Job]:
        """Every job there is."""
        return [job for job in (self.assessing, self.pinning, self.answering, *self.curving.values()) if job]

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
        asked = [self.assessing, self.answering, *self.curving.values()]
        asked += [self.pinning] if self.question.pinned is not None else []
        return all(job is not None and job.finished and not job.failed and not job.stopped for job in asked)

    @property
    def assessment(self) -> Assessment | None:
        """Error and risk of the plan."""
        return self.assessing.results[0] if self.assessing and self.assessing.results else None

    @property
    def pinned(self) -> Assessment | None:
        """Error and risk of scenario A."""
        return self.pinning.results[0] if self.pinning and self.pinning.results else None

    @property
    def answer(self) -> Decision | GridAnswer | None:
        """The last word of the search."""
        last = self.answering.results[-1] if self.answering and self.answering.results else None
        return last if isinstance(last, (Decision, GridAnswer)) else None

    @property
    def points(self) -> list[Point]:
        """Points of all curves so far."""
        return [point for job in self.curving.values() if job for point in list(job.results)]


def begin(chosen: Choices, loaded: LoadedData, population: Population) -> TradeoffState:
    """Start what is asked, or find it done. What the visitor no longer waits for is stopped."""
    asked = question_of(chosen, population)
    state = TradeoffState(chosen, loaded, population, asked, None, None, None, {})
    stopped = state.stopped
    population_on = population_on_any_grid(loaded.entry, loaded.points, chosen.box)
    common = ("tradeoff", *key_of(chosen), asked.seed, asked.repeats)

    def job(key: tuple[Any, ...], work: Work) -> Job | None:
        store = jobs_for(chosen)
        return store.find((*common, *key)) if stopped else store.start((*common, *key), work)

    plan, pinned, k = asked.plan, asked.pinned, asked.reports
    assessing = job(
        ("assess", plan, k), lambda: iter([assess(population_on(plan.d), plan, asked.seed, asked.repeats, k)])
    )
    if assessing is not None:
        assessing.wait(_PATIENCE_S)
    pinning = None
    if pinned is not None:
        pinning = job(
            ("assess", pinned, k), lambda: iter([assess(population_on(pinned.d), pinned, asked.seed, asked.repeats, k)])
        )
    answering = job(("answer", plan, asked.target), lambda: _answer(population_on, asked))
    curving: dict[str, Job | None] = {}
    for name in curve_names(asked.over, asked.names):
        # One after the other: together they would only delay each other and the answer.
        waiting = any(other is not None and not other.finished for other in curving.values())
        key = ("curve", on_curve(plan, name), asked.over, k)
        curving[name] = None if waiting else job(key, _curve(population_on, asked, name))
    state = replace(state, assessing=assessing, pinning=pinning, answering=answering, curving=curving)
    for other in session.TRADE_OFF_JOBS.get() or []:
        if other not in state.jobs:
            other.stop()
    session.TRADE_OFF_JOBS.set(state.jobs)
    return replace(state, drawn=state.progress)


def _answer(population_on: PopulationOn, asked: Question) -> Iterator[Any]:
    if asked.target is None:
        return offer(population_on, asked.plan, asked.seed, asked.repeats)
    return decide(population_on, asked.plan, asked.target, asked.seed, asked.repeats)


def _curve(population_on: PopulationOn, asked: Question, name: str) -> Work:
    # The values are those of the plan, so that all curves have their points at the same places.
    values = axis_values(asked.over, asked.plan, population_on(asked.plan.d).users)
    return lambda: sweep(
        population_on,
        on_curve(asked.plan, name),
        asked.over,
        [name],
        values=values,
        seed=asked.seed,
        repeats=asked.repeats,
        reports=asked.reports,
    )


def progress(state: TradeoffState) -> None:
    """What is being computed, and a button that stops it."""
    if state.complete or state.failed:
        return
    values = len(axis_values(state.question.over, state.question.plan, state.population.users))
    total, done = values * len(state.curving), len(state.points)
    bar, button = st.columns([5, 1], vertical_alignment="center")
    share = done / total if total else 1.0
    if state.stopped:
        bar.progress(share, f"Stopped: {done} of {total} points of the curves are done.")
        button.button("Continue", on_click=go_on, key="continue", width="stretch")
        return
    searched = len(state.answering.results) if state.answering is not None else 0
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
    """Wait for news, and draw again when there are some. Comes last on its page."""
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

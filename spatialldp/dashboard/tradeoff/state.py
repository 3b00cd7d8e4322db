"""What the Trade-off page has been asked and what has been computed for it by now."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import Choices
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of, measurements_for
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.dashboard.shared.waiting import Share, watch
from spatialldp.dashboard.tradeoff.questions import question_of
from spatialldp.experiments.measurements import Measurements
from spatialldp.planning.decision import Assessment
from spatialldp.planning.question import PRESENT, Question
from spatialldp.planning.study import ANSWER, SETTING, Findings, answering, parts
from spatialldp.population import Population

#: How long the page waits for an answer before it is drawn without it.
_PATIENCE_S = 0.3
#: A page that is redrawn for every point would do nothing else.
_BETWEEN_DRAWINGS_S = 1.0
#: Before this it is not known how long the rest takes.
_SOON_S = 2.0


@dataclass(frozen=True)
class TradeoffState:
    """All that is on the page."""

    choices: Choices
    """The visitor's settings."""
    loaded: LoadedData
    """The data set."""
    population: Population
    """Its people on the grid of the present setting."""
    question: Question
    """What is asked."""
    measurements: Measurements
    """What has been measured of these people."""
    job: Job | None
    """Answers the question; None where the visitor stopped it before it began."""
    drawn: int = 0
    """How much of it is drawn: it goes on meanwhile."""

    @property
    def stopped(self) -> bool:
        """Whether the visitor stopped it."""
        return session.TRADE_OFF_STOPPED.get() == _key(self.choices, self.question)

    @property
    def complete(self) -> bool:
        """Whether everything that was asked is there."""
        return self.job is not None and self.job.finished and not self.job.failed and not self.job.stopped

    @cached_property
    def _results(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for part, result in [] if self.job is None else self.job.results[: self.drawn]:
            found.setdefault(part.name, []).append(result)
        return found

    @cached_property
    def findings(self) -> Findings:
        """What was known when drawing began. The setting is not missing but the same where it is recommended."""
        found = Findings(self._results)
        same = found.decision is not None and found.decision.plan == self.question.plan
        return found if same else Findings({SETTING: [], **self._results})

    @property
    def decided(self) -> Assessment | None:
        """Error and risk of the plan that is decided for."""
        return self.findings.setting if self.question.decided_for == PRESENT else self.findings.recommended

    @property
    def steps(self) -> tuple[int, int]:
        """How much is done, and about how much there is to do."""
        work = parts(self.question, self.measurements, self.findings.decision).values()
        done = sum(min(len(self._results.get(part.name, ())), part.steps) for part in work)
        over = {name for name in self._results if name != list(self._results)[-1]}
        # A part that is over has nothing left, however much was expected of it.
        left = sum(max(part.steps - len(self._results.get(part.name, ())), 0) for part in work if part.name not in over)
        unlisted = 0 if any(part.is_curve for part in work) else 10 * self.question.repeats
        return done, done + left + unlisted


def _key(chosen: Choices, asked: Question) -> tuple[Any, ...]:
    # The draw that the maps show is not part of the answer.
    return ("tradeoff", *key_of(chosen), replace(asked, seed=0))


def begin(chosen: Choices, loaded: LoadedData, population: Population) -> TradeoffState:
    """Start what is asked, or find it done. What the visitor no longer waits for is stopped."""
    asked = question_of(chosen, population)
    measurements = measurements_for(chosen)
    state = TradeoffState(chosen, loaded, population, asked, measurements, None)
    store, key = jobs_for(chosen), _key(chosen, asked)
    before = session.TRADE_OFF_JOB.get()
    job = store.find(key) if state.stopped else store.start(key, lambda: answering(asked, measurements))
    if before is not None and before[0] is not job:
        before[0].stop()
    if job is not None and (before is None or before[0] is not job):
        session.TRADE_OFF_JOB.set((job, time.monotonic()))
        job.wait(_PATIENCE_S)
    session.when_leaving(_leave)
    return replace(state, job=job, drawn=0 if job is None else len(job.results))


def _leave() -> None:
    """Nobody waits for it on another page; what has been measured is kept."""
    job = session.TRADE_OFF_JOB.take()
    if job is not None:
        job[0].stop()


def progress(state: TradeoffState) -> None:
    """How far it is, how long the rest will take, and a button that stops it."""
    if state.complete or (state.job is not None and state.job.failed):
        return
    bar, button = st.columns([5, 1], vertical_alignment="center")
    share = _share(state)
    if state.stopped:
        bar.progress(share.done, f"Stopped: {share.done:.0%} is done. What is done is kept.")
        button.button("Continue", on_click=go_on, key="continue", width="stretch")
        return
    bar.progress(share.done, share.text)
    button.button("Stop", on_click=stop, args=(state,), key="stop", width="stretch")


def _share(state: TradeoffState) -> Share:
    done, total = state.steps
    share = min(done / total, 0.99) if total else 0.0
    doing = list(state._results)[-1:] or [ANSWER]
    part = parts(state.question, state.measurements, state.findings.decision).get(doing[0])
    title = "Computing" if part is None else f"Computing: {part.title}"
    waited = time.monotonic() - (session.TRADE_OFF_JOB.get() or (None, time.monotonic()))[1]
    if waited < _SOON_S or share < 0.05:
        return Share(share, f"{title} …")
    left = waited * (1 - share) / share
    return Share(share, f"{title} … about {max(round(left), 1)} s left")


def stop(state: TradeoffState) -> None:
    """Compute no further until the visitor says so."""
    if state.job is not None:
        state.job.stop()
    session.TRADE_OFF_STOPPED.set(_key(state.choices, state.question))


def go_on() -> None:
    """Compute what was stopped."""
    session.TRADE_OFF_STOPPED.take()
    session.TRADE_OFF_JOB.take()


def wait(state: TradeoffState) -> None:
    """Wait for news, and redraw when there is some. Comes last on its page."""
    job = state.job
    if job is None or state.stopped or (state.complete and len(job.results) == state.drawn):
        return
    watch(
        job,
        None,
        until=lambda: len(job.results) > state.drawn,
        no_sooner_than_s=_BETWEEN_DRAWINGS_S,
        failure="This could not be computed with these settings. Change ε, d or the mechanism.",
        rerun=True,
    )

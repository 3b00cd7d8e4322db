"""What the Trade-off page has been asked and what has been computed for it by now."""

from __future__ import annotations

import time
from collections.abc import Sequence
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
from spatialldp.experiments.sweep import Point
from spatialldp.planning.decision import Assessment, Decision
from spatialldp.planning.question import PRESENT, Question
from spatialldp.planning.searches import FirstIdea, UsersAnswer
from spatialldp.planning.study import ANSWER, SETTING, Findings, Part, answering, left_of, parts
from spatialldp.population import Population

#: How long the page waits for an answer before it is drawn without it.
_PATIENCE_S = 0.3
#: A page that is redrawn for every point would do nothing else.
_BETWEEN_DRAWINGS_S = 1.0
#: Before this it is not known how long the rest takes: seconds, and the share that is done.
_SOON_S, _LITTLE = 2.0, 0.05
#: About how much work a curve is that cannot be listed before there is a decision, per repeat.
_CURVE_STEPS = 10
#: What is drawn as soon as it is found, and how many points of a curve are: drawing takes the browser its time.
_WORTH_DRAWING, _POINTS_WORTH_DRAWING = (Assessment, Decision, FirstIdea, UsersAnswer), 3


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
    def findings(self) -> Findings:
        """What was known when drawing began. The setting is not missing but the same where it is recommended."""
        results = _by_part([] if self.job is None else self.job.results[: self.drawn])
        decision = Findings(results).decision
        same = decision is not None and decision.plan == self.question.plan
        return Findings(results if same else {SETTING: [], **results})

    @cached_property
    def parts(self) -> dict[str, Part]:
        """The work on the question, as far as it could be listed when drawing began."""
        return parts(self.question, self.measurements, self.findings.decision)

    @property
    def decided(self) -> Assessment | None:
        """Error and risk of the plan that is decided for."""
        return self.findings.setting if self.question.decided_for == PRESENT else self.findings.recommended

    @property
    def share(self) -> Share:
        """How far the job is now, and what it is doing."""
        done = _by_part([] if self.job is None else list(self.job.results))
        doing = next(reversed(done), ANSWER)
        # A part that is over has nothing left, however much was expected of it.
        left = sum(
            left_of(part, done.get(name, ())) for name, part in self.parts.items() if name not in done or name == doing
        )
        if not any(part.is_curve for part in self.parts.values()):
            left += _CURVE_STEPS * self.question.repeats
        total = sum(map(len, done.values()))
        share = total / (total + left) if total else 0.0
        title = self.parts[doing].title if doing in self.parts else "curves"
        return Share(min(share, 0.99), f"Computing: {title}")


def _by_part(results: Sequence[tuple[Part, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for part, result in results:
        found.setdefault(part.name, []).append(result)
    return found


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


def progress(state: TradeoffState) -> Any:
    """How far it is, how long the rest will take, and a button that stops it; returns where that is said."""
    if state.complete or (state.job is not None and state.job.failed):
        return None
    bar, button = st.columns([5, 1], vertical_alignment="center")
    slot = bar.empty()
    if state.stopped:
        done = _done_before(state)
        slot.progress(done, f"Stopped: {done:.0%} is done. What is done is kept.")
        button.button("Continue", on_click=go_on, key="continue", width="stretch")
        return None
    slot.progress(*_with_time_left(state))
    button.button("Stop", on_click=stop, args=(state,), key="stop", width="stretch")
    return slot


def _with_time_left(state: TradeoffState) -> Share:
    done, doing = state.share
    kept = session.TRADE_OFF_JOB.get()
    waited = 0.0 if kept is None else time.monotonic() - kept[1]
    left = "" if waited < _SOON_S or done < _LITTLE else f" about {max(round(waited * (1 - done) / done), 1)} s left"
    # What was done before it was stopped is not done again, and not counted again either.
    before = _done_before(state)
    return Share(before + (1 - before) * done, f"{doing} …{left}")


def _done_before(state: TradeoffState) -> float:
    """Which share was done when the visitor last stopped this question; 0 for one that was never stopped."""
    question, done = session.TRADE_OFF_GOES_ON.get() or (None, 0.0)
    return done if question == _key(state.choices, state.question) else 0.0


def stop(state: TradeoffState) -> None:
    """Compute no further until the visitor says so."""
    key, done = _key(state.choices, state.question), _with_time_left(state).done
    if state.job is not None:
        state.job.stop()
    session.TRADE_OFF_STOPPED.set(key)
    session.TRADE_OFF_GOES_ON.set((key, done))


def go_on() -> None:
    """Compute what was stopped."""
    session.TRADE_OFF_STOPPED.take()
    session.TRADE_OFF_JOB.take()


def wait(state: TradeoffState, slot: Any) -> None:
    """Wait for news, and redraw when there is some; `slot` says how far it is. Comes last on its page."""
    job = state.job
    if job is None or state.stopped or (state.complete and len(job.results) == state.drawn):
        return
    watch(
        job,
        lambda: _with_time_left(state),
        until=lambda: _news(job.results[state.drawn :]),
        # Before there is a decision the page is a sentence, drawn in no time.
        no_sooner_than_s=0.0 if state.findings.decision is None else _BETWEEN_DRAWINGS_S,
        failure="This could not be computed with these settings. Change ε, d or the mechanism.",
        slot=slot,
        rerun=True,
    )


def _news(results: Sequence[tuple[Part, Any]]) -> bool:
    """Whether something was found that is worth drawing, and not only done on the way to it."""
    points = sum(isinstance(found, Point) for _, found in results)
    return points >= _POINTS_WORTH_DRAWING or any(isinstance(found, _WORTH_DRAWING) for _, found in results)

"""The Trade-off page: what is asked, what is being computed, and the report to take away."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import streamlit as st

from spatialldp.dashboard.shared.choices import (
    MOST_REPORTS,
    POPULATIONS,
    REPEATS_RANGE,
    SMALLEST_TARGET,
    UPLOAD,
    Choices,
)
from spatialldp.dashboard.shared.chosen_data import LoadedData, jobs_for, key_of
from spatialldp.dashboard.shared.controls import bound, choices, choose, mechanism_pills, show
from spatialldp.dashboard.shared.jobs import Job
from spatialldp.experiments.plan import Plan, side_and_unit
from spatialldp.experiments.run import has_radius
from spatialldp.experiments.sweep import AXES, Point, axis_values
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.decision import Assessment, Decision
from spatialldp.planning.question import Question, default_target, read_pinned
from spatialldp.planning.searches import GridAnswer
from spatialldp.planning.study import ANSWER, ASSESSMENT, Findings, Part, parts, population_on_any_grid
from spatialldp.population import FEWEST_PEOPLE, Population

#: Two, because one repeat says nothing about how sure a figure is.
_REPEATS = (2, REPEATS_RANGE[1])
_ACCEPT, _OFFER = "I can accept an error of …", "I can offer ε = …"
#: A page that is drawn again for every point would do nothing else.
_BETWEEN_DRAWINGS_S = 1.0


@dataclass(frozen=True)
class Desk:
    """All that is on the page: the question, its people, and by name the parts of the answer and their jobs (None: not
    begun or stopped); `drawn` how far the jobs were when drawing began, because they go on meanwhile."""

    choices: Choices
    loaded: LoadedData
    population: Population
    question: Question
    parts: dict[str, Part]
    by_part: dict[str, Job | None]
    drawn: tuple[tuple[int, bool], ...] = ()

    @property
    def jobs(self) -> list[Job]:
        """Every job there is."""
        return [job for job in self.by_part.values() if job]

    @property
    def state(self) -> tuple[tuple[int, bool], ...]:
        """How far the jobs are now."""
        return tuple((len(job.results), job.finished) for job in self.jobs)

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
    def shown(self) -> Assessment | None:
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
        return len([part for part in self.parts.values() if part.is_curve])


def plan_of(chosen: Choices, population: Population) -> Plan:
    """The sidebar's choices as a plan."""
    users = None if chosen.people == 100 else max(round(population.users * chosen.people / 100), FEWEST_PEOPLE)
    radius = chosen.b if has_radius(chosen.mechanism) else None
    return Plan(chosen.mechanism, chosen.epsilon, chosen.d, radius, users, chosen.calibrated, chosen.by)


def ask(population: Population) -> None:
    """What is known, who takes part, and how often one person reports."""
    chosen = choices()
    first, second, third = st.columns([1.15, 1, 1], gap="large")
    with first:
        show("ask", _OFFER if chosen.target is None else _ACCEPT)
        st.radio(
            "What do you know?", [_ACCEPT, _OFFER], key="ask", on_change=_asked, args=(population,), horizontal=True
        )
        unit = side_and_unit(population.grid)[1]
        if chosen.target is not None:
            st.number_input(
                f"Error I can accept, {'metres' if unit == 'm' else unit}",
                min_value=SMALLEST_TARGET,
                max_value=1e6,
                step=50.0 if unit == "m" else None,
                format="%g",
                help="How far, in the root mean square, the map may be off, counting the size of its cells.",
                **bound("target", "target", chosen.target),
            )
        else:
            st.caption(f"The ε that is offered is the one on the left: **ε = {chosen.epsilon:g}**.")
    with second:
        options = sorted({*POPULATIONS, chosen.people})
        st.select_slider(
            "Who takes part",
            options,
            format_func=lambda share: _population(share, population.users),
            help="Fewer than there are: a random sample. More: everybody several times. The recovered map is compared "
            "with the map of everybody.",
            **bound("people", population_key(population.users), chosen.people),
        )
    with third:
        st.slider(
            "Reports of one person",
            1,
            MOST_REPORTS,
            help="A person who reports again spends the budget again: k reports cost k·ε. It changes the risk, not the "
            "map, which counts one report a person.",
            **bound("reports", "k", chosen.reports),
        )


def promise(chosen: Choices) -> str:
    """What ε means here: a mechanism of Geo-I runs at another one unless the visitor wants the same."""
    notion = MECHANISMS[chosen.mechanism].notion
    return "as DAM" if notion == "Geo-I" and chosen.calibrated else notion


def population_key(inside: int) -> str:
    """The key of the slider of who takes part. The browser knows a stop by its text alone, and that counts people: of
    other people it would send a text that is no stop any more, and Streamlit would take the first one for it."""
    return f"pop-of-{inside}"


def _population(percent: int, inside: int) -> str:
    people = max(round(inside * percent / 100), FEWEST_PEOPLE)
    share = f"{percent} %" if percent < 100 else "everybody" if percent == 100 else f"{percent / 100:g} times as many"
    return f"{share}: {people:,}"


def _asked(population: Population) -> None:
    accepts = st.session_state.ask == _ACCEPT
    choose(target=default_target(population.grid) if accepts else None)


def curve_controls() -> None:
    """What the curves vary, and whose they are."""
    chosen = choices()
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    with left:
        show("over", chosen.over)
        st.segmented_control(
            "Curves over",
            list(AXES),
            format_func=lambda axis: {"epsilon": "ε", "users": "people"}.get(axis, axis),
            key="over",
            required=True,
            on_change=lambda: choose(over=st.session_state.over),
        )
    right.slider(
        "Repeats",
        *_REPEATS,
        help="Everything runs this often with new random draws; the intervals come from that.",
        **bound("repeats", "repeats", max(chosen.repeats, _REPEATS[0])),
    )
    mechanism_pills("Mechanisms with a curve")


def question_of(chosen: Choices, population: Population) -> Question:
    """The choices as a question, which the page, the report and the command line answer alike."""
    names = tuple(name for name in MECHANISMS if name in {*chosen.compared, chosen.mechanism})
    return Question(
        chosen.data,
        plan_of(chosen, population),
        chosen.box,
        chosen.seed,
        max(chosen.repeats, _REPEATS[0]),
        chosen.reports,
        chosen.over,
        names,
        chosen.target,
        None if chosen.pinned is None else read_pinned(chosen.pinned, chosen.calibrated, chosen.by),
    )


def desk(chosen: Choices, loaded: LoadedData, population: Population) -> Desk:
    """Start what is asked, or find it done. What the visitor no longer waits for is stopped."""
    asked = question_of(chosen, population)
    work = parts(asked, population_on_any_grid(loaded.entry, loaded.points, chosen.box))
    store, stopped = jobs_for(chosen), _is_stopped(chosen, asked)
    jobs: dict[str, Job | None] = {}
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
                job.wait_to_finish(0.3)
    found = Desk(chosen, loaded, population, asked, work, jobs)
    for other in st.session_state.get("tradeoff-jobs", []):
        if other not in found.jobs:
            other.stop()
    st.session_state["tradeoff-jobs"] = found.jobs
    return replace(found, drawn=found.state)


def progress(shown: Desk) -> None:
    """What is being computed, and a button that stops it."""
    asked = shown.question
    stopped = _is_stopped(shown.choices, asked)
    if shown.complete or any(job.failed for job in shown.jobs):
        return
    values = len(axis_values(asked.over, asked.plan, shown.population.users))
    total, done = values * shown.curves, len(shown.points)
    bar, button = st.columns([5, 1], vertical_alignment="center")
    share = done / total if total else 1.0
    if stopped:
        bar.progress(share, f"Stopped: {done} of {total} points of the curves are done.")
        button.button("Continue", on_click=_continue, key="continue", width="stretch")
        return
    searched = len(shown.findings.results.get(ANSWER, ()))
    search = "" if shown.answer is not None else f"; searching for the answer, {searched} plans measured"
    bar.progress(share, f"{done} of {total} points of the curves are done{search} …")
    button.button("Stop", on_click=_stop, args=(shown,), key="stop", width="stretch")


def _stop(shown: Desk) -> None:
    for job in shown.jobs:
        job.stop()
    st.session_state["tradeoff-stopped"] = (key_of(shown.choices), shown.question)


def _is_stopped(chosen: Choices, asked: Question) -> bool:
    # To a question every own file is the same; its people are not.
    return bool(st.session_state.get("tradeoff-stopped") == (key_of(chosen), asked))


def _continue() -> None:
    del st.session_state["tradeoff-stopped"]


def wait(shown: Desk) -> None:
    """Wait for news, free for the visitor's next click, and draw again when there are some."""
    if any(job.failed for job in shown.jobs):
        st.error("This could not be computed with these settings. Change ε, d or the mechanisms.")
        return
    if _is_stopped(shown.choices, shown.question):
        return
    if shown.complete:
        if shown.state != shown.drawn:  # what finished while the page was drawn is not on it yet
            st.rerun()
        return
    jobs = shown.jobs
    if any(job.stopped for job in jobs):  # by another visitor who shared it and went on: it is started again
        st.rerun()
    started = time.monotonic()
    slot = st.empty()
    while True:
        waited = time.monotonic() - started
        if all(job.finished for job in jobs) or (shown.state != shown.drawn and waited >= _BETWEEN_DRAWINGS_S):
            st.rerun()
        slot.caption(f"Computing … {waited:.0f} s")
        time.sleep(0.1)


def is_own(shown: Desk) -> bool:
    """Whether the people are the visitor's own file, which no command can name."""
    return shown.choices.data == UPLOAD

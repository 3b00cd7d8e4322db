"""The decision: one plan with its own figures and maps, and the other one beside it."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from spatialldp.dashboard.shared import captions, session
from spatialldp.dashboard.shared.chosen_data import jobs_for, key_of
from spatialldp.dashboard.shared.controls import choices, choose
from spatialldp.dashboard.shared.figures import figure
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.tradeoff.state import TradeoffState
from spatialldp.drawing.in_words import fullest_cells_in_words
from spatialldp.drawing.outlines import outline_lines
from spatialldp.drawing.triple import Panel, map_triple
from spatialldp.experiments.map_error import PLACES
from spatialldp.experiments.plan import Plan
from spatialldp.experiments.run import Run
from spatialldp.formatting import added_up, counted, escaped_markdown, length, percent
from spatialldp.planning import sentences
from spatialldp.planning.decision import Assessment, Decision
from spatialldp.planning.question import PRESENT, RECOMMENDED
from spatialldp.planning.study import first_run

_NAMES = {RECOMMENDED: "Recommended", PRESENT: "Your setting"}
_PICTURE = 480
#: How long the page waits for a map; on large grids it comes with the next drawing.
_PATIENCE_S = 1.5
_PLACES_HELP = (
    "How far people are from where the map shows them, on average (root mean square), the size of the cells included: "
    "the exact W2 between the people, counted on a fine grid, and the map spread evenly over its cells. ± is half the "
    "95% interval of the mean over the simulated collections. Explore and Compare show another figure, W2 between "
    "two grids, which leaves out what a cell hides."
)
_COUNTS_HELP = (
    "How far off a count of people in an area is, in people per 1,000 on the whole map: the mean over squares 0.3 "
    "times as wide as the map. ± is half the 95% interval of the mean over the simulated collections."
)
_CELL_HELP = (
    "The error that even the true map has on these cells, because a map of cells does not show where in a cell people "
    "are. The rest comes from the randomisation."
)


def advice(state: TradeoffState) -> None:
    """The sentence to read aloud, the button that follows it, and how sure it is."""
    found = state.findings
    decision = found.decision
    if decision is None:
        st.markdown(_searching(state))
        return
    sentence = html.escape(sentences.recommendation(decision, found.recommended))
    st.html(f'<p id="advice" style="font-size:1.25rem;line-height:1.45;margin:0">{sentence}</p>')
    with st.container(horizontal=True, vertical_alignment="center"):
        _plan_choice(state, decision.plan)
        with st.popover("How sure is this?", icon=":material/rule:", key="how-sure"):
            st.markdown("\n".join(f"- {escaped_markdown(one)}" for one in _details(state, decision)))


def _details(state: TradeoffState, decision: Decision) -> list[str]:
    found, error = state.findings, decision.error
    said = sentences.decision_details(decision)
    if found.recommended is not None:
        said.append(sentences.risk_sentence(found.recommended.many, error.side, error.length_unit))
    if found.users is not None:
        said.append(sentences.users_sentence(found.users, state.question.plan, error.unit))
    return [one for one in said if one]


def _searching(state: TradeoffState) -> str:
    target, idea = state.question.target, state.findings.idea
    if idea is None and state.stopped:
        return "Stopped before there was a first idea."
    if idea is None:
        best = "Looking for the best grid at this ε …"
        return (
            best if target is None else "Looking for the smallest ε that keeps the error within what you can accept …"
        )
    words = f"{sentences.setting_words(idea)} on {sentences.grid_words(idea)}"
    if state.stopped:
        return f"Stopped at a first idea, which is not checked: about **{escaped_markdown(words)}**."
    return f"First idea: about **{escaped_markdown(words)}**. It is being checked with more simulated collections …"


def _plan_choice(state: TradeoffState, recommended: Plan) -> None:
    """Which plan is decided for, and the button that sets the sliders to the recommended one."""
    if recommended == state.question.plan:
        st.markdown(":green[:material/check_circle:] Your setting is the recommended plan.")
        return
    chosen = choices()
    session.show("decided-for", chosen.decided_for)
    st.segmented_control(
        "Plan shown below and in the printable report",
        list(_NAMES),
        format_func=_NAMES.__getitem__,
        required=True,
        key="decided-for",
        on_change=lambda: choose(decided_for=session.shown("decided-for")),
        label_visibility="collapsed",
        help="Which plan the figures, maps and curves below and the printable report are about.",
    )
    st.button(
        f"Use ε = {recommended.epsilon:g} and {sentences.grid_words(recommended)}",
        key="use",
        icon=":material/check:",
        on_click=choose,
        kwargs={"epsilon": recommended.epsilon, "d": recommended.d, "b": recommended.b},
        help="Sets the sliders of ε and d to the recommended plan.",
    )


class _Side(NamedTuple):
    """One of the plans that stand side by side."""

    name: str
    found: Assessment


def sides(state: TradeoffState) -> tuple[_Side | None, _Side | None]:
    """The plan that is decided for, and the other one; None while it is not known, or where it is the same."""
    found = state.findings
    both = {RECOMMENDED: found.recommended, PRESENT: found.setting}
    first = state.question.decided_for
    second = PRESENT if first == RECOMMENDED else RECOMMENDED
    decided, other = (
        None if both[which] is None else _Side(_NAMES[which], both[which])  # type: ignore[arg-type]
        for which in (first, second)
    )
    same = decided is not None and other is not None and decided.found is other.found
    return decided, None if same else other


def figures(state: TradeoffState) -> None:
    """Both sides of the trade for the plan that is decided for; below each figure, that of the other plan."""
    decided, other = sides(state)
    if decided is None:
        return
    error, risk = decided.found.error, decided.found.many
    total, cell, noise = sentences.parts_in_words(error)
    if state.question.decided_for == PRESENT:
        # What the figures are about stands in the sentence above otherwise.
        st.markdown(f"**Your setting: {escaped_markdown(_in_words(error.plan))}**")
    columns = st.columns(4)
    drawn = f"mean of {counted(error.values.size, 'draw')}"
    figure(
        columns[0],
        "Error of the map" if error.purpose == PLACES else "Error of counts",
        total,
        f"{drawn}, ± {added_up(error.mean, error.half_width, error.unit)[1]}"
        + _beside(other, lambda one: length(one.error.mean, error.unit)),
        _PLACES_HELP if error.purpose == PLACES else _COUNTS_HELP,
    )
    rest = f"+ {noise} from the randomisation" if error.knows_cell_part else "not measured on cells this small"
    figure(columns[1], "Part from cell size", cell, rest, _CELL_HELP)
    seen = "one report" if risk.reports == 1 else f"{risk.reports} reports"
    after = "" if risk.reports == 1 else f"after {seen}; "

    def hit(share: float) -> str:
        return percent(share, digits=1)

    def off_by(one: Assessment, cells: float) -> str:
        return sentences.guess_off_by(cells, one.error.side, error.length_unit)

    figure(
        columns[2],
        "Right cell named",
        hit(risk.hit_rate),
        f"{after}{hit(risk.prior_hit_rate)} without a report"
        + _beside(other, lambda one: f"{hit(one.many.hit_rate)} ({hit(one.many.prior_hit_rate)} without)"),
        f"How often an attacker who knows where people usually are names the right cell after {seen}, and without any. "
        "Larger cells are named more often, with or without a report.",
    )
    figure(
        columns[3],
        "Attacker’s average error",
        off_by(decided.found, risk.guess_distance),
        f"{after}{off_by(decided.found, risk.prior_distance)} without a report"
        + _beside(
            other,
            lambda one: f"{off_by(one, one.many.guess_distance)} ({off_by(one, one.many.prior_distance)} without)",
        ),
        f"Mean distance between the attacker’s best guess after {seen}, and without any, and the person, both at the "
        "centres of their cells.",
    )


def _in_words(plan: Plan) -> str:
    return f"{sentences.setting_words(plan)} on {sentences.grid_words(plan)}"


def _beside(other: _Side | None, said: Callable[[Assessment], str]) -> str:
    return "" if other is None else f"; {other.name.lower()} {said(other.found)}"


def maps(state: TradeoffState) -> None:
    """The maps of the plan that is decided for, and the recovered map of the other one, on one scale of colours."""
    decided, other = sides(state)
    if decided is None:
        return
    run = _run_of(state, decided.found.error.plan)
    if run is None:
        st.caption("The maps are being drawn …")
        return
    plan = decided.found.error.plan
    population = state.measurements.population(plan.d)
    triple = map_triple(population, plan.make(), run.reports, run.estimate.distribution)
    scale, lines = triple.scale(is_dark()), outline_lines(state.loaded.entry.outline)
    shown: list[tuple[str, str, Panel]] = [
        ("True", "known only in a simulation", triple.true),
        ("Perturbed", "all that is sent", triple.perturbed),
    ]
    assert triple.recovered is not None
    shown.append(("Recovered", decided.name.lower(), triple.recovered))
    if other is not None and (second := _run_of(state, other.found.error.plan)) is not None:
        wide = other.found.error.plan.d
        # Per area, not per cell: cells of another size hold other shares.
        shares: NDArray[np.float64] = second.estimate.distribution * (wide / plan.d) ** 2
        panel = Panel("Recovered", "", shares, state.measurements.population(wide).grid)
        shown.append(("Recovered", other.name.lower(), panel))
    with st.container(key="plan-maps"):
        columns = st.columns(len(shown), vertical_alignment="bottom")
        for column, (title, caption, panel) in zip(columns, shown, strict=True):
            column.markdown(f"**{title}** :small[{caption}]")
            alt = f"{title} map, {caption}; {fullest_cells_in_words(panel.values)}"
            column.image(panel.image(scale, _PICTURE, lines), width="stretch", alt=alt)
    own = f"of all people in one cell of the {plan.d} × {plan.d} (or more)"
    same = "" if other is None else "; the last map on the same scale, per area"
    st.html(captions.legend(scale, f"{own}{same}. One draw, seed {state.choices.seed}."))


def _run_of(state: TradeoffState, plan: Plan) -> Run | None:
    """One run of a plan, with the visitor's seed; None while it is being computed."""
    population, seed = state.measurements.population(plan.d), state.choices.seed
    key = ("tradeoff-run", *key_of(state.choices.changed(d=plan.d)), plan, seed)
    job = jobs_for(state.choices).start(key, lambda: iter([first_run(population, plan, seed)]))
    job.wait(_PATIENCE_S)
    return job.results[0] if job.results else None

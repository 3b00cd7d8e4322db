"""What the Trade-off page is asked: the controls, and the question they add up to."""

from __future__ import annotations

from enum import StrEnum

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import MOST_REPORTS, POPULATIONS, REPEATS_RANGE, Choices
from spatialldp.dashboard.shared.controls import bound, choices, choose, mechanism_pills
from spatialldp.dashboard.shared.link_values import LARGEST_TARGET, SMALLEST_TARGET
from spatialldp.experiments.map_error import COUNTS, PER_THOUSAND, PLACES
from spatialldp.experiments.plan import Plan, side_and_unit
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.question import CROWDS, CURVES, Question, default_target, read_scenario
from spatialldp.population import FEWEST_PEOPLE, Population

#: Two, because one repeat says nothing about how sure a figure is.
_REPEATS = (2, REPEATS_RANGE[1])
_CURVE_LABELS = {"epsilon": "ε", "d": "cells", "b": "radius", "users": "people", CROWDS: "ε, by people"}
_UNITS = {"m": "metres", PER_THOUSAND: "people per 1,000"}
_PURPOSE_LABELS = {PLACES: "Show where people are", COUNTS: "Count people in areas"}


class Kind(StrEnum):
    """What the visitor knows."""

    TARGET = "I can accept an error of …"
    OFFER = "I can offer ε = …"


def promise(chosen: Choices) -> str:
    """What ε means here: a mechanism of Geo-I runs at another one unless the visitor wants the same."""
    notion = MECHANISMS[chosen.mechanism].notion
    return "as DAM" if notion == "Geo-I" and chosen.calibrated else notion


def question_controls(population: Population) -> None:
    """What is known, what the map is for, who takes part, and how often one person reports."""
    chosen = choices()
    first, second, third, fourth = st.columns([1.15, 1, 1.1, 1.1], gap="medium")
    session.show(session.KIND_OF_QUESTION, Kind.OFFER if chosen.target is None else Kind.TARGET)
    first.radio("Where do you start?", list(Kind), key=session.KIND_OF_QUESTION, on_change=_asked, args=(population,))
    with second:
        if chosen.target is not None:
            _target_field(population, chosen)
        else:
            st.markdown(f"**ε = {chosen.epsilon:g}**  \n:small[The ε you offer is that of the slider.]")
    session.show("purpose", chosen.purpose)
    third.radio(
        "What is the map for?",
        list(_PURPOSE_LABELS),
        format_func=_PURPOSE_LABELS.__getitem__,
        key="purpose",
        on_change=_purpose_chosen,
        args=(population,),
        help="To show where people are, the error is how far they are from where the map has them. To count people, it "
        "is how far off a count in an area is: the mean over squares 0.3 times as wide as the map.",
    )
    with fourth:
        st.select_slider(
            "How many take part",
            sorted({*POPULATIONS, chosen.people}),
            format_func=lambda percent: _taking_part(percent, population.users),
            help="Fewer than there are: a random sample. More: everybody several times. The recovered map is compared "
            "with the map of everybody.",
            **bound("people", participants_key(population.users), chosen.people, moves=True),
        )


def _target_field(population: Population, chosen: Choices) -> None:
    unit = side_and_unit(population.grid)[1] if chosen.purpose == PLACES else PER_THOUSAND
    st.number_input(
        f"Error I can accept, {_UNITS.get(unit, unit)}",
        min_value=SMALLEST_TARGET,
        max_value=LARGEST_TARGET,
        step=50.0 if unit == "m" else 1.0 if unit == PER_THOUSAND else None,
        format="%g",
        help="How far off the map may be, on average (root mean square), the size of its cells included."
        if chosen.purpose == PLACES
        else "How far off a count of people in an area may be, on average, in people per 1,000 on the whole map.",
        # To Streamlit a field with other steps is another field.
        **bound("target", "target" if chosen.purpose == PLACES else "target-counts", chosen.target, moves=True),
    )


def _asked(population: Population) -> None:
    accepts = session.shown(session.KIND_OF_QUESTION) == Kind.TARGET
    choose(target=default_target(population.grid, choices().purpose) if accepts else None)


def _purpose_chosen(population: Population) -> None:
    purpose = session.shown("purpose")
    accepted = None if choices().target is None else default_target(population.grid, purpose)
    choose(purpose=purpose, target=accepted)


def participants_key(users: int) -> str:
    """The key of the slider of who takes part. The browser knows a stop by its text alone, and that counts people: of
    other people it would send a text that is no longer a stop, and Streamlit would take the first one instead."""
    return f"pop-of-{users}"


def _people(percent: int, users: int) -> int:
    return max(round(users * percent / 100), FEWEST_PEOPLE)


def _taking_part(percent: int, users: int) -> str:
    share = f"{percent}%" if percent < 100 else "everybody" if percent == 100 else f"{percent / 100:g} times as many"
    return f"{share}: {_people(percent, users):,}"


def curve_controls() -> None:
    """What the curves vary, whose they are, how often everything runs and how often one person reports."""
    chosen = choices()
    left, middle, right = st.columns([1.7, 1, 1], gap="large", vertical_alignment="bottom")
    left.segmented_control(
        "Draw curves against",
        list(CURVES),
        format_func=_CURVE_LABELS.__getitem__,
        required=True,
        help="“ε, by people” draws the error against ε for a tenth of the people, for all, and for ten times as many.",
        **bound("over", "over", chosen.over),
    )
    middle.slider(
        "Repeats",
        *_REPEATS,
        help="This many collections are simulated per plan, and the intervals come from them. The search for an ε "
        "takes several times as many.",
        **bound("repeats", "repeats", max(chosen.repeats, _REPEATS[0]), moves=True),
    )
    right.slider(
        "Reports per person",
        1,
        MOST_REPORTS,
        help="A person who reports again spends the budget again: k reports cost k·ε. This changes the risk, not the "
        "map, which counts one report per person.",
        **bound("reports", "k", chosen.reports, moves=True),
    )
    if chosen.over != CROWDS:
        mechanism_pills(f"Draw beside {chosen.mechanism}", "drawn", session.DRAWN, without=chosen.mechanism)


def plan_of(chosen: Choices, population: Population) -> Plan:
    """The sidebar's choices as a plan."""
    users = None if chosen.people == 100 else _people(chosen.people, population.users)
    return Plan(chosen.mechanism, chosen.epsilon, chosen.d, chosen.radius, users, chosen.calibrated, chosen.by)


def question_of(chosen: Choices, population: Population) -> Question:
    """The choices as a question, which the page, the report and the command line answer alike."""
    return Question(
        chosen.data,
        plan_of(chosen, population),
        chosen.box,
        chosen.seed,
        max(chosen.repeats, _REPEATS[0]),
        chosen.reports,
        chosen.over,
        tuple(name for name in MECHANISMS if name in {*chosen.drawn, chosen.mechanism}),
        chosen.target,
        tuple(read_scenario(text, chosen.calibrated, chosen.by) for text in chosen.scenarios),
        chosen.purpose,
        chosen.decided_for,
    )

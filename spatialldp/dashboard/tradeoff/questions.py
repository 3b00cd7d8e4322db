"""What the Trade-off page is asked: the controls, and the question they add up to."""

from __future__ import annotations

from enum import StrEnum

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import MOST_REPORTS, POPULATIONS, REPEATS_RANGE, Choices
from spatialldp.dashboard.shared.controls import bound, choices, choose, mechanism_pills
from spatialldp.dashboard.shared.link_values import LARGEST_TARGET, SMALLEST_TARGET
from spatialldp.experiments.axes import AXES
from spatialldp.experiments.plan import Plan, side_and_unit
from spatialldp.mechanisms import MECHANISMS
from spatialldp.planning.question import Question, default_target, read_pinned
from spatialldp.population import FEWEST_PEOPLE, Population

#: Two, because one repeat says nothing about how sure a figure is.
_REPEATS = (2, REPEATS_RANGE[1])
_AXIS_LABELS = {"epsilon": "ε", "users": "people"}


class Kind(StrEnum):
    """What the visitor knows."""

    TARGET = "I can accept an error of …"
    OFFER = "I can offer ε = …"


def promise(chosen: Choices) -> str:
    """What ε means here: a mechanism of Geo-I runs at another one unless the visitor wants the same."""
    notion = MECHANISMS[chosen.mechanism].notion
    return "as DAM" if notion == "Geo-I" and chosen.calibrated else notion


def question_controls(population: Population) -> None:
    """What is known, who takes part, and how often one person reports."""
    chosen = choices()
    first, second, third = st.columns([1.15, 1, 1], gap="large")
    with first:
        session.show(session.KIND_OF_QUESTION, Kind.OFFER if chosen.target is None else Kind.TARGET)
        st.radio(
            "What do you know?",
            list(Kind),
            key=session.KIND_OF_QUESTION,
            on_change=_asked,
            args=(population,),
            horizontal=True,
        )
        if chosen.target is not None:
            unit = side_and_unit(population.grid)[1]
            st.number_input(
                f"Error I can accept, {'metres' if unit == 'm' else unit}",
                min_value=SMALLEST_TARGET,
                max_value=LARGEST_TARGET,
                step=50.0 if unit == "m" else None,
                format="%g",
                help="How far off the map may be, on average (root mean square), the size of its cells included.",
                **bound("target", "target", chosen.target, moves=True),
            )
        else:
            st.caption(f"The ε you offer is the one on the left: **ε = {chosen.epsilon:g}**.")
    second.select_slider(
        "Who takes part",
        sorted({*POPULATIONS, chosen.people}),
        format_func=lambda percent: _taking_part(percent, population.users),
        help="Fewer than there are: a random sample. More: everybody several times. The recovered map is compared "
        "with the map of everybody.",
        **bound("people", participants_key(population.users), chosen.people, moves=True),
    )
    third.slider(
        "Reports per person",
        1,
        MOST_REPORTS,
        help="A person who reports again spends the budget again: k reports cost k·ε. This changes the risk, not the "
        "map, which counts one report per person.",
        **bound("reports", "k", chosen.reports, moves=True),
    )


def _asked(population: Population) -> None:
    accepts = session.shown(session.KIND_OF_QUESTION) == Kind.TARGET
    choose(target=default_target(population.grid) if accepts else None)


def participants_key(users: int) -> str:
    """The key of the slider of who takes part. The browser knows a stop by its text alone, and that counts people: of
    other people it would send a text that is no longer a stop, and Streamlit would take the first one instead."""
    return f"pop-of-{users}"


def _people(percent: int, users: int) -> int:
    return max(round(users * percent / 100), FEWEST_PEOPLE)


def _taking_part(percent: int, users: int) -> str:
    share = f"{percent} %" if percent < 100 else "everybody" if percent == 100 else f"{percent / 100:g} times as many"
    return f"{share}: {_people(percent, users):,}"


def curve_controls() -> None:
    """What the curves vary, and whose they are."""
    chosen = choices()
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    left.segmented_control(
        "Curves over",
        list(AXES),
        format_func=lambda axis: _AXIS_LABELS.get(axis, axis),
        required=True,
        **bound("over", "over", chosen.over),
    )
    right.slider(
        "Repeats",
        *_REPEATS,
        help="Everything runs this often with new random draws; the intervals come from that.",
        **bound("repeats", "repeats", max(chosen.repeats, _REPEATS[0]), moves=True),
    )
    mechanism_pills("Mechanisms to draw")


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
        tuple(name for name in MECHANISMS if name in {*chosen.compared, chosen.mechanism}),
        chosen.target,
        None if chosen.pinned is None else read_pinned(chosen.pinned, chosen.calibrated, chosen.by),
    )

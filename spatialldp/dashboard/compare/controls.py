"""What Compare compares: which mechanisms, on which footing, how often."""

from __future__ import annotations

import streamlit as st

from spatialldp.dashboard.shared import session
from spatialldp.dashboard.shared.choices import EQUAL, FOOTINGS, REPEATS_RANGE, Choices
from spatialldp.dashboard.shared.controls import bound, choices, mechanism_pills
from spatialldp.mechanisms import MECHANISMS

_FOOTING_NAMES = {
    EQUAL: "Local privacy, as in the paper",
    "guess": "Distance of the best guess",
    "hit": "Right cell named: how often the likeliest cell is the right one",
    "worst": "Worst-case loss across the map",
    "same": "None: use the same ε",
}
assert _FOOTING_NAMES.keys() == FOOTINGS.keys()
#: What holds at the ε′ of each ruler.
_RULERS = {
    EQUAL: "an attacker who draws a guess from what a report makes plausible is, on average, as far off as with DAM "
    "(“local privacy”).",
    "guess": "an attacker who makes the best guess from a report is, on average, as far off as with DAM.",
    "hit": "an attacker who names the likeliest cell after a report is right as often as with DAM.",
    "worst": "no report is more than e^ε times likelier from one place than from any other on the map, as LDP "
    "promises.",
}


def comparison_controls() -> None:
    """Mechanisms, footing and repeats."""
    chosen = choices()
    mechanism_pills("Mechanisms", "compared", session.COMPARED)
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    geo_i = ", ".join(name for name, kind in MECHANISMS.items() if kind.notion == "Geo-I")
    left.selectbox(
        f"Ruler by which Geo-I mechanisms ({geo_i}) protect as much as DAM",
        list(FOOTINGS),
        format_func=_FOOTING_NAMES.__getitem__,
        help="Geo-I mechanisms protect less the farther apart two places are, so the same ε promises less. Each "
        "therefore runs at the ε′ at which it protects as much as DAM by the ruler chosen here. A ruler sees only one "
        "side of protection; the table below shows all five.",
        **bound("footing", "footing", chosen.footing),
    )
    right.slider(
        "Repeats",
        *REPEATS_RANGE,
        help="Each mechanism runs this often, with new random draws. More repeats give narrower intervals.",
        **bound("repeats", "repeats", chosen.repeats, moves=True),
    )


def explanation(chosen: Choices) -> str:
    """What ε means for the mechanisms that are compared, and what they have in common."""
    if not chosen.calibrated:
        away = min(10, chosen.d - 1)
        example = (
            f", so a report may be e^{away * chosen.epsilon:g} times likelier from one place than from another {away} "
            "cells away. A smaller error is then bought with less protection"
        )
        return (
            f"All run at ε = {chosen.epsilon:g}, but that does not mean the same thing: for Geo-I, ε counts per cell "
            f"of distance{example if away > 1 else ''}: see “What one report hides” below."
        )
    return (
        f"For DAM and the other LDP mechanisms ε = {chosen.epsilon:g} bounds how well a report tells *any* two places "
        "apart; for Geo-I the bound is per cell of distance, so the same number hardly protects places far apart. "
        f"Here each Geo-I mechanism runs at the ε′ at which {_RULERS[chosen.footing]}"
    )

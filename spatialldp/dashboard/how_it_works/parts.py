"""The parts of "How it works", and what they have in common: the grid and the radius of DAM."""

from __future__ import annotations

import streamlit as st

from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.choices import PARTS, Choices
from spatialldp.dashboard.shared.controls import bound, choices, choose
from spatialldp.mechanisms import DAM

#: Pictures of finer grids would have more cells than a projector can show.
FINEST = 20
_TITLES = {
    "kernel": "What one report reveals",
    "recovery": "From reports to a map",
    "paper": "Corrections to the paper",
}
assert tuple(_TITLES) == PARTS


def limited(chosen: Choices) -> Choices:
    """The choices on the finest grid this page uses."""
    return chosen if chosen.d <= FINEST else chosen.changed(d=FINEST)


def part_menu() -> None:
    """Jump to any part."""
    st.segmented_control(
        "Part",
        PARTS,
        format_func=_TITLES.__getitem__,
        label_visibility="collapsed",
        required=True,
        **bound("part", "part", choices().part),
    )


def mechanism_of(chosen: Choices) -> DAM:
    """DAM with the chosen radius, or the optimal one if none is chosen."""
    return DAM(chosen.epsilon, chosen.d, chosen.b)


def radius_slider(chosen: Choices) -> None:
    """The radius b, at its optimum until it is moved, and the way back."""
    slider, button = st.columns([3, 1], vertical_alignment="bottom")
    best = controls.radius_slider(slider, DAM, chosen)
    button.button(
        f"Optimum, b = {best}",
        on_click=choose,
        kwargs={"b": None},
        key="best",
        width="stretch",
        disabled=chosen.b is None,
    )

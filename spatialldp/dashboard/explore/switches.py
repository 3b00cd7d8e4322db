"""The row above Explore's maps."""

from __future__ import annotations

import streamlit as st

from spatialldp.dashboard.explore.closer_view import view_chooser
from spatialldp.dashboard.explore.drawing_view import dragging_switch
from spatialldp.dashboard.explore.state import MAP_NAMES, ExploreState
from spatialldp.dashboard.shared import components, maps
from spatialldp.dashboard.shared.controls import bound, street_map_switch
from spatialldp.dashboard.shared.page_setup import is_dark


def switches(state: ExploreState) -> bool:
    """How to look at the maps, what dragging does, what else to draw; True when streets are wanted."""
    tiles = False
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="switches"):
        view_chooser(state)
        if state.choices.view == "three":
            dragging_switch()
            with st.popover("Layers", icon=":material/layers:"):
                tiles = _layers(state)
            names = [*MAP_NAMES, *(["difference"] if state.choices.difference else [])]
            areas = dict.fromkeys([f"map-{name}" for name in names], state.population.grid.bounds)
            components.maps_in_step(areas, state.loaded.entry.is_geographic)
    if tiles:
        components.street_map_notice(maps.street_map_address(is_dark()))
    return tiles


def _layers(state: ExploreState) -> bool:
    st.toggle(
        "Difference map",
        help="A fourth map: recovered − true.",
        **bound("difference", "diff", state.choices.difference),
    )
    st.toggle(
        "Where the error is",
        help="Draws the largest moves that would repair the recovered map.",
        **bound("flows", "flows", state.choices.flows),
    )
    return street_map_switch(state.loaded)

"""The three maps, or one of the ways to look closer at a run in their place."""

from __future__ import annotations

import numpy as np
import streamlit as st

from spatialldp.dashboard.explore import play_view
from spatialldp.dashboard.explore.columns_view import columns_view
from spatialldp.dashboard.explore.maps_view import three_maps
from spatialldp.dashboard.explore.play_view import Playing
from spatialldp.dashboard.explore.state import ExploreState
from spatialldp.dashboard.shared.choices import VIEWS
from spatialldp.dashboard.shared.controls import bound, container_for
from spatialldp.dashboard.shared.page_setup import is_dark
from spatialldp.dashboard.shared.swipe import Side, swipe
from spatialldp.drawing.triple import MapTriple

_TITLES = {"three": "Three maps", "swipe": "Swipe", "play": "Play", "columns": "3-D"}
assert tuple(_TITLES) == VIEWS
_PAIRS = (("True", "Recovered"), ("True", "Perturbed"), ("Perturbed", "Recovered"))


def view_chooser(state: ExploreState) -> None:
    """Three maps, or one of the ways to look closer."""
    st.segmented_control(
        "View",
        VIEWS,
        format_func=_TITLES.__getitem__,
        label_visibility="collapsed",
        required=True,
        **bound("view", "view", state.choices.view),
    )


def chosen_view(state: ExploreState, triple: MapTriple, tiles: bool) -> Playing | None:
    """The maps in the chosen view; what `wait` has to wait for."""
    view = state.choices.view
    if view != "play":
        play_view.stop_playing()
    with container_for(view, VIEWS):
        if view == "three":
            three_maps(state, triple, tiles)
        elif view == "swipe":
            swipe_view(state, triple)
        elif view == "columns":
            columns_view(state, triple)
        return play_view.play_view(state) if view == "play" else None


def wait(playing: Playing | None) -> None:
    """Wait for what is still to come. Comes last on its page."""
    if playing is not None:
        play_view.wait(playing)


def swipe_view(state: ExploreState, triple: MapTriple) -> None:
    """One large map with a divider between two of the three."""
    sides = [Side("True", f"{triple.true.caption} (known only in a simulation)", triple.true.values)]
    sides.append(_reports_inside(state, triple))
    if triple.recovered is not None:
        note = triple.recovered.caption if state.run is not None else "a first, rough map; being refined …"
        sides.append(Side("Recovered", note, triple.recovered.values))
    swipe(sides, _PAIRS, state.population, state.loaded.entry.outline, triple.scale(is_dark()), "swipe")


def _reports_inside(state: ExploreState, triple: MapTriple) -> Side:
    """The perturbed map, cropped to the true area."""
    margin, d = -triple.report_map.origin[0], state.population.grid.d
    here = (slice(margin, margin + d), slice(margin, margin + d))
    reports, note = triple.report_map.values, triple.report_map.caption
    beyond = 1 - float(np.nansum(reports[here]) / max(np.nansum(reports), 1e-300))
    if margin > 0 and beyond > 0:
        note += f"; {beyond:.1%} of the reports fall outside the area and are not shown"
    unit = "named" if state.mechanism.map_shows == "share of reports" else "reports"
    return Side("Perturbed", note, triple.perturbed.values[here], reports[here], unit)

"""Explore: one population, one mechanism, three maps."""

import streamlit as st

from spatialldp.dashboard.explore import (
    downloads,
    drawing_view,
    figures_view,
    hot_spots_view,
    maps_view,
    range_view,
    state,
)
from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.dashboard.shared.pages import Page
from spatialldp.mechanisms import MECHANISMS

setup_page(Page.EXPLORE)
loaded = controls.sidebar_data()
controls.sidebar_mechanism()
controls.sidebar_budget(MECHANISMS[controls.choices().mechanism].notion)
controls.sidebar_radius()
controls.sidebar_end()
chosen = controls.choices()

st.title("How much of a map survives local privacy?")
st.markdown(
    "Every person's place is randomised **on their own device** before it is sent. Nobody ever collects the true map; "
    "it is shown here only because this is a simulation."
)
controls.show_notices()
loaded, population = controls.require_population(loaded, chosen)

shown = state.begin(chosen, loaded, population)
if shown is None:
    st.error("This run could not be computed. Change a setting, or reset to the defaults.")
    st.stop()
triple = maps_view.triple_of(shown)
tiles = maps_view.view_switches(shown)
drawing_view.dragging_switch()
maps_view.three_maps(shown, triple, tiles)
drawing_view.drawing(shown)
maps_view.difference_map(shown, tiles)
st.caption(population.note)
range_view.range_counts(shown)
hot_spots_view.hot_spot_table(shown)
ends = figures_view.figures(shown)
downloads.take_away(shown, triple)
state.wait(shown, ends)

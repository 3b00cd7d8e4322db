"""Explore: one population, one mechanism, three maps."""

import streamlit as st

from spatialldp.dashboard.explore import (
    closer_view,
    downloads,
    drawing_view,
    figures_view,
    hot_spots_view,
    maps_view,
    range_view,
    state,
    switches,
)
from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.first_minute import heading
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.dashboard.shared.pages import Page

setup_page(Page.EXPLORE)
loaded = controls.sidebar_data()
controls.sidebar_mechanism()
controls.sidebar_budget(controls.promise())
controls.sidebar_radius()
controls.sidebar_mask(loaded)
controls.sidebar_end()
chosen = controls.choices()

heading(
    "How much of a map survives local privacy?",
    "Every person’s location is randomised **on their own device** before it is sent. You see the true map only "
    "because this is a simulation.",
)
controls.show_notices()
loaded, population = controls.require_population(loaded, chosen)

shown = state.begin(chosen, loaded, population)
if shown is None:
    st.error("This run could not be computed. Change a setting, or reset to the defaults.")
    st.stop()
figures_view.settings_on_paper(shown)
triple = maps_view.triple_of(shown)
ends = figures_view.headline(shown)
tiles = switches.switches(shown)
with st.container(key=state.MAPS):
    closer = closer_view.chosen_view(shown, triple, tiles)
    drawing_view.drawing(shown)
    st.caption(population.note)
with st.container(key=state.RESULTS):
    maps_view.difference_map(shown, tiles)
    range_view.range_counts(shown)
    hot_spots_view.hot_spot_table(shown)
    figures_view.figures(shown, ends)
    downloads.take_away(shown, triple)
state.wait(shown, ends)
closer_view.wait(closer)

"""Explore: one population, one mechanism, three maps."""

import streamlit as st

from spatialldp.dashboard.explore import downloads, scene
from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.mechanisms import MECHANISMS

setup_page("Explore")
chosen = controls.choices()
loaded = controls.sidebar_data()
controls.sidebar_mechanism()
controls.sidebar_budget(MECHANISMS[chosen.mechanism].notion)
controls.sidebar_radius()
controls.sidebar_end()
chosen = controls.choices()

st.title("How much of a map survives local privacy?")
st.markdown(
    "Every person's place is randomised **on their own device** before it is sent. Nobody ever collects the true map; "
    "it is shown here only because this is a simulation."
)
controls.show_notices()
loaded, population = controls.present(loaded, chosen)

shown = scene.scene(chosen, loaded, population)
if shown is None:
    st.error("This run could not be computed. Change a setting, or reset to the defaults.")
    st.stop()
tiles = scene.view_switches(shown)
scale = scene.three_maps(shown, tiles)
scene.difference_map(shown, tiles)
st.caption(population.note)
scene.figures(shown)
downloads.take_away(shown, scale)
scene.refine(shown)

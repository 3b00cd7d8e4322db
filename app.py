"""Explore: one population, one mechanism, three maps."""

import streamlit as st

from spatialldp.dashboard import controls, explore, takeaway
from spatialldp.dashboard.setup import setup_page
from spatialldp.mechanisms import MECHANISMS

setup_page("Explore")
chosen = controls.choices()
place = controls.sidebar_data()
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
place, people = controls.present(place, chosen)

shown = explore.scene(chosen, place, people)
if shown is None:
    st.error("This run could not be computed. Change a setting, or reset to the defaults.")
    st.stop()
tiles = explore.view_switches(shown)
scale = explore.three_maps(shown, tiles)
explore.difference_map(shown, tiles)
st.caption(people.note)
explore.figures(shown)
takeaway.take_away(shown, scale)
explore.refine(shown)

"""Compare: the same people through several mechanisms."""

import streamlit as st

from spatialldp.dashboard.compare import pictures, scores
from spatialldp.dashboard.shared import controls
from spatialldp.dashboard.shared.page_setup import setup_page

setup_page("Compare")
loaded = controls.sidebar_data()
controls.sidebar_budget("both")
controls.sidebar_end()
chosen = controls.choices()

st.title("Which mechanism keeps most of the map?")
st.markdown(
    "The same people, area and grid for each. Every mechanism runs several times; the error is how far people would "
    "have to be moved, in the root mean square, to turn the recovered map into the true one (W2)."
)
controls.show_notices()
scores.which()
loaded, population = controls.present(loaded, chosen)
st.caption(population.note)
waiting = scores.begin(controls.choices(), loaded, population)
pictures.fooled(controls.choices())
scores.wait(waiting)

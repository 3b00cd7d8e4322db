"""Compare: the same people through several mechanisms."""

import streamlit as st

from spatialldp.dashboard import compare, compare_view, controls
from spatialldp.dashboard.setup import setup_page

setup_page("Compare")
place = controls.sidebar_data()
controls.sidebar_budget("both")
controls.sidebar_end()
chosen = controls.choices()

st.title("Which mechanism keeps most of the map?")
st.markdown(
    "The same people, area and grid for each. Every mechanism runs several times; the error is how far people would "
    "have to be moved, in the root mean square, to turn the recovered map into the true one (W2)."
)
controls.show_notices()
compare.which()
place, people = controls.present(place, chosen)
st.caption(people.note)
waiting = compare.begin(controls.choices(), place, people)
compare_view.fooled(controls.choices())
compare.wait(waiting)

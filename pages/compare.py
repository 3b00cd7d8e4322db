"""Compare: the same people through several mechanisms."""

import streamlit as st

from spatialldp.dashboard.compare.controls import comparison_controls
from spatialldp.dashboard.compare.ruler_example import ruler_example
from spatialldp.dashboard.shared import comparison, comparison_view, controls
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.dashboard.shared.pages import Page

setup_page(Page.COMPARE)
loaded = controls.sidebar_data()
controls.sidebar_budget("both")
controls.sidebar_end()
chosen = controls.choices()

st.title("Which mechanism keeps most of the map?")
st.markdown(
    "The same people, area and grid for each. Every mechanism runs several times; the error (W2) is how far people "
    "would have to be moved, on average (root mean square), to turn the recovered map into the true one."
)
controls.show_notices()
comparison_controls()
loaded, population = controls.require_population(loaded, chosen)
st.caption(population.note)
found = comparison.begin(chosen, population)
comparison_view.draw(found, loaded)
ruler_example(chosen)
comparison.wait(found)

"""Compare: the same people through several mechanisms."""

import streamlit as st

from spatialldp.dashboard.compare.controls import comparison_controls, explanation
from spatialldp.dashboard.compare.ruler_example import ruler_example
from spatialldp.dashboard.shared import comparison, comparison_view, controls
from spatialldp.dashboard.shared.page_setup import setup_page
from spatialldp.dashboard.shared.pages import Page

setup_page(Page.COMPARE)
loaded = controls.sidebar_data()
controls.sidebar_budget("both")
controls.sidebar_end()
chosen = controls.choices()

st.title("Which mechanism preserves the map best?")
st.caption("Every mechanism runs several times on the same people, area and grid.")
controls.show_notices()
comparison_controls()
loaded, population = controls.require_population(loaded, chosen)
found = comparison.begin(chosen, population)
comparison_view.draw(found, loaded)
st.caption(explanation(chosen))
st.caption(population.note)
ruler_example(chosen)
comparison.wait(found)
